package store

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// allocate takes size bytes from the system, which come to life when they are touched.
func allocate(size int) ([]byte, error) {
	b, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("cannot allocate %d bytes: %w", size, err)
	}
	return b, nil
}

// release gives back what allocate gave.
func release(b []byte) { _ = unix.Munmap(b) } // fails only for what was not mapped
