//go:build unix

package outfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/outfile"
)

// A stream is one process's until it is closed, and what it has written stays.
func TestAStreamIsRefusedToASecondWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "samples.csv")
	first, err := outfile.Files{}.Stream(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = first.Write([]byte("rows"))
	if _, refused := (outfile.Files{}).Stream(path); err != nil || refused == nil ||
		!strings.Contains(refused.Error(), "another process is writing to it") {
		t.Errorf("%v, %v", err, refused)
	}
	if err := first.Close(); err != nil || read(t, path) != "rows" {
		t.Error(err)
	}
	second, err := outfile.Files{}.Stream(path)
	if err != nil || read(t, path) != "" {
		t.Fatal(err)
	}
	_ = second.Close()
}

func TestADirectoryIsClaimedOnce(t *testing.T) {
	dir := t.TempDir()
	release, err := outfile.Claim(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := outfile.Claim(dir); err == nil {
		t.Error("it was claimed twice")
	}
	if err := release(); err != nil {
		t.Fatal(err)
	}
	if release, err = outfile.Claim(dir); err != nil {
		t.Fatal(err)
	}
	if err := release(); err != nil {
		t.Error(err)
	}
}

func TestPrivateFilesAreForTheirOwnerAlone(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	path := filepath.Join(dir, "file")
	files := outfile.Files{}.Private()
	if err := errors.Join(files.MkdirAll(dir), files.Write(path, writing("x"))); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{path: 0o600, dir: 0o700, filepath.Dir(dir): 0o700} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}
