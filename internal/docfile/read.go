package docfile

import (
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
	data, err := io.ReadAll(io.LimitReader(r, int64(k.MaxBytes)+1))
	switch {
	case err != nil:
		return place(name, 0, err)
	case len(data) > k.MaxBytes:
		return place(name, 0, k.tooLarge())
	case len(bytes.TrimSpace(data)) == 0:
		return place(name, 0, fmt.Errorf("empty: no %s was written to it", k.What))
	}
	if line, err := k.decode(data, decode); err != nil {
		return place(name, line, err)
	}
	return nil
}

func (k Kind) tooLarge() error {
	return fmt.Errorf("larger than %d bytes, so no %s", k.MaxBytes, k.What)
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

// mostObjects bounds what a document has in braces, which is some thousands: each may take kilobytes of memory, however
// few bytes it is written with.
const mostObjects = 100_000

// objects counts the objects of a text of JSON, of which it need not be one.
func objects(data []byte) (n int) {
	text := false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			text = !text
		case c == '\\' && text:
			i++ // what is escaped
		case c == '{' && !text:
			n++
		}
	}
	return n
}

// decode takes a document apart, and says on which line it is broken, or 0.
func (k Kind) decode(data []byte, decode func([]byte) (string, error)) (int, error) {
	if n := objects(data); n > mostObjects {
		return 0, fmt.Errorf("has %d objects of JSON, and a %s at most %d", n, k.What, mostObjects)
	}
	schema, broken := decode(data)
	if broken != nil {
		// The schema comes first: in another version any other field may have another shape.
		head := struct {
			Schema string `json:"schema"`
		}{schema}
		if err := json.Unmarshal(data, &head); err != nil {
			return lineOf(data, err), fmt.Errorf("not a %s: %w", k.What, err)
		}
		schema = head.Schema
	}
	if err := k.check(schema); err != nil {
		return 0, err
	}
	if broken != nil {
		return lineOf(data, broken), fmt.Errorf("not a %s: %w", k.What, broken)
	}
	return 0, nil
}

func (k Kind) check(got string) error {
	family, _, _ := strings.Cut(k.Schema, "/")
	switch {
	case got == k.Schema:
		return nil
	case got == "":
		return fmt.Errorf("%w: it names no schema", k.Wrong)
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
