package codec

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// none is the body of a message that has none.
const none = "\xff none"

// seen is a message as a test looks at it.
type seen struct {
	Fields map[string]string
	Body   string
	Raw    string
	Err    bool
}

// read is what a decoder reads of frames.
func read(t testing.TB, c Codec, frames ...string) []seen {
	t.Helper()
	d := c.NewDecoder()
	var all []seen
	var m Message
	for _, frame := range frames {
		d.Begin([]byte(frame))
		for range 1000 {
			ok, err := d.Next(&m)
			if !ok {
				if err != nil {
					t.Errorf("an error that comes with the end: %v", err)
				}
				break
			}
			s := seen{Body: none, Raw: string(m.Raw), Err: err != nil}
			if m.Body != nil {
				s.Body = string(m.Body)
			}
			for i, f := range m.Fields {
				if f == nil {
					continue
				}
				if s.Fields == nil {
					s.Fields = map[string]string{}
				}
				s.Fields[c.Fields()[i]] = string(f)
			}
			all = append(all, s)
		}
	}
	return all
}

func by(t testing.TB, name string, o Options) Codec {
	t.Helper()
	c, err := By(name, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestJSON(t *testing.T) {
	c := by(t, "json", Options{})
	want := []seen{{Body: "{}\n{}", Raw: "{}\n{}"}, {Body: "", Raw: ""}}
	if diff := cmp.Diff(want, read(t, c, "{}\n{}", "")); diff != "" {
		t.Error(diff)
	}
	want = []seen{{Body: "{}", Raw: "{}"}, {Body: "[]", Raw: "[]"}, {Body: "1", Raw: "1"}}
	for _, split := range []string{"\x1e", "\r\n"} {
		c = by(t, "json", Options{Split: split})
		if diff := cmp.Diff(want, read(t, c, "{}"+split+split+"[]"+split, "", split, "1")); diff != "" {
			t.Error(diff)
		}
	}
}

func TestText(t *testing.T) {
	c := by(t, "text", Options{Fields: `^(?P<type>[a-z]+)(?:#(\d+)|!(?P<flag>))? ?(?P<body>.*)$`, Split: "\n"})
	want := []seen{
		{Fields: map[string]string{"text": "ack {}", "type": "ack", "body": "{}"}, Body: "{}", Raw: "ack {}"},
		{Fields: map[string]string{"text": "n!", "type": "n", "flag": "", "body": ""}, Body: none, Raw: "n!"},
		{Fields: map[string]string{"text": "?"}, Body: none, Raw: "?"},
	}
	if diff := cmp.Diff(want, read(t, c, "ack {}\nn!", "?")); diff != "" {
		t.Error(diff)
	}
	first := by(t, "text", Options{Fields: "(?P<body>.)"})
	want = []seen{{Fields: map[string]string{"text": "x", "body": "x"}, Body: "x", Raw: "x"}}
	if diff := cmp.Diff(want, read(t, first, "x")); diff != "" || !first.HasBody() {
		t.Error(diff)
	}
	named := by(t, "text", Options{Fields: "(?P<a>.)"})
	want = []seen{{Fields: map[string]string{"text": "xy", "a": "x"}, Body: none, Raw: "xy"}}
	if diff := cmp.Diff(want, read(t, named, "xy")); diff != "" || named.HasBody() {
		t.Error(diff)
	}
	if n, err := c.Field("flag"); n != 2 || err != nil {
		t.Error(n, err)
	}
	if by(t, "text", Options{}).HasBody() || !c.HasBody() {
		t.Error("who has a body")
	}
}

// TestWrong names the key that is at fault.
func TestWrong(t *testing.T) {
	for _, c := range []struct {
		name, key string
		o         Options
	}{
		{"xml", "codec", Options{}},
		{"json", "fields", Options{Fields: "(?P<a>x)"}},
		{"text", "fields", Options{Fields: "("}},
		{"text", "fields", Options{Fields: "(x)"}},
		{"text", "fields", Options{Fields: "(?P<text>x)"}},
		{"text", "fields", Options{Fields: "(?P<a>x)(?P<a>y)"}},
	} {
		_, err := By(c.name, c.o)
		if e, ok := err.(*Error); !ok || e.Key != c.key {
			t.Errorf("%+v: %v", c, err)
		}
	}
	for name, want := range map[string]string{
		"json":     "nothing: messages of the json codec have no fields; a JSON pointer starts with /",
		"text":     "nothing: not a field of the text codec, which has text",
		"socketio": "nothing: not a field of the socketio codec, which has type, namespace, ack, attachments",
		"mqtt":     "nothing: not a field of the mqtt codec, which has type, id, topic, qos, retain, dup, code, failed, payload",
	} {
		if _, err := by(t, name, Options{}).Field("nothing"); err == nil || err.Error() != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, kind := range map[string]string{"stomp": "split", "mqtt": "split", "mqtt5": "split"} {
		_, err := By(name, Options{Split: "x"})
		want := kind + ": messages of the " + name + " codec are self-delimiting"
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v", name, err)
		}
	}
	for key, want := range map[string]string{
		"version": "version: use codec mqtt for MQTT 3.1.1, or mqtt5 for MQTT 5.0", "x": "x: not a key of puback, which has id",
	} {
		if _, err := by(t, "mqtt", Options{}).Packet("puback", []string{key}); err == nil || err.Error() != want {
			t.Error(err)
		}
	}
	if _, err := by(t, "mqtt", Options{}).Packet("pingreq", []string{"x"}); err == nil || err.Error() != "x: pingreq has no keys" {
		t.Error(err)
	}
}

// TestCodecs goes over what each codec says of itself.
func TestCodecs(t *testing.T) {
	type says struct {
		Body, Binary bool
		End          string
	}
	want := map[string]says{
		"json": {true, false, ""}, "text": {}, "stomp": {true, false, "\x00"}, "mqtt": {true, true, ""}, "mqtt5": {true, true, ""},
		"socketio": {true, false, ""},
	}
	got := map[string]says{}
	for _, name := range Names() {
		c := by(t, name, Options{})
		got[c.Name()] = says{c.HasBody(), c.Binary(), c.End()}
		for i, field := range c.Fields() {
			if n, err := c.Field(field); n != i || err != nil {
				t.Errorf("%s of %s: %d, %v", field, name, n, err)
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
