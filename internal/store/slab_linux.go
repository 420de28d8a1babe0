package store

import (
	"fmt"
	"io"
	"os"
	"syscall"

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

// open gives the first n bytes as a file with a position of its own. done is called when it
// is closed, perhaps more than once.
func (s *slab) open(n int64, done func()) (io.ReadCloser, error) {
	f, err := os.Open(fmt.Sprintf("/proc/self/fd/%d", s.fd.Fd()))
	if err != nil {
		return nil, err
	}
	return &slabFile{f, n, done}, nil
}

// close gives the memory back but for its addresses: who still reads there, against the
// rules, reads zeros and does not break the process.
func (s *slab) close() {
	_ = unix.Fallocate(int(s.fd.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, 0, int64(len(s.memory)))
	_ = s.fd.Close()
}

// slabFile is the beginning of a slab's file. It has only those methods of os.File that
// respect where it ends, and those by which the socket recognizes a file. Sending ends after
// as many bytes as the request declares, which are those of the part.
type slabFile struct {
	from *os.File
	size int64
	done func()
}

// Read reads up to the part's end.
func (f *slabFile) Read(p []byte) (int, error) {
	at, err := f.from.Seek(0, io.SeekCurrent)
	if err != nil {
		return 0, err
	}
	if at >= f.size {
		return 0, io.EOF
	}
	return f.from.Read(p[:min(int64(len(p)), f.size-at)])
}

// Seek moves the position.
func (f *slabFile) Seek(offset int64, whence int) (int64, error) {
	if whence == io.SeekEnd {
		offset, whence = f.size+offset, io.SeekStart
	}
	return f.from.Seek(offset, whence)
}

// SyscallConn is for the kernel.
func (f *slabFile) SyscallConn() (syscall.RawConn, error) { return f.from.SyscallConn() }

// Close closes the file.
func (f *slabFile) Close() error {
	err := f.from.Close()
	f.done()
	return err
}
