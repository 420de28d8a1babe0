//go:build unix

package outfile_test

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/plimsoll/plimsoll/internal/outfile"
	"github.com/plimsoll/plimsoll/internal/outfile/outfiletest"
)

// A pipe has what was written to it, and is still a pipe, also behind a link.
func TestPipesAreWrittenTo(t *testing.T) {
	dir := t.TempDir()
	pipe, link := filepath.Join(dir, "pipe"), filepath.Join(dir, "link")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink("pipe", link); err != nil {
		t.Fatal(err)
	}
	// Its reader is there beforehand, and does not wait: what is written fits into the pipe.
	r, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, path := range []string{pipe, link} {
		f, err := outfile.Create(path, false)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, path); err != nil || !f.Special() {
			t.Fatal(err, f.Special())
		}
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
		got := make([]byte, 2*len(path))
		n, err := r.Read(got)
		if string(got[:n]) != path || err != nil {
			t.Errorf("%q, %v", got[:n], err)
		}
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("it is no pipe any more: %v", err)
	}
	if names := entries(t, dir); names != "[link pipe]" {
		t.Errorf("left behind: %s", names)
	}
	f, err := outfile.Create(pipe, true)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Abandon(); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(pipe); err != nil {
		t.Errorf("what was there was removed: %v", err)
	}
	for _, path := range []string{pipe, link} {
		if got := outfile.Spoil(path); got != path {
			t.Errorf("%s is %s now", path, got)
		}
	}
	if names := entries(t, dir); names != "[link pipe]" {
		t.Errorf("moved: %s", names)
	}
}

// TestAPipeThatFails says so under the name that it was given, whether it was filled or given up.
func TestAPipeThatFails(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	r, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for name, end := range map[string]func(*outfile.File) error{
		"commit": (*outfile.File).Commit, "abandon": (*outfile.File).Abandon,
	} {
		f, err := outfile.On(&outfiletest.Faulty{Fault: outfiletest.Fault{Err: syscall.EIO}, At: 2}).Create(pipe, true)
		if err != nil {
			t.Fatal(err)
		}
		if err := end(f); err == nil || err.Error() != "write "+pipe+": input/output error" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAPipeIsNotOpenedToBeChecked, which would wait for a reader; a stream adds to it.
func TestAPipeIsNotOpenedToBeChecked(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	at := &outfiletest.Faulty{}
	if err := outfile.On(at).Check(pipe); err != nil || len(at.Calls()) > 0 {
		t.Errorf("%v, %q", err, at.Calls())
	}
	r, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	h, err := outfile.Files{}.Stream(pipe)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(h, "row"); err != nil {
		t.Error(err)
	}
	got := make([]byte, 10)
	if n, err := r.Read(got); string(got[:n]) != "row" || err != nil {
		t.Errorf("%q, %v", got[:n], err)
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}
