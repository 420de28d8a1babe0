package yamltree

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/goccy/go-yaml/token"
	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// files is a sort of file that has words for everything.
func files() *Sort {
	return &Sort{Name: "file", Begin: "begin it", Shared: "share it", Several: "more of them"}
}

// What is wrong with a file, where, and what to do.
func TestInvalidDocumentsAreRefused(t *testing.T) {
	deep := func(n int) string { // n levels, one below the other
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.Repeat(" ", i) + "a:\n")
		}
		return b.String()
	}
	for name, tt := range map[string]struct{ text, want string }{
		"the largest":                 {"a: b\n" + strings.Repeat(" ", 1<<20-5), ""},
		"the largest, marked":         {"\ufeffa: b\n" + strings.Repeat(" ", 1<<20-5), ""},
		"larger":                      {"a: b\n" + strings.Repeat(" ", 1<<20-4), "f: the file is larger than 1024 KiB, the limit for a file; check that it is the right file"},
		"UTF-16":                      {"\xff\xfea\x00", "f: the file is UTF-16, but a file must be UTF-8; save it as UTF-8"},
		"UTF-16, reversed":            {"\xfe\xff\x00a", "f: the file is UTF-16, but a file must be UTF-8; save it as UTF-8"},
		"empty":                       {"", "f: the file is empty; begin it"},
		"blank":                       {"\n  \n", "f: the file is empty; begin it"},
		"only comments":               {"# a\n", "f: the file contains only comments; begin it"},
		"no UTF-8":                    {"a: b\nä: x\xff", "f:2:5: the byte 0xff is not UTF-8: is this a file?; a file is a UTF-8 text file"},
		"the character for none":      {"a: \ufffd", ""},
		"a control character":         {"a: b\r\nc: \x01", `f:2:4: control character 0x01: is this a file?; a file is a text file; write such a character as "\x01"`},
		"the last of them":            {"a: \x1f", "f:1:4: control character 0x1f"},
		"delete":                      {"a: \x7f", "f:1:4: control character 0x7f"},
		"no control characters":       {"a: ?þ\tb", ""},
		"a tab in the indent":         {"a:\n \tb: c", "f:2:2: the indentation contains a tab; YAML requires spaces: indent with spaces only"},
		"a tab at the beginning":      {"\ta: b", "f:1:1: the indentation contains a tab; YAML requires spaces: indent with spaces only"},
		"tabs alone in a line":        {"a: b\n\t\nc: d", "f:2:1: invalid YAML: "},
		"an anchor":                   {"a: &x b", `f:1:4: "&": a file cannot contain anchors, aliases or merge keys; share it; put a value that begins with & or * in quotes`},
		"an alias":                    {"a: *x", `f:1:4: "*": a file cannot contain anchors, aliases or merge keys; share it`},
		"a merge key":                 {"<<: b", `f:1:1: "<<": a file cannot contain anchors, aliases or merge keys; share it`},
		"a tag":                       {"a: !x b", `f:1:4: "!x": a file cannot contain tags; remove it; put a value that begins with ! in quotes`},
		"a directive":                 {"%YAML 1.2\n---\na: b", "f:1:1: a file cannot contain directives; remove the line; put a value that begins with % in quotes"},
		"as deep as can be":           {deep(24), ""},
		"deeper":                      {deep(25), "f:25:26: the file is nested too deeply for a file; put a value that begins with [ or { in quotes"},
		"deep behind another":         {"x: 1\n" + deep(24), ""},
		"brackets":                    {"a: " + strings.Repeat("[", 23) + strings.Repeat("]", 23), ""},
		"more brackets":               {"a: " + strings.Repeat("[", 24) + strings.Repeat("]", 24), "f:1:27: the file is nested too deeply"},
		"one beside the other":        {strings.Repeat("- [a]\n", 30), ""},
		"up and down":                 {strings.Repeat("- a:\n    b:\n      c: d\n", 30), ""},
		"the most entries":            {strings.Repeat("- a\n", 20000), ""},
		"more entries":                {strings.Repeat("- a\n", 20001), "f:20001:1: the file has more than 20000 keys and entries; split it into several files"},
		"two documents":               {"a: b\n---\nc: d\n", "f:2:1: unexpected second document; a file is a single document, without --- inside; more of them"},
		"an empty one before it":      {"---\n# a\n---\na: b\n", "f:3:1: unexpected second document; a file is a single document"},
		"an empty one in between":     {"a: b\n---\n---\nc: d\n", "f:3:1: unexpected second document"},
		"behind an end":               {"a: b\n...\n---\n---\nc: d\n", "f:4:1: unexpected second document"},
		"behind the end alone":        {"a: b\n...\nc: d\n", "f:3:2: unexpected second document"},
		"an end in between":           {"a: b\n...\n---\nc: d\n", "f:3:1: unexpected second document"},
		"the beginning of one":        {"---\na: b\n", ""},
		"the end of one":              {"a: b\n---\n", ""},
		"twice":                       {"a: 1\nb: 2\na: 3\n", `f:3:1: duplicate key "a": first in line 1; remove one of them; a setting that accepts several values takes a list`},
		"twice, between braces":       {"{a: 1, a: 2}", `f:1:8: duplicate key "a": first in line 1`},
		"below a twin":                {"x: {y: {a: 1, a: 2}}", `f:1:15: duplicate key "a"`},
		"twice, deeper":               {"x:\n  - a: 1\n    a: 2\n", `f:3:5: duplicate key "a": first in line 2`},
		"a variable":                  {"a: [${x}, b]", "f:1:6: invalid YAML: ',' or ']' must be specified; put a value that contains ${…} in quotes, especially inside [ ]"},
		"indented further":            {"a: b\n\n  c: d\n", "f:3:3: the line is indented further than the line above, which already has a value; keys of one mapping must begin in the same column"},
		"indented further, in a list": {"- a: b\n   c: d\n", "f:2:4: the line is indented further than the line above"},
		"indented less":               {"a:\n  b: c\n d: e\n", "f:3:2: the line does not belong to anything above it; entries of one list or mapping must begin in the same column"},
		"a mapping below a list":      {"- a\nb: c\n", "f:2:1: the line does not belong to anything above it"},
		"behind a quote":              {"a: 'b' c\n", "f:1:8: the line does not belong to anything above it"},
		"two colons":                  {"a: b: c\n", "f:1:4: unexpected second colon in the line; put a value that contains a colon and a space in quotes"},
		"no end of a quote":           {"a: \"b\n", "f:1:4: invalid YAML: "},
		"no end of a list":            {"a: [b\n", "f:1:4: invalid YAML: "},
	} {
		n, err := files().Parse("f", []byte(tt.text))
		got := ""
		if err != nil {
			got = err.Error() + "; " + fault.HintOf(err)
		}
		if !strings.HasPrefix(got, tt.want) || tt.want == "" && got != "" || (n == nil) != (err != nil) || err != nil && fault.CodeOf(err) != fault.Usage {
			t.Errorf("%s: %.300s\nwant %s", name, got, tt.want)
		}
	}
}

// A tree has each value where it stands, as it is written.
func TestTree(t *testing.T) {
	const text = "a: 007\nb:\n  - x\n  - {c: 'd', e: [1.50, .inf, true]}\nf:\ng: |\n  h\n  i\n1: null\n\"j k\": ~\n"
	n, err := files().Parse("f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	leaf := func(line, column int, form Form, text string) *Node {
		return &Node{At: Place{line, column}, Form: form, Text: text}
	}
	want := &Node{At: Place{1, 1}, Form: Mapping, Entries: []*Entry{
		{"a", Place{1, 1}, leaf(1, 4, Text, "007")},
		{"b", Place{2, 1}, &Node{At: Place{3, 3}, Form: List, Items: []*Node{
			leaf(3, 5, Text, "x"),
			{At: Place{4, 5}, Form: Mapping, Entries: []*Entry{
				{"c", Place{4, 6}, leaf(4, 9, Text, "d")},
				{"e", Place{4, 14}, &Node{At: Place{4, 17}, Form: List, Items: []*Node{
					leaf(4, 18, Text, "1.50"), leaf(4, 24, Text, ".inf"), leaf(4, 30, Text, "true")}}},
			}},
		}}},
		{"f", Place{5, 1}, leaf(5, 3, Nothing, "")},
		{"g", Place{6, 1}, leaf(6, 4, Text, "h\ni\n")},
		{"1", Place{9, 1}, leaf(9, 4, Nothing, "")},
		{"j k", Place{10, 1}, leaf(10, 8, Nothing, "")},
	}}
	if diff := cmp.Diff(want, n); diff != "" {
		t.Error(diff)
	}
	if one, err := files().Parse("f", []byte("x:\n  y: 1\n")); err != nil || one.Lookup("x").At != (Place{2, 3}) {
		t.Errorf("%+v, %v", one, err)
	}
	if got := n.Lookup("g"); got == nil || got.Text != "h\ni\n" || n.Lookup("x") != nil {
		t.Errorf("%+v", got)
	}
	for form, want := range map[Form]string{Nothing: "no value", Text: "a single value", List: "a list", Mapping: "a mapping (key: value)"} {
		if got := fmt.Sprint(form); got != want {
			t.Errorf("%q", got)
		}
	}
	if err := Whole("f", "it is %w", errors.ErrUnsupported); err.Error() != "f: it is unsupported operation" || !errors.Is(err, errors.ErrUnsupported) {
		t.Error(err)
	}
}

// The line behind another one that is indented further: neither a blank one nor a comment is one.
func TestNestedNodes(t *testing.T) {
	for text, want := range map[string]int{"a\n b": 2, "a\nb": 0, "a": 0, "a\n": 0, "a\n\n # c\n\n  d": 5, "a\n   # c\nb": 0, " a\nb": 0, "a\nb\n c": 0} {
		if got := deeper(strings.Split(text, "\n"), 1); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
	if got := deeper([]string{"x", " a", "  b"}, 2); got != 3 {
		t.Errorf("%d", got)
	}
	if got := unparsed("f", "", errors.New("it is odd\nand long")); got.Error() != "f: invalid YAML: it is odd" || fault.HintOf(got) == "" {
		t.Error(got)
	}
	if placeOf(nil) != (Place{1, 1}) || placeOf(&token.Token{}) != (Place{1, 1}) ||
		placeOf(&token.Token{Position: &token.Position{}}) != (Place{1, 1}) || placeOf(&token.Token{Position: &token.Position{Line: 2, Column: 3}}) != (Place{2, 3}) {
		t.Error("a place that is not known is not the beginning")
	}
}
