package s3

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/plimsoll/plimsoll/internal/store"
)

// An object that is read as one stream is asked for once: for its size nobody asks before.
func TestOpenStream(t *testing.T) {
	const text = "what the object holds"
	for name, test := range map[string]struct {
		length bool // the answer says how long it is
		read   bool
		want   []string
	}{
		"read":             {true, true, []string{"GET"}},
		"not read":         {true, false, []string{"GET"}},
		"without a length": {false, true, []string{"GET", "HEAD", "GET"}},
	} {
		t.Run(name, func(t *testing.T) {
			isolate(t)
			var mu sync.Mutex
			var asked []string
			url := script(t, func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				asked = append(asked, r.Method)
				w.Header().Set("ETag", `"one"`)
				if test.length || r.Method == http.MethodHead {
					w.Header().Set("Content-Length", "21")
				} else {
					w.(http.Flusher).Flush() // so that it comes in chunks
				}
				_, _ = io.WriteString(w, text)
			})
			s, err := Open(t.Context(), conf(t, url, func(*store.Config) {}))
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			f, err := s.(store.Streamer).OpenStream(t.Context(), "/x")
			if err != nil {
				t.Fatal(err)
			}
			if f.Size() != int64(len(text)) || f.(*object).etag == nil {
				t.Errorf("%d bytes, tag %v", f.Size(), f.(*object).etag)
			}
			if test.read {
				r, err := f.Stream(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(r)
				if err != nil || string(got) != text {
					t.Errorf("%q, %v", got, err)
				}
				if err := r.Close(); err != nil {
					t.Error(err)
				}
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			if !slices.Equal(asked, test.want) {
				t.Errorf("asked: %s", strings.Join(asked, ", "))
			}
		})
	}
}
