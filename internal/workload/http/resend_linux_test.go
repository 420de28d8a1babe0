package http_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	target "github.com/plimsoll/plimsoll/internal/server/http"
	room "github.com/plimsoll/plimsoll/internal/workload/http"
	"github.com/plimsoll/plimsoll/internal/workload/http/script"
)

// silent is a server that answers one request a connection and closes it then, in the same packet, without having said
// so. It counts what it answered.
func silent(t *testing.T) (url string, answered *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	answered = new(atomic.Int64)
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer func() { _ = conn.Close() }()
				raw, err := conn.(*net.TCPConn).SyscallConn()
				if err != nil {
					return
				}
				_ = raw.Control(func(fd uintptr) { _ = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_CORK, 1) })
				r, err := http.ReadRequest(bufio.NewReader(conn))
				if err != nil {
					return
				}
				_, _ = io.Copy(io.Discard, r.Body)
				answered.Add(1)
				_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi")
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		all.Wait()
	})
	return "http://" + l.Addr().String() + "/", answered
}

// TestRequestIsResentAfterTheServerClosed: a request that came when the server had closed its connection is sent again, whatever its method, and
// is one attempt and no failure.
func TestRequestIsResentAfterTheServerClosed(t *testing.T) {
	for name, change := range map[string]func(p *room.Plan){
		"closed": nil,
		"open":   func(p *room.Plan) { p.Load.Rate, p.Load.MaxWaiting = 5000, 10000 },
	} {
		t.Run(name, func(t *testing.T) {
			url, answered := silent(t)
			const n = 100
			doc, total := run(t, flow(t, nil, script.Request{URL: url, Method: "POST", HasBody: true, Body: "x"}), n, change)
			if total.OK != n || total.Attempts != n || total.Failed != 0 || answered.Load() != n {
				t.Errorf("%d ok in %d attempts, the server has answered %d: %+v", total.OK, total.Attempts, answered.Load(), total.Causes)
			}
			var reconnects int64
			for _, c := range doc.Connections.Reconnects {
				reconnects += c.Count
			}
			if resent := doc.HTTP().Resent; resent > reconnects {
				t.Errorf("%d were sent again, on %d new connections", resent, reconnects)
			}
			if doc.Connections.Opened != n {
				t.Errorf("%d connections were opened for %d answers of which each ended one", doc.Connections.Opened, n)
			}
		})
	}
}

// TestDroppedRequestIsNotResent: a server that takes a request and drops it has failed, on a used connection, too.
func TestDroppedRequestIsNotResent(t *testing.T) {
	url := serve(t, func(c *target.Config) { c.Faults.DropRate = 0.2 })
	doc, total := run(t, flow(t, nil, script.Request{URL: url + "/"}), 100, nil)
	if doc.HTTP().Resent != 0 {
		t.Errorf("%d were sent again", doc.HTTP().Resent)
	}
	if server := ask(t, url); server.Drops == 0 || total.Failed != server.Drops || total.Attempts != server.Requests {
		t.Errorf("%d failed in %d attempts: %+v; the server: %+v", total.Failed, total.Attempts, total.Causes, server)
	}
}
