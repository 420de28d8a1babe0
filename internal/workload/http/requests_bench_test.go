package http_test

import (
	"bytes"
	"crypto/tls"
	"net"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine"
	room "github.com/plimsoll/plimsoll/internal/workload/http"
	"github.com/plimsoll/plimsoll/internal/workload/http/script"
)

// quick serves 1 KiB to whoever asks for anything, and allocates nothing once it is connected.
func quick(t testing.TB, c *tls.Config) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	url = "http://" + l.Addr().String() + "/"
	if c != nil {
		url = "https" + url[len("http"):]
		l = tls.NewListener(l, c)
	}
	answer := []byte("HTTP/1.1 200 OK\r\nServer: quick\r\nDate: Thu, 01 Jan 2026 00:00:00 GMT\r\nContent-Type: text/plain\r\n" +
		"Content-Length: 1024\r\nConnection: keep-alive\r\nETag: \"abc\"\r\n\r\n" + strings.Repeat("x", 1024))
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer func() { _ = conn.Close() }()
				asked := make([]byte, 4<<10)
				for {
					n, err := conn.Read(asked)
					if err != nil || !bytes.HasSuffix(asked[:n], []byte("\r\n\r\n")) {
						return
					}
					if _, err := conn.Write(answer); err != nil {
						return
					}
				}
			})
		}
	})
	t.Cleanup(func() { _ = l.Close(); all.Wait() })
	return url
}

// allocated has so many requests sent to a URL in the closed model, and counts what this process allocates.
func allocated(t testing.TB, url string, n int64) uint64 {
	t.Helper()
	p := room.DefaultPlan()
	p.Load.Clients, p.Load.Operations, p.Load.WarmupClients, p.Load.Retry.Timeout = 32, n, 0, time.Minute
	p.Dial.Insecure, p.Dial.HTTP2 = true, os.Getenv("PLIMSOLL_BENCH_HTTP2") != ""
	w, err := room.New(p, flow(t, nil, script.Request{URL: url}))
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := engine.Run(t.Context(), nil, engine.Config{Load: p.Load, Workload: w})
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	doc, err := r.Document()
	if err != nil {
		t.Fatal(err)
	}
	if total, err := doc.Totals(); err != nil || total.OK != n {
		t.Fatalf("%d of %d were answered: %v, %v", total.OK, n, total.Causes, err)
	}
	return after.Mallocs - before.Mallocs
}

// perRequest are the allocations of one of n requests more.
func perRequest(t testing.TB, url string, n int64) float64 {
	few := allocated(t, url, 1000)
	return (float64(allocated(t, url, 1000+n)) - float64(few)) / float64(n)
}

// BenchmarkRequests sends requests in the closed model, to PLIMSOLL_BENCH_URL if that is set, and over HTTP/2 if
// PLIMSOLL_BENCH_HTTP2 is.
func BenchmarkRequests(b *testing.B) {
	url := os.Getenv("PLIMSOLL_BENCH_URL")
	if url == "" {
		url = quick(b, nil)
	}
	b.ReportMetric(perRequest(b, url, int64(b.N)), "allocs/request")
}
