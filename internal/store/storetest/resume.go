package storetest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/plimsoll/plimsoll/internal/store"
)

// Downloads are those of a store that was opened behind a proxy.
type Downloads struct {
	Store    store.Store
	Requests *store.Requests // of the store
	Proxy    *Proxy
	Path     string
	Get      func(*http.Request) bool // it is a request for the file at Path
	Cause    string                   // of an answer that is cut off
	Tries    int                      // that the store makes after the first
}

// TestResumed has connections cut under a download. It goes on where it was, as often as the proxy says that it cut one
// off, and ends when the file is another one by then.
func (d *Downloads) TestResumed(t *testing.T) {
	const size, cut = 1_000_001, 300_000
	content := bytes.Repeat([]byte("plimsoll "), size/9+1)[:size]
	d.mustWrite(t, content)
	t.Run("goes on", func(t *testing.T) {
		before := total(d.Requests.Reopenings())
		d.Proxy.Break(When(-1, d.Get, d.Proxy.CutAnswer(cut)))
		got, err := d.read(t.Context())
		if err != nil || !bytes.Equal(got, content) {
			t.Fatalf("%d bytes of %d, %v", len(got), size, err)
		}
		cuts, reopened := d.Proxy.Cuts(), d.Requests.Reopenings()
		if n := total(reopened) - before; cuts != size/cut || n != cuts || reopened[d.Cause] != total(reopened) {
			t.Errorf("%d connections were cut, want %d, and the file was opened again %d times: %v", cuts, size/cut, n, reopened)
		}
	})
	t.Run("away for a moment", func(t *testing.T) {
		before := total(d.Requests.Reopenings())
		d.Proxy.Break(When(1, d.Get, d.Proxy.CutAnswer(cut)), When(1, d.Get, CutRequest(0)))
		got, err := d.read(t.Context())
		if n := total(d.Requests.Reopenings()) - before; err != nil || !bytes.Equal(got, content) || n != 1 {
			t.Errorf("%d bytes of %d, opened again %d times, want once: %v", len(got), size, n, err)
		}
	})
	t.Run("away for good", func(t *testing.T) {
		before := total(d.Requests.Reopenings())
		var asked atomic.Int64
		away := func(w http.ResponseWriter, r *http.Request) bool {
			asked.Add(1)
			return CutRequest(0)(w, r)
		}
		d.Proxy.Break(When(1, d.Get, d.Proxy.CutAnswer(cut)), When(-1, d.Get, away))
		got, err := d.read(t.Context())
		if err == nil || len(got) != cut || total(d.Requests.Reopenings()) != before {
			t.Errorf("%d bytes of %d, %v", len(got), cut, err)
		}
		if n := asked.Load(); n < 1 || n > int64(1+d.Tries) {
			t.Errorf("the rest was asked for %d times, want no more than %d", n, 1+d.Tries)
		}
	})
	t.Run("replaced", func(t *testing.T) {
		replaced := false
		d.Proxy.Break(When(1, d.Get, d.Proxy.CutAnswer(cut)), When(1, d.Get, func(http.ResponseWriter, *http.Request) bool {
			d.mustWrite(t, append([]byte("other "), content...)[:size])
			replaced = true
			return false
		}))
		if _, err := d.read(t.Context()); store.CauseOf(err) != store.Changed || !replaced {
			t.Errorf("a file that was replaced: %v", err)
		}
	})
	d.Proxy.Break()
}

func total(counts map[string]int64) (n int64) {
	for _, k := range slices.Collect(maps.Values(counts)) {
		n += k
	}
	return n
}

func (d *Downloads) mustWrite(t *testing.T, content []byte) {
	w, err := d.Store.Create(t.Context(), d.Path, int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	const block = 50_000
	for len(content) > 0 {
		n := min(len(content), block)
		pieces, err := w.Reserve(t.Context(), n)
		if err != nil {
			t.Fatal(errors.Join(err, w.Abort(t.Context())))
		}
		for _, p := range pieces {
			content = content[copy(p, content):]
		}
		if err := w.Write(t.Context(), n); err != nil {
			t.Fatal(errors.Join(err, w.Abort(t.Context())))
		}
	}
	if err := w.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (d *Downloads) read(ctx context.Context) ([]byte, error) {
	f, err := d.Store.Open(ctx, d.Path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := f.Stream(ctx)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(r)
	return b, errors.Join(err, r.Close())
}
