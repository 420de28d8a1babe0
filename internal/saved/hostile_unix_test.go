//go:build unix

package saved

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

// TestWhatIsNoDocument where one is kept neither holds a command up nor fills its memory: the list says what it is, and
// last is the last whole run.
func TestWhatIsNoDocument(t *testing.T) {
	s := &Runs{Dir: t.TempDir()}
	write(t, s.Path(idAt(0)), aRun(idAt(0), 1))
	kinds := map[string]func(path string) error{
		"regular file":       func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a regular file":     func(path string) error { return os.Mkdir(path, 0o700) },
		"not a regular file": func(path string) error { return os.Symlink("/dev/zero", path) },
		"larger than": func(path string) error {
			f, err := os.Create(path)
			if err != nil {
				return err
			}
			return errors.Join(f.Truncate(rundoc.MaxBytes+1), f.Close())
		},
	}
	n := 0
	for says, made := range kinds {
		for _, name := range []string{RunFile, SetFile} {
			n++
			path := filepath.Join(s.Dir, idAt(n), name)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := made(path); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Load(idAt(n)); err == nil || !strings.Contains(err.Error(), says) {
				t.Errorf("%s: %v, want %q", name, err, says)
			}
			if _, err := s.Load(idAt(n) + "/1"); err == nil {
				t.Errorf("%s has a member", name)
			}
		}
	}
	entries, _, err := s.List(noKind, Choice{})
	if err != nil || len(entries) != n+1 {
		t.Fatalf("%d entries, %v", len(entries), err)
	}
	for _, e := range entries[:n] {
		if e.Error == "" {
			t.Errorf("%s is listed as a run", e.ID)
		}
	}
	if found, err := s.Load("last"); err != nil || found.Run == nil || found.Run.ID != idAt(0) {
		t.Errorf("last: %v", err)
	}
}

// TestWhatIsServedAsItIs is a file.
func TestWhatIsServedAsItIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), RunFile)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenDocument(path); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("%v", err)
	}
}
