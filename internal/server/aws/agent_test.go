package aws

import (
	"strings"
	"testing"
)

// A client's name for itself is kept only as what can stand in a line of the trace.
func TestAgentsAreHarmless(t *testing.T) {
	var a agents
	for _, test := range [][2]string{
		{"", ""},
		{"curl/8.1", "curl/8.1"},
		{"curl/8.1", "curl/8.1"}, // the same again
		{`a,"b` + "\x00\n\xff\t~", "a__b____~"},
		{strings.Repeat("x", maxAgent+1), strings.Repeat("x", maxAgent)},
		{"", ""},
	} {
		if got := a.name([]byte(test[0])); got != test[1] {
			t.Errorf("%q is %q, want %q", test[0], got, test[1])
		}
	}
}

// A name that does not change costs nothing; the responder tells of it with each request.
func TestAgentAndProtocolOfARequest(t *testing.T) {
	var seen []string
	for _, text := range []string{
		"HEAD /bucket/key HTTP/1.1\r\nHost: h\r\nuser-agent: one/1\r\n\r\n",
		"HEAD /bucket/key HTTP/1.1\r\nHost: h\r\n\r\n",
	} {
		answering(t, text, func(e Exchange) { seen = append(seen, e.Protocol+" "+e.Agent) })()
	}
	if got := strings.Join(seen, ", "); got != "HTTP/1.1 one/1, HTTP/1.1 " {
		t.Error(got)
	}
	// A chunked body that is longer than the buffer in which the name stood.
	server := start(t, nil)
	body := strings.Repeat("2000\r\n"+strings.Repeat("x", 0x2000)+"\r\n", 8) + "0\r\n\r\n"
	say(t, server,
		"PUT /bucket/key HTTP/1.1\r\nUser-Agent: two/2\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"+body)
	if all := server.exchanges(); len(all) != 1 || all[0].Agent != "two/2" {
		t.Errorf("%+v", all)
	}
	var q request
	if !q.line([]byte("GET / HTTP/1.0")) || q.protocol != HTTP10 || !q.close {
		t.Errorf("%+v", q)
	}
}
