package ws

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"

	"github.com/lxzan/gws"

	"github.com/plimsoll/plimsoll/internal/peertest"
	"github.com/plimsoll/plimsoll/internal/runtest"
	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/wsproto"
)

// echoing is a connection that sends back what comes, as the Autobahn test suite asks of a client.
type echoing struct {
	gws.BuiltinEventHandler
	link *link
	last []byte // that came
}

func (e *echoing) OnMessage(c *gws.Conn, m *gws.Message) {
	defer m.Close()
	e.last = append(e.last[:0], m.Bytes()...)
	if c.WriteMessage(m.Opcode, m.Bytes()) == nil {
		_ = e.link.wire.Flush()
	}
}

func (e *echoing) OnPing(c *gws.Conn, payload []byte) {
	_ = c.WritePong(payload)
	_ = e.link.wire.Flush()
}

// echo is a connection to an address from its opening to its end. It gives what came last.
func echo(ctx context.Context, t *testing.T, url string, compress bool, offers ...string) string {
	t.Helper()
	d, err := newDialer(url, Dial{Compress: compress}, &wsproto.Protocol{})
	if err != nil {
		t.Error(err)
		return ""
	}
	d.longest, d.lenient = 32<<20, true // the suite's longest message has 16 MiB
	if offers != nil {
		d.headers["Sec-WebSocket-Extensions"] = offers // beside the library's own
	}
	e := new(echoing)
	ctx, cancel := context.WithTimeout(ctx, runtest.Patience)
	defer cancel()
	l, err := d.dial(ctx, e, &template.Values{}, readBuffer, &jar{})
	if err != nil {
		t.Error(err)
		return ""
	}
	e.link = l
	l.ws.ReadLoop()
	_ = l.wire.Flush()
	_ = l.Close()
	return string(e.last)
}

// unoffered are the numbers of the cases 13.2, 13.5 and 13.6, in which the suite asks the client to compress each message
// on its own. It may do so where the client has offered that, which the library does not, as browsers do not.
func unoffered(n int) bool { return n >= 410 && n < 428 || n >= 464 && n < 500 }

// TestAutobahn runs the cases of the Autobahn test suite, compression included, with connections as clients make them.
func TestAutobahn(t *testing.T) {
	if testing.Short() {
		t.Skip("the suite is too slow with the race detector")
	}
	server, results := peertest.AutobahnServer(t)
	if got := echo(t.Context(), t, server+"/getCaseCount", false); got != strconv.Itoa(peertest.AutobahnCases) {
		t.Fatalf("the server has %s cases", got)
	}
	var running sync.WaitGroup
	next := make(chan int)
	for range 8 {
		running.Go(func() {
			for n := range next {
				var more []string
				if unoffered(n) {
					more = []string{"permessage-deflate; client_no_context_takeover; client_max_window_bits"}
				}
				echo(t.Context(), t, fmt.Sprint(server, "/runCase?agent=plimsoll&case=", n), true, more...)
			}
		})
	}
	for n := range peertest.AutobahnCases {
		next <- n + 1
	}
	close(next)
	running.Wait()
	echo(t.Context(), t, server+"/updateReports?agent=plimsoll", false)
	results()
}
