package store

import "golang.org/x/sys/unix"

// newMemory takes memory from the system and not from Go's heap: too much of it is an error
// and not the end of the process, the garbage collector does not count it, and in large pages
// it is copied faster.
func newMemory(size int64) ([]byte, error) {
	if size != int64(int(size)) {
		return nil, unix.ENOMEM
	}
	m, err := unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
	if err != nil {
		return nil, err
	}
	_ = unix.Madvise(m, unix.MADV_HUGEPAGE) // advice
	return m, nil
}

// freeMemory gives memory back but for its addresses: who still reads there, against the
// rules, reads zeros and does not break the process.
func freeMemory(m []byte) { _ = unix.Madvise(m, unix.MADV_DONTNEED) }
