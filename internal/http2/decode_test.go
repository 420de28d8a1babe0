package http2

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/http2/hpack"
)

// read decodes blocks, one after the other.
func read(blocks [][]byte) (fields []string, err error) {
	d := hpack.NewDecoder(tableSize, func(f hpack.HeaderField) { fields = append(fields, fmt.Sprintf("%q: %q", f.Name, f.Value)) })
	for _, b := range blocks {
		if _, err := d.Write(b); err != nil {
			return fields, err
		}
		if err := d.Close(); err != nil {
			return fields, err
		}
	}
	return fields, nil
}

// TestTooMuch: what exceeds the limits is read, for the sake of others, and not kept.
func TestTooMuch(t *testing.T) {
	var b bytes.Buffer
	e := hpack.NewEncoder(&b)
	for i := range 50 {
		_ = e.WriteField(hpack.HeaderField{Name: fmt.Sprint("x-", i), Value: "v"})
	}
	for _, c := range []struct {
		limits Limits
		rule   Rule
	}{{Limits{Head: 100, Fields: 1000}, HeadTooLong}, {Limits{Head: 1 << 20, Fields: 10}, TooManyHeaders}} {
		var d decoder
		d.of = hpack.NewDecoder(tableSize, d.add)
		var h Head
		tooLong, err := d.decode(&h, b.Bytes(), c.limits)
		if err != nil || tooLong == nil || tooLong.Rule != c.rule || len(h.fields) > 10 || len(h.text) > 100 {
			t.Errorf("%v: %v %v, %d fields", c.limits, tooLong, err, len(h.fields))
		}
		h.reset()
		if tooLong, err := d.decode(&h, []byte{0x80 | 62}, DefaultLimits()); err != nil || tooLong != nil || string(h.text) != "x-49v" {
			t.Errorf("%v: %v %v, the last is %q", c.limits, tooLong, err, h.text)
		}
	}
}

// TestWhatIsWritten: others read in our field blocks what was written.
func TestWhatIsWritten(t *testing.T) {
	for _, length := range []int{0, 1, 126, 127, 128, 254, 255, 256, 20000} {
		value := strings.Repeat("x", length)
		var b []byte
		var want []string
		for _, name := range []string{":path", ":method", "authorization", "cookie", "x-own", strings.Repeat("n", 200)} {
			b = AppendField(b, name, value)
			b = AppendValue(b, AppendName(nil, name), []byte(value))
			want = append(want, fmt.Sprintf("%q: %q", name, value), fmt.Sprintf("%q: %q", name, value))
		}
		b = AppendField(b, ":method", "GET")
		got, err := read([][]byte{b})
		if err != nil || strings.Join(got, "\n") != strings.Join(want, "\n")+"\n\":method\": \"GET\"" {
			t.Errorf("%d bytes: %v: %.300q", length, err, got)
		}
	}
	d := hpack.NewDecoder(tableSize, func(f hpack.HeaderField) {
		if f.Sensitive != (f.Name == "cookie") {
			t.Errorf("%v is kept on the way: %v", f.Name, !f.Sensitive)
		}
	})
	_, _ = d.Write(AppendValue(AppendField(AppendField(nil, "cookie", "a"), "accept", "b"), AppendName(nil, "cookie"), nil))
	_, _ = d.Write(AppendField(nil, ":method", "GET"))
	if len(AppendField(nil, ":method", "GET")) != 1 {
		t.Error("what is in the static table is not referred to")
	}
}
