package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// faulty is a file of which calls fail.
type faulty struct {
	*os.File
	err   error
	at    int  // the call that fails, from 1 on
	after bool // and all after it
	half  bool // a write that fails writes half of what it was given
	calls []string
	hit   string
}

func (f *faulty) fails(call string) error {
	f.calls = append(f.calls, call)
	if n := len(f.calls); n != f.at && !(f.after && f.at > 0 && n > f.at) {
		return nil
	}
	if f.hit == "" {
		f.hit = call
	}
	return &fs.PathError{Op: call, Path: f.Name(), Err: f.err}
}

func (f *faulty) Write(p []byte) (int, error) {
	if err := f.fails("write"); err != nil {
		n := 0
		if f.half {
			n, _ = f.File.Write(p[:len(p)/2])
		}
		return n, err
	}
	return f.File.Write(p)
}

func (f *faulty) WriteAt(p []byte, at int64) (int, error) {
	if err := f.fails("mark"); err != nil {
		return 0, err
	}
	return f.File.WriteAt(p, at)
}

func (f *faulty) Truncate(size int64) error {
	if err := f.fails("truncate"); err != nil {
		return err
	}
	return f.File.Truncate(size)
}

// Sync does not wait for the disk.
func (f *faulty) Sync() error { return f.fails("sync") }

// Close closes the file in any case, as the kernel does.
func (f *faulty) Close() error { return errors.Join(f.fails("close"), f.File.Close()) }

// write writes a manifest to a file, and gives what it said.
func (f *faulty) write(t *testing.T, path string) (said []error, err error) {
	synctest.Test(t, func(*testing.T) {
		var w *Writer
		w, err = create(path, Head{ID: "id"}, func(err error) { said = append(said, err) }, func(file *os.File) disk {
			f.File = file
			return f
		})
		if err != nil {
			return
		}
		w.Sent(0, 1)
		w.Acknowledged(0, 0)
		time.Sleep(syncEach*flushEach + flushEach/2)
		synctest.Wait()
		w.Sent(0, 2)
		time.Sleep(syncEach * flushEach)
		synctest.Wait()
		err = w.Close()
	})
	return said, err
}

// TestFailedWritesMarkTheManifestCut: with each call of the file failing in each way. A manifest that lacks a line
// would have a batch that was sent be taken for one that was not.
func TestFailedWritesMarkTheManifestCut(t *testing.T) {
	plain := &faulty{}
	path := filepath.Join(t.TempDir(), "run", "manifest")
	lines := func() []string {
		var all told
		if _, err := Read(path, &all); err != nil {
			return nil
		}
		return all.lines
	}
	said, err := plain.write(t, path)
	all := []string{"s 0 1", "a 0 0", "s 0 2"}
	if err != nil || len(said) > 0 || !slices.Equal(lines(), all) || !slices.Contains(plain.calls, "sync") {
		t.Fatalf("without a fault: %v, %v, %q, %q", err, said, lines(), plain.calls)
	}
	const begun = 3 // truncated, its head, and what is sent first
	if at := slices.Index(plain.calls, "sync"); at != begun+syncEach || len(plain.calls) < 2*syncEach {
		t.Errorf("the disk is waited for in call %d of %q", at, plain.calls)
	}
	for name, how := range map[string]faulty{
		"full disk":       {err: syscall.ENOSPC, half: true},
		"quota for good":  {err: syscall.EDQUOT, half: true, after: true},
		"read-only":       {err: syscall.EROFS, after: true},
		"an error, once":  {err: syscall.EIO},
		"errors for good": {err: syscall.EIO, after: true},
	} {
		for n := 1; n <= len(plain.calls); n++ {
			f := how
			f.at = n
			said, err := f.write(t, path)
			at := fmt.Sprintf("%s at %d, %s", name, n, f.hit)
			if f.hit == "" {
				t.Fatalf("%s: nothing failed", at)
			}
			if f.hit == "close" { // all that was written is there for whoever reads it now
				if !errors.Is(err, f.err) || len(said) > 0 || !slices.Equal(lines(), all) {
					t.Errorf("%s: %v, %v, %q", at, err, said, lines())
				}
				continue
			}
			if lines() != nil {
				t.Errorf("%s: it is taken for one with %q", at, lines())
			}
			if begun := len(f.calls) > 3; !begun {
				if _, there := os.Stat(path); !errors.Is(err, f.err) || !errors.Is(there, fs.ErrNotExist) {
					t.Errorf("%s: %v, and the file: %v", at, err, there)
				}
			} else if len(said) != 1 || !errors.Is(said[0], f.err) || strings.Contains(said[0].Error(), "\n") {
				t.Errorf("%s: it said %v", at, said)
			}
		}
	}
}
