package outfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// errTaken reports that a file is not what Check found.
var errTaken = errors.New("another process has modified the file")

// Taken is the error of a file that another process has written since Check. That one was not replaced.
type Taken struct {
	Kept string // where the new file is
}

// Error says what happened, and where the new file is.
func (t *Taken) Error() string {
	return fmt.Sprintf("%v; it was not overwritten, and the new file is %s", errTaken, t.Kept)
}

// seen is what Check found, by the real paths of files: nil where there was none. It is safe for concurrent use.
type seen struct {
	mu sync.Mutex
	at map[string]fs.FileInfo
}

func (s *seen) of(path string) (info fs.FileInfo, known bool) {
	if s == nil {
		return nil, false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	info, known = s.at[path]
	return info, known
}

func (s *seen) remember(path string, info fs.FileInfo) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at[path] = info
}

// same reports whether a file is the one that it was: neither replaced nor written to.
func same(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.ModTime().Equal(b.ModTime()) && a.Size() == b.Size()
}

// nameUnlessTaken gives the file its name, unless what has the name is not what was there before. That it was removed
// in the meantime is no reason to lose the file.
func (f *File) nameUnlessTaken(before fs.FileInfo) error {
	ours, err := os.Stat(f.Name())
	if err != nil {
		return f.remove(err)
	}
	switch now, err := os.Lstat(f.path); {
	case err == nil && !same(before, now):
		return f.keep()
	case err != nil: // a link, unlike a rename, does not replace what comes
		switch err := f.on.Link(f.Name(), f.path); {
		case err == nil:
			f.seen.remember(f.path, ours)
			return f.failed(f.remove(nil))
		case errors.Is(err, fs.ErrExist):
			return f.keep()
		}
	}
	if err := f.on.Rename(f.Name(), f.path); err != nil {
		return f.remove(err)
	}
	f.seen.remember(f.path, ours)
	return nil
}

// keep gives the file a name beside the one that is taken: run-2.json for run.json. Where the file system has no links
// it stays under its temporary name.
func (f *File) keep() error {
	ending := filepath.Ext(f.path)
	stem := f.path[:len(f.path)-len(ending)]
	kept := f.Name()
	for n := 2; ; n++ {
		name := fmt.Sprintf("%s-%d%s", stem, n, ending)
		err := f.on.Link(f.Name(), name)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			kept = name
			_ = f.on.Remove(f.Name()) // a second name of the file does no harm
		}
		return f.failed(&Taken{Kept: kept})
	}
}
