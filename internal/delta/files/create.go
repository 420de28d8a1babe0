package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// temporary ends the names of files that are still being written.
const temporary = ".partial"

// File is a file that appears under its name when it is complete, and not before: somebody who
// watches the directory never reads half of one.
type File struct {
	*os.File
	path      string
	overwrite bool
	special   bool // a device or a pipe: it is written to as it is
}

// Create begins a file, under a temporary name in the same directory. An error that is
// fs.ErrExist says that the file is there and may not be overwritten.
func Create(path string, overwrite bool) (*File, error) {
	// What a link points to is replaced, and not the link.
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if info, err := os.Stat(path); err == nil {
		switch {
		case info.IsDir():
			return nil, &fs.PathError{Op: "create", Path: path, Err: syscall.EISDIR}
		case !info.Mode().IsRegular():
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			return &File{File: f, special: true}, err
		case !overwrite:
			return nil, &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
		}
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*"+temporary)
	if err != nil {
		return nil, err
	}
	if err := f.Chmod(0o644); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	return &File{File: f, path: path, overwrite: overwrite}, nil
}

// Special says that it is a device or a pipe, which has what was written to it.
func (f *File) Special() bool { return f.special }

// Commit ends the file and gives it its name.
func (f *File) Commit() error {
	if f.special {
		return f.Close()
	}
	if err := f.Close(); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	if f.overwrite {
		return f.rename()
	}
	// A link, unlike a renaming, does not replace a file that has come in the meantime.
	err := os.Link(f.Name(), f.path)
	switch {
	case err == nil:
		return os.Remove(f.Name())
	case errors.Is(err, fs.ErrExist):
		return errors.Join(err, os.Remove(f.Name()))
	}
	return f.rename() // a filesystem without links
}

func (f *File) rename() error {
	if err := os.Rename(f.Name(), f.path); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}

// Abandon removes what was written.
func (f *File) Abandon() error {
	closed := f.Close()
	if f.special {
		return closed
	}
	if err := os.Remove(f.Name()); err != nil {
		return fmt.Errorf("cannot remove what was begun: %w", err)
	}
	return closed
}
