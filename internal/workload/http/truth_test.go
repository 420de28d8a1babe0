package http_test

import (
	"testing"

	room "github.com/plimsoll/plimsoll/internal/workload/http"
	"github.com/plimsoll/plimsoll/internal/workload/http/script"
)

// TestTheSizeOfWhatIsSent: of bodies that are always the same, of those that are made, and of requests without one
// between them, by what the server got.
func TestTheSizeOfWhatIsSent(t *testing.T) {
	url := serve(t, nil)
	s := flow(t, nil,
		script.Request{URL: url + "/size/1", HasBody: true, Body: "${text 50}"},
		script.Request{URL: url + "/size/1?always"},
		script.Request{URL: url + "/size/1", HasBody: true, Body: "the same"},
		script.Request{URL: url + "/size/1?${seq}"})
	_, total := run(t, s, 20, nil)
	server := ask(t, url)
	if server.ReceivedBytes != 20*(50+8) || total.Bytes != server.ReceivedBytes+20*4 {
		t.Errorf("%d bytes both ways, the server got %d", total.Bytes, server.ReceivedBytes)
	}
}

// TestWhatNobodyAskedFor: a server that sends more than an answer has not closed the connection; we do, since the rest
// would be taken for the answer to the next request.
func TestWhatNobodyAskedFor(t *testing.T) {
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
