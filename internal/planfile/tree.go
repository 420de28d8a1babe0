package planfile

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"github.com/plimsoll/plimsoll/internal/fault"
)

const (
	// MaxSize bounds a plan file: what is larger is no plan that a person wrote.
	MaxSize = 1 << 20
	// maxDepth bounds its nesting. A plan has six levels. The parser calls itself for each, and takes time that
	// grows with their square: 300 kB of "a: a: a: …" would take a minute.
	maxDepth = 24
	// maxEntries bounds the keys and entries of lists. The parser's time grows with the square of their number: 200,000
	// would take minutes.
	maxEntries = 20000
)

// place is where something stands in a file, from 1 on.
type place struct{ line, column int }

// node is a value of a file: a text, a list or a mapping.
type node struct {
	at      place
	form    form
	text    string
	items   []*node
	entries []*entry
}

// entry is a key of a mapping with its value.
type entry struct {
	key   string
	at    place
	value *node
}

type form int

const (
	nothing form = iota // no value, or null
	text
	list
	mapping
)

// String is what a form is called.
func (f form) String() string {
	return [...]string{"no value", "a single value", "a list", "a mapping (key: value)"}[f]
}

// lookup is the value of a key, or nil.
func (n *node) lookup(key string) *node {
	for _, e := range n.entries {
		if e.key == key {
			return e.value
		}
	}
	return nil
}

// misread is what is wrong with a file at a place of it.
func misread(name string, at place, format string, args ...any) *fault.Error {
	return fault.New(fault.Usage, "%s:%d:%d: %w", name, at.line, at.column, fmt.Errorf(format, args...))
}

// whole is what is wrong with all of a file.
func whole(name, format string, args ...any) *fault.Error {
	return fault.New(fault.Usage, "%s: %w", name, fmt.Errorf(format, args...))
}

// parse makes a tree of a file.
func parse(name string, data []byte) (*node, error) {
	source, err := readable(name, data)
	if err != nil {
		return nil, err
	}
	tokens := lexer.Tokenize(source)
	if err := plain(name, tokens); err != nil {
		return nil, err
	}
	// That a key stands there twice is told below, in other words.
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, unparsed(name, source, err)
	}
	return only(name, file)
}

// readable is the text of a file as the parser should see it.
func readable(name string, data []byte) (string, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	switch {
	case len(data) > MaxSize:
		return "", whole(name, "the file is larger than %d KiB, which no plan is", MaxSize>>10)
	case bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")):
		return "", whole(name, "it is written in UTF-16: a plan file is written in UTF-8").
			Hint("save it as UTF-8")
	}
	source := strings.ReplaceAll(string(data), "\r\n", "\n")
	line := 1
	for rest := source; rest != ""; line++ {
		var this string
		this, rest, _ = strings.Cut(rest, "\n")
		at := place{line, 0}
		for i, r := range this {
			at.column++
			_, size := utf8.DecodeRuneInString(this[i:])
			switch {
			case r == utf8.RuneError && size == 1:
				return "", misread(name, at, "the byte 0x%02x is not UTF-8: is this a plan file?", this[i]).
					Hint("a plan file is a text in UTF-8")
			case r < ' ' && r != '\t' || r == 0x7f:
				return "", misread(name, at, "the control character 0x%02x stands there: is this a plan file?", r).
					Hint("a plan file is a text; such a character can be written as \"\\x%02x\"", r)
			}
		}
		indent := this[:len(this)-len(strings.TrimLeft(this, " \t"))]
		if i := strings.IndexByte(indent, '\t'); i >= 0 && len(indent) < len(this) {
			return "", misread(name, place{line, i + 1}, "a tab stands in the indent").
				Hint("YAML counts spaces: indent with spaces alone")
		}
	}
	if strings.TrimSpace(source) == "" {
		return "", whole(name, "the file is empty").Hint("%s", beginning)
	}
	return source, nil
}

// beginning is the hint for who has no plan yet.
const beginning = "'plimsoll plan chat --clients 8' prints a plan to begin with"

// plain refuses what a plan has no use for, before the parser meets it.
func plain(name string, tokens token.Tokens) error {
	var columns []int // of what the lines above began, each further right than the one before
	flow, entries := 0, 0
	for _, t := range tokens {
		at := placeOf(t)
		switch t.Type {
		case token.AnchorType, token.AliasType, token.MergeKeyType:
			return misread(name, at, "%q: a plan file has neither anchors nor aliases nor merge keys, so that each run "+
				"says itself what it is", strings.TrimSpace(t.Value)).
				Hint("what all runs share stands below defaults; put a value that begins with & or * in quotes")
		case token.TagType:
			return misread(name, at, "%q: a plan file has no tags: each setting knows what it takes",
				strings.TrimSpace(t.Value)).Hint("leave it out; put a value that begins with ! in quotes")
		case token.DirectiveType:
			return misread(name, at, "a plan file has no directives").
				Hint("leave the line out; put a value that begins with %% in quotes")
		case token.SequenceStartType, token.MappingStartType:
			flow++
		case token.SequenceEndType, token.MappingEndType:
			flow--
		case token.SequenceEntryType, token.MappingKeyType, token.MappingValueType:
			for len(columns) > 0 && columns[len(columns)-1] >= at.column {
				columns = columns[:len(columns)-1]
			}
			columns = append(columns, at.column)
			entries++
		}
		if entries > maxEntries {
			return misread(name, at, "it has more than %d keys and entries", maxEntries)
		}
		if len(columns)+flow > maxDepth {
			return misread(name, at, "it is nested too deeply: a plan has a few levels")
		}
	}
	return nil
}

func placeOf(t *token.Token) place {
	if t == nil || t.Position == nil {
		return place{1, 1}
	}
	return place{max(1, t.Position.Line), max(1, t.Position.Column)}
}

// located is an error of the parser's.
type located interface {
	error
	GetMessage() string
	GetToken() *token.Token
}

// unparsed words what the parser found. It often points to the line before the one that is wrong.
func unparsed(name, source string, err error) error {
	var found located
	if !errors.As(err, &found) {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return whole(name, "it cannot be read as YAML: %s", first)
	}
	at := placeOf(found.GetToken())
	lines := strings.Split(source, "\n")
	this := lines[min(at.line, len(lines))-1]
	switch message := found.GetMessage(); {
	case strings.Contains(this, "${"):
		return misread(name, at, "it cannot be read as YAML: %s", message).
			Hint("put a value that has ${…} in quotes, within [ ] above all")
	case strings.Contains(message, "not allowed in this context"):
		if n := deeper(lines, at.line); n > 0 {
			return misread(name, place{n, indentOf(lines[n-1]) + 1},
				"the line is indented further than the one above it, which has a value already").
				Hint("keys of one mapping begin in the same column")
		}
		if strings.Contains(strings.Replace(this, ": ", "", 1), ": ") {
			return misread(name, at, "a second colon stands in the line").
				Hint("put a value that has a colon and a space in quotes")
		}
		return misread(name, at, "the line fits nothing above it").
			Hint("entries of one list or mapping begin in the same column")
	default:
		return misread(name, at, "it cannot be read as YAML: %s", message)
	}
}

// deeper is the number of the line behind this one, if it is indented further; else 0.
func deeper(lines []string, line int) int {
	for i := line; i < len(lines); i++ {
		trimmed := strings.TrimSpace(lines[i])
		if trimmed == "" || strings.HasPrefix(trimmed, "#") {
			continue
		}
		if indentOf(lines[i]) > indentOf(lines[line-1]) {
			return i + 1
		}
		return 0
	}
	return 0
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

// only is the tree of the only document in a file.
func only(name string, file *ast.File) (*node, error) {
	var docs []*ast.DocumentNode
	for _, d := range file.Docs {
		if d.Body != nil {
			docs = append(docs, d)
		}
	}
	switch {
	case len(docs) == 0:
		return nil, whole(name, "the file holds nothing but comments").Hint("%s", beginning)
	case len(docs) > 1:
		return nil, misread(name, placeOf(docs[1].Body.GetToken()), "a second document begins here").
			Hint("a plan file is one document, without --- in between; several runs stand below runs")
	}
	return tree(name, docs[0].Body)
}

// tree is a node of the parser's as one of ours.
func tree(name string, from ast.Node) (*node, error) {
	n := &node{at: placeOf(from.GetToken())}
	switch v := from.(type) {
	case *ast.NullNode:
		return n, nil
	case *ast.StringNode:
		n.form, n.text = text, v.Value
		return n, nil
	case *ast.LiteralNode:
		n.form, n.text = text, v.Value.Value
		return n, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		// As it is written: what it means is for the setting to say, here as on the command line.
		n.form, n.text = text, strings.TrimSpace(from.GetToken().Value)
		return n, nil
	case *ast.SequenceNode:
		n.form = list
		for _, item := range v.Values {
			one, err := tree(name, item)
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, one)
		}
		return n, nil
	case *ast.MappingNode:
		n.form = mapping
		for _, pair := range v.Values {
			if err := n.add(name, pair); err != nil {
				return nil, err
			}
		}
		if len(n.entries) > 0 && !v.IsFlowStyle {
			n.at = n.entries[0].at
		}
		return n, nil
	}
	return nil, misread(name, n.at, "a plan file has no %s", strings.ToLower(from.Type().String()))
}

// add adds a key and its value to a mapping.
func (n *node) add(name string, pair *ast.MappingValueNode) error {
	at := placeOf(pair.Key.GetToken())
	var key string
	switch k := pair.Key.(type) {
	case *ast.StringNode:
		key = k.Value
	default:
		key = strings.TrimSpace(pair.Key.GetToken().Value)
	}
	for _, e := range n.entries {
		if e.key == key {
			return misread(name, at, "%q stands there twice: first in line %d", key, e.at.line).
				Hint("leave one of them out; a setting that may be given several times takes a list")
		}
	}
	if pair.Value == nil {
		n.entries = append(n.entries, &entry{key: key, at: at, value: &node{at: at}})
		return nil
	}
	value, err := tree(name, pair.Value)
	if err != nil {
		return err
	}
	n.entries = append(n.entries, &entry{key: key, at: at, value: value})
	return nil
}
