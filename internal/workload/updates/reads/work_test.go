package reads

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/hostclock"
	"github.com/plimsoll/plimsoll/internal/kvapi"
)

// asking is a server's reader, and counts what came.
func asking(t *testing.T, came *atomic.Int64, answer http.HandlerFunc) *kvapi.Reader {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		came.Add(1)
		answer(w, r)
	}))
	t.Cleanup(server.Close)
	reader, err := kvapi.NewReader(server.URL, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(reader.Close)
	return reader
}

// everything has a value for each key.
func everything(w http.ResponseWriter, r *http.Request) {
	list := strings.Split(r.URL.Query().Get("keys"), ",")
	for i, key := range list {
		list[i] = fmt.Sprintf(`%q:{"value":%q}`, key, "of "+key)
	}
	_, _ = fmt.Fprintf(w, `{"keys":{%s}}`, strings.Join(list, ","))
}

// refuses has no answer, without anybody having to wait for that.
func refuses(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }

// TestReadBeforeTheFirstBatchHasAKey: a server refuses one without.
func TestReadBeforeTheFirstBatchHasAKey(t *testing.T) {
	var came atomic.Int64
	w := &Work{Board: new(Board), Clock: hostclock.New(), Servers: []*kvapi.Reader{
		asking(t, &came, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("keys") != "-" { // which no update has
				w.WriteHeader(http.StatusBadRequest)
				return
			}
			_, _ = w.Write([]byte(`{"keys":{}}`))
		}),
	}}
	if _, err := w.read(t.Context(), new(slot), 1, func() {}); err != nil {
		t.Error(err)
	}
	if asked, found := w.Keys(); asked != 1 || found != 0 {
		t.Errorf("asked for %d keys, and found %d", asked, found)
	}
}

// TestRestGivesUpOnUnresponsiveServer has many reads left, each of which would take its timeout at a server that
// hangs.
func TestRestGivesUpOnUnresponsiveServer(t *testing.T) {
	const left = 10 * maxAsked
	over := make(chan struct{})
	close(over)
	for _, c := range []struct {
		name string
		good bool // the second server answers
		seen int64
	}{{"alone", false, 0}, {"beside another", true, left}} {
		t.Run(c.name, func(t *testing.T) {
			b := new(Board)
			for i := range left {
				sent(b, fmt.Sprint(i), 1)
			}
			var mute, good atomic.Int64
			w := &Work{Board: b, Clock: hostclock.New(), Servers: []*kvapi.Reader{asking(t, &mute, refuses)}}
			if c.good {
				w.Servers = append(w.Servers, asking(t, &good, everything))
			}
			w.Rest(t.Context(), time.Hour, time.Minute, over)
			if n := mute.Load(); n > 2 {
				t.Errorf("the server that does not answer was asked %d times", n)
			}
			if f := b.Found(); f.Seen != c.seen {
				t.Errorf("%d of %d batches were found", f.Seen, left)
			}
		})
	}
}
