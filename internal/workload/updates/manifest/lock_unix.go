//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package manifest

import (
	"errors"
	"os"
	"syscall"
)

// lock has others know that the file is being written. The kernel takes it off when the process ends, however it does.
// Where the filesystem has no locks, nobody knows.
func lock(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errors.New("another run is writing to it")
	}
	return nil
}

// locked reports whether a file is being written.
func locked(file *os.File) bool {
	return errors.Is(syscall.Flock(int(file.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
