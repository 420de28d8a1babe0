package yamltree

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
	// MaxSize bounds a file: what is larger no person wrote.
	MaxSize = 1 << 20
	// maxDepth bounds its nesting. Files have six levels. The parser calls itself for each, and takes time that grows
	// with their square: 300 kB of "a: a: a: …" would take a minute.
	maxDepth = 24
	// maxEntries bounds the keys and entries of lists. The parser's time grows with the square of their number: 200,000
	// would take minutes.
	maxEntries = 20000
)

// Place is where something stands in a file, from 1 on.
type Place struct{ Line, Column int }

// Sort is a sort of file, as errors speak of it.
type Sort struct {
	Name    string // such as "plan file"
	Begin   string // what to do where there is none yet
	Shared  string // what stands in for anchors
	Several string // and for several documents
}

// Node is a value of a file: a text, a list or a mapping.
type Node struct {
	At      Place
	Form    Form
	Text    string
	Items   []*Node
	Entries []*Entry
}

// Entry is a key of a mapping with its value.
type Entry struct {
	Key   string
	At    Place
	Value *Node
}

// Form is what a value is.
type Form int

// The forms.
const (
	Nothing Form = iota // no value, or null
	Text                // a single value
	List
	Mapping
)

// String is what a form is called.
func (f Form) String() string {
	return [...]string{"no value", "a single value", "a list", "a mapping (key: value)"}[f]
}

// Lookup is the value of a key, or nil.
func (n *Node) Lookup(key string) *Node {
	for _, e := range n.Entries {
		if e.Key == key {
			return e.Value
		}
	}
	return nil
}

// Whole is what is wrong with all of a file.
func Whole(name, format string, args ...any) *fault.Error {
	return fault.New(fault.Usage, "%s: %w", name, fmt.Errorf(format, args...))
}

// Parse makes a tree of a file, which errors call name.
func (k *Sort) Parse(name string, data []byte) (*Node, error) {
	source, err := k.readable(name, data)
	if err != nil {
		return nil, err
	}
	tokens := lexer.Tokenize(source)
	if err := k.plain(name, tokens); err != nil {
		return nil, err
	}
	// That a key stands there twice is told below, in other words.
	file, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return nil, unparsed(name, source, err)
	}
	return k.only(name, file)
}

// readable is the text of a file as the parser should see it.
func (k *Sort) readable(name string, data []byte) (string, error) {
	data = bytes.TrimPrefix(data, []byte("\ufeff"))
	switch {
	case len(data) > MaxSize:
		return "", Whole(name, "the file is larger than %d KiB, the limit for a %s", MaxSize>>10, k.Name).
			Hint("check that it is the right file")
	case bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")):
		return "", Whole(name, "the file is UTF-16, but a %s must be UTF-8", k.Name).
			Hint("save it as UTF-8")
	}
	source := strings.ReplaceAll(string(data), "\r\n", "\n")
	line := 1
	for rest := source; rest != ""; line++ {
		var this string
		this, rest, _ = strings.Cut(rest, "\n")
		at := Place{line, 0}
		for i, r := range this {
			at.Column++
			_, size := utf8.DecodeRuneInString(this[i:])
			switch {
			case r == utf8.RuneError && size == 1:
				return "", Misread(name, at, "the byte 0x%02x is not UTF-8: is this a %s?", this[i], k.Name).
					Hint("a %s is a UTF-8 text file", k.Name)
			case r < ' ' && r != '\t' || r == 0x7f:
				return "", Misread(name, at, "control character 0x%02x: is this a %s?", r, k.Name).
					Hint(`a %s is a text file; write such a character as "\x%02x"`, k.Name, r)
			}
		}
		indent := this[:len(this)-len(strings.TrimLeft(this, " \t"))]
		if i := strings.IndexByte(indent, '\t'); i >= 0 && len(indent) < len(this) {
			return "", Misread(name, Place{line, i + 1}, "the indentation contains a tab").
				Hint("YAML requires spaces: indent with spaces only")
		}
	}
	if strings.TrimSpace(source) == "" {
		return "", Whole(name, "the file is empty").Hint("%s", k.Begin)
	}
	return source, nil
}

// plain refuses what such a file has no use for, before the parser meets it.
func (k *Sort) plain(name string, tokens token.Tokens) error {
	var columns []int // of what the lines above began, each further right than the one before
	var flows []int   // of each [ and { that has no end yet, how many columns there were
	entries := 0
	var before token.Type // of the last one that is no comment
	for _, t := range tokens {
		at := placeOf(t)
		// The parser drops what stands behind a document that is empty.
		if t.Type == token.DocumentHeaderType && before == token.DocumentHeaderType {
			return k.another(name, at)
		}
		if t.Type != token.CommentType {
			before = t.Type
		}
		switch t.Type {
		case token.AnchorType, token.AliasType, token.MergeKeyType:
			return Misread(name, at, "%q: a %s cannot contain anchors, aliases or merge keys",
				strings.TrimSpace(t.Value), k.Name).
				Hint("%s; put a value that begins with & or * in quotes", k.Shared)
		case token.TagType:
			return Misread(name, at, "%q: a %s cannot contain tags",
				strings.TrimSpace(t.Value), k.Name).Hint("remove it; put a value that begins with ! in quotes")
		case token.DirectiveType:
			return Misread(name, at, "a %s cannot contain directives", k.Name).
				Hint("remove the line; put a value that begins with %% in quotes")
		case token.SequenceStartType, token.MappingStartType:
			flows = append(flows, len(columns))
		case token.SequenceEndType, token.MappingEndType, token.CollectEntryType:
			if n := len(flows); n > 0 { // what stands behind an end or a comma is no deeper than what stood before it
				columns = columns[:min(len(columns), flows[n-1])]
				if t.Type != token.CollectEntryType {
					flows = flows[:n-1]
				}
			}
		case token.SequenceEntryType, token.MappingKeyType, token.MappingValueType:
			for len(columns) > 0 && columns[len(columns)-1] >= at.Column {
				columns = columns[:len(columns)-1]
			}
			columns = append(columns, at.Column)
			entries++
		}
		if entries > maxEntries {
			return Misread(name, at, "the file has more than %d keys and entries", maxEntries).
				Hint("split it into several files")
		}
		if len(columns)+len(flows) > maxDepth {
			return Misread(name, at, "the file is nested too deeply for a %s", k.Name).
				Hint("put a value that begins with [ or { in quotes")
		}
	}
	return nil
}

func placeOf(t *token.Token) Place {
	if t == nil || t.Position == nil {
		return Place{1, 1}
	}
	return Place{max(1, t.Position.Line), max(1, t.Position.Column)}
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
		return Whole(name, "invalid YAML: %s", first).Hint("%s", "indent with spaces, and put values in quotes")
	}
	at := placeOf(found.GetToken())
	lines := strings.Split(source, "\n")
	this := lines[min(at.Line, len(lines))-1]
	switch message := found.GetMessage(); {
	case strings.Contains(this, "${"):
		return Misread(name, at, "invalid YAML: %s", message).
			Hint("put a value that contains ${…} in quotes, especially inside [ ]")
	case strings.Contains(message, "not allowed in this context"):
		if n := deeper(lines, at.Line); n > 0 {
			return Misread(name, Place{n, indentOf(lines[n-1]) + 1},
				"the line is indented further than the line above, which already has a value").
				Hint("keys of one mapping must begin in the same column")
		}
		if strings.Contains(strings.Replace(this, ": ", "", 1), ": ") {
			return Misread(name, at, "unexpected second colon in the line").
				Hint("put a value that contains a colon and a space in quotes")
		}
		return Misread(name, at, "the line does not belong to anything above it").
			Hint("entries of one list or mapping must begin in the same column")
	default:
		return Misread(name, at, "invalid YAML: %s", message).
			Hint("close open quotes and brackets, and quote values that begin with one")
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
func (k *Sort) only(name string, file *ast.File) (*Node, error) {
	var docs []*ast.DocumentNode
	for _, d := range file.Docs {
		if d.Body != nil {
			docs = append(docs, d)
		}
	}
	switch {
	case len(docs) == 0:
		return nil, Whole(name, "the file contains only comments").Hint("%s", k.Begin)
	case len(docs) > 1:
		first := docs[1].Start
		if first == nil { // behind a "..." it has none
			first = docs[1].Body.GetToken()
		}
		return nil, k.another(name, placeOf(first))
	}
	return k.tree(name, docs[0].Body)
}

func (k *Sort) another(name string, at Place) error {
	return Misread(name, at, "unexpected second document").
		Hint("a %s is a single document, without --- inside; %s", k.Name, k.Several)
}

// tree is a node of the parser's as one of ours.
func (k *Sort) tree(name string, from ast.Node) (*Node, error) {
	n := &Node{At: placeOf(from.GetToken())}
	switch v := from.(type) {
	case *ast.NullNode:
		return n, nil
	case *ast.StringNode:
		n.Form, n.Text = Text, v.Value
		return n, nil
	case *ast.LiteralNode:
		n.Form, n.Text = Text, v.Value.Value
		return n, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		// As it is written: what it means is for the setting to say, here as on the command line.
		n.Form, n.Text = Text, strings.TrimSpace(from.GetToken().Value)
		return n, nil
	case *ast.SequenceNode:
		n.Form = List
		for _, item := range v.Values {
			one, err := k.tree(name, item)
			if err != nil {
				return nil, err
			}
			n.Items = append(n.Items, one)
		}
		return n, nil
	case *ast.MappingNode:
		n.Form = Mapping
		for _, pair := range v.Values {
			if err := k.add(n, name, pair); err != nil {
				return nil, err
			}
		}
		if len(n.Entries) > 0 && !v.IsFlowStyle {
			n.At = n.Entries[0].At
		}
		return n, nil
	}
	return nil, Misread(name, n.At, "a %s cannot contain a %s", k.Name, strings.ToLower(from.Type().String())).
		Hint("put the value in quotes")
}

// add adds a key and its value to a mapping.
func (k *Sort) add(n *Node, name string, pair *ast.MappingValueNode) error {
	at := placeOf(pair.Key.GetToken())
	var key string
	switch k := pair.Key.(type) {
	case *ast.StringNode:
		key = k.Value
	default:
		key = strings.TrimSpace(pair.Key.GetToken().Value)
	}
	for _, e := range n.Entries {
		if e.Key == key {
			return Misread(name, at, "duplicate key %q: first in line %d", key, e.At.Line).
				Hint("remove one of them; a setting that accepts several values takes a list")
		}
	}
	if pair.Value == nil {
		n.Entries = append(n.Entries, &Entry{Key: key, At: at, Value: &Node{At: at}})
		return nil
	}
	value, err := k.tree(name, pair.Value)
	if err != nil {
		return err
	}
	n.Entries = append(n.Entries, &Entry{Key: key, At: at, Value: value})
	return nil
}
