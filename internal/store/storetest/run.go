package storetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/plimsoll/plimsoll/internal/store"
)

// partLimit is the largest part whose borders are tested: larger ones take long.
const partLimit = 8 << 20

// Run tests a store that was opened with this size of blocks. It makes files in dir, which
// is there and has no slash at its end ("" is the root), and deletes them. The store stays
// open.
func Run(t *testing.T, s store.Store, dir string, block int64) {
	u := &suite{store: s, dir: dir, block: block}
	for _, c := range []struct {
		name string
		test func(*testing.T)
	}{
		{"describe", u.testDescribe},
		{"check", u.testCheck},
		{"sizes", u.testSizes},
		{"names", u.testNames},
		{"ranges", u.testRanges},
		{"streams of one file", u.testStreams},
		{"overwrite", u.testOverwrite},
		{"flush", u.testFlush},
		{"rename", u.testRename},
		{"missing", u.testMissing},
		{"walk", u.testWalk},
		{"abort", u.testAbort},
		{"too short", u.testTooShort},
		{"cancelled", u.testCancelled},
		{"at the same time", u.testParallel},
	} {
		t.Run(c.name, c.test)
	}
}

func (s *suite) testDescribe(t *testing.T) {
	d := s.store.Describe()
	if d.Client == "" {
		t.Error("the client has no name")
	}
	for _, note := range d.Notes {
		if !strings.HasSuffix(note, ".") {
			t.Errorf("the note is no sentence: %q", note)
		}
	}
}

func (s *suite) testCheck(t *testing.T) {
	path := s.path("check")
	if err := s.store.Check(t.Context(), path, 1); err != nil {
		t.Fatal(err)
	}
	s.mustExist(t, path, false)
}

// sizes are those around blocks and parts.
func (s *suite) sizes() []int64 {
	list := []int64{0, 1, s.block - 1, s.block, s.block + 1, 3*s.block + 7}
	if part := s.store.Describe().PartBytes; part > 0 && part <= partLimit {
		list = append(list, part-1, part, part+1, 2*part, 2*part+s.block+1)
	}
	return list
}

func (s *suite) testSizes(t *testing.T) {
	for _, size := range s.sizes() {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			path, content := s.mustWrite(t, fmt.Sprintf("size-%d", size), size)
			s.mustExist(t, path, true)
			s.mustHold(t, path, content)
		})
	}
}

// testNames writes files whose names mean something else where somebody forgets to escape.
func (s *suite) testNames(t *testing.T) {
	for _, name := range []string{"with space", "per%20cent", "plus+and&", "hash#mark?", "größe-名", "q?v=1#frag", "100%"} {
		t.Run(name, func(t *testing.T) {
			path, content := s.mustWrite(t, name, 10)
			s.mustExist(t, path, true)
			s.mustHold(t, path, content)
		})
	}
}

// testWalk lists files with their sizes, until it is told to stop. Every listed path names its file.
func (s *suite) testWalk(t *testing.T) {
	w, ok := s.store.(store.Walker)
	if !ok {
		t.Skip("the store lists no files: memory does not")
	}
	want := map[int64][]byte{}
	for i, name := range []string{"walk-1", "walk 2?#%", "walk-ü"} {
		size := int64(1010 + i)
		_, want[size] = s.mustWrite(t, name, size)
	}
	got := map[int64]string{}
	for _, most := range []int{1, 1 << 20} {
		calls := 0
		err := w.Walk(t.Context(), s.dir+"/", func(o store.Object) bool {
			got[o.Size] = o.Path
			calls++
			return calls < most
		})
		if err != nil || most == 1 && calls != 1 {
			t.Fatalf("at most %d: %d files, %v", most, calls, err)
		}
	}
	for size, content := range want {
		if got[size] == "" {
			t.Fatalf("no file of %d bytes listed: %v", size, got)
		}
		s.mustHold(t, got[size], content)
	}
}

func (s *suite) testRanges(t *testing.T) {
	size := 2*s.block + 3
	path, content := s.mustWrite(t, "ranges", size)
	f := s.open(t, path)
	for _, c := range [][2]int64{{0, size}, {0, 1}, {size - 1, 1}, {s.block - 1, 2}, {1, s.block}, {s.block, s.block}} {
		p := make([]byte, c[1])
		if err := f.ReadRange(t.Context(), p, c[0]); err != nil {
			t.Fatalf("%d bytes from %d: %v", c[1], c[0], err)
		}
		mustEqual(t, p, content[c[0]:c[0]+c[1]])
	}
	for _, c := range [][2]int64{{size - 1, 2}, {size, 1}, {size + 100, 1}} {
		mustFail(t, f.ReadRange(t.Context(), make([]byte, c[1]), c[0]), store.Truncated)
	}
	var group sync.WaitGroup
	for at := int64(0); at+s.block <= size; at += s.block/2 + 1 {
		group.Go(func() {
			p := make([]byte, s.block)
			if err := f.ReadRange(t.Context(), p, at); err != nil {
				t.Errorf("at the same time, from %d: %v", at, err)
			} else if string(p) != string(content[at:at+s.block]) {
				t.Errorf("at the same time, from %d: other bytes", at)
			}
		})
	}
	group.Wait()
}

// open opens a file that is closed when the test ends.
func (s *suite) open(t *testing.T, path string) store.File {
	t.Helper()
	f, err := s.store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

// testStreams reads one open file twice, and leaves a third stream in the middle.
func (s *suite) testStreams(t *testing.T) {
	path, content := s.mustWrite(t, "streams", 2*s.block+1)
	f := s.open(t, path)
	for range 2 {
		got, err := stream(t.Context(), f)
		if err != nil {
			t.Fatal(err)
		}
		mustEqual(t, got, content)
	}
	r, err := f.Stream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	begin := make([]byte, 1)
	if _, err := io.ReadFull(r, begin); err != nil {
		t.Fatal(err)
	}
	mustEqual(t, begin, content[:1])
	if err := r.Close(); err != nil {
		t.Fatalf("closing a stream that was not read to its end: %v", err)
	}
}

// testOverwrite replaces a file by a longer one and by a shorter one.
func (s *suite) testOverwrite(t *testing.T) {
	path, _ := s.mustWrite(t, "overwrite", s.block)
	for i, size := range []int64{2*s.block + 1, 5, 0} {
		content := data(fmt.Sprint("overwrite", i), size)
		if err := s.write(t.Context(), path, content); err != nil {
			t.Fatal(err)
		}
		s.mustHold(t, path, content)
	}
}

// testFlush flushes after each block, if the store can.
func (s *suite) testFlush(t *testing.T) {
	for _, hard := range []bool{false, true} {
		path, content := s.path(fmt.Sprint("flush-", hard)), data("flush", 2*s.block)
		s.clean(t, path)
		w, err := s.store.Create(t.Context(), path, int64(len(content)))
		if err != nil {
			t.Fatal(err)
		}
		for at := int64(0); at < int64(len(content)); at += s.block {
			if err := s.fill(t.Context(), w, content[at:at+s.block]); err != nil {
				t.Fatal(err)
			}
			if err := w.Flush(t.Context(), hard); err != nil {
				mustFail(t, err, store.Unsupported)
			}
		}
		if err := w.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.mustHold(t, path, content)
	}
}

func (s *suite) testRename(t *testing.T) {
	from, content := s.mustWrite(t, "rename from", s.block+1)
	to := s.path("rename to")
	s.clean(t, to)
	if err := s.store.Rename(t.Context(), from, to); err != nil {
		mustFail(t, err, store.Unsupported)
		s.mustHold(t, from, content) // where it was
		return
	}
	s.mustExist(t, from, false)
	s.mustHold(t, to, content)
}

func (s *suite) testMissing(t *testing.T) {
	path := s.path("nobody made this")
	s.mustExist(t, path, false)
	if err := s.store.Delete(t.Context(), path); err != nil {
		t.Errorf("deleting a file that is not there: %v", err)
	}
	_, err := s.store.Open(t.Context(), path)
	mustFail(t, err, store.NoFile)
	err = s.store.Rename(t.Context(), path, s.path("nor this"))
	if cause := store.CauseOf(err); cause != store.NoFile && cause != store.Unsupported {
		t.Errorf("renaming a file that is not there: %v", err)
	}
}

// testAbort gives files up at each stage.
func (s *suite) testAbort(t *testing.T) {
	size := 3 * s.block
	for _, part := range []int64{0, 1, s.block, 2 * s.block, size} {
		path := s.path(fmt.Sprint("abort-", part))
		w, err := s.store.Create(t.Context(), path, size)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.fill(t.Context(), w, data("abort", part)); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := w.Abort(t.Context()); err != nil {
				t.Fatalf("after %d bytes: %v", part, err)
			}
		}
		s.mustExist(t, path, false)
	}
	path, content := s.path("abort after close"), data("abort", s.block+1)
	s.clean(t, path)
	w, err := s.store.Create(t.Context(), path, int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(s.fill(t.Context(), w, content), w.Close(t.Context()), w.Abort(t.Context())); err != nil {
		t.Fatal(err)
	}
	s.mustHold(t, path, content)
}

// testTooShort closes a file that has not got all of its bytes.
func (s *suite) testTooShort(t *testing.T) {
	for _, part := range []int64{0, 1, s.block} {
		path := s.path(fmt.Sprint("short-", part))
		w, err := s.store.Create(t.Context(), path, s.block+1)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.fill(t.Context(), w, data("short", part)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(t.Context()); err == nil {
			t.Errorf("a file of %d bytes was completed with %d of them", s.block+1, part)
		}
		s.mustExist(t, path, false)
	}
}

// testCancelled ends the context before a call.
func (s *suite) testCancelled(t *testing.T) {
	there, _ := s.mustWrite(t, "cancelled there", s.block)
	over, cancel := context.WithCancel(t.Context())
	cancel()
	_, existsErr := s.store.Exists(over, there)
	_, openErr := s.store.Open(over, there)
	for name, err := range map[string]error{
		"exists": existsErr, "open": openErr, "check": s.store.Check(over, s.path("x"), 1),
		"delete": s.store.Delete(over, there), "rename": s.store.Rename(over, there, s.path("x")),
	} {
		if !errors.Is(err, context.Canceled) && store.CauseOf(err) != store.Unsupported {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.mustExist(t, there, true)
	for _, part := range []int64{s.block, 2 * s.block} {
		path := s.path(fmt.Sprint("cancelled-", part))
		w, err := s.store.Create(t.Context(), path, 2*s.block)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.fill(t.Context(), w, data("cancelled", part)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(over); err == nil {
			t.Error("a cancelled context closed a file")
		}
		s.mustExist(t, path, false)
	}
}

// testParallel writes and reads several files at the same time.
func (s *suite) testParallel(t *testing.T) {
	var group sync.WaitGroup
	for i := range 3 {
		name := fmt.Sprint("parallel-", i)
		path, content := s.path(name), data(name, 3*s.block+int64(i))
		s.clean(t, path)
		group.Go(func() {
			if err := s.write(t.Context(), path, content); err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			got, err := s.read(t.Context(), path)
			if err != nil || string(got) != string(content) {
				t.Errorf("%s: %d bytes, %v", name, len(got), err)
			}
		})
	}
	group.Wait()
}
