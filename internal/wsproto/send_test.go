package wsproto

import (
	"errors"
	"fmt"
	"github.com/plimsoll/plimsoll/internal/template"
	"testing"
)

func compile(t *testing.T, text string, at template.Place) *template.Template {
	t.Helper()
	c, err := template.Compile(text, at, &template.Known{Of: template.OfMessage})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// listed is a packet that shows its values.
type listed struct{}

func (listed) Append(b []byte, values [][]byte) ([]byte, error) {
	for _, v := range values {
		if string(v) == "bad" {
			return append(b, "half"...), errors.New("it is bad")
		}
		b = fmt.Appendf(b, "%d:%s,", len(v), v)
	}
	return b, nil
}

func TestPacketContainsItsValues(t *testing.T) {
	s := PacketOf(listed{}, []*template.Template{
		compile(t, "topic/${room}", template.Raw), compile(t, "${id 16}", template.Raw), compile(t, "", template.Raw),
		compile(t, `{"id":"${mark}"}`, template.JSON),
	}, "source")
	v := &template.Values{Room: 3, ID: 65535, Mark: []byte("m-1")}
	for range 2 {
		b, err := s.Tail(s.Head([]byte("before:"), v), v)
		if want := "before:7:topic/3,5:65535,0:,12:{\"id\":\"m-1\"},"; string(b) != want || err != nil {
			t.Errorf("%q, %v, want %q", b, err, want)
		}
	}
	if !s.UsesID() || !s.UsesMark() || !s.UsesRoom() || s.IDBits() != 16 {
		t.Error("it does not say what is in it")
	}
	bad := PacketOf(listed{}, []*template.Template{compile(t, "good", template.Raw), compile(t, "bad", template.Raw)}, "")
	if b, err := bad.Tail([]byte("before"), v); string(b) != "before" || err == nil {
		t.Errorf("%q, %v", b, err)
	}
}

func TestSendingDoesNotAllocate(t *testing.T) {
	text := TextOf(compile(t, `{"n":${seq},"id":"${mark}","at":"${now unix}"}`, template.JSON), "\x1e", "")
	packet := PacketOf(fixed{}, []*template.Template{compile(t, "${id}", template.Raw), compile(t, "${mark}", template.Raw)}, "")
	v, b := &template.Values{Mark: []byte("m-1")}, make([]byte, 0, 1000)
	for name, s := range map[string]*Send{"text": &text, "packet": &packet} {
		if n := testing.AllocsPerRun(100, func() { b, _ = s.Tail(s.Head(b[:0], v), v) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

type fixed struct{}

func (fixed) Append(b []byte, values [][]byte) ([]byte, error) {
	return append(append(b, values[1]...), values[0]...), nil
}
