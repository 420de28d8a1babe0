package server

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// MachineMemory is how much memory the machine has, or the control group may use.
func MachineMemory() int64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return assumedMemory
	}
	total := int64(info.Totalram) * int64(info.Unit) //nolint:unconvert // the types differ by machine
	for _, name := range [...]string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, _ := os.ReadFile(name) // where there is none it has no limit
		total = within(total, string(text))
	}
	return total
}

// within is what a control group leaves of the memory; "max" is all of it.
func within(total int64, limit string) int64 {
	if n, err := strconv.ParseInt(strings.TrimSpace(limit), 10, 64); err == nil && n > 0 {
		return min(total, n)
	}
	return total
}
