package sftp

import (
	"os"
	"syscall"
	"testing"

	"github.com/plimsoll/plimsoll/internal/store"
)

func TestDiskFull(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can mount a small filesystem")
	}
	dir := t.TempDir()
	if err := syscall.Mount("plimsoll-test", dir, "tmpfs", 0, "size=1m"); err != nil {
		t.Skipf("a small filesystem cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	// After the mount, so that it is closed before: the server of a connection that was given up may
	// have the file open for a moment more.
	s, address := faulty(t, nil)
	replace := []string{"sftp://" + address + dir, "DIR"}
	mustFail(t, replace, s.Check(t.Context(), dir+"/x", 1<<20+1), store.DiskFull,
		"DIR/x: 1048577 bytes do not fit: the server has 1048576 bytes free",
		"use a smaller size, or a directory on a larger file system")
	mustFail(t, replace, put(t.Context(), s, dir+"/x", 20*block), store.DiskFull,
		"writing DIR/x: the server's disk is full", "free disk space there, or use a smaller size")
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
