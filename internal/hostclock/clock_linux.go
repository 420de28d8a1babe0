package hostclock

import (
	"crypto/sha256"
	"encoding/binary"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// offset is CLOCK_MONOTONIC at start.
func offset(start time.Time) int64 {
	d, _ := between( // 0 where the clocks are not the same
		func() int64 { return int64(time.Since(start)) },
		func() (int64, bool) {
			var t unix.Timespec
			err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t)
			return t.Nano(), err == nil
		})
	return d
}

// identity hashes what tells one boot of one machine from all others. A time namespace has an
// offset of its own to the machine's clock; a kernel before 5.6 has none.
func identity() uint64 {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // without one, idOf has no identity
	namespace, _ := os.Readlink("/proc/self/ns/time")
	return idOf(string(boot), namespace)
}

// idOf is the same for the same boot and namespace; 0 without a boot, as where a sandbox has an empty file in its
// place, which would make all such machines one.
func idOf(boot, namespace string) uint64 {
	if boot == "" {
		return 0
	}
	sum := sha256.Sum256([]byte("plimsoll clock\n" + boot + "\n" + namespace))
	return max(binary.LittleEndian.Uint64(sum[:]), 1)
}
