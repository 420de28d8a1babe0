package wsproto

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/wsproto/codec"
	"github.com/plimsoll/plimsoll/internal/wsproto/match"
)

var update = flag.Bool("update", false, "write the golden files")

// options are those of a test: one variable, and one table.
func options() Options {
	return Options{
		Env: func(name string) (string, bool) { return "s3cret", name == "TOKEN" },
		Open: func(name string) (io.ReadCloser, error) {
			if name != "users.csv" {
				return nil, fmt.Errorf("unknown file %s", name)
			}
			return io.NopCloser(strings.NewReader("user,token\nann,t-1\nbob,t-2\n")), nil
		},
	}
}

// TestInvalidFilesAreRefused: each file of testdata/bad.txt, with its error, where that is, and what to do. A file begins
// behind a line ----; what is said of it follows behind =>.
func TestInvalidFilesAreRefused(t *testing.T) {
	const name = "testdata/bad.txt"
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var now strings.Builder
	for i, part := range strings.Split(string(data), "----\n") {
		text, _, _ := strings.Cut(part, "=>\n")
		if i == 0 {
			now.WriteString(text)
			continue
		}
		fmt.Fprintf(&now, "----\n%s=>\n", text)
		_, err := Load("dir/f.yaml", []byte(text), options())
		if err == nil {
			t.Errorf("it is taken:\n%s", text)
			continue
		}
		fmt.Fprintf(&now, "%s\n", err)
		for _, line := range fault.PictureOf(err) {
			fmt.Fprintf(&now, "  | %s\n", line)
		}
		fmt.Fprintf(&now, "hint: %s\n\n", fault.HintOf(err))
		if fault.CodeOf(err) != fault.Usage || fault.HintOf(err) == "" || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: code %d, hint %q", err, fault.CodeOf(err), fault.HintOf(err))
		}
		if len(fault.PictureOf(err)) == 0 {
			t.Errorf("%q points to nothing", err)
		}
	}
	if *update {
		if err := os.WriteFile(name, []byte(now.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(data), now.String()); diff != "" {
		t.Error(diff)
	}
}

// TestTheExampleLoads: the file that documents show, as it stands.
func TestTheExampleLoads(t *testing.T) {
	p, err := Load("chat/example.yaml", []byte(example), options())
	if err != nil {
		t.Fatal(err)
	}
	if p.Name != "example" || p.Codec.Name() != "socketio" || len(p.Rows) != 2 || p.Path.String() != "/socket.io/?EIO=4&transport=websocket" {
		t.Errorf("%q, %s, %q, %s", p.Name, p.Codec.Name(), p.Rows, p.Path)
	}
	v := &template.Values{Row: p.Rows[1], ID: 7, Mark: []byte("m-7")}
	got := []string{
		sent(t, p.Open[0].Send, v), sent(t, &p.Messages[0].Send, v), sent(t, p.Rules[0].Reply, v), sent(t, &p.Close[0], v),
	}
	if diff := cmp.Diff([]string{`40{"token":"t-2"}`, `427["msg",{"id":"m-7"}]`, "3", "41"}, got); diff != "" {
		t.Error(diff)
	}
	const ack, kind = 2, 0
	want := []Rule{
		{When: []match.Condition{{Of: match.Selector{Field: kind}, Value: "2"}}, Means: Reply,
			Source: `{when: {type: 2}, reply: 3}`},
		{When: []match.Condition{{Of: match.Selector{Field: kind}, Value: "43"}}, Means: Answers, Of: match.Selector{Field: ack},
			Refused: []match.Condition{{Of: match.Selector{Field: -1, Pointer: "/0/error"}, Relation: match.Present}},
			Source:  `{when: {type: 43}, answers: ack, refused: {/0/error: '*'}}`},
		{When: []match.Condition{{Of: match.Selector{Field: kind}, Value: "42"}, {Of: match.Selector{Field: -1, Pointer: "/0"}, Value: "msg"}},
			Means: Delivery, Of: match.Selector{Field: -1, Pointer: "/1/id"},
			Source: `{when: {type: 42, /0: msg}, delivery: /1/id}`},
	}
	if diff := cmp.Diff(want, p.Rules, cmpopts.IgnoreFields(Rule{}, "Reply")); diff != "" {
		t.Error(diff)
	}
	if s := p.Open[0]; len(s.Expect) != 1 || len(s.Refused) != 1 || cmp.Diff(s.Keep, []Keep{{0, match.Selector{Field: -1, Pointer: "/sid"}}}) != "" ||
		p.Kept[0] != "sid" {
		t.Errorf("%+v keeps %q", s, p.Kept)
	}
	if p.NeedsAnswer() != nil || p.NeedsDelivery() != nil || len(p.Secrets) > 0 || p.Messages[0].Weight != 9 {
		t.Error("what it needs, or holds")
	}
}

const example = `protocol: 1
path: /socket.io/?EIO=4&transport=websocket
subprotocols: []
headers: {}
codec: socketio          # json | text | stomp | mqtt | socketio
split: "\x1e"            # several messages in a frame
csv: users.csv
open:
  - {send: '40{"token":"${csv.token}"}', expect: {type: "40"}, refused: {type: "44"}, keep: {sid: /sid}}
messages:
  - {name: msg, weight: 9, send: '42${id}["msg",{"id":"${mark}"}]'}
receive:                 # the first that fits; one of reply, answers, delivery; refused qualifies answers
  - {when: {type: "2"}, reply: "3"}
  - {when: {type: "43"}, answers: ack, refused: {/0/error: "*"}}
  - {when: {type: "42", /0: msg}, delivery: /1/id}
close: [{send: "41"}]
`

func sent(t *testing.T, s *Send, v *template.Values) string {
	t.Helper()
	b, err := s.Tail(s.Head(nil, v), v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestSentValuesAreEscaped: whatever a row has, as it must be where it stands; with the end that each codec and the file
// put behind it.
func TestSentValuesAreEscaped(t *testing.T) {
	for _, c := range []struct{ head, send, want string }{
		{"codec: json", `'{"u":"${csv.user}"}'`, `{"u":"a\"b:\n"}`},
		{"codec: json\nend: \"\\x1e\"", `'{"u":"${csv.user}"}'`, "{\"u\":\"a\\\"b:\\n\"}\x1e"},
		{"codec: socketio", `'42["${csv.user}"]'`, `42["a\"b:\n"]`},
		{"codec: text", `'["${csv.user}"]'`, `["a\"b:\n"]`},
		{"codec: text", `'say ${csv.user}'`, "say a\"b:\n"},
		{"codec: stomp", `"SEND\nto:${csv.user}\n\n{\"a\":\"${csv.user}\"}"`, "SEND\nto:a\"b\\c\\n\n\n{\"a\":\"a\\\"b:\\n\"}\x00"},
		{"codec: stomp", `"SEND\n\n${csv.user}"`, "SEND\n\na\"b:\n\x00"},
		{"codec: mqtt", `{publish: {topic: t, payload: '["${csv.user}"]'}}`, "\x30\x0e\x00\x01t[\"a\\\"b:\\n\"]"},
		{"codec: mqtt", `{publish: {topic: t, payload: '${csv.user}'}}`, "\x30\x08\x00\x01ta\"b:\n"},
		{"codec: mqtt", `{pingreq: }`, "\xc0\x00"},
	} {
		text := "protocol: 1\n" + c.head + "\ncsv: t\npath: /${csv.user}\nmessages: [{send: " + c.send + "}]\nreceive: [{answers: order}]\n"
		p, err := Load("f.yaml", []byte(text), Options{Open: func(string) (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader("user\n\"a\"\"b:\n\"\n")), nil
		}})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := sent(t, &p.Messages[0].Send, &template.Values{Row: p.Rows[0]}); got != c.want {
			t.Errorf("%s, %s: %q, want %q", c.head, c.send, got, c.want)
		}
	}
}

// TestProtocolNeeds: of a file whose messages cannot be answered, or not be delivered, that is said.
func TestProtocolNeeds(t *testing.T) {
	for text, want := range map[string][2]bool{
		"messages: [{send: '${mark}'}]\nreceive: [{answers: /id}]\n":                                  {true, false},
		"messages: [{send: '${id}'}, {send: '${mark}'}]\nreceive: [{answers: /id}]\n":                 {true, false},
		"messages: [{send: a}]\nreceive: [{answers: order}]\n":                                        {true, false},
		"messages: [{send: '${mark}'}]\nreceive: [{delivery: /id}]\n":                                 {false, true},
		"messages: [{send: '${id}'}]\nreceive: [{when: {/a: 1}, answers: /id}, {delivery: /id}]\n":    {true, false},
		"messages: [{send: '${mark}'}]\nreceive: [{when: {/a: 1}, answers: only}, {delivery: /id}]\n": {true, true},
	} {
		p, err := Load("f.yaml", []byte("protocol: 1\ncodec: json\n"+text), options())
		if err != nil {
			t.Errorf("%s%v", text, err)
			continue
		}
		if got := [2]bool{p.NeedsAnswer() == nil, p.NeedsDelivery() == nil}; got != want {
			t.Errorf("%s%v, want %v; %v; %v", text, got, want, p.NeedsAnswer(), p.NeedsDelivery())
		}
	}
}

// TestProtocolSecrets are the values of the environment that stand in it.
func TestProtocolSecrets(t *testing.T) {
	for place, want := range map[string][]string{"${id}": nil, "${env.TOKEN}": {"hunter22"}} {
		p, err := Load("file.yaml", []byte("protocol: 1\ncodec: text\nheaders: {X-A: \"x\"}\nmessages: [{name: m, send: '"+place+
			" ${id}'}]\nreceive: [{answers: text}]\n"), Options{Env: func(name string) (string, bool) {
			return "hunter22", name == "TOKEN"
		}})
		if err != nil || !slices.Equal(p.Secrets, want) {
			t.Errorf("%s: %v, %v", place, p, err)
		}
	}
}

// TestOneMessage: it is what a file of it would be, and what is wrong with it is told of the flags.
func TestOneMessage(t *testing.T) {
	for _, c := range []struct{ message, answers, want string }{
		{`{"op":"ping","n":${seq}}`, "order", `json {"op":"ping","n":0}`},
		{"say \"${uuid}\" <\u2028>\n", "only", "text say \"64b4018f-a4f5-4967-8e0e-fb3fbd3a5ac6\" <\u2028>\n"},
		{` ["${mark}"]`, "/0", `json  ["m-7"]`},
		{"${idd}", "order", `--message: ${idd}: unknown placeholder "idd" | did you mean id? Known placeholders: ` +
			"id, seq, client, now, uuid, int, pick, text, csv.NAME, env.NAME, mark, room"},
		{"a ${id}", "order", "--message: no rule matches replies by the ${id} of message \"message\" | add a rule with " +
			"answers: SELECTOR; if the server only needs a number, use ${seq}"},
		{`{"a":"${mark}"}`, "id", "--answers: id: messages of the json codec have no fields; a JSON pointer starts with / | id | ^^ | " +
			"a JSON pointer starts with /: /id"},
		{`{"a":1}`, "/a", "--message: message \"message\" has neither ${id} nor ${mark}: replies cannot be matched to it | " +
			"put ${mark} in a field that the server echoes, or match replies by answers: order or answers: only"},
		{strings.Repeat("x", 1<<20), "order", "--message: message: the file is larger than 1024 KiB, the limit for a protocol file | check that it is the right file"},
	} {
		p, err := One(c.message, c.answers, Options{})
		got := ""
		if err != nil {
			got = strings.Join(append(append([]string{err.Error()}, fault.PictureOf(err)...), fault.HintOf(err)), " | ")
		} else {
			got = p.Codec.Name() + " " + sent(t, &p.Messages[0].Send, &template.Values{Mark: []byte("m-7")})
		}
		if got != c.want {
			t.Errorf("%s", cmp.Diff(c.want, got))
		}
	}
}

// FuzzLoad: of no file can the loader not say what is wrong with it, on one line that shows no secret; what it takes can
// be sent.
func FuzzLoad(f *testing.F) {
	f.Add([]byte(example))
	data, err := os.ReadFile("testdata/bad.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, part := range strings.Split(string(data), "----\n")[1:] {
		text, _, _ := strings.Cut(part, "=>\n")
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := Load("f.yaml", data, options())
		if err != nil {
			if fault.CodeOf(err) != fault.Usage || fault.HintOf(err) == "" || strings.ContainsAny(err.Error(), "\n\r") ||
				strings.Contains(err.Error(), "s3cret") && !strings.Contains(string(data), "s3cret") {
				t.Errorf("%q, hint %q", err, fault.HintOf(err))
			}
			return
		}
		v := &template.Values{ID: 1, Room: 1, Mark: []byte("m")}
		if len(p.Rows) > 0 {
			v.Row = p.Rows[0]
		}
		v.Kept = make([][]byte, len(p.Kept))
		for i := range p.Messages {
			s := &p.Messages[i].Send
			if _, err := s.Tail(s.Head(nil, v), v); err != nil && len(p.Kept) == 0 {
				t.Errorf("%s: %v", s.Source, err)
			}
		}
		d := p.Codec.NewDecoder()
		d.Begin([]byte("{}"))
		var m codec.Message
		_, _ = d.Next(&m)
	})
}
