package disk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/leaktest"
	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/store/storetest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

const block = 4096

func config(t *testing.T, address string) store.Config {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return store.Config{URL: u, Block: block, Requests: &store.Requests{}}
}

func openFiles(t *testing.T) *fileStore {
	t.Helper()
	s, err := OpenFile(t.Context(), config(t, "file:/tmp"))
	if err != nil {
		t.Fatal(err)
	}
	return s.(*fileStore)
}

func TestConformance(t *testing.T) {
	t.Run("file", func(t *testing.T) {
		dir := t.TempDir()
		storetest.Run(t, openFiles(t), filepath.ToSlash(dir), block)
		left, err := os.ReadDir(dir)
		if err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
	})
	t.Run("mem", func(t *testing.T) {
		s := newMemory(block, 1<<20)
		storetest.Run(t, s, "/some", block)
		if used := s.taken - int64(len(s.free))*block; len(s.files) > 0 || used != 0 {
			t.Errorf("%d files and %d bytes are left", len(s.files), used)
		}
	})
}

func TestURLs(t *testing.T) {
	for address, want := range map[string]string{
		"file:/a": "", "file:///a": "", "file://localhost/a": "", "mem:": "", "mem:/a": "",
		"file:a":            "file:a: the path of a file URL must begin with a slash",
		"file://u:p@host/a": `file://host/a: "host" is not this machine`,
		"mem://host/a":      "mem://host/a: a mem: URL has no host",
	} {
		open := OpenFile
		if strings.HasPrefix(address, "mem") {
			open = OpenMemory
		}
		_, err := open(t.Context(), config(t, address))
		if got := text(err); got != want {
			t.Errorf("%s: %q, want %q", address, got, want)
		}
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// mustFail checks an error, with DIR for the directory of the test.
func mustFail(t *testing.T, dir string, err error, cause, message, hint string) {
	t.Helper()
	var known *store.Error
	if !errors.As(err, &known) {
		t.Fatalf("%v is no store.Error", err)
	}
	in := func(s string) string { return strings.ReplaceAll(s, dir, "DIR") }
	if diff := cmp.Diff([]string{cause, message, hint},
		[]string{known.Cause, in(known.Error()), in(known.Hint)}); diff != "" {
		t.Error(diff)
	}
}

func write(ctx context.Context, s store.Store, path, content string) error {
	w, err := s.Create(ctx, path, int64(len(content)))
	if err != nil {
		return err
	}
	for len(content) > 0 {
		n := min(len(content), block)
		pieces, err := w.Reserve(ctx, n)
		if err != nil {
			return errors.Join(err, w.Abort(ctx))
		}
		copy(pieces[0], content)
		if err := w.Write(ctx, n); err != nil {
			return errors.Join(err, w.Abort(ctx))
		}
		content = content[n:]
	}
	return w.Close(ctx)
}

func mustWrite(t *testing.T, s store.Store, path, content string) {
	t.Helper()
	if err := write(t.Context(), s, path, content); err != nil {
		t.Fatal(err)
	}
}

// Check and Create refuse with the same error what they cannot replace.
func TestRefusesPathsThatAreNotFiles(t *testing.T) {
	dir := t.TempDir()
	s := openFiles(t)
	mustWrite(t, s, dir+"/file", "x")
	if err := errors.Join(os.Mkdir(dir+"/dir", 0o777), os.Symlink("file", dir+"/link"),
		os.Symlink("none", dir+"/broken")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, cause, message, hint string }{
		{dir + "/dir", "is-a-directory", "DIR/dir is a directory", "add a file name to the path"},
		{dir + "/link", "not-a-file", "DIR/link is a symbolic link, which is never written to",
			"use the path that it points to"},
		{dir + "/broken", "not-a-file", "DIR/broken is a symbolic link, which is never written to",
			"use the path that it points to"},
		{dir + "/none/x", store.NoBucket, "DIR/none/x: directory DIR/none does not exist", "mkdir -p DIR/none"},
		{dir + "/file/x", store.NoBucket, "DIR/file/x: DIR/file is not a directory", "use a file in an existing directory"},
		{dir + "/file/x/y", store.NoBucket, "DIR/file/x/y: DIR/file/x is not a directory", "use a file in an existing directory"},
		{os.DevNull, "not-a-file", "/dev/null is not a regular file but a device",
			"use a regular file; mem: measures the limit of Plimsoll itself"},
	} {
		mustFail(t, dir, s.Check(t.Context(), c.path, 1), c.cause, c.message, c.hint)
		_, err := s.Create(t.Context(), c.path, 1)
		mustFail(t, dir, err, c.cause, c.message, c.hint)
	}
	for path, want := range map[string]bool{"/file": true, "/link": true, "/broken": true, "/none/x": false,
		"/file/x": false} {
		if got, err := s.Exists(t.Context(), dir+path); got != want || err != nil {
			t.Errorf("exists %s: %t, %v", path, got, err)
		}
	}
	_, err := s.Exists(t.Context(), dir+"/dir")
	mustFail(t, dir, err, "is-a-directory", "DIR/dir is a directory", "add a file name to the path")
	mustFail(t, dir, s.Delete(t.Context(), dir+"/dir"), "is-a-directory", "DIR/dir is a directory", "add a file name to the path")
	if err := s.Delete(t.Context(), dir+"/file/x"); err != nil {
		t.Error(err)
	}
	_, err = s.Open(t.Context(), dir+"/file/x")
	mustFail(t, dir, err, store.NoFile, "opening DIR/file/x: not a directory", "")
	_, err = s.Open(t.Context(), os.DevNull)
	mustFail(t, dir, err, "not-a-file", "/dev/null is not a regular file but a device",
		"use a regular file; mem: measures the limit of Plimsoll itself")
	mustFail(t, dir, s.Rename(t.Context(), dir+"/none", dir+"/x"), store.NoFile,
		"renaming to DIR/x: DIR/none: no such file or directory", "")
	long := strings.Repeat("n", 300)
	mustFail(t, dir, s.Check(t.Context(), dir+"/"+long, 1), "name-too-long",
		"checking DIR/"+long+": file name too long", "use a shorter name")
}

// A file that is truncated while it is read is an error.
func TestTruncatedFileFails(t *testing.T) {
	dir := t.TempDir()
	s := openFiles(t)
	mustWrite(t, s, dir+"/file", "content")
	f, err := s.Open(t.Context(), dir+"/file")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := f.Stream(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(dir+"/file", 3); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(r)
	mustFail(t, dir, err, store.Truncated, "reading DIR/file: the file ends after 3 bytes",
		"another process shortened the file, or it is smaller than the size requested")
	if string(got) != "con" {
		t.Errorf("%q", got)
	}
}

// A stream ends with its context.
func TestStreamEndsWithContext(t *testing.T) {
	dir := t.TempDir()
	for _, s := range []store.Store{openFiles(t), newMemory(block, 1<<20)} {
		mustWrite(t, s, dir+"/file", "content")
		f, err := s.Open(t.Context(), dir+"/file")
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		r, err := f.Stream(ctx)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		if _, err := r.Read(make([]byte, 1)); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		if err := errors.Join(r.Close(), f.Close()); err != nil {
			t.Error(err)
		}
	}
}

func TestMemoryLimit(t *testing.T) {
	s := newMemory(block, 3*block)
	if err := s.Check(t.Context(), "/x", 3*block); err != nil {
		t.Error(err)
	}
	const hint = "use a smaller size, or fewer streams"
	mustFail(t, "-", s.Check(t.Context(), "/x", 3*block+1), store.TooLarge,
		"/x: 12289 bytes do not fit: 12288 bytes are left of half of the free memory", hint)
	mustWrite(t, s, "/a", strings.Repeat("a", 2*block))
	mustFail(t, "-", s.Check(t.Context(), "/b", 2*block), store.TooLarge,
		"/b: 8192 bytes do not fit: 4096 bytes are left of half of the free memory", hint)
	if err := s.Check(t.Context(), "/a", 3*block); err != nil { // which replaces it
		t.Error(err)
	}
	// What Check did not see, because two were checked at the same time, Write does.
	mustFail(t, "-", write(t.Context(), s, "/b", strings.Repeat("b", 2*block)), store.TooLarge,
		"/b: 4096 bytes do not fit: 0 bytes are left of half of the free memory", hint)

	// Memory of a deleted file is used again, but not before its reader is done.
	f, err := s.Open(t.Context(), "/a")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Delete(t.Context(), "/a"); err != nil {
		t.Fatal(err)
	}
	if err := write(t.Context(), s, "/c", strings.Repeat("c", 2*block)); store.CauseOf(err) != store.TooLarge {
		t.Errorf("the memory of an open file was used again: %v", err)
	}
	got := make([]byte, 2*block)
	if err := errors.Join(f.ReadRange(t.Context(), got, 0), f.Close(), f.Close()); err != nil ||
		string(got) != strings.Repeat("a", 2*block) {
		t.Errorf("the deleted file reads %q, %v", got[:10], err)
	}
	mustWrite(t, s, "/c", strings.Repeat("c", 3*block))
	if s.taken > s.limit {
		t.Errorf("%d bytes were taken of %d", s.taken, s.limit)
	}
	mustFail(t, "-", s.Rename(t.Context(), "/none", "/x"), store.NoFile, "/none: no such file in memory",
		"files in memory exist only while the process that wrote them runs")
	if err := s.Rename(t.Context(), "/c", "/c"); err != nil {
		t.Error(err)
	}
}

// Each system error has a cause, a hint if there is something to do, and names the path once.
func TestExplainSystemErrors(t *testing.T) {
	own := store.Fail("own", "as it is").WithHint("nothing")
	for _, c := range []struct {
		err         error
		cause, hint string
	}{
		{syscall.ENOSPC, "disk-full", "use a smaller size, or a directory on a larger file system"},
		{syscall.EDQUOT, "disk-full", "your disk quota is used up; use a smaller size, or another file system"},
		{syscall.EFBIG, "too-large", "the file system or 'ulimit -f' limits the file size; use a smaller size"},
		{syscall.EROFS, "access-denied", "the file system is read-only; use a directory on another one"},
		{syscall.EACCES, "access-denied", "use a directory and a file that this user can read and write"},
		{syscall.EPERM, "access-denied", "use a directory and a file that this user can read and write"},
		{syscall.EXDEV, "unsupported", "a rename cannot cross file systems; use paths on the same one"},
		{syscall.ENAMETOOLONG, "name-too-long", "use a shorter name"},
		{syscall.EISDIR, "is-a-directory", "add a file name to the path"},
		{syscall.ENOENT, "no-such-file", ""},
		{syscall.EIO, "input-output", "the disk reported an error; see the kernel log"},
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

// Special files are named in the error.
func TestCheckRefusesSpecialFiles(t *testing.T) {
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
	mustFail(t, dir, openFiles(t).Check(t.Context(), dir+"/s", 1), "not-a-file", "DIR/s is not a regular file but a socket",
		"use a regular file; mem: measures the limit of Plimsoll itself")
}

// The notes name what affects the measurement.
func TestDescribeNotes(t *testing.T) {
	const memory, other, outside, inside, kept = "which is in memory", "a file system served by another machine or process", "is not measured",
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
		if len(got) != len(c.want)+1 || !strings.Contains(got[0], "Without --hflush") {
			t.Errorf("%+v: %q", c.of, got)
			continue
		}
		for i, want := range c.want {
			if !strings.Contains(got[i+1], want) {
				t.Errorf("%+v: %q, want %q", c.of, got[i+1], want)
			}
		}
	}
	for s, want := range map[store.Store]string{openFiles(t): "os, none beyond the file system's own", newMemory(block, block): "memory, none"} {
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

// With a cancelled context, no method changes anything.
func TestCancelledContextChangesNothing(t *testing.T) {
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

// Ranges and streams end exactly at the end of the file.
func TestReadsEndAtEndOfFile(t *testing.T) {
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

// Reading a closed file and closing it again fail.
func TestReadAfterCloseFails(t *testing.T) {
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

// After Close or Abort, further calls change nothing.
func TestWriterEndsOnce(t *testing.T) {
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

// Failures of Flush, Close and Abort are reported.
func TestWriterReportsEndFailures(t *testing.T) {
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
	mustFail(t, dir, w.Abort(t.Context()), "other", "removing the partial file DIR/file: directory not empty", "")
	m, err := newMemory(block, block).Create(t.Context(), "/a", 0)
	if err != nil {
		t.Fatal(err)
	}
	mustFail(t, "\x00", m.Flush(t.Context(), true), store.Unsupported, "/a: memory cannot be flushed to disk", "remove --hflush")
	if err := m.Abort(t.Context()); err != nil {
		t.Error(err)
	}
}
