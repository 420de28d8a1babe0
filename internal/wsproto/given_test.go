package wsproto

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/yamltree"
)

// TestAGivenTable stands in for that of the file, and is told by its flag where nothing comes of it.
func TestAGivenTable(t *testing.T) {
	of := func(send string) string {
		return begin + "csv: users.csv\nmessages: [{send: '${mark}" + send + "'}]\n" + answered
	}
	for name, c := range map[string]struct{ table, text, want, hint string }{
		"used":               {"own", of("${csv.a}"), "1", ""},
		"of one row":         {"own", begin + "messages: [{send: '${mark}${csv.a}'}]\n" + answered, "1", ""},
		"of the file":        {"", of("${csv.user}"), "ann", ""},
		"not the file's":     {"own", of("${csv.user}"), "the table has no column \"user\"", "its columns are a, b"},
		"not used":           {"own", of(""), "--csv: nothing that is sent uses a column of own", "${csv.a}"},
		"not there":          {"gone", of("${csv.a}"), "--csv: there is no file gone", "give the name of a CSV file"},
		"no table":           {"bad", of("${csv.a}"), "bad:1: the column \"a\" stands there twice", "its first line"},
		"no table in a file": {"", strings.Replace(of("${csv.a}"), "users.csv", "bad", 1), "bad:1: the column \"a\" stands there twice", "its first line"},
	} {
		o := options()
		read := o.Read
		o.Table = c.table
		o.Read = func(name string) ([]byte, error) {
			if text := map[string]string{"own": "a,b\n1,2\n", "bad": "a,a\n1,2\n"}[name]; text != "" {
				return []byte(text), nil
			}
			return read(name)
		}
		p, err := Load("f.yaml", []byte(c.text), o)
		if err != nil {
			if !strings.Contains(err.Error(), c.want) || !strings.Contains(fault.HintOf(err), c.hint) || c.hint == "" || fault.CodeOf(err) != fault.Usage {
				t.Errorf("%s: %v, hint %q", name, err, fault.HintOf(err))
			}
			continue
		}
		if got := sent(t, &p.Messages[0].Send, &template.Values{Row: p.Rows[0]}); got != `""`+c.want && got != `"""`+c.want+`"` {
			t.Errorf("%s: %q", name, got)
		}
	}
	const packet = "protocol: 1\ncodec: mqtt\nmessages: [{send: {publish: {topic: a, qos: '${csv.a}', id: '${id 16}'}}}]\nreceive: [{answers: id}]\n"
	for row, well := range map[string]bool{"1": true, "3": false} { // the first row is tried, also where it is the only one
		o := Options{Table: "own", Read: func(string) ([]byte, error) { return []byte("a\n" + row + "\n"), nil }}
		if _, err := Load("f.yaml", []byte(packet), o); (err == nil) != well {
			t.Errorf("a quality of %s: %v", row, err)
		}
	}
}

// TestASecretIsSent as it is, wherever the file has it.
func TestASecretIsSent(t *testing.T) {
	p, err := Load("f.yaml", []byte(begin+"headers: {A: 'x ${env.TOKEN}'}\n"+oneOf+answered), options())
	if err != nil {
		t.Fatal(err)
	}
	if got := string(p.Headers[0].Value.Append(nil, &template.Values{})); got != "x s3cret" {
		t.Errorf("%q", got)
	}
}

// TestIDsOfSomeMessages: a message without one says nothing of the bits of the others.
func TestIDsOfSomeMessages(t *testing.T) {
	for messages, well := range map[string]bool{
		"[{send: '${mark}'}, {send: '${id 16}'}, {send: '${id 16}'}]": true,
		"[{send: '${id 16}'}, {send: '${mark}'}, {send: '${id 17}'}]": false,
		"[{send: '${mark}'}, {send: '${id 16}'}, {send: '${id}'}]":    false,
	} {
		if _, err := Load("f.yaml", []byte(begin+"messages: "+messages+"\n"+answered), Options{}); (err == nil) != well {
			t.Errorf("%s: %v", messages, err)
		}
	}
}

// TestWhyTooMany: what is beyond a bound is told by that bound, and not by what would be wrong behind it.
func TestWhyTooMany(t *testing.T) {
	draws, keys := "", ""
	for i := range 65 {
		draws += fmt.Sprintf("  d%d: a\n", i)
	}
	for i := range 33 {
		keys += fmt.Sprintf(", k%d: a", i)
	}
	packet := func(keys string) string {
		return "protocol: 1\ncodec: mqtt\nmessages: [{send: {publish: {" + keys[2:] + "}}}]\nreceive: [{answers: id}]\n"
	}
	for want, text := range map[string]string{
		"more than 64 values are drawn":   begin + "draw:\n" + draws + oneOf + answered,
		"a packet has at most 32 keys":    packet(keys),
		"k0: no key of publish":           packet(keys[:strings.LastIndex(keys, ", ")]),
		"no message uses what d0 draws":   begin + "draw:\n  d0: a\n" + oneOf + answered,
		"csv is a list: it is a text":     begin + "csv: [a]\n" + oneOf + answered,
		"split is a list: it is a text":   begin + "split: [a]\n" + oneOf + answered,
		"neither ${id} nor ${mark} is in": begin + "messages: [{send: a}]\n" + answered,
	} {
		if _, err := Load("f.yaml", []byte(text), options()); err == nil || !strings.Contains(err.Error(), want) || fault.HintOf(err) == "" {
			t.Errorf("%v, hint %q; want %s", err, fault.HintOf(err), want)
		}
	}
}

// TestErrorsOfOthers: what is wrong and says nothing of where is told of the whole.
func TestErrorsOfOthers(t *testing.T) {
	wrong := errors.New("it is wrong")
	r := &reader{name: "f.yaml", p: &Protocol{}}
	n := &yamltree.Node{}
	bad := PacketOf(listed{}, []*template.Template{compile(t, "bad", template.Raw)}, "")
	for name, c := range map[string]struct {
		err        error
		says, hint string
	}{
		"a template": {r.ofTemplate(n, wrong, false), "it is wrong", ""},
		"a codec":    {r.ofKeys(nil, n, wrong), "it is wrong", "docs/ws.md has what each codec takes"},
		"a packet":   {r.tryPacket(&bad, n, n, []string{"a"}), "it is bad", "docs/ws.md has what each codec takes"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.says) || fault.HintOf(c.err) != c.hint {
			t.Errorf("%s: %v, hint %q", name, c.err, fault.HintOf(c.err))
		}
	}
}

// TestTokens: each letter that a subprotocol may have, and no other (RFC 9110, 5.6.2).
func TestTokens(t *testing.T) {
	const all = "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	for c := range 256 {
		name := "a" + string([]byte{byte(c)})
		if want := strings.Contains(all, name[1:]); isToken(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
	if isToken("") {
		t.Error("nothing is a token")
	}
}
