package script

import (
	"io"
	"os"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// Small is up to what size a file with a body is read once, and stays in memory for the run. Its text may have places.
// A larger one is sent from the disk for each request, as it is.
const Small = 1 << 20

// File is a body that is sent from the disk.
type File struct {
	Name string
	Size int64
}

// TakeFile has the body be what a file holds. read reads small ones.
func (r *Request) TakeFile(name string, read func(name string) ([]byte, error)) error {
	r.HasBody = true
	info, err := os.Stat(name)
	switch {
	case err != nil: // read says why
	case !info.Mode().IsRegular():
		read = readPipe
	case info.Size() > Small:
		r.File = &File{Name: name, Size: info.Size()}
		return nil
	}
	text, err := read(name)
	if err != nil {
		return err
	}
	if len(text) > mostInMemory {
		return fault.New(fault.Usage, "%s is no file on a disk, and has more than 64 MiB", name).
			Hint("write it to a file, which is sent from there")
	}
	r.Body = string(text)
	return nil
}

// mostInMemory bounds what a pipe may give.
const mostInMemory = 64 << 20

// readPipe reads one byte more than that at most, as a pipe may have no end.
func readPipe(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	return io.ReadAll(io.LimitReader(f, mostInMemory+1))
}
