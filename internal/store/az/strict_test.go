package az_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/plimsoll/plimsoll/internal/store"
)

// strict answers as an Azurite does that does not know the checksums of parts, and others of those headers that it
// refuses; asked has what was asked for, and with what.
func strict(t *testing.T, headers ...string) (c store.Config, asked func() map[string]int) {
	t.Helper()
	var mu sync.Mutex
	counts := map[string]int{}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		status, what := http.StatusCreated, r.Method+" "+r.URL.Query().Get("comp")
		for _, h := range headers {
			if r.Header.Get(h) != "" {
				w.Header().Set("x-ms-error-code", "FeatureNotSupported")
				status, what = http.StatusInternalServerError, what+" refused"
				break
			}
		}
		mu.Lock()
		counts[what]++
		mu.Unlock()
		w.Header().Set("ETag", `"tag"`)
		w.WriteHeader(status)
	}))
	t.Cleanup(s.Close)
	clearEnvironment(t)
	c = config(t, "box", "fs.azure.account.key="+secret)
	c.Endpoint, c.ActiveParts = s.URL+"/account", 1
	return c, func() map[string]int {
		mu.Lock()
		defer mu.Unlock()
		return counts
	}
}

// If the server does not support checksums, later parts are sent without them, and the notes say so.
func TestUnsupportedChecksumIsLeftOut(t *testing.T) {
	for size, request := range map[int]string{100_000: "PUT ", 1_000_000: "PUT block"} {
		c, asked := strict(t, "x-ms-content-crc64")
		s := open(t, c)
		if err := write(t.Context(), s, "/file", content(size)); err != nil {
			t.Fatal(err)
		}
		parts := (size-1)>>18 + 1
		if got := asked(); got[request+" refused"] != 1 || got[request] != parts {
			t.Errorf("%d bytes: %v; want one that is refused and %d that are taken", size, got, parts)
		}
		about := s.Describe()
		if text := strings.Join(about.Notes, "\n"); about.Integrity != "none" || !strings.Contains(text, "x-ms-content-crc64") {
			t.Errorf("%q, %s; want that nothing was checked", about.Integrity, text)
		}
	}
}
