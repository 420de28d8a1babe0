package throughput

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// endless gives as much as is asked for, without copying.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }
func (endless) Close() error               { return nil }

// The bar: 40 ns a read on top of the bare one, and nothing allocated.
func BenchmarkRead(b *testing.B) {
	buf := make([]byte, 16<<10)
	b.Run("bare", func(b *testing.B) {
		var r io.Reader = endless{}
		for b.Loop() {
			_, _ = r.Read(buf)
		}
	})
	b.Run("request", func(b *testing.B) {
		x := &exchange{}
		x.first.start = time.Now()
		x.first.sent.start = x.first.start
		x.current.Store(&x.first)
		r := x.body(endless{})
		b.ReportAllocs()
		for b.Loop() {
			_, _ = r.Read(buf)
		}
	})
	b.Run("response", func(b *testing.B) {
		a := &attempt{start: time.Now()}
		a.received.start = a.start
		r := a.wrapResponse(&http.Response{Body: endless{}})
		b.ReportAllocs()
		for b.Loop() {
			_, _ = r.Read(buf)
		}
	})
}

// BenchmarkPut sends bodies over loopback with and without the wrapper.
func BenchmarkPut(b *testing.B) {
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
	}))
	defer server.Close()
	for _, size := range []int{1 << 10, 64 << 10, 1 << 20} {
		bare := &http.Transport{}
		for _, c := range []struct {
			name string
			rt   http.RoundTripper
		}{
			{"bare", bare},
			{"wrapped", Wrap(bare, ObserverFunc(func(*Timeline) {}))},
		} {
			b.Run(fmt.Sprintf("%dKiB/%s", size>>10, c.name), func(b *testing.B) {
				b.ReportAllocs()
				client := &http.Client{Transport: c.rt}
				body := make([]byte, size)
				for b.Loop() {
					put(b, client, server.URL, body)
				}
			})
		}
		bare.CloseIdleConnections()
	}
}
