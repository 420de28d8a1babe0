package script

import (
	"io"
	"os"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/infile"
)

// Small is up to what size a file with a body is read once, and stays in memory for the run. Its text may have places.
// A larger one is sent from the disk for each request, as it is.
const Small = 1 << 20

// File is a body that is sent from the disk.
type File struct {
	Name string
	Size int64
}

// TakeFile has the body be what a file holds. open opens small files, and what is not on a disk.
func (r *Request) TakeFile(name string, open func(name string) (io.ReadCloser, error)) error {
	r.HasBody = true
	info, err := os.Stat(name)
	if err == nil && info.Mode().IsRegular() && info.Size() > Small {
		r.File = &File{Name: name, Size: info.Size()}
		return nil
	}
	f, err := open(name)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	text, err := infile.ReadAll(f, name, infile.MaxPipe)
	if err != nil {
		return err
	}
	if len(text) == 0 && info != nil && info.Mode()&os.ModeNamedPipe != 0 {
		return fault.New(fault.Usage, "%s is empty: a pipe can be read only once", name).
			Hint("write the data to a file and name that file")
	}
	r.Body = string(text)
	return nil
}
