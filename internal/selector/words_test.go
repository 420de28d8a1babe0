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
		`"a\\" b`: {`"a\\"`, "b"}, `"a\\\" b" c`: {`"a\\\" b"`, "c"},
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

// What other tools write is answered with what it is called here, and what nobody writes with nothing.
func TestWhatWasMeant(t *testing.T) {
	for _, c := range []struct{ word, rest, want string }{
		{"200", "", "status 200"}, {"2xx", "", "status 2xx"}, {"200", "OK", ""}, {"code", "", "status 200"},
		{"status_code", "200", "status 200"}, {"status-code", "", "status 200"}, {"body", "x", "text PART"},
		{"contains", "x", "text PART"}, {"includes", "x", "text PART"}, {"matches", "x", "regexp PATTERN"},
		{"regex", "x", "regexp PATTERN"}, {"jsonpath", "x", "json PATH"}, {"", "", ""}, {"quite", "", ""}, {"quite", "another", ""},
	} {
		if got := checkMeant(c.word, c.rest); got != c.want {
			t.Errorf("%q %q: %q, want %q", c.word, c.rest, got, c.want)
		}
	}
}

// An answer without headers, or without a body of JSON, has neither a header nor a cookie nor a value.
func TestWhatIsNotInAnAnswer(t *testing.T) {
	for _, text := range []string{"header Via", "cookie session", "json a", "regexp a"} {
		s, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, found := s.Find(&Answer{Status: 200}); got != nil || found {
			t.Errorf("%s: %q, %v", text, got, found)
		}
	}
}
