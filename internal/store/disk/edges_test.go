package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/plimsoll/plimsoll/internal/store"
)

// Each error of the system has its cause, a hint where there is something to do, and the path once.
func TestWhatTheSystemSays(t *testing.T) {
	own := store.Fail("own", "as it is").WithHint("nothing")
	for _, c := range []struct {
		err         error
		cause, hint string
	}{
		{syscall.ENOSPC, "disk-full", "use a smaller size, or a directory on a larger filesystem"},
		{syscall.EDQUOT, "disk-full", "your quota on this filesystem is used up; use a smaller size"},
		{syscall.EFBIG, "too-large", "the filesystem or 'ulimit -f' allows no larger file; use a smaller size"},
		{syscall.EROFS, "access-denied", "the filesystem is read-only; use a directory on another"},
		{syscall.EACCES, "access-denied", "use a directory and a file that this user may write and read"},
		{syscall.EPERM, "access-denied", "use a directory and a file that this user may write and read"},
		{syscall.EXDEV, "unsupported", "a file cannot be renamed onto another filesystem; name both on one"},
		{syscall.ENAMETOOLONG, "name-too-long", "use a shorter name"},
		{syscall.EISDIR, "is-a-directory", "name a file in it"},
		{syscall.ENOENT, "no-such-file", ""},
		{syscall.EIO, "input-output", "the disk failed; see the kernel's log"},
		{context.DeadlineExceeded, "timeout", ""},
		{errors.New("odd"), "other", ""},
	} {
		for _, err := range []error{c.err, &fs.PathError{Op: "open", Path: "/a", Err: c.err},
			fmt.Errorf("twice: %w", &os.LinkError{Op: "rename", Old: "/a", New: "/b", Err: c.err})} {
			mustFail(t, "\x00", explain("opening", "/a", err), c.cause, "opening /a: "+c.err.Error(), c.hint)
		}
	}
	mustFail(t, "\x00", explain("opening", "/a", fmt.Errorf("again: %w", own)), "own", "as it is", "nothing")
}

// What cannot be written says what it is.
func TestWhatIsNoFile(t *testing.T) {
	for mode, want := range map[fs.FileMode]string{
		fs.ModeDevice: "device", fs.ModeDevice | fs.ModeCharDevice: "device", fs.ModeNamedPipe: "named pipe", fs.ModeSocket: "socket",
		fs.ModeIrregular: "special file",
	} {
		if got := kind(mode); got != want {
			t.Errorf("%v: %s, want %s", mode, got, want)
		}
	}
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	l, err := net.Listen("unix", dir+"/s") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	mustFail(t, dir, openFiles(t).Check(t.Context(), dir+"/s", 1), "not-a-file", "DIR/s is no file but a socket",
		"name a file; what the instrument itself can do is measured by mem:")
}

// The notes have what the figures are figures of, and no more.
func TestNotes(t *testing.T) {
	const memory, other, outside, inside, kept = "which is memory", "a filesystem of another machine or process", "in no figure",
		"part of open-for-download", "could not be dropped"
	for _, c := range []struct {
		of   seen
		want []string
	}{
		{seen{}, nil}, {seen{filesystem: "tmpfs"}, []string{memory}}, {seen{filesystem: "ramfs"}, []string{memory}},
		{seen{filesystem: "NFS"}, []string{other}}, {seen{outside: 1}, []string{outside}}, {seen{inside: 1}, []string{inside}},
		{seen{kept: 1}, []string{kept}}, {seen{"FUSE", 2, 2, 2}, []string{other, outside, inside, kept}},
	} {
		got := c.of.notes()
		if len(got) != len(c.want)+1 || !strings.Contains(got[0], "without --hflush") {
			t.Errorf("%+v: %q", c.of, got)
			continue
		}
		for i, want := range c.want {
			if !strings.Contains(got[i+1], want) {
				t.Errorf("%+v: %q, want %q", c.of, got[i+1], want)
			}
		}
	}
	for s, want := range map[store.Store]string{openFiles(t): "os, none but the filesystem's own", newMemory(block, block): "memory, none"} {
		if d := s.Describe(); d.Client+", "+d.Integrity != want || len(d.Notes) != 1 {
			t.Errorf("%+v, want %s", d, want)
		}
	}
	for name, d := range map[string]store.Driver{"file": FileDriver(), "mem": MemoryDriver()} {
		if d.Name != name || len(d.Schemes) != 1 || d.Schemes[0] != name || d.Local != (name == "file") {
			t.Errorf("%+v", d)
		}
	}
}

// syncs makes what was written durable, where that can be.
func syncs(ctx context.Context, s store.Store, w store.Writer) error {
	_, can := s.(*fileStore)
	return w.Flush(ctx, can)
}

// Nothing is done for a caller who has left.
func TestNothingIsDoneForNobody(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for _, open := range []func(context.Context, store.Config) (store.Store, error){OpenFile, OpenMemory} {
		if s, err := open(gone, config(t, "mem:")); s != nil || !errors.Is(err, context.Canceled) {
			t.Errorf("%v, %v", s, err)
		}
	}
	dir := t.TempDir()
	path := dir + "/file"
	for _, s := range []store.Store{openFiles(t), newMemory(block, 1<<20)} {
		mustWrite(t, s, path, "content")
		f, err := s.Open(t.Context(), path)
		if err != nil {
			t.Fatal(err)
		}
		w, err := s.Create(t.Context(), dir+"/other", 1)
		if err != nil {
			t.Fatal(err)
		}
		_, exists := s.Exists(gone, path)
		_, creates := s.Create(gone, path, 1)
		_, opens := s.Open(gone, path)
		r, streams := f.Stream(gone)
		for what, err := range map[string]error{
			"check": s.Check(gone, path, 1), "exists": exists, "create": creates, "open": opens, "rename": s.Rename(gone, path, dir+"/x"),
			"delete": s.Delete(gone, path), "stream": streams, "read": f.ReadRange(gone, make([]byte, 1), 0), "flush": w.Flush(gone, false),
			"sync":  syncs(gone, s, w),
			"close": w.Close(gone),
		} {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%T: %s: %v", s, what, err)
			}
		}
		if settles, can := s.(*fileStore); can {
			if err := settles.Settle(gone, path); !errors.Is(err, context.Canceled) {
				t.Errorf("settle: %v", err)
			}
		}
		if r != nil {
			t.Errorf("%T: a stream for nobody", s)
		}
		for name, want := range map[string]bool{"/file": true, "/other": false, "/x": false} {
			if there, err := s.Exists(t.Context(), dir+name); there != want || err != nil {
				t.Errorf("%T: %s is there: %v, %v", s, name, there, err)
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A range is read as far as the file goes, and no further; a stream to its end, and no further.
func TestWhereAFileEnds(t *testing.T) {
	dir := t.TempDir()
	for _, s := range []store.Store{openFiles(t), newMemory(block, 1<<20)} {
		content := strings.Repeat("a", block) + strings.Repeat("b", block) + "c"
		const size = 2*block + 1
		mustWrite(t, s, dir+"/file", content)
		f, err := s.Open(t.Context(), dir+"/file")
		if err != nil {
			t.Fatal(err)
		}
		if f.Size() != size {
			t.Errorf("%T: %d bytes", s, f.Size())
		}
		for _, c := range []struct {
			from   int64
			length int
			ok     bool
		}{
			{0, size, true}, {0, size + 1, false}, {1, size - 1, true}, {1, size, false}, {block - 1, 2, true}, {block, block + 1, true},
			{2 * block, 1, true}, {2 * block, 2, false}, {size, 0, true}, {size, 1, false}, {size + 1, 1, false}, {math.MaxInt64 - 9, 9, false},
		} {
			p := make([]byte, c.length)
			err := f.ReadRange(t.Context(), p, c.from)
			if c.ok && (err != nil || string(p) != content[c.from:int(c.from)+c.length]) || !c.ok && store.CauseOf(err) != store.Truncated {
				t.Errorf("%T: %d bytes from %d: %v", s, c.length, c.from, err)
			}
		}
		r, err := f.Stream(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var got []byte
		for p := make([]byte, block-1); err == nil; {
			var n int
			n, err = r.Read(p)
			got = append(got, p[:n]...)
		}
		if n, again := r.Read(make([]byte, 1)); err != io.EOF || n != 0 || again != io.EOF || string(got) != content {
			t.Errorf("%T: %d bytes, %v, then %d, %v", s, len(got), err, n, again)
		}
		if err := errors.Join(r.Close(), f.Close()); err != nil {
			t.Error(err)
		}
	}
	// An empty one has nothing.
	for _, s := range []store.Store{openFiles(t), newMemory(block, 1<<20)} {
		mustWrite(t, s, dir+"/empty", "")
		f, err := s.Open(t.Context(), dir+"/empty")
		if err != nil || f.Size() != 0 {
			t.Fatal(f, err)
		}
		r, err := f.Stream(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if n, err := r.Read(make([]byte, 1)); n != 0 || err != io.EOF {
			t.Errorf("%T: %d, %v", s, n, err)
		}
		_ = f.Close()
	}
}

// What is closed is read no more, and closed twice is told.
func TestWhatIsClosed(t *testing.T) {
	dir, s := t.TempDir(), openFiles(t)
	mustWrite(t, s, dir+"/file", "content")
	f, err := s.Open(t.Context(), dir+"/file")
	if err != nil {
		t.Fatal(err)
	}
	r, err := f.Stream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	n, err := r.Read(make([]byte, 1))
	if n != 0 {
		t.Errorf("%d bytes of what is closed", n)
	}
	const closed = "file already closed"
	mustFail(t, dir, err, "other", "reading DIR/file: "+closed, "")
	mustFail(t, dir, f.ReadRange(t.Context(), make([]byte, 1), 0), "other", "reading DIR/file: "+closed, "")
	mustFail(t, dir, f.Close(), "other", "closing DIR/file: "+closed, "")
}

// A writer that is over is over: whatever is said to it again, what was written stays, or what was not stays away.
func TestAWriterIsUsedOnce(t *testing.T) {
	dir := t.TempDir()
	for _, s := range []store.Store{openFiles(t), newMemory(block, 1<<20)} {
		mustWrite(t, s, dir+"/old", "old")
		for _, abort := range []bool{false, true} {
			w, err := s.Create(t.Context(), dir+"/file", 1)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Reserve(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(w.Write(t.Context(), 1), w.Flush(t.Context(), false)); err != nil {
				t.Fatal(err)
			}
			if abort {
				err = errors.Join(w.Abort(t.Context()), w.Abort(t.Context()), w.Close(t.Context()))
			} else {
				err = errors.Join(w.Close(t.Context()), w.Close(t.Context()), w.Abort(t.Context()))
			}
			if err != nil {
				t.Error(err)
			}
			if there, err := s.Exists(t.Context(), dir+"/file"); there == abort || err != nil {
				t.Errorf("%T: aborted %v, there %v, %v", s, abort, there, err)
			}
			if err := s.Delete(t.Context(), dir+"/file"); err != nil {
				t.Error(err)
			}
		}
		// One that was not written in full is none.
		w, err := s.Create(t.Context(), dir+"/file", 2)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Close(t.Context()); err == nil {
			t.Errorf("%T: a file of 2 bytes has none", s)
		}
		if there, err := s.Exists(t.Context(), dir+"/file"); there || err != nil {
			t.Errorf("%T: it is there: %v", s, err)
		}
	}
}

// What goes wrong at the end of a file is told, as long as anything of it is left.
func TestTheEndOfAWriterFails(t *testing.T) {
	dir, s := t.TempDir(), openFiles(t)
	begin := func() *fileWriter {
		w, err := s.Create(t.Context(), dir+"/file", 0)
		if err != nil {
			t.Fatal(err)
		}
		return w.(*fileWriter)
	}
	w := begin()
	if err := errors.Join(w.Flush(t.Context(), true), w.f.Close()); err != nil {
		t.Fatal(err)
	}
	const closed = "file already closed"
	if err := w.Flush(t.Context(), false); err != nil { // which does nothing
		t.Error(err)
	}
	mustFail(t, dir, w.Flush(t.Context(), true), "other", "fsync of DIR/file: "+closed, "")
	mustFail(t, dir, w.put(t.Context(), []byte("x"), 0), "other", "writing DIR/file: "+closed, "")
	mustFail(t, dir, w.Close(t.Context()), "other", "closing DIR/file: "+closed, "")
	if there, err := s.Exists(t.Context(), dir+"/file"); there || err != nil {
		t.Errorf("it is there: %v", err)
	}
	w = begin()
	if err := errors.Join(os.Remove(dir+"/file"), w.Abort(t.Context())); err != nil {
		t.Errorf("of one that is gone: %v", err)
	}
	w = begin()
	if err := errors.Join(os.Remove(dir+"/file"), os.MkdirAll(dir+"/file/x", 0o700)); err != nil {
		t.Fatal(err)
	}
	mustFail(t, dir, w.Abort(t.Context()), "other", "removing what was written of DIR/file: directory not empty", "")
	m, err := newMemory(block, block).Create(t.Context(), "/a", 0)
	if err != nil {
		t.Fatal(err)
	}
	mustFail(t, "\x00", m.Flush(t.Context(), true), store.Unsupported, "/a: memory cannot be made durable", "leave out --hflush")
	if err := m.Abort(t.Context()); err != nil {
		t.Error(err)
	}
}
