//go:build unix

package outfile

import (
	"errors"
	"os"
	"syscall"
)

// errLocked reports that another process holds a lock.
var errLocked = errors.New("another process is writing to it")

// lock takes an open file for this process until it is closed. Where the file system has no locks, nothing is locked.
func lock(h any) error {
	f, ok := h.(interface{ Fd() uintptr })
	if ok && errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK) {
		return errLocked
	}
	return nil
}

// Claim takes a directory for this process until release is called or the process ends, however it does. It fails if
// another process has claimed it. Where the file system has no locks, nothing is claimed.
func Claim(dir string) (release func() error, err error) {
	d, err := os.Open(dir)
	if err != nil {
		return func() error { return nil }, nil // it may be written to and not read
	}
	if err := lock(d); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return d.Close, nil
}
