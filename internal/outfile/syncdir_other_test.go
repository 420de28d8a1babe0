//go:build !windows

package outfile

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestSyncDir: a file system that does not do it is no error, and a disk that fails is one.
func TestSyncDir(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{dir, filepath.Join(dir, "none")} {
		if err := (Machine{}).SyncDir(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for err, want := range map[error]error{
		nil: nil, syscall.EINVAL: nil, syscall.ENOTSUP: nil, syscall.ENOSYS: nil, syscall.EIO: syscall.EIO,
		&os.PathError{Err: syscall.EINVAL}: nil,
	} {
		if got := unlessRefused(err); got != want {
			t.Errorf("%v is %v, want %v", err, got, want)
		}
	}
}

// TestNoFileHasNoHandle: what could not be opened is no handle, not even an empty one.
func TestNoFileHasNoHandle(t *testing.T) {
	h, err := Machine{}.OpenFile(filepath.Join(t.TempDir(), "none"), os.O_RDONLY, 0)
	if h != nil || !os.IsNotExist(err) {
		t.Errorf("%v, %v", h, err)
	}
}
