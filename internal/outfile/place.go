package outfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// place is where a file is to be.
type place struct {
	real    string      // with no link at its end
	info    fs.FileInfo // nil: nothing is there
	special bool        // a device, a pipe, or what stands for an open file
}

// look finds where a path leads. A directory is refused.
func look(path string) (place, error) {
	real, err := Resolve(path)
	if err != nil {
		return place{}, err
	}
	info, err := os.Stat(real)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return place{real: real}, nil
	case err != nil:
		return place{}, refusal(path, err)
	case info.IsDir():
		return place{}, refusal(path, syscall.EISDIR)
	}
	return place{real, info, !info.Mode().IsRegular() || magic(real)}, nil
}

// links bounds the links that are followed, as the kernel does.
const links = 40

// Resolve is the file that a path leads to: links are followed, also one to a file that is yet to
// be made. It stops at what stands for an open file of a process, such as /dev/stdout.
func Resolve(path string) (string, error) {
	for next, n := path, 0; n <= links; n++ { // behind the last link is the file
		dir, base := filepath.Split(next) // unlike Dir it keeps "link/..", which leads elsewhere than "."
		if base == "" || base == "." || base == ".." {
			return "", refusal(path, syscall.EISDIR)
		}
		dir, err := filepath.EvalSymlinks(dir) // of "", as of ".", it is "."
		if err != nil {
			return "", refusal(path, err)
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

func refusal(path string, err error) error {
	return &fs.PathError{Op: "create", Path: path, Err: Reason(err)}
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
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	if l, ok := errors.AsType[*os.LinkError](err); ok {
		return l.Err
	}
	return err
}
