package store

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// slab is memory that is also a file, so that the kernel can send it without copying it
// through this process.
type slab struct {
	memory []byte
	fd     *os.File
}

func newSlab(size int64) (*slab, error) {
	fd, err := unix.MemfdCreate("plimsoll-part", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "part")
	if err := f.Truncate(size); err != nil {
		_ = f.Close()
		return nil, err
	}
	memory, err := unix.Mmap(fd, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return &slab{memory, f}, nil
}

// open gives the first n bytes as a file with a position of its own.
func (s *slab) open(n int64) (io.ReadCloser, error) {
	if n != int64(len(s.memory)) {
		// A file ends where it ends: one that is not full has no file of its own.
		return nil, fmt.Errorf("the part is not full")
	}
	return os.Open(fmt.Sprintf("/proc/self/fd/%d", s.fd.Fd()))
}

// close gives up the file. The memory stays mapped: a request that failed may still read from
// it on a goroutine of net/http, and the process ends soon after its stores.
func (s *slab) close() { _ = s.fd.Close() }
