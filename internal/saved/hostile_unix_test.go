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
		"it is no file": func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"no file":       func(path string) error { return os.Mkdir(path, 0o700) },
		"is no file":    func(path string) error { return os.Symlink("/dev/zero", path) },
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

// TestTheIndexIsNoFile: what lies where the index is, and is no file, is not waited for: neither by a list nor by a run
// that is saved. There is no index, then.
func TestTheIndexIsNoFile(t *testing.T) {
	for name, made := range map[string]func(path string) error{
		"a pipe":       func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"no end":       func(path string) error { return os.Symlink("/dev/zero", path) },
		"a directory":  func(path string) error { return os.Mkdir(path, 0o700) },
		"a loop":       func(path string) error { return os.Symlink(filepath.Base(path), path) },
		"led to a run": func(path string) error { return os.Symlink(filepath.Join(idAt(0), RunFile), path) },
	} {
		s := &Runs{Dir: t.TempDir()}
		write(t, s.Path(idAt(0)), aRun(idAt(0), 1))
		before, err := os.ReadFile(s.Path(idAt(0)))
		if err := errors.Join(err, made(s.index())); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if entries, _, err := s.List(noKind, Choice{}); err != nil || len(entries) != 1 || entries[0].Error != "" {
				t.Errorf("%s: %d entries, %v", name, len(entries), err)
			}
		}
		s.Add(idAt(0), Entry{Kind: KindRun})
		if _, err := s.Load("last~0"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		after, err := os.ReadFile(s.Path(idAt(0)))
		if err != nil || string(after) != string(before) {
			t.Errorf("%s: the document is written to", name)
		}
	}
}

// TestWhatIsServedAsItIs is a file.
func TestWhatIsServedAsItIs(t *testing.T) {
	path := filepath.Join(t.TempDir(), RunFile)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenDocument(path); err == nil || !strings.Contains(err.Error(), "it is no file") {
		t.Errorf("%v", err)
	}
}

// TestAManifestIsAFile, or there is none.
func TestAManifestIsAFile(t *testing.T) {
	s := &Runs{Dir: t.TempDir()}
	if err := os.Mkdir(s.SetDir(idAt(0)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(s.SetDir(idAt(0)), UnfinishedFile), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"last", idAt(0), s.SetDir(idAt(0))} {
		if path, _, _ := s.Unfinished(name); path != "" {
			t.Errorf("%s: %s", name, path)
		}
	}
}
