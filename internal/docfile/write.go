package docfile

import (
	"encoding/json"
	"io"

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
	return outfile.Files{}.Write(path, func(w io.Writer) error { return Write(w, document) })
}
