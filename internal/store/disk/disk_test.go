package disk

import (
	"context"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
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
		"file:a":            "file:a: the path of a file URL begins with a slash",
		"file://u:p@host/a": `file://host/a: "host" is no host that files can be on`,
		"file:/a?b":         "file:/a?…: a file URL has no query and no fragment",
		"mem://host/a":      "mem://host/a: memory is on no host",
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

// What is in the way is refused by Check and by Create, with the same words.
func TestInTheWay(t *testing.T) {
	dir := t.TempDir()
	s := openFiles(t)
	mustWrite(t, s, dir+"/file", "x")
	if err := errors.Join(os.Mkdir(dir+"/dir", 0o777), os.Symlink("file", dir+"/link"),
		os.Symlink("none", dir+"/broken")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ path, cause, message, hint string }{
		{dir + "/dir", "is-a-directory", "DIR/dir is a directory", "name a file in it"},
		{dir + "/link", "not-a-file", "DIR/link is a symbolic link, and nothing is written through one",
			"name the file that it leads to"},
		{dir + "/broken", "not-a-file", "DIR/broken is a symbolic link, and nothing is written through one",
			"name the file that it leads to"},
		{dir + "/none/x", store.NoBucket, "DIR/none/x: there is no directory DIR/none", "mkdir -p DIR/none"},
		{dir + "/file/x", store.NoBucket, "DIR/file/x: DIR/file is no directory", "name a file in a directory"},
		{dir + "/file/x/y", store.NoBucket, "DIR/file/x/y: DIR/file/x is no directory", "name a file in a directory"},
		{os.DevNull, "not-a-file", "/dev/null is no file but a device",
			"name a file; what the instrument itself can do is measured by mem:"},
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
	mustFail(t, dir, err, "is-a-directory", "DIR/dir is a directory", "name a file in it")
	mustFail(t, dir, s.Delete(t.Context(), dir+"/dir"), "is-a-directory", "DIR/dir is a directory", "name a file in it")
	if err := s.Delete(t.Context(), dir+"/file/x"); err != nil {
		t.Error(err)
	}
	_, err = s.Open(t.Context(), dir+"/file/x")
	mustFail(t, dir, err, store.NoFile, "opening DIR/file/x: not a directory", "")
	_, err = s.Open(t.Context(), os.DevNull)
	mustFail(t, dir, err, "not-a-file", "/dev/null is no file but a device",
		"name a file; what the instrument itself can do is measured by mem:")
	mustFail(t, dir, s.Rename(t.Context(), dir+"/none", dir+"/x"), store.NoFile,
		"renaming to DIR/x: DIR/none: no such file or directory", "")
	long := strings.Repeat("n", 300)
	mustFail(t, dir, s.Check(t.Context(), dir+"/"+long, 1), "name-too-long",
		"looking at DIR/"+long+": file name too long", "use a shorter name")
}

// A file that is shortened while it is read is no shorter file: it is an error.
func TestShortened(t *testing.T) {
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
	mustFail(t, dir, err, store.Truncated, "reading DIR/file: it ends after 3 bytes",
		"somebody else shortened the file, or more was asked for than it has")
	if string(got) != "con" {
		t.Errorf("%q", got)
	}
}

// A stream ends with its context.
func TestStreamCancelled(t *testing.T) {
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
		"/x: 12289 bytes do not fit: 12288 are left of half of the free memory", hint)
	mustWrite(t, s, "/a", strings.Repeat("a", 2*block))
	mustFail(t, "-", s.Check(t.Context(), "/b", 2*block), store.TooLarge,
		"/b: 8192 bytes do not fit: 4096 are left of half of the free memory", hint)
	if err := s.Check(t.Context(), "/a", 3*block); err != nil { // which replaces it
		t.Error(err)
	}
	// What Check did not see, because two were checked at the same time, Write does.
	mustFail(t, "-", write(t.Context(), s, "/b", strings.Repeat("b", 2*block)), store.TooLarge,
		"/b: 4096 bytes do not fit: 0 are left of half of the free memory", hint)

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
	mustFail(t, "-", s.Rename(t.Context(), "/none", "/x"), store.NoFile, "/none: there is no such file in memory",
		"what is in memory ends with the process that wrote it")
	if err := s.Rename(t.Context(), "/c", "/c"); err != nil {
		t.Error(err)
	}
}
