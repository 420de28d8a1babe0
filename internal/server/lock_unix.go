//go:build unix

package server

import (
	"os"
	"syscall"
)

// LockFile takes the file for this process, until it is closed.
func LockFile(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
