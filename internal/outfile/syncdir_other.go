//go:build !windows

package outfile

import (
	"errors"
	"os"
	"syscall"
)

// SyncDir waits for the disk where that can be done.
func (Machine) SyncDir(name string) error {
	d, err := os.Open(name)
	if err != nil {
		return nil // a directory that may be written to and not be read
	}
	defer d.Close()
	return unlessRefused(d.Sync())
}

// unlessRefused is what the disk said, unless that is that it does not do this: some file systems over a network do
// not.
func unlessRefused(err error) error {
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	return err
}
