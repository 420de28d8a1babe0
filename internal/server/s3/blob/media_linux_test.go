package blob

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// broken is a source of zeros that fails after some pieces.
type broken struct {
	size   int64
	pieces int
}

var errBroken = errors.New("it broke off")

func (b *broken) Size() int64 { return b.size }

func (b *broken) ReadInto(memory []byte) error {
	if b.pieces--; b.pieces < 0 {
		return errBroken
	}
	clear(memory)
	return nil
}

func (b *broken) Finish() error { return nil }

// What is small is in the heap, what is not in the file in memory, in whole pages behind all others; they are given back
// when nobody uses them.
func TestFileInMemory(t *testing.T) {
	got, err := newMemory()
	if err != nil {
		t.Fatal(err)
	}
	m := got.(*memfile)
	v := &Vault{medium: m, data: &Space{}}
	blocks := func() int64 {
		t.Helper()
		var s syscall.Stat_t
		if err := syscall.Fstat(int(m.file.Fd()), &s); err != nil {
			t.Fatal(err)
		}
		return s.Blocks * 512
	}
	var all []*Blob
	was := map[*Blob][]byte{}
	for _, tt := range []struct {
		size, at, end int64
		inHeap        bool
	}{
		{32<<10 - 1, 0, 0, true}, {32 << 10, 0, 32 << 10, false}, {32<<10 + 1, 32 << 10, 68 << 10, false},
		{40 << 10, 68 << 10, 108 << 10, false}, {2<<20 - 1, 108 << 10, 2156 << 10, false},
	} {
		data := noise(int(tt.size) + 1)[1:] // which begins with something
		b, err := v.Receive(source(data, nil))
		if err != nil {
			t.Fatal(err)
		}
		if b.at != tt.at || m.end.Load() != tt.end || (b.heap != nil) != tt.inHeap {
			t.Errorf("%d bytes are at %d, the end is at %d, in the heap: %t", tt.size, b.at, m.end.Load(), b.heap != nil)
		}
		if b.Size() != tt.size || b.Name() != "" || !bytes.Equal(read(t, v, b.All()), data) {
			t.Errorf("%d bytes are not what they were", tt.size)
		}
		all, was[b] = append(all, b), data
	}
	if got := blocks(); got != 2156<<10 {
		t.Errorf("%d bytes of memory are in use", got)
	}
	left := int64(2156 << 10)
	for i, b := range all {
		Drop(b.All())
		for _, other := range all[i+1:] {
			if !bytes.Equal(read(t, v, other.All()), was[other]) {
				t.Errorf("%d bytes are not what they were when %d others are free", other.size, b.size)
			}
		}
		if b.heap == nil {
			left -= (b.size + 4095) / 4096 * 4096
		}
		if got := blocks(); got != left {
			t.Errorf("%d bytes of memory are in use after %d are free, want %d", got, b.size, left)
		}
	}
	if err := m.close(); err != nil {
		t.Error(err)
	}
	if _, err := v.Receive(source(noise(32<<10), nil)); err == nil {
		t.Error("a closed file took data")
	}
	if _, _, err := m.section(0, 1); err == nil {
		t.Error("a closed file was opened")
	}
	if v.data.Used() != 0 {
		t.Errorf("%d bytes are taken", v.data.Used())
	}
}

// Open files are kept for the next answers, up to a bound, and closed with the file.
func TestIdleFiles(t *testing.T) {
	got, err := newMemory()
	if err != nil {
		t.Fatal(err)
	}
	m := got.(*memfile)
	if len(m.idle) != 1 {
		t.Errorf("%d files at first", len(m.idle))
	}
	first := m.idle[0]
	var open []func()
	for i := range maxIdle + 1 {
		r, done, err := m.section(0, 1)
		if err != nil {
			t.Fatal(err)
		}
		if reused := r.(*io.LimitedReader).R == io.Reader(first); reused != (i == 0) {
			t.Errorf("file %d is the first: %t", i, reused)
		}
		open = append(open, done)
	}
	if len(m.idle) != 0 {
		t.Errorf("%d are idle", len(m.idle))
	}
	for _, done := range open {
		done()
	}
	if len(m.idle) != maxIdle {
		t.Errorf("%d are kept", len(m.idle))
	}
	if _, _, err := m.section(-1, 1); err == nil || len(m.idle) != maxIdle {
		t.Errorf("what is before the beginning was opened; %d are kept: %v", len(m.idle), err)
	}
	if err := m.close(); err != nil {
		t.Error(err)
	}
	if _, err := first.Stat(); !errors.Is(err, os.ErrClosed) || m.idle != nil {
		t.Errorf("a file is open yet: %v", err)
	}
}

// What breaks off leaves nothing behind, wherever it was to be.
func TestBrokenUploadsLeaveNothing(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	var data, memory Space
	held, err := InMemory(&data, &memory)
	if err != nil {
		t.Fatal(err)
	}
	gone, err := Discarding(&data)
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]*Vault{"memory": held, "directory": InDirectory(root, &data), "nowhere": gone} {
		for _, s := range []*broken{{10, 0}, {64 << 10, 0}, {3 << 20, 2}} {
			if _, err := v.Receive(s); !errors.Is(err, errBroken) {
				t.Errorf("%s, %+v: %v", name, s, err)
			}
		}
		if _, err := v.Receive(source(noise(10), errBroken)); !errors.Is(err, errBroken) {
			t.Errorf("%s: %v", name, err)
		}
		if data.Used() != 0 || memory.Used() != 0 {
			t.Errorf("%s: %d and %d bytes are taken", name, data.Used(), memory.Used())
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, DataDir, "*", "*"))
	if err != nil || len(left) != 0 {
		t.Errorf("files are left: %v, %v", left, err)
	}
	if err := gone.Close(); err != nil {
		t.Error(err)
	}
	if err := held.Close(); err != nil {
		t.Error(err)
	}
	if err := root.Close(); err != nil {
		t.Error(err)
	}
}

// What the disk does not take any more is refused, and so is what the memory does not.
func TestFullDiskAndMemoryAreRefused(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var data, memory Space
	held, err := InMemory(&data, &memory)
	if err != nil {
		t.Fatal(err)
	}
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: 64 << 10, Max: was.Max}); err != nil {
		t.Fatal(err)
	}
	var failed []error
	vaults := []*Vault{held, InDirectory(root, &data)}
	for _, v := range vaults {
		_, err := v.Receive(source(noise(200<<10), nil))
		failed = append(failed, err)
	}
	_, noPattern := Discarding(&data)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &was); err != nil {
		t.Fatal(err)
	}
	if !errors.Is(noPattern, syscall.EFBIG) {
		t.Errorf("a pattern: %v", noPattern)
	}
	for i, v := range vaults {
		if !errors.Is(failed[i], syscall.EFBIG) {
			t.Errorf("%d: %v", i, failed[i])
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	}
	if data.Used() != 0 || memory.Used() != 0 {
		t.Errorf("%d and %d bytes are taken", data.Used(), memory.Used())
	}
}

// A file is where its name says, and what is not there cannot be opened.
func TestFilesOfADirectory(t *testing.T) {
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	var data Space
	v := InDirectory(root, &data)
	b, err := v.Receive(source([]byte("hello"), nil))
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, b.Name())
	if text, err := os.ReadFile(name); string(text) != "hello" || err != nil {
		t.Errorf("%s has %q, %v", b.Name(), text, err)
	}
	file, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	above, err := os.Stat(filepath.Dir(name))
	if err != nil || file.Mode().Perm()&0o733 != 0o600 || above.Mode().Perm()&0o722 != 0o700 {
		t.Errorf("%v, %v below %v", err, file.Mode(), above.Mode())
	}
	if !strings.HasPrefix(b.Name(), "data/") { // as those that are there have it
		t.Error(b.Name())
	}
	if _, _, err := v.Open(Piece{b, -1, 1}, 0); err == nil {
		t.Error("what is before the beginning was opened")
	}
	if first := filepath.Base(filepath.Dir(name)); first != filepath.Base(name)[:1] {
		t.Errorf("%s is in %s", b.Name(), first)
	}
	again := v.Found(b.Name(), 5)
	if again.Size() != 5 || data.Used() != 10 {
		t.Errorf("%d bytes, %d are used", again.Size(), data.Used())
	}
	Keep(again.All())
	if got := read(t, v, Cut(again.All(), 1, 3)); string(got) != "ell" {
		t.Errorf("%q", got)
	}
	Drop(again.All())
	if _, err := os.Stat(name); !errors.Is(err, os.ErrNotExist) || data.Used() != 5 {
		t.Errorf("the file is there yet: %v; %d bytes", err, data.Used())
	}
	if _, _, err := v.Open(b.All()[0], 0); err == nil {
		t.Error("a file that is gone was opened")
	}
	for _, inTheWay := range []string{DataDir} {
		if err := os.RemoveAll(filepath.Join(dir, inTheWay)); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, inTheWay), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := v.Receive(source([]byte("x"), nil)); !errors.Is(err, syscall.ENOTDIR) || !strings.Contains(err.Error(), "cannot store data") {
			t.Errorf("a file was made where none can be: %v", err)
		}
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
	if _, err := root.Open("."); err == nil {
		t.Error("the directory is open yet")
	}
}

// Of what is discarded comes a pattern, the same bytes at the same place of the object however it is read.
func TestPattern(t *testing.T) {
	want := bytes.Repeat([]byte(PatternLine), 3<<16)
	inFile, err := newPattern()
	if err != nil {
		t.Fatal(err)
	}
	for name, m := range map[string]medium{"file": inFile, "memory": &discard{pattern: pattern()}} {
		v := &Vault{medium: m, data: &Space{}}
		b, err := v.Receive(&broken{3 * PatternSize, 1 << 20})
		if err != nil || b.Name() != "" {
			t.Fatal(err)
		}
		for _, tt := range []struct{ position, size, limit int64 }{
			{0, 5, 100}, {0, 100, 30}, {PatternSize - 10, 20, 100}, {PatternSize, 7, 7}, {2*PatternSize - 1, PatternSize + 1, 1 << 40},
			{PatternSize - 10, 10, 100}, {63, 0, 5},
		} {
			r, done, err := v.Open(Piece{b, tt.position, tt.size}, tt.position)
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			for left := tt.size; left > 0; {
				run, n, err := NextRun(r, min(tt.limit, left))
				if err != nil || n < 1 || n > tt.limit {
					t.Fatalf("%s, %+v: %d, %v", name, tt, n, err)
				}
				if _, err := io.CopyN(&got, run, n); err != nil {
					t.Fatal(err)
				}
				left -= n
			}
			if !bytes.Equal(got.Bytes(), want[tt.position:tt.position+tt.size]) {
				t.Errorf("%s, %+v: %d other bytes", name, tt, got.Len())
			}
			done()
			if name == "memory" {
				again, done, _ := v.Open(Piece{b, tt.position, tt.size}, tt.position)
				if text, err := io.ReadAll(again); err != nil || !bytes.Equal(text, got.Bytes()) {
					t.Errorf("%+v: %d bytes are read, %v", tt, len(text), err)
				}
				done()
			}
		}
		Drop(b.All())
		if v.data.Used() != 0 {
			t.Errorf("%s: %d bytes", name, v.data.Used())
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	}
	if m := inFile.(*discard); m.section != nil {
		if _, _, err := NextRun(&patternReader{d: m, left: 1}, 1); err == nil {
			t.Error("a closed pattern was read")
		}
	}
	if PatternSize%int64(len(PatternLine)) != 0 || PatternSize < 4<<20 {
		t.Errorf("%d", PatternSize)
	}
}

// Where there is no file in memory, or one that cannot be opened again, data is in the heap, and nothing is left open.
func TestMemoryVaultWithoutFiles(t *testing.T) {
	none := func(err error) func() (*os.File, error) { return func() (*os.File, error) { return nil, err } }
	if m, err := memoryIn(none(fmt.Errorf("no such call: %w", syscall.ENOSYS))); m != (heap{}) || err != nil {
		t.Errorf("an old kernel: %v, %v", m, err)
	}
	if m, err := memoryIn(none(syscall.EMFILE)); m != nil || !errors.Is(err, syscall.EMFILE) {
		t.Errorf("no file more: %v, %v", m, err)
	}
	inHeap := func(what string, m medium, err error) {
		t.Helper()
		if d, is := m.(*discard); !is || err != nil || d.section != nil || int64(len(d.pattern)) != PatternSize {
			t.Errorf("%s: %v", what, err)
		}
	}
	m, err := patternIn(none(syscall.EMFILE))
	inHeap("no file for a pattern", m, err)

	var once *os.File // which nobody can open again
	socket := func() (*os.File, error) {
		both, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
		if err != nil {
			return nil, err
		}
		once = os.NewFile(uintptr(both[0]), "memory")
		return once, syscall.Close(both[1])
	}
	if m, err := memoryIn(socket); m != (heap{}) || err != nil || !errors.Is(once.Close(), os.ErrClosed) {
		t.Errorf("one that cannot be opened: %v, %v", m, err)
	}
	m, err = patternIn(func() (*os.File, error) { return os.Open(".") })
	if m != nil || !errors.Is(err, syscall.EBADF) {
		t.Errorf("a pattern that cannot be written: %v, %v", m, err)
	}
	another := func() (*os.File, error) {
		once, err = os.CreateTemp(t.TempDir(), "")
		if err != nil {
			return nil, err
		}
		return once, nil
	}
	if m, err = patternIn(another); err != nil || m.(*discard).section == nil {
		t.Errorf("a pattern in a file: %v", err)
	} else if err := m.close(); err != nil || !errors.Is(once.Close(), os.ErrClosed) {
		t.Errorf("a file is open yet: %v", err)
	}
}

// A process that may open no file more is told so.
func TestNoMoreFileDescriptors(t *testing.T) {
	v, err := InMemory(&Space{}, &Space{})
	if err != nil {
		t.Fatal(err)
	}
	if err := v.Close(); err != nil {
		t.Error(err)
	}
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 0, Max: was.Max}); err != nil {
		t.Fatal(err)
	}
	f, err1 := memoryFile()
	_, err2 := InMemory(&Space{}, &Space{})
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	if f != nil || !errors.Is(err1, syscall.EMFILE) || !errors.Is(err2, syscall.EMFILE) {
		t.Errorf("%v, %v, %v", f, err1, err2)
	}
}

// A run of a reader is as long as it has bytes, and as may be asked for.
func TestReadRunsAreBounded(t *testing.T) {
	l := &io.LimitedReader{R: bytes.NewReader(make([]byte, 10)), N: 10}
	for _, want := range []struct{ limit, n, left int64 }{{4, 4, 6}, {6, 6, 0}, {5, 0, 0}} {
		if r, n, err := NextRun(l, want.limit); r != l.R || n != want.n || l.N != want.left || err != nil {
			t.Errorf("%+v: %d, %d left, %v", want, n, l.N, err)
		}
	}
	plain := bytes.NewReader(make([]byte, 3))
	if r, n, err := NextRun(plain, 2); r != plain || n != 2 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}
