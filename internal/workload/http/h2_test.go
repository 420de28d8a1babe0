package http_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	stdhttp "net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	x "golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/plimsoll/plimsoll/internal/engine"
	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/runtest"
	target "github.com/plimsoll/plimsoll/internal/server/http"
	room "github.com/plimsoll/plimsoll/internal/workload/http"
	"github.com/plimsoll/plimsoll/internal/workload/http/script"
	"github.com/plimsoll/plimsoll/rundoc"
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

// TestDocumentNamesTheProtocol: the protocol that the document names is the one that the server saw, and what was rendered came.
func TestDocumentNamesTheProtocol(t *testing.T) {
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

// TestTimeoutOfAStreamKeepsTheConnection has a quarter of the requests time out.
func TestTimeoutOfAStreamKeepsTheConnection(t *testing.T) {
	url := serve(t, nil)
	s := flow(t, nil, script.Request{URL: url + "/delay/${pick 0s|0s|0s|1h}"})
	const n = 24
	doc, total := run(t, s, n, http2(func(p *room.Plan) {
		p.Load.Clients, p.Load.Pipeline, p.Load.Retry.Timeout = 1, 8, 200*time.Millisecond
	}))
	if doc.Connections.Opened != 1 {
		t.Errorf("%d connections were opened", doc.Connections.Opened)
	}
	for _, c := range total.Causes {
		if c.Cause != "timeout" && c.Cause != "own-timeout" { // on a machine that is busy
			t.Errorf("unexpected cause: %+v", c)
		}
	}
	if total.Failed == 0 || total.OK+total.Failed != n { // on a busy machine any of them may time out
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
			const n = 100
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

// TestBrokenStreamsFailWithTheirCause: each has its cause.
func TestBrokenStreamsFailWithTheirCause(t *testing.T) {
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

// TestServerWithoutHTTP2FailsTheRun: a server that speaks HTTP/1.1 alone is told by the first try.
func TestServerWithoutHTTP2FailsTheRun(t *testing.T) {
	s := flow(t, nil, script.Request{URL: scripted(t, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")})
	p := room.DefaultPlan()
	p.Load.Clients, p.Load.Operations, p.Load.WarmupClients, p.Dial.HTTP2 = 1, 1, 0, true
	p.Load.Retry.Timeout, p.Load.Drain = runtest.Patience, runtest.Patience
	w, err := room.New(p, s)
	if err != nil {
		t.Fatal(err)
	}
	var why *op.Failure
	if _, err = engine.Run(t.Context(), nil, engine.Config{Load: p.Load, Workload: w}); !errors.As(err, &why) || why.Cause != "no-http2" {
		t.Errorf("%v", err)
	}
}

// TestPipelineRequiresHTTP2: several requests on a connection are refused where it can have only one.
func TestPipelineRequiresHTTP2(t *testing.T) {
	for name, c := range map[string]struct {
		change func(p *room.Plan)
		says   string
	}{
		"HTTP/1.1":      {func(p *room.Plan) {}, "needs HTTP/2"},
		"HTTP/2":        {http2(nil), ""},
		"no keep-alive": {http2(func(p *room.Plan) { p.Dial.NoKeepAlive = true }), "closed after 1 request"},
		"churn":         {http2(func(p *room.Plan) { p.Dial.Churn = 3 }), "closed after 3 requests"},
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

// TestReportNamesTheStreamLimitOfTheServer asks for more concurrent requests on a connection than the server allows.
func TestReportNamesTheStreamLimitOfTheServer(t *testing.T) {
	const reason = "The server allows 3 concurrent requests per connection"
	for _, pipeline := range []int{10, 3} {
		server := httptest.NewUnstartedServer(stdhttp.HandlerFunc(func(stdhttp.ResponseWriter, *stdhttp.Request) {}))
		server.Config.Protocols = new(stdhttp.Protocols)
		server.Config.Protocols.SetUnencryptedHTTP2(true)
		server.Config.HTTP2 = &stdhttp.HTTP2Config{MaxConcurrentStreams: 3}
		server.Start()
		defer server.Close()
		doc, total := run(t, flow(t, nil, script.Request{URL: server.URL}), 200, http2(func(p *room.Plan) {
			p.Load.Clients, p.Load.Pipeline = 1, pipeline
		}))
		limited := pipeline > 3
		named := strings.Contains(strings.Join(rundoc.Judge(doc).Reasons, "\n"), reason)
		if limit := doc.HTTP().StreamLimit; (limit == 3) != limited || named != limited || total.OK != 200 {
			t.Errorf("pipeline %d: limit %d, named %t, %d ok", pipeline, limit, named, total.OK)
		}
	}
}
