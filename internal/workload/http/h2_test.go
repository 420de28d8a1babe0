package http_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	x "golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/plimsoll/plimsoll/internal/engine"
	"github.com/plimsoll/plimsoll/internal/engine/op"
	target "github.com/plimsoll/plimsoll/internal/server/http"
	room "github.com/plimsoll/plimsoll/internal/workload/http"
	"github.com/plimsoll/plimsoll/internal/workload/http/script"
)

// http2 has a plan speak HTTP/2, and then changed.
func http2(change func(p *room.Plan)) func(p *room.Plan) {
	return func(p *room.Plan) {
		p.Dial.HTTP2 = true
		if change != nil {
			change(p)
		}
	}
}

// TestTheServersCountsOfStreams: what the report says is what the server counted, over HTTP/2 as well.
func TestTheServersCountsOfStreams(t *testing.T) {
	for name, change := range map[string]func(p *room.Plan){
		"closed":         nil,
		"pipeline":       func(p *room.Plan) { p.Load.Pipeline = 8 },
		"open":           func(p *room.Plan) { p.Load.Rate, p.Load.MaxWaiting = 2000, 10000 },
		"open pipeline":  func(p *room.Plan) { p.Load.Rate, p.Load.MaxWaiting, p.Load.Pipeline = 4000, 10000, 8 },
		"churn":          func(p *room.Plan) { p.Dial.Churn = 7 },
		"churn pipeline": func(p *room.Plan) { p.Dial.Churn, p.Load.Pipeline = 7, 3 },
		"no keep-alive":  func(p *room.Plan) { p.Dial.NoKeepAlive = true },
		"retried errors": func(p *room.Plan) { p.Load.Retry.Max = 50 },
	} {
		t.Run(name, func(t *testing.T) {
			url := serve(t, func(c *target.Config) { c.ErrorRate = 0.1 })
			const n = 400
			doc, total := run(t, flow(t, nil, script.Request{URL: url + "/size/1000", HasBody: true, Body: "${text 50}"}), n, http2(change))
			server := ask(t, url)
			if total.Scheduled != n || total.Attempts != server.Requests || total.Failed+total.Retries != server.Errors ||
				total.OK != server.Statuses["200"] {
				t.Errorf("%d scheduled, %d attempts, %d ok, %d failed, %d retries; the server: %+v",
					total.Scheduled, total.Attempts, total.OK, total.Failed, total.Retries, server)
			}
			if total.Bytes != server.Statuses["200"]*(1000+50) {
				t.Errorf("%d bytes of operations that ended ok", total.Bytes)
			}
			opened := doc.Connections.Opened
			if server.Connections != opened+1 { // that of the question
				t.Errorf("%d connections were opened, the server has %d", opened, server.Connections-1)
			}
			switch name {
			case "no keep-alive":
				if opened < total.Attempts {
					t.Errorf("%d connections for %d attempts", opened, total.Attempts)
				}
			case "churn", "churn pipeline":
				if least := total.Attempts / 7; opened < least || opened > least+4 {
					t.Errorf("%d connections for %d attempts", opened, total.Attempts)
				}
			default:
				if opened != 4 {
					t.Errorf("%d connections for 4 clients", opened)
				}
			}
			for _, c := range total.Causes {
				if c.Cause != "status-503" {
					t.Errorf("a cause: %+v", c)
				}
			}
			for i := range doc.Operations {
				if s := doc.Operations[i].Stages; s == nil || s.Wait.Count != total.OK {
					t.Errorf("stages: %+v", s)
				}
			}
		})
	}
}

// TestWhatIsSpoken: the protocol that the document names is the one that the server saw, and what was rendered came.
func TestWhatIsSpoken(t *testing.T) {
	for name, secure := range map[string]bool{"h2c": false, "h2": true} {
		t.Run(name, func(t *testing.T) {
			url := serve(t, func(c *target.Config) { c.TLS = secure })
			s := flow(t, nil, script.Request{URL: url + "/echo?headers&q=${seq}", Method: "POST", HasBody: true, Body: "${text 3000}",
				Headers: []string{"X-Long: ${text 300}", "X-At: ${now unix_ns}", "Connection2: x", "TE: gzip", "Keep-Alive: 5"},
				Checks: []string{`json protocol = HTTP/2.0`, `json headers.User-Agent.0 = plimsoll`,
					`json headers.Content-Length.0 = 3000`, "not json headers.Keep-Alive", "not json headers.Te", `regexp "X-At":\["1[6-9][0-9]{17}"\]`, `regexp "X-Long":\["[^"]{300}"\]`}})
			_, total := run(t, s, 40, http2(func(p *room.Plan) { p.Dial.Insecure, p.Load.Pipeline = secure, 4 }))
			if total.OK != 40 {
				t.Errorf("%d ok: %+v", total.OK, total.Causes)
			}
		})
	}
}

// TestOneStreamTimesOut: and the others of its connection go on.
func TestOneStreamTimesOut(t *testing.T) {
	url := serve(t, nil)
	s := flow(t, nil, script.Request{URL: url + "/delay/${pick 0s|0s|0s|1m}"})
	doc, total := run(t, s, 60, http2(func(p *room.Plan) {
		p.Load.Clients, p.Load.Pipeline, p.Load.Retry.Timeout = 1, 8, 300*time.Millisecond
	}))
	if doc.Connections.Opened != 1 {
		t.Errorf("%d connections were opened", doc.Connections.Opened)
	}
	for _, c := range total.Causes {
		if c.Cause != "timeout" && c.Cause != "own-timeout" { // on a machine that is busy
			t.Errorf("a cause: %+v", c)
		}
	}
	if total.Failed == 0 || total.OK == 0 || total.OK+total.Failed != 60 {
		t.Errorf("%d ok, %d failed", total.OK, total.Failed)
	}
}

// streamsServer is a server of HTTP/2 that a test plays, a goroutine for each connection. Frames can be read by until.
func streamsServer(t *testing.T, play func(f *x.Framer, fields func(status string) []byte)) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			all.Go(func() {
				defer func() { _ = conn.Close() }()
				if _, err := io.ReadFull(conn, make([]byte, len(x.ClientPreface))); err != nil {
					return
				}
				f := x.NewFramer(conn, conn)
				_ = f.WriteSettings()
				var b bytes.Buffer
				e := hpack.NewEncoder(&b)
				play(f, func(status string) []byte {
					b.Reset()
					_ = e.WriteField(hpack.HeaderField{Name: ":status", Value: status})
					return bytes.Clone(b.Bytes())
				})
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		all.Wait()
	})
	return "http://" + l.Addr().String() + "/"
}

// TestGoAwayLosesNothing: a server that ends each connection after some requests, while others are on their way, has
// them all sent again, and each is answered once.
func TestGoAwayLosesNothing(t *testing.T) {
	var answered atomic.Int64
	url := streamsServer(t, func(f *x.Framer, fields func(string) []byte) {
		n, last := 0, uint32(0)
		for {
			frame, err := f.ReadFrame()
			if err != nil {
				return
			}
			h, is := frame.(*x.HeadersFrame)
			if !is || last != 0 && h.StreamID > last {
				continue
			}
			if n++; n == 7 {
				last = h.StreamID
				_ = f.WriteGoAway(last, x.ErrCodeNo, nil)
			}
			answered.Add(1)
			_ = f.WriteHeaders(x.HeadersFrameParam{StreamID: h.StreamID, BlockFragment: fields("200"), EndHeaders: true, EndStream: true})
		}
	})
	for name, change := range map[string]func(p *room.Plan){
		"closed": func(p *room.Plan) { p.Load.Pipeline = 5 },
		"open":   func(p *room.Plan) { p.Load.Pipeline, p.Load.Rate, p.Load.MaxWaiting = 5, 5000, 10000 },
	} {
		t.Run(name, func(t *testing.T) {
			answered.Store(0)
			const n = 300
			doc, total := run(t, flow(t, nil, script.Request{URL: url, Method: "POST", HasBody: true, Body: "x"}), n, http2(change))
			if total.OK != n || total.Attempts != n || answered.Load() != n {
				t.Errorf("%d ok in %d attempts, the server has answered %d: %+v", total.OK, total.Attempts, answered.Load(), total.Causes)
			}
			if least := int64(n / 7); doc.Connections.Opened < least {
				t.Errorf("%d connections", doc.Connections.Opened)
			}
		})
	}
}

// TestStreamsThatAreNoAnswers: each has its cause.
func TestStreamsThatAreNoAnswers(t *testing.T) {
	for cause, play := range map[string]func(f *x.Framer, id uint32, fields func(string) []byte){
		"stream-reset:REFUSED_STREAM": func(f *x.Framer, id uint32, _ func(string) []byte) { _ = f.WriteRSTStream(id, x.ErrCodeRefusedStream) },
		"stream-reset:INTERNAL_ERROR": func(f *x.Framer, id uint32, _ func(string) []byte) { _ = f.WriteRSTStream(id, x.ErrCodeInternal) },
		"protocol:bad-status": func(f *x.Framer, id uint32, fields func(string) []byte) {
			_ = f.WriteHeaders(x.HeadersFrameParam{StreamID: id, BlockFragment: fields("2x"), EndHeaders: true, EndStream: true})
		},
		"status-404": func(f *x.Framer, id uint32, fields func(string) []byte) {
			_ = f.WriteHeaders(x.HeadersFrameParam{StreamID: id, BlockFragment: fields("404"), EndHeaders: true, EndStream: true})
		},
	} {
		t.Run(cause, func(t *testing.T) {
			url := streamsServer(t, func(f *x.Framer, fields func(string) []byte) {
				for {
					frame, err := f.ReadFrame()
					if err != nil {
						return
					}
					if h, is := frame.(*x.HeadersFrame); is {
						play(f, h.StreamID, fields)
					}
				}
			})
			doc, total := run(t, flow(t, nil, script.Request{URL: url}), 6, http2(nil))
			if total.Failed != 6 || len(total.Causes) != 1 || total.Causes[0].Cause != cause || doc.Connections.Opened != 4 {
				t.Errorf("%d failed: %+v; %d connections", total.Failed, total.Causes, doc.Connections.Opened)
			}
		})
	}
}

// TestNotHTTP2: a server that speaks HTTP/1.1 alone is told by the first try.
func TestNotHTTP2(t *testing.T) {
	s := flow(t, nil, script.Request{URL: scripted(t, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")})
	p := room.DefaultPlan()
	p.Load.Clients, p.Load.Operations, p.Load.WarmupClients, p.Dial.HTTP2 = 1, 1, 0, true
	p.Load.Retry.Timeout, p.Load.Drain = 30*time.Second, 30*time.Second
	w, err := room.New(p, s)
	if err != nil {
		t.Fatal(err)
	}
	var why *op.Failure
	if _, err = engine.Run(t.Context(), nil, engine.Config{Load: p.Load, Workload: w}); !errors.As(err, &why) || why.Cause != "no-http2" {
		t.Errorf("%v", err)
	}
}

// TestStallOfStreams: what is due while a server stalls waits for its end, over HTTP/2, too.
func TestStallOfStreams(t *testing.T) {
	const stall = 400 * time.Millisecond
	url := serve(t, func(c *target.Config) { c.StallAfter, c.StallFor = 100*time.Millisecond, stall })
	_, total := run(t, flow(t, nil, script.Request{URL: url + "/"}), 600, http2(func(p *room.Plan) {
		p.Load.Rate, p.Load.MaxWaiting, p.Load.Pipeline, p.Load.Arrivals = 1000, 10000, 4, "constant"
	}))
	if total.OK != 600 {
		t.Fatalf("%d ok: %+v", total.OK, total.Causes)
	}
	// 400 of 600 requests are due within the stall, the first of them as long as it is before its end.
	if most := total.ResponseTime.MaxNS; time.Duration(most) < stall-20*time.Millisecond {
		t.Errorf("the longest response time is %v", time.Duration(most))
	}
}

// TestPipelineNeedsStreams: several requests on a connection are refused where it can have only one.
func TestPipelineNeedsStreams(t *testing.T) {
	for name, c := range map[string]struct {
		change func(p *room.Plan)
		says   string
	}{
		"HTTP/1.1":      {func(p *room.Plan) {}, "a connection of HTTP/1.1 has one request under way"},
		"HTTP/2":        {http2(nil), ""},
		"no keep-alive": {http2(func(p *room.Plan) { p.Dial.NoKeepAlive = true }), "used for 1 request has no more"},
		"churn":         {http2(func(p *room.Plan) { p.Dial.Churn = 3 }), "used for 3 requests has no more"},
	} {
		p := room.DefaultPlan()
		p.Load.Pipeline, p.Load.Duration = 4, time.Second
		c.change(&p)
		if err := p.Resolve(func(flag string) bool { return flag == "pipeline" || flag == "duration" }); err != nil {
			t.Fatal(err)
		}
		err := p.Settings().Check()
		if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
