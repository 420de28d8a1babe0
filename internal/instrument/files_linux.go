package instrument

import (
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// reservedFiles is the number of files left for what is opened beside the connections of clients: result files, the
// pages of --ui, the connection attempts to a second address.
const reservedFiles = 32

// FreeFiles returns how many more files this process may open for the connections of clients, and whether that is
// known.
func FreeFiles() (n int, known bool) {
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) != nil {
		return 0, false
	}
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0, false
	}
	return max(0, int(min(limit.Cur, math.MaxInt32))-len(open)-reservedFiles), true
}
