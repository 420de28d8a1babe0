package outfile_test

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/plimsoll/plimsoll/internal/outfile"
	"github.com/plimsoll/plimsoll/internal/outfile/outfiletest"
)

// watched is the file system of the machine, and notes with what files and directories are made.
type watched struct {
	outfile.Machine

	names []string
	modes []fs.FileMode
}

func (w *watched) OpenFile(name string, flag int, mode fs.FileMode) (outfile.Handle, error) {
	w.names, w.modes = append(w.names, filepath.Base(name)), append(w.modes, mode)
	return w.Machine.OpenFile(name, flag, mode)
}

func (w *watched) Mkdir(name string, mode fs.FileMode) error {
	w.names, w.modes = append(w.names, filepath.Base(name)), append(w.modes, mode)
	return w.Machine.Mkdir(name, mode)
}

// TestWhoMayReadWhatIsMade is for the user's umask to say.
func TestWhoMayReadWhatIsMade(t *testing.T) {
	dir, on := t.TempDir(), &watched{}
	f, err := outfile.On(on).Create(filepath.Join(dir, "file"), true)
	if err == nil {
		err = f.Commit()
	}
	s, errStream := outfile.On(on).Stream(filepath.Join(dir, "stream"))
	if errStream == nil {
		errStream = s.Close()
	}
	if err := errors.Join(err, errStream, outfile.On(on).MkdirAll(filepath.Join(dir, "made"))); err != nil {
		t.Fatal(err)
	}
	for i, want := range []fs.FileMode{0o666, 0o666, 0o777} {
		if on.modes[i] != want {
			t.Errorf("%s is made with %o, want %o", on.names[i], on.modes[i], want)
		}
	}
}

// TestATemporaryNameSaysWhoseItIs, by as much of the name as leaves room for the rest.
func TestATemporaryNameSaysWhoseItIs(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct{ name, begins string }{
		{"x", ".x."},
		{strings.Repeat("n", 200), "." + strings.Repeat("n", 200) + "."},
		{strings.Repeat("n", 201), "." + strings.Repeat("n", 200) + "."},
	} {
		f := begin(t, filepath.Join(dir, c.name), "", true)
		if got := filepath.Base(f.Name()); !strings.HasPrefix(got, c.begins) {
			t.Errorf("of %d bytes: %s", len(c.name), got)
		}
		if err := f.Abandon(); err != nil {
			t.Error(err)
		}
	}
}

// crowded has every name but the last that it is asked for.
type crowded struct {
	outfile.Machine

	asked, taken int
}

func (c *crowded) OpenFile(name string, flag int, mode fs.FileMode) (outfile.Handle, error) {
	if c.asked++; c.asked <= c.taken {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrExist}
	}
	return c.Machine.OpenFile(name, flag, mode)
}

// TestATemporaryNameThatIsTakenIsNotUsed: another is, and 100 are tried.
func TestATemporaryNameThatIsTakenIsNotUsed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	for _, c := range []struct{ taken, asked int }{{0, 1}, {1, 2}, {99, 100}, {100, 100}, {1000, 100}} {
		on := &crowded{taken: c.taken}
		err := outfile.On(on).Write(path, func(w io.Writer) error { return nil })
		if on.asked != c.asked || (err != nil) != (c.taken >= 100) || err != nil && !errors.Is(err, fs.ErrExist) {
			t.Errorf("%d taken: %d tried, %v", c.taken, on.asked, err)
		}
	}
}

// TestBytes: a file is its content, or there is an error that names it.
func TestBytes(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	if err := outfile.Bytes(path, []byte("whole")); err != nil {
		t.Error(err)
	}
	want(t, path, "whole")
	path = filepath.Join(dir, "none", "x")
	if err := outfile.Bytes(path, nil); err == nil || err.Error() != path+": no such file or directory" {
		t.Error(err)
	}
}

// TestWhatCannotBeRemovedIsToldOf, beside the reason why it was to be removed, if there was one.
func TestWhatCannotBeRemovedIsToldOf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	cannot := func(call string) bool { return call == "remove" || call == "rename" }
	for name, c := range map[string]struct {
		end  func(f *outfile.File) error
		want string
	}{
		"given up": {(*outfile.File).Abandon, "write PATH: what was begun as NAME cannot be removed: input/output error"},
		"completed": {(*outfile.File).Commit,
			"write PATH: input/output error; what was begun as NAME cannot be removed: input/output error"},
	} {
		f, err := outfile.On(&outfiletest.Faulty{
			Fault: outfiletest.Fault{Err: syscall.EIO, After: true, Can: cannot}, At: 1,
		}).Create(path, true)
		if err != nil {
			t.Fatal(err)
		}
		err = c.end(f)
		want := strings.NewReplacer("PATH", path, "NAME", f.Name()).Replace(c.want)
		if err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
}

// TestAStreamIsReadWhileItIsWritten: it is there under its own name at once, and what was there is gone.
func TestAStreamIsReadWhileItIsWritten(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	for _, text := range []string{"the first", "new"} {
		h, err := outfile.Files{}.Stream(path)
		if err != nil {
			t.Fatal(err)
		}
		want(t, path, "")
		if _, err := io.WriteString(h, text); err != nil {
			t.Error(err)
		}
		want(t, path, text)
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	}
	if names := entries(t, dir); names != "[x]" {
		t.Errorf("left behind: %s", names)
	}
	for _, c := range []struct {
		on         outfile.System
		path, want string
	}{
		{outfile.Machine{}, dir, "create DIR: is a directory"},
		{outfile.Machine{}, filepath.Join(dir, "none", "x"), "create DIR/none/x: no such file or directory"},
		{&outfiletest.Faulty{Fault: outfiletest.Fault{Err: syscall.EROFS}, At: 1}, path, "create DIR/x: read-only file system"},
	} {
		h, err := outfile.On(c.on).Stream(c.path)
		if err == nil || strings.ReplaceAll(err.Error(), dir, "DIR") != c.want || h != nil {
			t.Errorf("%v, %v, want %s", h, err, c.want)
		}
	}
}

// TestWhatCannotBeAFile is refused by a check as by a write, and by the name that it was given.
func TestWhatCannotBeAFile(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir) // what is made of "" by mistake is made there
	long := filepath.Join(dir, strings.Repeat("n", 300))
	for path, why := range map[string]string{
		dir: "is a directory", dir + "/": "is a directory", dir + "/.": "is a directory", dir + "/..": "is a directory",
		"": "is a directory", long: "file name too long",
	} {
		want := "create " + path + ": " + why
		if err := (outfile.Files{}).Check(path); err == nil || err.Error() != want {
			t.Errorf("check: %v, want %s", err, want)
		}
		if _, err := outfile.Create(path, true); err == nil || err.Error() != want {
			t.Errorf("create: %v, want %s", err, want)
		}
	}
}

// TestResolve: a directory's name that names nothing in it leads to no file, and as many links are followed as the
// system follows.
func TestResolve(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, path := range []string{"", ".", "..", "./", "a/.", "a/..", "/"} {
		if got, err := outfile.Resolve(path); !errors.Is(err, syscall.EISDIR) || got != "" {
			t.Errorf("%q leads to %q, %v", path, got, err)
		}
	}
	if got, err := outfile.Resolve("x"); got != "x" || err != nil {
		t.Errorf("x leads to %q, %v", got, err)
	}
	if err := os.WriteFile("0", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	name := "0"
	for n := 1; n <= 41; n++ {
		next := strings.Repeat("l", n)
		if err := os.Symlink(name, next); err != nil {
			t.Fatal(err)
		}
		name = next
		_, opens := os.Stat(name)
		if got, err := outfile.Resolve(name); (err == nil) != (opens == nil) || err == nil && got != "0" {
			t.Errorf("%d links lead to %q, %v, and the system says %v", n, got, err, opens)
		}
	}
	if _, err := outfile.Resolve(name); !errors.Is(err, syscall.ELOOP) {
		t.Errorf("41 links: %v", err)
	}
}

// raced is a file system where another makes each directory just before.
type raced struct{ outfile.Machine }

func (r raced) Mkdir(name string, mode fs.FileMode) error {
	if err := r.Machine.Mkdir(name, mode); err != nil {
		return err
	}
	return r.Machine.Mkdir(name, mode)
}

// TestWhatStandsInTheWayOfADirectory: another that makes the same one does not.
func TestWhatStandsInTheWayOfADirectory(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("none/where", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for path, why := range map[string]string{
		"file": "not a directory", "file/a": "not a directory", "link/a": "it is a link to none/where, which cannot be made",
		strings.Repeat("n", 300): "file name too long",
	} {
		path = filepath.Join(dir, filepath.FromSlash(path))
		if err := (outfile.Files{}).MkdirAll(path); err == nil || err.Error() != "create "+path+": "+why {
			t.Errorf("%v, want %s", err, why)
		}
	}
	if err := outfile.On(raced{}).MkdirAll(filepath.Join(dir, "a", "b")); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "a", "b")); err != nil || !info.IsDir() {
		t.Errorf("%v, %v", info, err)
	}
}
