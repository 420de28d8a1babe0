package http2

import (
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

// TestFieldBlocksRoundTrip: others read in our field blocks what was written.
func TestFieldBlocksRoundTrip(t *testing.T) {
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
