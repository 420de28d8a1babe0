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
	return bytesOf(s.Bavail, uint64(s.Bsize)), true
}

// bytesOf is how many bytes so many blocks have, as far as there is a number for it.
func bytesOf(blocks, size uint64) int64 {
	if blocks > math.MaxInt64/size {
		return math.MaxInt64
	}
	return int64(blocks * size)
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
		return believed(filesystem(f.Name())), nil
	}
	return int64(has.Cache) * int64(os.Getpagesize()), nil
}

// believed is how much stays in the page cache of a filesystem of this name, where the kernel does not tell.
func believed(name string) int64 {
	if name == "tmpfs" || name == "ramfs" {
		return math.MaxInt64
	}
	return 0
}

// freeMemory is what this process may still take without making the system swap: what is
// available on the machine, or less in a control group.
func freeMemory() (int64, bool) { return freeBelow("/") }

// freeBelow is the freeMemory of a system whose files are below root: the least that is left in the control groups
// (version 2) of this process, and on the machine.
func freeBelow(root string) (least int64, known bool) {
	if least, known = meminfo(filepath.Join(root, "proc/meminfo")); !known {
		least = math.MaxInt64
	}
	text, _ := os.ReadFile(filepath.Join(root, "proc/self/cgroup")) // where there is none it is in no group
	_, group, more := strings.Cut(string(text), "0::")
	group, _, _ = strings.Cut(group, "\n")
	for group = filepath.Join("/", group); more; group = filepath.Dir(group) {
		dir := filepath.Join(root, "sys/fs/cgroup", group)
		limit, limited := number(filepath.Join(dir, "memory.max"))
		used, ok := number(filepath.Join(dir, "memory.current"))
		if limited && ok {
			least, known = min(least, max(0, limit-used)), true
		}
		more = group != "/"
	}
	return least, known
}

// meminfo is what is available on the machine.
func meminfo(name string) (int64, bool) {
	text, _ := os.ReadFile(name) // what is not there does not say it
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "MemAvailable:"); ok {
			n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			return n << 10, err == nil
		}
	}
	return 0, false
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
