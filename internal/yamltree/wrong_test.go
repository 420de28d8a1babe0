package yamltree

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// TestPoint: the picture is of the line that is wrong, with carets under what belongs together, whatever the file's line
// ends and the characters before it.
func TestPoint(t *testing.T) {
	const text = "\ufeffä: {key: \"a \\\" b\", other: 'x}'}\r\nb: word # why\r\nc: ${int 1 2} z\r\nd: |\r\n  t\r\ne: [f, ${x\r\n'it\n\"\" x\n: x\n#a\n"
	for _, c := range []struct {
		at   Place
		want string
	}{
		{Place{1, 1}, "ä: {key: \"a \\\" …\n^"},
		{Place{1, 4}, "ä: {key: \"a \\\" b\", …\n   ^"},
		{Place{1, 5}, "ä: {key: \"a \\\" b\", …\n    ^^^"},
		{Place{1, 10}, "ä: {key: \"a \\\" b\", other: 'x}'}\n         ^^^^^^^^"},
		{Place{1, 27}, "ä: {key: \"a \\\" b\", other: 'x}'}\n                          ^^^^"},
		{Place{2, 4}, "b: word # why\n   ^^^^"},
		{Place{3, 4}, "c: ${int 1 2} z\n   ^^^^^^^^^^"},
		{Place{4, 4}, "d: |\n   ^"},
		{Place{6, 5}, "e: [f, ${x\n    ^"},
		{Place{6, 8}, "e: [f, ${x\n       ^^^"},
		{Place{7, 1}, "'it\n^^^"}, {Place{8, 1}, "\"\" x\n^^"}, {Place{9, 1}, ": x\n^^^"}, {Place{10, 1}, "#a\n^^"},
		{Place{6, 99}, "e: [f, ${x\n          ^"},
		{Place{99, 1}, "\n^"},
	} {
		err := Point(Misread("f", c.at, "it is wrong"), []byte(text))
		got := strings.Join(fault.PictureOf(err), "\n")
		// What stands behind is cut, which is the picture's business.
		if first, under, _ := strings.Cut(c.want, "\n"); !strings.HasPrefix(got, strings.TrimSuffix(first, "…")) ||
			!strings.HasSuffix(got, "\n"+under) {
			t.Errorf("%v: %s", c.at, cmp.Diff(c.want, got))
		}
	}
	at, why := Unplaced(fault.New(fault.Usage, "around: %w", Misread("f", Place{2, 3}, "it is %w", errors.ErrUnsupported)))
	if why == nil || why.Error() != "it is unsupported operation" || at != (Place{2, 3}) {
		t.Errorf("%v, %v", why, at)
	}
	if !errors.Is(Misread("f", Place{2, 3}, "it is %w", errors.ErrUnsupported), errors.ErrUnsupported) {
		t.Error("what is wrapped is lost")
	}
	if at, why := Unplaced(errors.New("x")); why != nil || at != (Place{}) {
		t.Error("an error of no place has one")
	}
	other := errors.New("another")
	if Point(other, nil) != other {
		t.Error("an error of no place was changed")
	}
	own := Misread("f", Place{1, 1}, "it is wrong").Point("own", 0, 1)
	if got := fault.PictureOf(Point(own, []byte(text))); got[0] != "own" {
		t.Errorf("a picture that is there already became %q", got)
	}
}

func TestFind(t *testing.T) {
	const text = "a: ${x} ${x}\r\nä: |\r\n  ä ${x}\r\n"
	for nth, want := range []Place{{1, 4}, {1, 9}, {3, 5}, {1, 2}} {
		if got := Find([]byte(text), Place{1, 2}, "${x}", nth); got != want {
			t.Errorf("number %d is at %v, want %v", nth, got, want)
		}
	}
	if got := Find([]byte("${x}"), Place{1, 1}, "${x}", 0); got != (Place{1, 1}) {
		t.Errorf("what begins the file is at %v", got)
	}
	for _, c := range []struct {
		text, piece string
		at          Place
		nth         int
		want        Place
	}{
		{"${x}${x}", "${x}", Place{1, 1}, 1, Place{1, 5}},
		{"\na ${x}", "${x}", Place{2, 1}, 0, Place{2, 3}},
		{"${x}", "${x}", Place{9, 1}, 0, Place{9, 1}},
		{"${x}", "", Place{9, 1}, 0, Place{9, 1}},
	} {
		if got := Find([]byte(c.text), c.at, c.piece, c.nth); got != c.want {
			t.Errorf("%q in %q from %v on: %v, want %v", c.piece, c.text, c.at, got, c.want)
		}
	}
	if got := Find([]byte(text), Place{1, 2}, "", 0); got != (Place{1, 2}) {
		t.Errorf("nothing is at %v", got)
	}
}

func TestString(t *testing.T) {
	s := &Sort{Name: "file"}
	for text, want := range map[string]string{
		"/": "/", "_-09azAZ/": "_-09azAZ/", "a:b": "'a:b'", "a`b": "'a`b'", "a@b": "'a@b'", "a[b": "'a[b'", "a{b": "'a{b'", "a.b": "'a.b'",
		"é": "'é'", "\x7f": `"\x7f"`, "\x1f": `"\x1f"`, "a?þ": "'a?þ'", " ": "' '",
	} {
		if got := (&Node{Form: Text, Text: text}).String(); got != want {
			t.Errorf("%q is written %s, want %s", text, got, want)
		}
	}
	const text = "a: [1, -2, x y, \"\", null, 'null', \"it's\"]\n'b c': {/d: \"e\\x1e\", f: '*'}\n"
	n, err := s.Parse("f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	const want = `{a: [1, '-2', 'x y', '', null, 'null', "it's"], 'b c': {/d: "e\x1e", f: '*'}}`
	if got := n.String(); got != want {
		t.Error(cmp.Diff(want, got))
	}
	again, err := s.Parse("f", []byte(n.String()))
	if err != nil || again.String() != want {
		t.Errorf("%v, %v", again, err)
	}
}
