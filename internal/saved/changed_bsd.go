//go:build darwin || freebsd || netbsd

package saved

import (
	"os"
	"syscall"
)

// inodeChanged is when the inode of a file changed, in ns since 1970; 0 where that is not known.
func inodeChanged(info os.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Ctimespec.Nano()
	}
	return 0
}
