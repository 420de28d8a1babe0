package yamltree

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// Misread is what is wrong with a file at a place of it.
func Misread(name string, at Place, format string, args ...any) *fault.Error {
	return fault.New(fault.Usage, "%s:%d:%d: %w", name, at.Line, at.Column, placed{fmt.Errorf(format, args...), at})
}

// placed is what is wrong somewhere.
type placed struct {
	error
	at Place
}

func (p placed) Unwrap() error { return p.error }

// Unplaced is the place that an error names, and what it says is wrong there; nil where it names none.
func Unplaced(err error) (Place, error) {
	var where placed
	if !errors.As(err, &where) {
		return Place{}, nil
	}
	return where.at, where.error
}

// Point returns the error of a file with a picture of the line that is wrong, where Misread has said which that is and
// nothing points to anything yet.
func Point(err error, data []byte) error {
	var wrong *fault.Error
	var where placed
	if !errors.As(err, &wrong) || !errors.As(err, &where) || fault.PictureOf(err) != nil {
		return err
	}
	source := unmarked(data)
	from := offset(source, where.at)
	return wrong.Point(source, from, from+length(source[from:]))
}

// Find is where the nth piece stands in a file, counted from 0 at a place; that place where there are not so many.
func Find(data []byte, at Place, piece string, nth int) Place {
	source := unmarked(data)
	from := offset(source, at)
	for ; ; nth-- {
		i := strings.Index(source[from:], piece)
		if i < 0 || piece == "" {
			return at
		}
		from += i
		if nth == 0 {
			break
		}
		from += len(piece)
	}
	begins := strings.LastIndexByte(source[:from], '\n') + 1
	return Place{strings.Count(source[:from], "\n") + 1, utf8.RuneCountInString(source[begins:from]) + 1}
}

// unmarked is a file as it is parsed.
func unmarked(data []byte) string {
	return strings.ReplaceAll(string(bytes.TrimPrefix(data, []byte("\ufeff"))), "\r\n", "\n")
}

// offset is where a place is in a text; its end, where it has none such.
func offset(source string, at Place) int {
	from := 0
	for range at.Line - 1 {
		i := strings.IndexByte(source[from:], '\n')
		if i < 0 {
			return len(source)
		}
		from += i + 1
	}
	for range at.Column - 1 {
		if from == len(source) || source[from] == '\n' {
			break
		}
		_, size := utf8.DecodeRuneInString(source[from:])
		from += size
	}
	return from
}

// length is how many bytes of what begins a text belong together, as far as that can be told: a place of a template, a
// value in quotes, a word, or else one character.
func length(text string) int {
	line, _, _ := strings.Cut(text, "\n")
	switch {
	case line == "":
		return 0
	case strings.HasPrefix(line, "${"):
		if end := strings.IndexByte(line, '}'); end > 0 {
			return end + 1
		}
		return len(line)
	case line[0] == '"' || line[0] == '\'':
		return quoted(line)
	case strings.IndexByte("{[|>", line[0]) >= 0:
		return 1
	}
	for _, end := range []string{": ", " #", ", ", "}", "]"} {
		if i := strings.Index(line, end); i > 0 {
			line = line[:i]
		}
	}
	return len(strings.TrimRight(strings.TrimSuffix(line, ":"), " ,"))
}

// quoted is the length of the value in quotes that a line begins with.
func quoted(line string) int {
	for i := 1; i < len(line); i++ {
		switch {
		case line[i] == '\\' && line[0] == '"':
			i++
		case line[i] == line[0]:
			return i + 1
		}
	}
	return len(line)
}

// String is the value on one line, as YAML has it between braces.
func (n *Node) String() string {
	var b strings.Builder
	n.write(&b)
	return b.String()
}

func (n *Node) write(b *strings.Builder) {
	switch n.Form {
	case Nothing:
		b.WriteString("null")
	case Text:
		b.WriteString(written(n.Text))
	case List:
		b.WriteByte('[')
		for i, item := range n.Items {
			if i > 0 {
				b.WriteString(", ")
			}
			item.write(b)
		}
		b.WriteByte(']')
	case Mapping:
		b.WriteByte('{')
		for i, e := range n.Entries {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(written(e.Key) + ": ")
			e.Value.write(b)
		}
		b.WriteByte('}')
	}
}

// written is a text as it can stand between braces.
func written(s string) string {
	plain := s != "" && strings.IndexFunc(s, func(r rune) bool {
		return r != '_' && r != '/' && r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) < 0
	switch {
	case plain && s != "null" && s[0] != '-':
		return s
	case !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\'' }):
		return "'" + s + "'"
	}
	return fmt.Sprintf("%q", s)
}
