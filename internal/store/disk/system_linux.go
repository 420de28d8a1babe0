package disk

import (
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

const noFollow = unix.O_NOFOLLOW

// freeSpace is what a user without privileges may still write to a directory's filesystem.
func freeSpace(dir string) (int64, bool) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil || s.Blocks == 0 { // some have no blocks to count
		return 0, false
	}
	if s.Bavail > math.MaxInt64/uint64(s.Bsize) {
		return math.MaxInt64, true
	}
	return int64(s.Bavail) * int64(s.Bsize), true
}

// filesystem names the filesystem of a directory, if it is none on a disk of this machine.
func filesystem(dir string) string {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return ""
	}
	return notOnDisk(uint32(s.Type))
}

// notOnDisk names a filesystem by its number in statfs(2); "" for one of a disk.
func notOnDisk(magic uint32) string {
	switch magic {
	case unix.TMPFS_MAGIC:
		return "tmpfs"
	case unix.RAMFS_MAGIC:
		return "ramfs"
	case unix.NFS_SUPER_MAGIC:
		return "NFS"
	case unix.CIFS_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.SMB_SUPER_MAGIC:
		return "SMB"
	case unix.CEPH_SUPER_MAGIC:
		return "Ceph"
	case unix.V9FS_MAGIC:
		return "9P"
	case unix.FUSE_SUPER_MAGIC:
		return "FUSE"
	}
	return ""
}

// writable asks whether files can be made in a directory, or a file can be written to.
func writable(path string, dir bool) error {
	if dir {
		return unix.Access(path, unix.W_OK|unix.X_OK)
	}
	return unix.Access(path, unix.W_OK)
}

// fileLimit is the largest file that this process may write.
func fileLimit() (int64, bool) {
	var r unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_FSIZE, &r) != nil || r.Cur > math.MaxInt64 {
		return 0, false
	}
	return int64(r.Cur), true
}

// dropCache drops a file that was written out from the page cache, and tells how many bytes of
// it stayed there.
func dropCache(f *os.File) (int64, error) {
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		return 0, err
	}
	// Linux 6.5 can tell; before, the advice is believed where the cache is no filesystem.
	var all unix.CachestatRange
	var has unix.Cachestat_t
	if unix.Cachestat(uint(f.Fd()), &all, &has, 0) != nil {
		if name := filesystem(f.Name()); name == "tmpfs" || name == "ramfs" {
			return math.MaxInt64, nil
		}
		return 0, nil
	}
	return int64(has.Cache) * int64(os.Getpagesize()), nil
}

// freeMemory is what this process may still take without making the system swap: what is
// available on the machine, or less in a control group.
func freeMemory() (int64, bool) {
	free, ok := meminfo()
	group, inGroup := groupMemory()
	switch {
	case ok && inGroup:
		return min(free, group), true
	case inGroup:
		return group, true
	}
	return free, ok
}

func meminfo() (int64, bool) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "MemAvailable:"); ok {
			n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return n << 10, err == nil
		}
	}
	return 0, false
}

// groupMemory is the least that is left in the control groups (version 2) of this process.
func groupMemory() (int64, bool) {
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return 0, false
	}
	_, group, ok := strings.Cut(string(text), "0::")
	if !ok {
		return 0, false
	}
	group, _, _ = strings.Cut(group, "\n")
	least, found := int64(math.MaxInt64), false
	for ; ; group = filepath.Dir(group) {
		dir := filepath.Join("/sys/fs/cgroup", group)
		limit, limited := number(filepath.Join(dir, "memory.max"))
		used, ok := number(filepath.Join(dir, "memory.current"))
		if limited && ok {
			least, found = min(least, max(0, limit-used)), true
		}
		if group == "/" || group == "." || group == "" {
			return least, found
		}
	}
}

// number reads a file that holds a number; "max" is none.
func number(name string) (int64, bool) {
	text, err := os.ReadFile(name)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil
}
