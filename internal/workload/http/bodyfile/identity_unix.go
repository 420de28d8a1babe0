//go:build unix

package bodyfile

import (
	"os"

	"golang.org/x/sys/unix"
)

// identity is what tells that a file is no longer what it was.
type identity struct {
	size    int64
	changed [2]int64 // its contents: seconds and nanoseconds
	links   uint64   // names that it has
}

// identify asks for it. It allocates nothing.
func identify(f *os.File) (identity, error) {
	var s unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &s); err != nil {
		return identity{}, os.NewSyscallError("fstat", err)
	}
	sec, nsec := s.Mtim.Unix()
	return identity{s.Size, [2]int64{sec, nsec}, uint64(s.Nlink)}, nil
}
