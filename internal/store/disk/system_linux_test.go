package disk

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/store"
)

// smallDisk mounts a filesystem of 1 MiB.
func smallDisk(t *testing.T) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can mount a small filesystem")
	}
	dir := t.TempDir()
	if err := syscall.Mount("plimsoll-test", dir, "tmpfs", 0, "size=1m,mode=0777"); err != nil {
		t.Skipf("a small filesystem cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, 0); err != nil {
			t.Error(err)
		}
	})
	return dir
}

func TestDiskFull(t *testing.T) {
	dir := smallDisk(t)
	s := openFiles(t)
	const hint = "use a smaller size, or a directory on a larger file system"
	mustFail(t, dir, s.Check(t.Context(), dir+"/x", 1<<20+1), store.DiskFull,
		"DIR/x: 1048577 bytes do not fit: 1048576 bytes are free", hint)
	if err := s.Check(t.Context(), dir+"/x", 1<<20); err != nil {
		t.Error(err)
	}
	err := write(t.Context(), s, dir+"/x", strings.Repeat("x", 1<<20+1))
	mustFail(t, dir, err, store.DiskFull, "writing DIR/x: no space left on device", hint)
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	// What a file that is replaced takes is free.
	mustWrite(t, s, dir+"/x", strings.Repeat("x", 1<<20))
	if err := s.Check(t.Context(), dir+"/x", 1<<20); err != nil {
		t.Error(err)
	}
	f, err := s.Open(t.Context(), dir+"/x")
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
	notes := strings.Join(s.Describe().Notes, "\n")
	for _, want := range []string{"is on tmpfs, which is in memory", "could not be dropped from the page cache"} {
		if !strings.Contains(notes, want) {
			t.Errorf("the notes do not say %q:\n%s", want, notes)
		}
	}
}

func TestReadOnly(t *testing.T) {
	dir := smallDisk(t)
	s := openFiles(t)
	mustWrite(t, s, dir+"/x", "x")
	if err := syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skipf("it takes a mount of its own: %v", err)
	}
	const hint = "the file system is read-only; use a directory on another one"
	mustFail(t, dir, s.Check(t.Context(), dir+"/y", 1), store.AccessDenied,
		"creating files in DIR: read-only file system", hint)
	mustFail(t, dir, write(t.Context(), s, dir+"/x", "y"), store.AccessDenied,
		"creating DIR/x: read-only file system", hint)
	mustFail(t, dir, s.Delete(t.Context(), dir+"/x"), store.AccessDenied, "deleting DIR/x: read-only file system", hint)
}

// sysfs refuses files even to root.
func TestPermission(t *testing.T) {
	_, err := openFiles(t).Create(t.Context(), "/sys/plimsoll", 1)
	mustFail(t, "-", err, store.AccessDenied, "creating /sys/plimsoll: permission denied",
		"use a directory and a file that this user can read and write")
}

func TestPermissionOfUser(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write everywhere")
	}
	dir, s := t.TempDir(), openFiles(t)
	mustWrite(t, s, dir+"/x", "x")
	if err := os.Chmod(dir+"/x", 0o400); err != nil {
		t.Fatal(err)
	}
	const hint = "use a directory and a file that this user can read and write"
	mustFail(t, dir, s.Check(t.Context(), dir+"/x", 1), store.AccessDenied, "writing to DIR/x: permission denied", hint)
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o700) })
	mustFail(t, dir, s.Check(t.Context(), dir+"/y", 1), store.AccessDenied,
		"creating files in DIR: permission denied", hint)
}

func TestFileSizeLimit(t *testing.T) {
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	const most = 1 << 20 // the log that 'go test' writes meanwhile is shorter
	limit := before
	limit.Cur = most
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Skipf("it takes a limit of the size of files: %v", err)
	}
	defer func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
			t.Error(err)
		}
	}()
	dir, s := t.TempDir(), openFiles(t)
	mustFail(t, dir, s.Check(t.Context(), dir+"/x", most+1), store.TooLarge,
		"DIR/x: a file of 1048577 bytes exceeds this process's limit of 1048576 bytes",
		"raise the limit with 'ulimit -f', or use a smaller size")
	mustFail(t, dir, write(t.Context(), s, dir+"/x", strings.Repeat("x", most+1)), store.TooLarge,
		"writing DIR/x: file too large", "the file system or 'ulimit -f' limits the file size; use a smaller size")
	if _, err := os.Lstat(dir + "/x"); !errors.Is(err, os.ErrNotExist) {
		t.Error("the file was left behind")
	}
}

func TestNamedPipe(t *testing.T) {
	dir, s := t.TempDir(), openFiles(t)
	if err := syscall.Mkfifo(dir+"/pipe", 0o600); err != nil {
		t.Skipf("it takes a named pipe: %v", err)
	}
	const hint = "use a regular file; mem: measures the limit of Plimsoll itself"
	_, err := s.Create(t.Context(), dir+"/pipe", 1)
	mustFail(t, dir, err, "not-a-file", "DIR/pipe is not a regular file but a named pipe", hint)
	_, err = s.Open(t.Context(), dir+"/pipe") // which does not wait for a writer
	mustFail(t, dir, err, "not-a-file", "DIR/pipe is not a regular file but a named pipe", hint)
}

// cached is how many bytes of a file are in the page cache.
func cached(t *testing.T, path string) int64 {
	t.Helper()
	fincore, err := exec.LookPath("fincore")
	if err != nil {
		t.Skip("fincore is not installed; it is part of util-linux")
	}
	out, err := exec.CommandContext(t.Context(), fincore, "--bytes", "--noheadings", "--output", "RES", path).Output()
	if err != nil {
		t.Skipf("fincore: %v", err)
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	if err != nil {
		t.Skipf("fincore: %v", err)
	}
	return n
}

// A settled file is read from the disk. The notes say where that time counts and whether pages stayed in the cache.
func TestSettleDropsPageCache(t *testing.T) {
	dir, s := t.TempDir(), openFiles(t)
	if filesystem(dir) != "" {
		t.Skip("the temporary directory does not lie on a disk")
	}
	const size = 1 << 20
	path := dir + "/x"
	mustWrite(t, s, path, strings.Repeat("x", size))
	if cached(t, path) == 0 {
		t.Skip("fincore does not see this filesystem's cache")
	}
	always := s.Describe().Notes
	const kept = "A file could not be dropped from the page cache: part of the download measures memory bandwidth."
	dropped := func() {
		t.Helper()
		// What is on its way through the kernel's lists stays.
		if n := cached(t, path); n > size/2 && !slices.Contains(s.Describe().Notes, kept) {
			t.Errorf("%d bytes are in the page cache, and nobody says so", n)
		}
	}
	if err := s.Settle(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	dropped()
	const outside = "Before each download, the file was written to disk and dropped from the page cache; " +
		"this time is not measured."
	const inside = "The file was written to disk and dropped from the page cache when it was opened for download; " +
		"this time is part of open-for-download."
	for _, want := range [][]string{{outside}, {outside, inside}} { // only the first Open is after a Settle
		f, err := s.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		dropped()
		r, err := f.Stream(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, r); err != nil {
			t.Fatal(err)
		}
		_ = f.Close()
		said := slices.DeleteFunc(slices.Clone(s.Describe().Notes), func(note string) bool { return note == kept })
		if diff := cmp.Diff(append(always[:len(always):len(always)], want...), said); diff != "" {
			t.Error(diff)
		}
	}
	if err := s.Settle(t.Context(), dir+"/none"); store.CauseOf(err) != store.NoFile {
		t.Error(err)
	}
}

func TestFreeMemory(t *testing.T) {
	free, ok := freeMemory()
	if !ok || free < 1<<20 || free > 1<<50 {
		t.Errorf("%d, %t", free, ok)
	}
	s, err := OpenMemory(t.Context(), config(t, "mem:"))
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Check(t.Context(), "/x", 1<<20); err != nil {
		t.Error(err)
	}
	if err := s.Check(t.Context(), "/x", 1<<50); store.CauseOf(err) != store.TooLarge {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// A file that cannot be written is told of before anything is, though its directory can.
func TestReadOnlyFile(t *testing.T) {
	dir, s := smallDisk(t), openFiles(t)
	mustWrite(t, s, dir+"/x", "x")
	if err := syscall.Mount(dir+"/x", dir+"/x", "", syscall.MS_BIND, ""); err != nil {
		t.Skipf("it takes a mount of its own: %v", err)
	}
	defer func() {
		if err := syscall.Unmount(dir+"/x", 0); err != nil {
			t.Error(err)
		}
	}()
	if err := syscall.Mount("", dir+"/x", "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Skipf("it takes a mount of its own: %v", err)
	}
	mustFail(t, dir, s.Check(t.Context(), dir+"/x", 1), store.AccessDenied, "writing to DIR/x: read-only file system",
		"the file system is read-only; use a directory on another one")
}

// Filesystems that are memory, or of another machine, are known by the numbers of statfs(2).
func TestFilesystems(t *testing.T) {
	for magic, want := range map[uint32]string{
		0x01021994: "tmpfs", 0x858458f6: "ramfs", 0x6969: "NFS", 0xff534d42: "SMB", 0xfe534d42: "SMB", 0x517b: "SMB", 0x00c36400: "Ceph",
		0x01021997: "9P", 0x65735546: "FUSE", 0xef53: "", 0: "",
	} {
		if got := notOnDisk(magic); got != want {
			t.Errorf("%#x: %q, want %q", magic, got, want)
		}
	}
	if got := filesystem(t.TempDir() + "/none"); got != "" {
		t.Errorf("what is not there lies on %q", got)
	}
	for _, dir := range []string{"/proc", t.TempDir() + "/none"} {
		if n, ok := freeSpace(dir); n != 0 || ok {
			t.Errorf("%s has %d bytes of room", dir, n)
		}
	}
	if n, ok := freeSpace(t.TempDir()); n <= 0 || !ok {
		t.Errorf("%d bytes of room, %v", n, ok)
	}
}

// The free memory is the smallest of the limits of the machine and of each cgroup of the process.
func TestFreeMemoryRespectsCgroups(t *testing.T) {
	const machine = "MemTotal:       900 kB\nMemAvailable:        500 kB\nBuffers: 1 kB\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
		known bool
	}{
		"nothing":     {nil, 0, false},
		"the machine": {map[string]string{"proc/meminfo": machine}, 500 << 10, true},
		"odd":         {map[string]string{"proc/meminfo": "MemAvailable: many kB\n"}, 0, false},
		"old":         {map[string]string{"proc/meminfo": "MemTotal: 900 kB\n"}, 0, false},
		"no limit": {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "max\n",
			"sys/fs/cgroup/a/memory.current": "7\n"}, 500 << 10, true},
		"no use": {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "7\n"}, 500 << 10, true},
		"a group": {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "1:name=x:/b\n0::/a\n", "sys/fs/cgroup/a/memory.max": "70\n",
			"sys/fs/cgroup/a/memory.current": "7\n"}, 63, true},
		"a large group": {map[string]string{"proc/meminfo": machine, "proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "600000\n",
			"sys/fs/cgroup/a/memory.current": "0\n"}, 500 << 10, true},
		"only a group": {map[string]string{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/a/memory.max": "70\n",
			"sys/fs/cgroup/a/memory.current": "7\n"}, 63, true},
		"above it": {map[string]string{"proc/self/cgroup": "0::/a/b\n", "sys/fs/cgroup/a/memory.max": "70\n", "sys/fs/cgroup/a/memory.current": "8\n",
			"sys/fs/cgroup/a/b/memory.max": "90\n", "sys/fs/cgroup/a/b/memory.current": "9\n"}, 62, true},
		"all of them": {map[string]string{"proc/self/cgroup": "0::/a\n", "sys/fs/cgroup/memory.max": "70\n", "sys/fs/cgroup/memory.current": "9\n"},
			61, true},
		"used up": {map[string]string{"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "70\n", "sys/fs/cgroup/memory.current": "71\n"},
			0, true},
		"none of ours": {map[string]string{"proc/self/cgroup": "1:name=x:/\n", "sys/fs/cgroup/memory.max": "70\n",
			"sys/fs/cgroup/memory.current": "7\n"}, 0, false},
		"without a name": {map[string]string{"proc/self/cgroup": "0::", "sys/fs/cgroup/memory.max": "70\n", "sys/fs/cgroup/memory.current": "7\n"},
			63, true},
	} {
		root := t.TempDir()
		for path, text := range c.files {
			path = filepath.Join(root, path)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		if got, known := freeBelow(root); known != c.known || known && got != c.want {
			t.Errorf("%s: %d, %v; want %d", name, got, known, c.want)
		}
	}
}

// Room is counted as far as there is a number for it, and what no kernel tells is believed by the filesystem's name.
func TestFreeSpaceDoesNotOverflow(t *testing.T) {
	for _, c := range []struct {
		blocks, size uint64
		want         int64
	}{{0, 4096, 0}, {3, 4096, 12288}, {1<<51 - 1, 4096, 1<<63 - 4096}, {1 << 51, 4096, 1<<63 - 1}, {1<<64 - 1, 4096, 1<<63 - 1}} {
		if got := bytesOf(c.blocks, c.size); got != c.want {
			t.Errorf("%d blocks of %d: %d", c.blocks, c.size, got)
		}
	}
	for name, want := range map[string]int64{"tmpfs": 1<<63 - 1, "ramfs": 1<<63 - 1, "": 0, "NFS": 0} {
		if got := believed(name); got != want {
			t.Errorf("%d bytes stay on %q", got, name)
		}
	}
}
