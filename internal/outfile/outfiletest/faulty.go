package outfiletest

import (
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/plimsoll/plimsoll/internal/outfile"
)

// Fault is a way in which calls fail.
type Fault struct {
	Err error
	// After: all that come after the one that fails do, too, as on a disk that is full from then on.
	After bool
	// Short has a write that fails write half of what it was given, and say so: with an error, or, where Err is nil, with
	// none.
	Short bool
	// Can says which calls can fail so, by their name; nil: all. The others succeed, and are counted.
	Can func(call string) bool
}

// Faulty is the file system of the machine, of which calls fail. The zero value only counts them.
type Faulty struct {
	Fault
	At int // the call that fails, from 1 on; 0: none does

	mu    sync.Mutex
	calls []string
	hit   string
}

// Calls are the calls that were made, in their order: what was to be done, and the name of the file.
func (f *Faulty) Calls() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls
}

// Hit is the first call that failed; "" when none did.
func (f *Faulty) Hit() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hit
}

// fails counts a call, and reports whether it is one that fails.
func (f *Faulty) fails(call, name string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls = append(f.calls, call+" "+filepath.Base(name))
	n := len(f.calls)
	if n != f.At && !(f.After && f.At > 0 && n > f.At) || f.Can != nil && !f.Can(call) {
		return false
	}
	if f.hit == "" {
		f.hit = f.calls[n-1]
	}
	return true
}

// do is a call that fails, or is done by the machine.
func (f *Faulty) do(call, name string, does func() error) error {
	if f.fails(call, name) && f.Err != nil {
		return &fs.PathError{Op: call, Path: name, Err: f.Err}
	}
	return does()
}

// OpenFile opens a file whose calls may fail as well.
func (f *Faulty) OpenFile(name string, flag int, mode fs.FileMode) (outfile.Handle, error) {
	var h outfile.Handle
	err := f.do("open", name, func() (err error) {
		h, err = outfile.Machine{}.OpenFile(name, flag, mode)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &handle{h, f}, nil
}

// Mkdir makes a directory, or fails.
func (f *Faulty) Mkdir(name string, mode fs.FileMode) error {
	return f.do("mkdir", name, func() error { return outfile.Machine{}.Mkdir(name, mode) })
}

// Link makes a link, or fails.
func (f *Faulty) Link(from, to string) error {
	return f.do("link", to, func() error { return outfile.Machine{}.Link(from, to) })
}

// Rename renames a file, or fails.
func (f *Faulty) Rename(from, to string) error {
	return f.do("rename", to, func() error { return outfile.Machine{}.Rename(from, to) })
}

// Remove removes a file, or fails.
func (f *Faulty) Remove(name string) error {
	return f.do("remove", name, func() error { return outfile.Machine{}.Remove(name) })
}

// SyncDir fails, or is only counted: a test need not wait for the disk.
func (f *Faulty) SyncDir(name string) error {
	return f.do("syncdir", name, func() error { return nil })
}

// handle is a file of a Faulty.
type handle struct {
	outfile.Handle
	of *Faulty
}

func (h *handle) Write(p []byte) (int, error) {
	if !h.of.fails("write", h.Name()) {
		return h.Handle.Write(p)
	}
	n := 0
	if h.of.Short {
		n, _ = h.Handle.Write(p[:len(p)/2])
	}
	if h.of.Err == nil {
		return n, nil
	}
	return n, &fs.PathError{Op: "write", Path: h.Name(), Err: h.of.Err}
}

func (h *handle) Chmod(mode fs.FileMode) error {
	return h.of.do("chmod", h.Name(), func() error { return h.Handle.Chmod(mode) })
}

// Sync is as SyncDir.
func (h *handle) Sync() error { return h.of.do("sync", h.Name(), func() error { return nil }) }

// Close closes the file in any case, as the kernel does.
func (h *handle) Close() error {
	closed := h.Handle.Close()
	return h.of.do("close", h.Name(), func() error { return closed })
}

// Leftovers are the names of files below a directory that were begun and not completed.
func Leftovers(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if strings.HasSuffix(path, outfile.Temporary) {
			names = append(names, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
