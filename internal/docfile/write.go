package docfile

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"

	"github.com/plimsoll/plimsoll/internal/outfile"
)

// Write writes a document as indented JSON that ends in a newline.
func Write(w io.Writer, document any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(document)
}

// WriteFile writes a document to a file, whole or not at all, and waits until the disk has it. A file that was there
// is replaced; after an error it is as it was, and the error names it.
func WriteFile(path string, document any) error {
	f, err := outfile.Create(path, true)
	if err != nil {
		return err
	}
	if err = Write(f, document); err == nil && !f.Special() {
		err = f.Sync()
	}
	if err == nil {
		return f.Commit()
	}
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		err = &fs.PathError{Op: p.Op, Path: path, Err: p.Err} // nobody knows the temporary name
	}
	return errors.Join(err, f.Abandon())
}
