//go:build unix

package kv

import (
	"os"
	"syscall"
)

// lock takes the file for this process, until it is closed.
func lock(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) }
