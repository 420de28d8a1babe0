package http_test

import (
	"testing"

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
