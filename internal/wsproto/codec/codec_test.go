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
			if !ok && err == nil {
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
			if !ok {
				break
			}
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
	for _, name := range []string{"json", "text"} {
		if _, err := by(t, name, Options{}).Field("nothing"); err == nil {
			t.Errorf("%s has a field called nothing", name)
		}
	}
}
