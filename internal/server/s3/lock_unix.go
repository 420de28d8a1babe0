//go:build unix

package s3

import (
	"os"
	"syscall"
)

// lockFile takes the file for this process, until it is closed.
func lockFile(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
