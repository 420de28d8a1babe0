package wsproto

import (
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/template"
)

const (
	begin    = "protocol: 1\ncodec: json\n"
	oneOf    = "messages: [{send: '${mark}'}]\n"
	answered = "receive: [{answers: /id}]\n"
)

// TestHeadersOfTheHandshake: none of those that the handshake sets can be given.
func TestHeadersOfTheHandshake(t *testing.T) {
	for _, name := range []string{"host", "Connection", "Upgrade", "Content-Length", "Transfer-Encoding", "Sec-WebSocket-Key",
		"Sec-WebSocket-Version", "Sec-WebSocket-Extensions", "Sec-WebSocket-Accept", "Sec-WebSocket-Protocol", "Origin", "", "a b", "é"} {
		text := begin + "headers: {'" + name + "': a}\n" + oneOf + answered
		if _, err := Load("f.yaml", []byte(text), Options{}); err == nil || fault.HintOf(err) == "" {
			t.Errorf("%q: %v", name, err)
		}
	}
	p, err := Load("f.yaml", []byte(begin+"headers: {Cookie: ' a=${client} ', X-A: [b, c]}\n"+oneOf+answered), Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, h := range p.Headers {
		got += h.Name + ": " + string(h.Value.Append(nil, &template.Values{Client: 5})) + "\n"
	}
	if got != "Cookie: a=5\nX-A: b\nX-A: c\n" {
		t.Errorf("%q", got)
	}
}

// TestWhatIsNotGiven has its default, and what only a draw uses is used.
func TestWhatIsNotGiven(t *testing.T) {
	p, err := Load("f.yaml", []byte(begin+"csv: users.csv\ndraw: {who: '${csv.user}'}\nevery: [{after: 15s, send: a}]\n"+
		"messages: [{send: '${who}${mark}'}, {send: '${mark}'}]\n"+answered), options())
	if err != nil {
		t.Fatal(err)
	}
	m := p.Messages
	if m[0].Name != "message 1" || m[1].Name != "message 2" || m[0].Weight != 1 || p.Path != nil || p.Every[0].After != 15*time.Second {
		t.Errorf("%+v", p)
	}
	// A text of the codec json is JSON wherever it begins, and what is drawn is escaped there.
	if got := sent(t, &m[0].Send, &template.Values{Row: p.Rows[0]}); got != `"ann"""` {
		t.Errorf("%q", got)
	}
	_, err = Load("f.yaml", []byte(begin+"csv: users.csv\n"+oneOf+answered), Options{})
	if err == nil || !strings.Contains(err.Error(), "no files to read") {
		t.Errorf("without files: %v", err)
	}
	o := options()
	o.Read = func(string) ([]byte, error) { return []byte("a,a\n"), nil }
	if _, err = Load("f.yaml", []byte(begin+"csv: users.csv\n"+oneOf+answered), o); err == nil || !strings.HasPrefix(err.Error(), "users.csv:1:") {
		t.Errorf("a bad table: %v", err)
	}
}

// TestPacketsAreTried before the run, with values that are known then, and with the largest id.
func TestPacketsAreTried(t *testing.T) {
	const rest = "receive: [{when: {type: puback}, answers: id}]\n"
	for packet, want := range map[string]string{
		`{publish: {topic: a, qos: 1, id: "${id 16}", payload: x}}`:              "",
		`{publish: {topic: a, qos: 1, id: "${id 17}", payload: x}}`:              "write ${id 16}",
		`{publish: {topic: a, qos: 1, id: "${id}", payload: x}}`:                 "write ${id 16}",
		`{publish: {qos: 3, topic: a, id: "${id 16}"}}`:                          "docs/ws.md",
		`{publish: {topic: "${csv.user}", qos: "${csv.token}", id: "${id 16}"}}`: "docs/ws.md",
		`{publish: {topic: a, qos: "${sid}", id: "${id 16}"}}`:                   "",
		`{publish: {topic: "a${room}", qos: 0, id: "${id 16}"}}`:                 "",
		`{publish: {topic: a, qos: 1, id: "${room}", payload: "${mark}"}}`:       "",
		`{publish: {topic: a, retain: "${room}", payload: "${mark}"}}`:           "",
	} {
		text := "protocol: 1\ncodec: mqtt\nopen: [{expect: {type: connack}, keep: {sid: code}}]\nmessages: [{send: " + packet + "}]\n" + rest
		if strings.Contains(packet, "csv") {
			text += "csv: users.csv\n"
		}
		_, err := Load("f.yaml", []byte(text), options())
		if (err != nil) != (want != "") || err != nil && !strings.Contains(fault.HintOf(err), want) {
			t.Errorf("%s: %v, hint %q, want %q", packet, err, fault.HintOf(err), want)
		}
	}
}
