package wsproto

import (
	"fmt"
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

// TestBounds: what is just within its bounds is taken, what is just beyond them is not.
func TestBounds(t *testing.T) {
	times := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	drawn := func(n int) string {
		return begin + "draw:\n" + times(n, "  d%d: ${uuid}\n") + "messages: [{send: '${mark}" + times(n, "${d%d}") + "'}]\n" + answered
	}
	kept := func(n int) string {
		return begin + "open:\n  - expect: {/a: '*'}\n    keep:\n" + times(n, "      k%d: /a\n") + oneOf + answered
	}
	for name, c := range map[string]struct{ within, beyond string }{
		"rules": {
			begin + oneOf + "receive:\n" + times(64, "  - {when: {/a: %d}, answers: /id}\n"),
			begin + oneOf + "receive:\n" + times(65, "  - {when: {/a: %d}, answers: /id}\n"),
		},
		"messages": {
			begin + "messages:\n" + times(64, "  - {name: m%d, send: '${mark}'}\n") + answered,
			begin + "messages:\n" + times(65, "  - {name: m%d, send: '${mark}'}\n") + answered,
		},
		"draws": {drawn(64), drawn(65)},
		"kept":  {kept(64), kept(65)},
		"length": {
			begin + "messages: [{send: '${mark}${text 1048576}'}]\n" + answered,
			begin + "messages: [{send: '${mark}-${text 1048576}'}]\n" + answered,
		},
		"length of what is drawn": {
			begin + "draw: {t: '${text 1048575}'}\nmessages: [{send: '${mark}-${t}'}]\n" + answered,
			begin + "draw: {t: '-${text 1048576}'}\nmessages: [{send: '${mark}${t}'}]\n" + answered,
		},
		"weight": {
			begin + "messages: [{weight: 1e9, send: '${mark}'}]\n" + answered,
			begin + "messages: [{weight: 1.01e9, send: '${mark}'}]\n" + answered,
		},
		"shortest time": {begin + oneOf + answered + "every: [{after: 10ms, send: a}]\n", begin + oneOf + answered + "every: [{after: 9ms, send: a}]\n"},
		"longest time":  {begin + oneOf + answered + "every: [{after: 24h, send: a}]\n", begin + oneOf + answered + "every: [{after: 24h1s, send: a}]\n"},
		"name": {
			begin + "messages: [{name: " + strings.Repeat("é", 60) + ", send: '${mark}'}]\n" + answered,
			begin + "messages: [{name: " + strings.Repeat("é", 61) + ", send: '${mark}'}]\n" + answered,
		},
		"names": {begin + "draw: {azAZ09_: a}\nmessages: [{send: '${mark}${azAZ09_}'}]\n" + answered, begin + "draw: {'': a}\n" + oneOf + answered},
		"size": {
			begin + oneOf + answered + "#" + strings.Repeat("x", 1<<20-len(begin+oneOf+answered)-1),
			begin + oneOf + answered + "#" + strings.Repeat("x", 1<<20-len(begin+oneOf+answered)),
		},
		"a subprotocol": {
			begin + "subprotocols: [\"!#$%&'*+-.^_`|~09azAZ\"]\n" + oneOf + answered, begin + "subprotocols: ['a,b']\n" + oneOf + answered,
		},
		"a header's text": {begin + "headers: {A: \"b\\tc\"}\n" + oneOf + answered, begin + "headers: {A: \"b\\x7f\"}\n" + oneOf + answered},
	} {
		if _, err := Load("f.yaml", []byte(c.within), Options{}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := Load("f.yaml", []byte(c.beyond), Options{}); err == nil || fault.HintOf(err) == "" {
			t.Errorf("%s: beyond its bound it is taken; %v", name, err)
		}
	}
	for _, c := range []string{"/", ":", "@", "[", "`", "{", "-", "é"} {
		text := begin + "draw: {'a" + c + "': a}\n" + oneOf + answered
		if _, err := Load("f.yaml", []byte(text), Options{}); err == nil || !strings.Contains(err.Error(), "is no name") {
			t.Errorf("the name a%s: %v", c, err)
		}
	}
}

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
