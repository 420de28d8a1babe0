package selector

import (
	"slices"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// A word ends at the first space or tab, and what follows begins behind all of them.
func TestWords(t *testing.T) {
	for text, want := range map[string][2]string{
		"": {}, "  ": {}, "a": {"a", ""}, " a ": {"a", ""}, "a b": {"a", "b"}, "a\tb": {"a", "b"}, "a \t b c ": {"a", "b c"},
		"status\n200": {"status\n200", ""},
	} {
		if word, rest := cutWord(text); word != want[0] || rest != want[1] {
			t.Errorf("%q is %q and %q, want %q", text, word, rest, want)
		}
	}
}

// A path ends at a space that is in no brackets and in no quotes.
func TestPathsEnd(t *testing.T) {
	for text, want := range map[string][2]string{
		"": {}, "a": {"a", ""}, "a = 1": {"a", "= 1"}, "a\t= 1": {"a", "= 1"}, "a  = 1 ": {"a", "= 1"},
		`#(n=="a b").id = 1`: {`#(n=="a b").id`, "= 1"}, "#(n == 1).id > 2": {"#(n == 1).id", "> 2"},
		"#(a #(b c) d).e f": {"#(a #(b c) d).e", "f"}, "[a, b] c": {"[a, b]", "c"}, "{a, b} c": {"{a, b}", "c"},
		`"a)b (" c`: {`"a)b ("`, "c"}, `"a\" b" c`: {`"a\" b"`, "c"}, "a) b": {"a)", "b"}, "(a b": {"(a b", ""},
		`"a b`: {`"a b`, ""}, "a\tb c": {"a", "b c"}, "(a\tb) c": {"(a\tb)", "c"},
	} {
		if path, rest := cutPath(text); path != want[0] || rest != want[1] {
			t.Errorf("%q is %q and %q, want %q", text, path, rest, want)
		}
	}
}

// An error shows the last place of what is wrong, or the end of the text where that is missing.
func TestPointing(t *testing.T) {
	for _, c := range []struct {
		text, part string
		from, to   int
	}{
		{"a b a", "a", 4, 5}, {"a b a", "b", 2, 3}, {"a b a", "a b", 0, 3}, {"a b a", "c", 5, 5}, {"a b a", "", 5, 5},
	} {
		e := fault.New(fault.Usage, "wrong")
		got, want := fault.PictureOf(pointing(e, c.text, c.part)), fault.PictureOf(e.Point(c.text, c.from, c.to))
		if !slices.Equal(got, want) {
			t.Errorf("%q in %q: %q, want %q", c.part, c.text, got, want)
		}
	}
}

// A value of JSON is the same as what is written by what it is, not by how.
func TestSame(t *testing.T) {
	const body = `{"s":"a","quoted":"\"a\"","number":"1","n":1,"f":1.0,"t":true,"z":null,"l":[1,2],"o":{"a":1,"b":[2]},"e":""}`
	a := &Answer{Status: 200, Body: []byte(body), Size: int64(len(body))}
	for text, want := range map[string]bool{
		"s = a": true, `s = "a"`: true, "s = b": false, `s = "b"`: false, `quoted = "a"`: true, `quoted = "\"a\""`: true,
		"number = 1": true, `number = "1"`: true, "number = 2": false, `n = "1"`: false, "n = 1": true, "n = 1.0": true,
		"f = 1": true, "f = 10e-1": true, "n = 2": false, "n = true": false, "t = true": true, "t = false": false,
		`t = "true"`: false, "z = null": true, "z = 0": false, `z = "null"`: false, "l = [1, 2]": true, "l = [2, 1]": false,
		"l = [1,2,3]": false, `o = {"b":[2],"a":1}`: true, `o = {"a":1}`: false, `o = "a"`: false, `e = ""`: true,
		"l = 1": false, `n = [1]`: false, "n = 1x": false,
	} {
		c, err := ParseCheck("json " + text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := c.Holds(a); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
