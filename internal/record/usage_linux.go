package record

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

func (u *Usage) readSystem() {
	var r unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &r) == nil {
		u.User = time.Duration(r.Utime.Nano())
		u.System = time.Duration(r.Stime.Nano())
		u.MaxRSS = r.Maxrss << 10 // the kernel counts KiB
	}
	if stat, err := os.ReadFile("/proc/stat"); err == nil {
		u.MachineBusy, u.MachineTotal = parseCPULine(stat)
	}
	if stat, err := os.ReadFile(filepath.Join("/sys/fs/cgroup", ownGroup(), "cpu.stat")); err == nil {
		u.Throttled, u.KnowsThrottled = parseThrottled(stat)
	}
}

// ownGroup is the path of the process's control group (version 2) below the root of groups.
func ownGroup() string {
	groups, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(groups)) {
		if path, ok := strings.CutPrefix(line, "0::"); ok {
			return strings.TrimSpace(path)
		}
	}
	return ""
}

// parseThrottled reads throttled_usec of a cpu.stat file, and says whether it is there: it is not
// where the CPU has no controller.
func parseThrottled(stat []byte) (time.Duration, bool) {
	for line := range bytes.Lines(stat) {
		if value, ok := bytes.CutPrefix(line, []byte("throttled_usec ")); ok {
			us, err := strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64)
			return time.Duration(us) * time.Microsecond, err == nil
		}
	}
	return 0, false
}

// parseCPULine reads the first line of /proc/stat: user, nice, system, idle, iowait, irq,
// softirq, steal (guest time is part of user time). Time stolen by other guests of the
// hypervisor is busy: this machine cannot have it.
func parseCPULine(stat []byte) (busy, total float64) {
	line, _, _ := bytes.Cut(stat, []byte("\n"))
	fields := strings.Fields(string(line))
	if len(fields) < 6 || fields[0] != "cpu" {
		return 0, 0
	}
	for i, field := range fields[1:min(len(fields), 9)] {
		v, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return 0, 0
		}
		total += v
		if i != 3 && i != 4 {
			busy += v
		}
	}
	return busy, total
}

// systemNames gives the kernel's release and the processor's model.
func systemNames() (kernel, cpu string) {
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			cpu = strings.TrimSpace(value)
			break
		}
	}
	return strings.TrimSpace(string(release)), cpu
}
