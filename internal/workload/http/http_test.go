package http_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine"
	"github.com/plimsoll/plimsoll/internal/leaktest"
	"github.com/plimsoll/plimsoll/internal/runtest"
	target "github.com/plimsoll/plimsoll/internal/server/http"
	"github.com/plimsoll/plimsoll/internal/template"
	room "github.com/plimsoll/plimsoll/internal/workload/http"
	"github.com/plimsoll/plimsoll/internal/workload/http/script"
	"github.com/plimsoll/plimsoll/rundoc"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// serve starts the embedded server for the time of a test.
func serve(t *testing.T, change func(c *target.Config)) (url string) {
	t.Helper()
	c := target.Default()
	c.Listen = "127.0.0.1:0"
	if change != nil {
		change(&c)
	}
	s, err := target.New(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return strings.TrimSuffix(s.URL(), "/")
}

// seen is what the server counts.
type seen struct {
	Requests, Errors, Drops, Connections int64
	Statuses                             map[string]int64
	SentBytes                            int64 `json:"sent_bytes"`
	ReceivedBytes                        int64 `json:"received_bytes"`
}

func ask(t *testing.T, url string) (s seen) {
	t.Helper()
	response, err := http.Get(url + "/counts")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if err := json.NewDecoder(response.Body).Decode(&s); err != nil {
		t.Fatal(err)
	}
	return s
}

// flow makes a script of one flow.
func flow(t testing.TB, kept []string, requests ...script.Request) *script.Script {
	t.Helper()
	s := &script.Script{Kept: kept, Flows: []script.Flow{{Name: "flow", Weight: 1}}}
	for i := range requests {
		step, service, err := requests[i].Compile(&template.Known{Kept: kept})
		if err != nil {
			t.Fatal(err)
		}
		if step.Name == "" {
			step.Name = fmt.Sprint("step ", i+1)
		}
		s.Service = service
		s.Flows[0].Steps = append(s.Flows[0].Steps, step)
	}
	return s
}

// run sends n operations and returns the run document and its totals. No attempt times out, however busy the machine is.
func run(t *testing.T, s *script.Script, n int64, change func(p *room.Plan)) (*rundoc.Run, rundoc.Operation) {
	t.Helper()
	doc, total, _ := runs(t, s, n, change)
	return doc, total
}

// runs is run, and returns the workload as well.
func runs(t *testing.T, s *script.Script, n int64, change func(p *room.Plan)) (*rundoc.Run, rundoc.Operation, *room.HTTP) {
	t.Helper()
	p := room.DefaultPlan()
	p.Load.Clients, p.Load.Operations, p.Load.WarmupClients, p.Load.Drain = 4, n, 0, runtest.Patience
	p.Load.Retry.Timeout, p.Load.Retry.InitialBackoff, p.Load.Retry.MaxBackoff = runtest.Patience, time.Millisecond, time.Millisecond
	if change != nil {
		change(&p)
	}
	w, err := room.New(p, s)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r := runtest.Engine(t, engine.Config{Load: p.Load, Workload: w})
	doc, total := runtest.Document(t, r, rundoc.WorkloadHTTP, func(doc *rundoc.Run) (rundoc.Detail, error) { return w.Detail(doc) })
	return doc, total, w
}

// TestDocumentAgreesWithServerCounts compares the document with the counts of the server, over both protocols.
func TestDocumentAgreesWithServerCounts(t *testing.T) {
	for name, change := range map[string]func(p *room.Plan){
		"closed":          nil,
		"open":            func(p *room.Plan) { p.Load.Rate, p.Load.MaxWaiting = 2000, 10000 },
		"churn":           func(p *room.Plan) { p.Dial.Churn = 7 },
		"no keep-alive":   func(p *room.Plan) { p.Dial.NoKeepAlive = true },
		"retried errors":  func(p *room.Plan) { p.Load.Retry.Max = 50 },
		"streams":         http2(func(p *room.Plan) { p.Load.Retry.Max = 50 }),
		"open streams":    http2(func(p *room.Plan) { p.Load.Rate, p.Load.MaxWaiting, p.Load.Pipeline = 4000, 10000, 8 }),
		"churned streams": http2(func(p *room.Plan) { p.Dial.Churn, p.Load.Pipeline = 7, 3 }),
	} {
		t.Run(name, func(t *testing.T) {
			url := serve(t, func(c *target.Config) { c.ErrorRate = 0.1 })
			const n = 200
			doc, total := run(t, flow(t, nil, script.Request{URL: url + "/size/1000", HasBody: true, Body: "${text 50}"}), n, change)
			server := ask(t, url)
			if total.Scheduled != n || total.Attempts != server.Requests || total.Failed+total.Retries != server.Errors ||
				total.OK != server.Statuses["200"] {
				t.Errorf("%d scheduled, %d attempts, %d ok, %d failed, %d retries; the server: %+v",
					total.Scheduled, total.Attempts, total.OK, total.Failed, total.Retries, server)
			}
			if total.Bytes != server.Statuses["200"]*(1000+50) {
				t.Errorf("%d bytes of successful operations", total.Bytes)
			}
			opened := doc.Connections.Opened
			if server.Connections != opened+1 { // that of ask
				t.Errorf("%d connections were opened, the server has %d", opened, server.Connections-1)
			}
			switch {
			case name == "no keep-alive":
				if opened < total.Attempts {
					t.Errorf("%d connections for %d attempts", opened, total.Attempts)
				}
			case strings.HasPrefix(name, "churn"):
				if least := total.Attempts / 7; opened < least || opened > least+4 {
					t.Errorf("%d connections for %d attempts", opened, total.Attempts)
				}
			case opened != 4:
				t.Errorf("%d connections for 4 clients", opened)
			}
			if c := doc.HTTP().Connecting; c.TCP.Count != opened || c.Lookup != nil || c.TLS != nil || len(c.Addresses) != 1 ||
				c.Addresses[0].Address != strings.TrimPrefix(url, "http://") || c.Addresses[0].Connections != opened {
				t.Errorf("connecting: %+v", c)
			}
			for _, c := range total.Causes {
				if c.Cause != "status-503" {
					t.Errorf("unexpected cause: %+v", c)
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

// TestFlowKeepsValuesOfResponses uses a token of the first response in the requests that follow.
func TestFlowKeepsValuesOfResponses(t *testing.T) {
	url := serve(t, nil)
	s := flow(t, []string{"token"},
		script.Request{Name: "login", URL: url + "/login", Headers: []string{"Content-Type: application/json"}, HasBody: true,
			Body: `{"user":"u${seq}","password":"u${seq}-secret"}`, Keep: [][2]string{{"token", "json token"}}},
		script.Request{Name: "put", Method: "POST", URL: url + "/cart", Headers: []string{"Authorization: Bearer ${token}"},
			Checks: []string{"json things = 1"}},
		script.Request{Name: "look", URL: url + "/cart", Headers: []string{"Authorization: Bearer ${token}"},
			Checks: []string{"status 200", "json things = 1"}})
	doc, total := run(t, s, 50, nil)
	if total.OK != 150 || total.Failed != 0 {
		t.Errorf("%d ok, %d failed: %+v", total.OK, total.Failed, total.Causes)
	}
	if len(doc.Flows) != 1 || doc.Flows[0].Completed != 50 || doc.Flows[0].ResponseTime.Count != 50 {
		t.Errorf("flows: %+v", doc.Flows)
	}
	// A login that fails ends its flow.
	s.Flows[0].Steps[0].Body, _ = template.Compile(`{"user":"u","password":"wrong"}`, template.JSON, &template.Known{})
	doc, total = run(t, s, 10, nil)
	if total.Failed != 10 || total.Scheduled != 10 || doc.Flows[0].Failed != 10 || doc.Flows[0].FailedAt[0].Operation != "login" {
		t.Errorf("%+v, flows %+v", total, doc.Flows)
	}
}

// scripted is a server that says what it is told to, to each request, and closes behind the last.
func scripted(t *testing.T, answers ...string) (url string) {
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
				in := bufio.NewReader(conn)
				for _, a := range answers {
					r, err := http.ReadRequest(in)
					if err != nil {
						return
					}
					_, _ = io.Copy(io.Discard, r.Body)
					_, _ = io.WriteString(conn, a)
				}
			})
		}
	})
	t.Cleanup(func() {
		_ = l.Close()
		all.Wait()
	})
	return "http://" + l.Addr().String() + "/"
}

// TestBrokenResponsesFailWithTheirCause covers responses that are cut off; TestEachHTTPRuleIsExplained covers broken ones.
func TestBrokenResponsesFailWithTheirCause(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
	for name, c := range map[string]struct{ answer, cause string }{
		"nothing":        {"", "ended"},
		"half a head":    {"HTTP/1.1 200 OK\r\nContent-", "cut-off"},
		"half a body":    {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhi", "cut-off"},
		"a second one":   {ok + ok, ""},
		"fine":           {ok, ""},
		"not found":      {"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "status-404"},
		"without length": {"HTTP/1.0 200 OK\r\n\r\nhi", ""},
	} {
		t.Run(name, func(t *testing.T) {
			answers := []string{c.answer}
			if strings.HasSuffix(c.answer, ok) || name == "not found" { // more of them on the same connection
				answers = append(answers, c.answer, c.answer)
			}
			_, total := run(t, flow(t, nil, script.Request{URL: scripted(t, answers...)}), 3, func(p *room.Plan) { p.Load.Clients = 1 })
			if c.cause == "" {
				if total.OK != 3 || total.Bytes != 6 {
					t.Errorf("%d ok of %d bytes: %+v", total.OK, total.Bytes, total.Causes)
				}
				return
			}
			if total.Failed != 3 || len(total.Causes) != 1 || total.Causes[0].Cause != c.cause {
				t.Errorf("%d failed: %+v, want %s", total.Failed, total.Causes, c.cause)
			}
		})
	}
}
