package outfile_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/plimsoll/plimsoll/internal/outfile"
	"github.com/plimsoll/plimsoll/internal/outfile/outfiletest"
)

// What is added comes behind what is there, in a file that is made for its owner alone.
func TestAppend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	for _, text := range []string{"a", "bc"} {
		if err := (outfile.Files{}).Append(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil || string(text) != "abc" {
		t.Errorf("it has %q, %v", text, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode(); runtime.GOOS != "windows" && mode != 0o600 {
		t.Errorf("it is made with %v", mode)
	}
}

// A call that fails is told, and what is no file is left alone.
func TestAppendFails(t *testing.T) {
	dir := t.TempDir()
	for at, call := range []string{"open", "write", "close"} {
		on := &outfiletest.Faulty{Fault: outfiletest.Fault{Err: syscall.EIO}, At: at + 1}
		if err := outfile.On(on).Append(filepath.Join(dir, call), []byte("a")); !errors.Is(err, syscall.EIO) {
			t.Errorf("after %q it says %v", on.Hit(), err)
		}
	}
	err := (outfile.Files{}).Append(filepath.Join(dir, "none", "x"), []byte("a"))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a directory that is not there it says %v", err)
	}
	if runtime.GOOS == "windows" {
		return // a link takes a right there
	}
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	if err := os.WriteFile(target, []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	if err := (outfile.Files{}).Append(link, []byte("b")); err == nil || err.Error() != "create "+link+": not a regular file" {
		t.Errorf("of a link it says %v", err)
	}
	if text, _ := os.ReadFile(target); string(text) != "a" {
		t.Errorf("it followed a link: %q", text)
	}
}
