package http2

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/http2/hpack"
)

// theirs decodes blocks, one after the other, as golang.org/x/net does.
func theirs(blocks [][]byte) (fields []string, err error) {
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

// ours is the same here.
func ours(blocks [][]byte) (fields []string, err error) {
	t := table{most: tableSize}
	for _, b := range blocks {
		var h Head
		h.reset()
		tooLong, bad := t.decode(&h, b, Limits{Head: 1 << 30, Fields: 1 << 30})
		if tooLong != nil {
			panic(tooLong)
		}
		for _, f := range h.fields {
			fields = append(fields, fmt.Sprintf("%q: %q", h.text[f.name:f.value], h.text[f.value:f.to]))
		}
		if bad != nil {
			return fields, bad
		}
	}
	return fields, nil
}

// split makes blocks of bytes: each begins with its length.
func split(b []byte) (blocks [][]byte) {
	for len(b) > 0 {
		n := min(int(b[0]), len(b)-1)
		blocks = append(blocks, b[1:1+n])
		b = b[1+n:]
	}
	return blocks
}

func same(t *testing.T, blocks [][]byte) {
	t.Helper()
	want, theirErr := theirs(blocks)
	got, ourErr := ours(blocks)
	if (theirErr == nil) != (ourErr == nil) {
		if theirErr == nil {
			switch ourErr.Error() {
			case compression("a number is too large").Error(): // they take them up to 2^62
				return
			case compression("the size of its table changes where it must not").Error(): // they mind where the table is not empty
				return
			}
		}
		t.Fatalf("%x: %v, want %v", blocks, ourErr, theirErr)
	}
	if g, w := strings.Join(got, "\n"), strings.Join(want, "\n"); g != w && ourErr == nil {
		t.Fatalf("%x:\n%s\nwant\n%s", blocks, g, w)
	}
}

// FuzzFields: what others read in field blocks is what is read here.
func FuzzFields(f *testing.F) {
	var b bytes.Buffer
	e := hpack.NewEncoder(&b)
	var all []byte
	for i := range 20 {
		b.Reset()
		for _, h := range []hpack.HeaderField{
			{Name: ":status", Value: "200"}, {Name: "date", Value: fmt.Sprint("Mon, 02 Jan 2006 15:04:0", i%10)},
			{Name: "content-length", Value: fmt.Sprint(i)}, {Name: "x-own", Value: strings.Repeat("v", i), Sensitive: i%2 == 0},
		} {
			_ = e.WriteField(h)
		}
		all = append(append(all, byte(b.Len())), b.Bytes()...)
	}
	f.Add(all)
	for _, s := range []string{"\x01\x80", "\x01\xbe", "\x02\x20\x82", "\x02\x82\x20", "\x03\x3f\xe1\x1f", "\x04\x3f\xe2\x1f\x82", "\x05\x40\x01a\x01b\x01\xbe",
		"\x01\x40", "\x02\x00\x01", "\x03\x00\x81\xff", "\x06\x7f\xff\xff\xff\xff\xff", "\x02\x0f\x2f"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) { same(t, split(b)) })
}

// TestTheTableStaysSmall: entries that were evicted take no memory, however many there were.
func TestTheTableStaysSmall(t *testing.T) {
	var b bytes.Buffer
	e := hpack.NewEncoder(&b)
	var blocks [][]byte
	for i := range 5000 {
		b.Reset()
		_ = e.WriteField(hpack.HeaderField{Name: "x-name", Value: fmt.Sprint("value ", i, strings.Repeat("x", i%97))})
		blocks = append(blocks, bytes.Clone(b.Bytes()))
	}
	same(t, blocks)
	tab := table{most: tableSize}
	for _, b := range blocks {
		var h Head
		if _, err := tab.decode(&h, b, DefaultLimits()); err != nil {
			t.Fatal(err)
		}
	}
	if cap(tab.data) > 4*tableSize || len(tab.entries) > 2*tableSize/overhead {
		t.Errorf("the table has %d bytes and %d entries", cap(tab.data), len(tab.entries))
	}
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
		tab := table{most: tableSize}
		var h Head
		tooLong, err := tab.decode(&h, b.Bytes(), c.limits)
		if err != nil || tooLong == nil || tooLong.Rule != c.rule || len(h.fields) > 10 || len(h.text) > 100 {
			t.Errorf("%v: %v %v, %d fields", c.limits, tooLong, err, len(h.fields))
		}
		if tab.len() != 50 {
			t.Errorf("the table has %d entries", tab.len())
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
			want = append(want, fmt.Sprintf("%q: %q", name, value))
		}
		b = AppendField(b, ":method", "GET")
		got, err := theirs([][]byte{b})
		if err != nil || strings.Join(got, "\n") != strings.Join(want, "\n")+"\n\":method\": \"GET\"" {
			t.Errorf("%d bytes: %v: %.300q", length, err, got)
		}
	}
	d := hpack.NewDecoder(tableSize, func(f hpack.HeaderField) {
		if f.Sensitive != (f.Name == "cookie") {
			t.Errorf("%v is kept on the way: %v", f.Name, !f.Sensitive)
		}
	})
	_, _ = d.Write(AppendField(AppendField(nil, "cookie", "a"), "accept", "b"))
}
