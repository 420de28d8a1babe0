package outfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// Temporary ends the names of files that are still being written.
const Temporary = ".partial"

// File is a file that appears under its name when it is complete, and not before: somebody who
// watches the directory never reads half of one.
type File struct {
	*os.File
	path      string
	overwrite bool
	special   bool // a device or a pipe: it is written to as it is
}

// Create begins a file, under a temporary name in the same directory. What a link points to is
// replaced, and not the link; a device or a pipe is written to, and not replaced; a directory is
// refused. An error that is fs.ErrExist says that the file is there and may not be overwritten.
func Create(path string, overwrite bool) (*File, error) {
	real, err := Resolve(path)
	if err != nil {
		return nil, err
	}
	mode := fs.FileMode(0o644)
	info, err := os.Stat(real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, refusal(path, syscall.EISDIR)
	case !info.Mode().IsRegular() || magic(real):
		f, err := os.OpenFile(real, os.O_WRONLY|os.O_APPEND, 0)
		return &File{File: f, path: real, special: true}, err
	case !overwrite:
		return nil, refusal(path, fs.ErrExist)
	default:
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(real), "."+filepath.Base(real)+".*"+Temporary)
	if err != nil {
		return nil, refusal(path, cause(err))
	}
	if err := f.Chmod(mode); err != nil {
		return nil, errors.Join(refusal(path, cause(err)), f.Close(), os.Remove(f.Name()))
	}
	return &File{File: f, path: real, overwrite: overwrite}, nil
}

// links bounds the links that are followed, as the kernel does.
const links = 40

// Resolve is the file that a path leads to: links are followed, also one to a file that is yet to
// be made. It stops at what stands for an open file of a process, such as /dev/stdout.
func Resolve(path string) (string, error) {
	for next, n := path, 0; n < links; n++ {
		dir, base := filepath.Split(next) // unlike Dir it keeps "link/..", which leads elsewhere than "."
		if base == "" || base == "." || base == ".." {
			return "", refusal(path, syscall.EISDIR)
		}
		if dir == "" {
			dir = "."
		}
		dir, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return "", refusal(path, cause(err))
		}
		next = filepath.Join(dir, base)
		link, err := os.Readlink(next)
		if err != nil || magic(next) {
			return next, nil // no link, or nothing there
		}
		if !filepath.IsAbs(link) {
			link = dir + string(filepath.Separator) + link
		}
		next = link
	}
	return "", refusal(path, syscall.ELOOP)
}

// magic reports whether a path is an open file of a process, which looks like a link.
func magic(path string) bool { return strings.HasPrefix(path, "/proc/") }

func refusal(path string, err error) error { return &fs.PathError{Op: "create", Path: path, Err: err} }

// cause is what the operating system said, without a temporary name that tells nobody anything.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return l.Err
	}
	return err
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
	// A device or a pipe may have come in the meantime.
	if info, err := os.Lstat(f.path); err == nil && !info.Mode().IsRegular() {
		return errors.Join(refusal(f.path, fs.ErrExist), os.Remove(f.Name()))
	}
	if err := os.Rename(f.Name(), f.path); err != nil {
		return errors.Join(refusal(f.path, cause(err)), os.Remove(f.Name()))
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

// Spoil has a file that was written under its own name, and not to its end, lie under another one: what finds the name
// takes it for whole. It returns where the file is, which is no name that another file has. A device or a pipe stays,
// and so does what cannot be renamed.
func Spoil(path string) string {
	real, err := Resolve(path)
	if err != nil {
		return path
	}
	info, err := os.Lstat(real)
	if err != nil || !info.Mode().IsRegular() || magic(real) {
		return path
	}
	ending := free(real, Temporary)
	if os.Rename(real, real+ending) != nil {
		return path
	}
	if real == filepath.Clean(path) {
		return path + ending
	}
	return real + ending
}

// free is an ending that begins so, with which no file has this name.
func free(name, ending string) string {
	for n := 2; ; n++ {
		if _, err := os.Lstat(name + ending); err != nil {
			return ending
		}
		ending = Temporary + "." + strconv.Itoa(n)
	}
}

// Reason is what the operating system said of a file, without the operation and the path, for a
// message that names them already.
func Reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
