package docfile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// ErrVersion is in the chain of the error for a document of the right kind, but of another version.
var ErrVersion = errors.New("of another version of Plimsoll")

// Kind is what tells the documents of one schema from others.
type Kind struct {
	Schema   string // with its version behind a slash
	What     string // for a person: "run document"
	MaxBytes int    // larger is no such document
	// Wrong is in the chain of the error for a document of another schema or version.
	Wrong error
}

// Read reads a document, which decode takes apart and gives the schema of. Errors begin with the name, if there is
// one, and with the line if it is known.
func (k Kind) Read(r io.Reader, name string, decode func([]byte) (schema string, err error)) error {
	in := bufio.NewReader(r)
	most := int64(k.MaxBytes) + 1
	begins, _ := in.Peek(512)
	if text := bytes.TrimSpace(begins); len(text) > 0 && !bytes.ContainsRune([]byte(`{["-0123456789tfn`), rune(text[0])) {
		most = int64(len(begins)) // it is no JSON, which decode says: a device may have no end
	}
	data, err := io.ReadAll(io.LimitReader(in, most))
	switch {
	case err != nil:
		return place(name, 0, err)
	case len(data) > k.MaxBytes:
		return place(name, 0, k.tooLarge())
	case len(bytes.TrimSpace(data)) == 0:
		return place(name, 0, fmt.Errorf("empty file: no %s was written to it", k.What))
	}
	if line, err := k.decode(data, decode); err != nil {
		return place(name, line, err)
	}
	return nil
}

func (k Kind) tooLarge() error {
	return fmt.Errorf("larger than %d bytes, the limit for a %s", k.MaxBytes, k.What)
}

// ReadFile reads the document in a file.
func (k Kind) ReadFile(path string, decode func([]byte) (schema string, err error)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > int64(k.MaxBytes) { // before it is in memory
		return place(path, 0, k.tooLarge())
	}
	return k.Read(f, path, decode)
}

// What bounds a document besides its bytes: each object may take kilobytes of memory, however few bytes it is written
// with, and so may each element of a list that was to have objects.
const (
	mostObjects  = 100_000   // in braces, of which there are some thousands
	mostOfList   = 250_000   // elements of one list; those of single values have 5,000
	mostElements = 2_000_000 // of all lists
	deepest      = 10_000    // in each other; what is deeper the decoder refuses
)

// tooMuch says what a text of JSON, of which it need not be one, has too much of.
func (k Kind) tooMuch(data []byte) error {
	var objects, elements int
	lists := make([]int, 0, 64) // of what is open the elements but one; negative: it is an object
	text := false
	for i := 0; i < len(data); i++ {
		c := data[i]
		switch {
		case c == '"':
			text = !text
		case c == '\\' && text:
			i++ // what is escaped
		case text:
		case c == '{' || c == '[':
			if len(lists) == deepest {
				return nil
			}
			open := 0
			if c == '{' {
				objects++
				open = -1
			}
			lists = append(lists, open)
		case c == '}' || c == ']':
			lists = lists[:max(0, len(lists)-1)]
		case c == ',' && len(lists) > 0 && lists[len(lists)-1] >= 0:
			elements++
			lists[len(lists)-1]++
			if lists[len(lists)-1] == mostOfList {
				return fmt.Errorf("contains a JSON list with too many elements; the limit for a %s is %d",
					k.What, mostOfList)
			}
		}
	}
	switch {
	case objects > mostObjects:
		return fmt.Errorf("contains %d JSON objects; a %s can have at most %d", objects, k.What, mostObjects)
	case elements > mostElements:
		return fmt.Errorf("contains JSON lists with %d elements; a %s can have at most %d", elements, k.What, mostElements)
	}
	return nil
}

// decode takes a document apart, and says on which line it is broken, or 0.
func (k Kind) decode(data []byte, decode func([]byte) (string, error)) (int, error) {
	if err := k.tooMuch(data); err != nil {
		return 0, err
	}
	schema, broken := decode(data)
	if broken != nil {
		// The schema comes first: in another version any other field may have another shape.
		head := struct {
			Schema string `json:"schema"`
		}{schema}
		if err := json.Unmarshal(data, &head); err != nil {
			return lineOf(data, err), k.broken(err)
		}
		schema = head.Schema
	}
	if err := k.check(schema); err != nil {
		return 0, err
	}
	if broken != nil {
		return lineOf(data, broken), k.broken(broken)
	}
	return 0, nil
}

// broken says in a line why a text is no document. A number may have as many digits as the document has bytes.
func (k Kind) broken(err error) error {
	const most = 60
	if value, is := errors.AsType[*json.UnmarshalTypeError](err); is && len(value.Value) > most {
		short := *value
		short.Value = value.Value[:most] + "…"
		err = &short
	}
	return fmt.Errorf("not a %s: %w", k.What, err)
}

func (k Kind) check(got string) error {
	family, _, _ := strings.Cut(k.Schema, "/")
	switch {
	case got == k.Schema:
		return nil
	case got == "":
		return fmt.Errorf("%w: it has no schema", k.Wrong)
	case strings.HasPrefix(got, family+"/"):
		return fmt.Errorf("%w: it is a %.40q, %w; read it with that version", k.Wrong, got, ErrVersion)
	}
	return fmt.Errorf("%w: it is a %.40q", k.Wrong, got)
}

// place puts "file:line: " before an error, as far as they are known.
func place(name string, line int, err error) error {
	switch {
	case name == "" && line == 0:
		return err
	case name == "":
		return fmt.Errorf("line %d: %w", line, err)
	case line == 0:
		return fmt.Errorf("%s: %w", name, err)
	}
	return fmt.Errorf("%s:%d: %w", name, line, err)
}

// lineOf is the line that a JSON error is about, or 0 if it does not say.
func lineOf(data []byte, err error) int {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	var offset int64
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &kind):
		offset = kind.Offset
	default:
		return 0
	}
	offset = max(0, min(offset, int64(len(data))))
	return 1 + bytes.Count(data[:offset], []byte("\n"))
}
