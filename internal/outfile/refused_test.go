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

// TestFileModesLeaveRightsToTheUmask is for the user's umask to say.
func TestFileModesLeaveRightsToTheUmask(t *testing.T) {
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

// TestBytesWritesAWholeFile: a file is its content, or there is an error that names it.
func TestBytesWritesAWholeFile(t *testing.T) {
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

// TestStreamIsReadableWhileItIsWritten: it is there under its own name at once, and what was there is gone.
func TestStreamIsReadableWhileItIsWritten(t *testing.T) {
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

// TestCheckAndCreateRefuseTheSamePaths is refused by a check as by a write, and by the name that it was given.
func TestCheckAndCreateRefuseTheSamePaths(t *testing.T) {
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

// raced is a file system where another makes each directory just before.
type raced struct{ outfile.Machine }

func (r raced) Mkdir(name string, mode fs.FileMode) error {
	if err := r.Machine.Mkdir(name, mode); err != nil {
		return err
	}
	return r.Machine.Mkdir(name, mode)
}

// TestMkdirAllNamesWhatIsInTheWay: another that makes the same one does not.
func TestMkdirAllNamesWhatIsInTheWay(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("none/where", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for path, why := range map[string]string{
		"file": "not a directory", "file/a": "not a directory", "link/a": "it is a link to none/where, which cannot be created",
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
