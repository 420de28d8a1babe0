package outfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// Temporary ends the names of files that are still being written.
const Temporary = ".partial"

// Files writes files. The zero value writes them to the file system of the machine, and replaces what is there.
type Files struct {
	on      System
	seen    *seen // nil: nothing is remembered
	private bool
}

// On writes files to another file system.
func On(s System) Files { return Files{on: s} }

// Guarded returns Files that remember what Check found. They do not replace a file that another process has written
// since then: the new one is kept beside it, and the error is a *Taken.
func (w Files) Guarded() Files {
	w.seen = &seen{at: map[string]fs.FileInfo{}}
	return w
}

// Private returns Files that make files and directories for their owner alone. What exists keeps its mode.
func (w Files) Private() Files {
	w.private = true
	return w
}

// mode returns a mode without what others may do, where that is asked for.
func (w Files) mode(mode fs.FileMode) fs.FileMode {
	if w.private {
		return mode &^ 0o077
	}
	return mode
}

func (w Files) system() System {
	if w.on == nil {
		return Machine{}
	}
	return w.on
}

// Write has fill write a file, which is whole when it appears under its name, and is on the disk then. A file that was
// there is replaced; after an error it is as it was. The error says the path and the reason in one line, and what was
// begun and could not be removed.
func (w Files) Write(path string, fill func(io.Writer) error) error {
	f, err := w.Create(path, true)
	if err == nil {
		out := bufio.NewWriterSize(f, 64<<10)
		if err = fill(out); err == nil {
			err = out.Flush()
		}
		if err == nil {
			err = f.Commit()
		} else {
			err = f.undo(err)
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, Reason(err))
	}
	return nil
}

// Bytes writes a file of the machine, as Write does.
func Bytes(path string, content []byte) error {
	return Files{}.Write(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// File is a file that appears under its name when it is complete, and not before: somebody who
// watches the directory never reads half of one.
type File struct {
	handle    Handle
	on        System
	seen      *seen
	given     string // the path as it was given, for messages
	path      string
	overwrite bool
	special   bool // a device or a pipe: it is written to as it is
}

// Create begins a file of the machine.
func Create(path string, overwrite bool) (*File, error) { return Files{}.Create(path, overwrite) }

// Create begins a file, under a temporary name in the same directory. What a link points to is
// replaced, and not the link; a device or a pipe is written to, and not replaced; a directory is
// refused. An error that is fs.ErrExist says that the file is there and may not be overwritten.
func (w Files) Create(path string, overwrite bool) (*File, error) {
	at, err := look(path)
	if err != nil {
		return nil, err
	}
	f := &File{on: w.system(), seen: w.seen, given: path, path: at.real, overwrite: overwrite, special: at.special}
	switch {
	case at.special:
		f.handle, err = f.on.OpenFile(at.real, os.O_WRONLY|os.O_APPEND, 0)
	case at.info != nil && !overwrite:
		err = fs.ErrExist
	default:
		f.handle, err = f.begin(w.mode(0o666))
	}
	if err != nil {
		return nil, refusal(path, err)
	}
	if !at.special && at.info != nil {
		if err := f.handle.Chmod(at.info.Mode().Perm()); err != nil {
			return nil, f.undo(err)
		}
	}
	return f, nil
}

// begin makes the file under a name that no other has.
func (f *File) begin(mode fs.FileMode) (Handle, error) {
	const tries, longest = 100, 200 // bytes: a name that is as long as it may be has room for the rest
	dir, base := filepath.Split(f.path)
	base = base[:min(len(base), longest)]
	for try := 1; ; try++ {
		name := dir + "." + base + "." + strconv.FormatUint(rand.Uint64(), 36) + Temporary
		h, err := f.on.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if !errors.Is(err, fs.ErrExist) || try == tries {
			return h, err
		}
	}
}

// Write writes all of p, or says why not.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.handle.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	if err != nil {
		err = &fs.PathError{Op: "write", Path: f.given, Err: Reason(err)}
	}
	return n, err
}

// Special says that it is a device or a pipe, which has what was written to it.
func (f *File) Special() bool { return f.special }

// Name is the name that it has as yet.
func (f *File) Name() string { return f.handle.Name() }

// Commit ends the file and gives it its name, and waits until the disk has both. Without the first wait a machine that
// loses its power may have the name with nothing behind it, in the place of the file that was there.
func (f *File) Commit() error {
	if f.special {
		return f.failed(f.handle.Close())
	}
	if err := f.handle.Sync(); err != nil {
		return f.undo(err)
	}
	if err := f.handle.Close(); err != nil {
		return f.remove(err)
	}
	if err := f.name(); err != nil {
		return err
	}
	if err := f.on.SyncDir(filepath.Dir(f.path)); err != nil {
		return f.failed(fmt.Errorf("the file exists, but its directory entry may not be on disk: %w", Reason(err)))
	}
	return nil
}

// name gives the file its name.
func (f *File) name() error {
	if before, known := f.seen.of(f.path); known && f.overwrite {
		return f.nameUnlessTaken(before)
	}
	if !f.overwrite {
		// A link, unlike a renaming, does not replace a file that has come in the meantime.
		err := f.on.Link(f.Name(), f.path)
		switch {
		case err == nil:
			return f.failed(f.remove(nil))
		case errors.Is(err, fs.ErrExist):
			return f.remove(err)
		}
		// a file system without links
	}
	// A device or a pipe may have come in the meantime.
	if info, err := os.Lstat(f.path); err == nil && !info.Mode().IsRegular() {
		return f.remove(fs.ErrExist)
	}
	if err := f.on.Rename(f.Name(), f.path); err != nil {
		return f.remove(err)
	}
	return nil
}

// Abandon removes what was written. Its error is that of removing it, or of closing it.
func (f *File) Abandon() error { return f.undo(nil) }

// undo ends the file and removes what was written, because of err, if that is not nil.
func (f *File) undo(err error) error {
	if closed := f.handle.Close(); err == nil {
		err = closed
	}
	if f.special {
		return f.failed(err)
	}
	return f.remove(err)
}

// remove removes what was written, because of err. What is left is told of.
func (f *File) remove(err error) error {
	no := f.on.Remove(f.Name())
	switch {
	case no == nil, errors.Is(no, fs.ErrNotExist):
	case err == nil:
		err = fmt.Errorf("cannot remove the temporary file %s: %w", f.Name(), Reason(no))
	default:
		err = fmt.Errorf("%w; cannot remove the temporary file %s: %w", Reason(err), f.Name(), Reason(no))
	}
	return f.failed(err)
}

// failed is an error of the file, by the name that it was given.
func (f *File) failed(err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: "write", Path: f.given, Err: Reason(err)}
}

// Stream begins a file under its own name, for what is read while it is written, and must be there when the process is
// killed. What was there is gone. A device or a pipe, or what stands for an open file, is added to. A file that another
// process writes in this way, or has written since Check, is refused. At the end the disk is not waited for: a run that
// has written for hours would seem to hang.
func (w Files) Stream(path string) (Handle, error) {
	at, err := look(path)
	if err != nil {
		return nil, err
	}
	flag := os.O_WRONLY | os.O_CREATE
	if at.special {
		flag = os.O_WRONLY | os.O_APPEND
	} else if before, known := w.seen.of(at.real); known && !same(before, at.info) {
		return nil, refusal(path, errTaken)
	}
	h, err := w.system().OpenFile(at.real, flag, w.mode(0o666))
	if err != nil {
		return nil, refusal(path, err)
	}
	if at.special {
		return h, nil
	}
	if err = lock(h); err == nil {
		err = h.Truncate(0)
	}
	if err != nil {
		return nil, refusal(path, errors.Join(err, h.Close()))
	}
	return h, nil
}

// Append adds to the end of a file in one write, which another process' write does not come into; a file that is not
// there is made, for its owner alone. No link is followed, and the disk is not waited for: it is for what may be lost.
func (w Files) Append(path string, content []byte) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return refusal(path, errors.New("not a regular file"))
	}
	h, err := w.system().OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return refusal(path, err)
	}
	_, err = h.Write(content)
	return errors.Join(err, h.Close())
}

// Check makes sure that a file can be written, as Write or Stream would, and remembers what is there if w is Guarded.
// It leaves no trace: what was not there is not there afterwards, and what was there is not changed.
func (w Files) Check(path string) error {
	at, err := look(path)
	if err != nil {
		return err
	}
	if at.special && at.info.Mode().Type() == fs.ModeNamedPipe {
		return nil // opening it would wait for a reader
	}
	f, err := w.Create(path, true)
	if err != nil {
		return err
	}
	if !at.special {
		w.seen.remember(at.real, at.info)
	}
	return f.Abandon()
}

// MkdirAll makes a directory, and those that it is in, and waits until the disk has what was made. A link that leads to
// where nothing is yet is followed.
func (w Files) MkdirAll(path string) error {
	real, err := Resolve(filepath.Clean(path))
	if err != nil {
		real = path // "." or "/" or what is below something that is not there
	}
	if err := w.mkdir(filepath.Clean(real)); err != nil {
		return refusal(path, err)
	}
	return nil
}

func (w Files) mkdir(dir string) error {
	switch info, err := os.Stat(dir); {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return syscall.ENOTDIR
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	above := filepath.Dir(dir)
	if err := w.mkdir(above); err != nil {
		return err
	}
	if err := w.system().Mkdir(dir, w.mode(0o777)); err != nil {
		if info, no := os.Stat(dir); no == nil && info.IsDir() {
			return nil // another has made it
		}
		if to, no := os.Readlink(dir); no == nil {
			return fmt.Errorf("it is a link to %s, which cannot be created", to)
		}
		return err
	}
	return w.system().SyncDir(above)
}
