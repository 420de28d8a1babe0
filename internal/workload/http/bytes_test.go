package http_test

import (
	"testing"

	room "github.com/plimsoll/plimsoll/internal/workload/http"
	"github.com/plimsoll/plimsoll/internal/workload/http/script"
)

// TestBytesOfBodiesAgreeWithServer: of those that are always the same, of those that are made, and of requests without one between
// them, and of answers, by what the server got and what it was asked for, over both protocols.
func TestBytesOfBodiesAgreeWithServer(t *testing.T) {
	for protocol, set := range map[string]func(*room.Plan){"HTTP/1.1": nil, "HTTP/2": http2(func(*room.Plan) {})} {
		url := serve(t, nil)
		s := flow(t, nil,
			script.Request{URL: url + "/size/1", HasBody: true, Body: "${text 50}"},
			script.Request{URL: url + "/size/1?always"},
			script.Request{URL: url + "/size/3000", HasBody: true, Body: "the same"},
			script.Request{URL: url + "/size/1?${seq}"})
		doc, total := run(t, s, 20, set)
		server, d := ask(t, url), doc.HTTP()
		if server.ReceivedBytes != 20*(50+8) || d.SentBytes != server.ReceivedBytes || d.ReceivedBytes != 20*3003 ||
			total.Bytes != d.SentBytes+d.ReceivedBytes {
			t.Errorf("%s: %d bytes both ways, %d sent, %d received; the server got %d", protocol, total.Bytes, d.SentBytes,
				d.ReceivedBytes, server.ReceivedBytes)
		}
	}
}

// TestUnrequestedDataClosesTheConnection: a server that sends more than an answer has not closed the connection; we do, since the rest
// would be taken for the answer to the next request.
func TestUnrequestedDataClosesTheConnection(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi"
	doc, total := run(t, flow(t, nil, script.Request{URL: scripted(t, ok+ok, ok), Checks: []string{"text hi"}}), 3,
		func(p *room.Plan) { p.Load.Clients = 1 })
	if total.OK != 3 || doc.Connections.Opened != 3 {
		t.Errorf("%d ok, on %d connections", total.OK, doc.Connections.Opened)
	}
	causes := map[string]int64{}
	for _, r := range doc.Connections.Reconnects {
		causes[r.Cause] = r.Count
	}
	if len(causes) != 1 || causes["protocol:unasked-data"] != 2 {
		t.Errorf("reconnects: %v", causes)
	}
}
