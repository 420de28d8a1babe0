package outfile_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/plimsoll/plimsoll/internal/outfile"
	"github.com/plimsoll/plimsoll/internal/outfile/outfiletest"
)

// failures are the ways in which a call fails.
func failures() map[string]outfiletest.Fault {
	writing := func(call string) bool { return call == "write" }
	making := func(call string) bool { return call == "write" || call == "open" || call == "mkdir" || call == "link" }
	return map[string]outfiletest.Fault{
		"input/output error":          {Err: syscall.EIO},
		"no space left on device":     {Err: syscall.ENOSPC, After: true, Can: making},
		"disk quota exceeded":         {Err: syscall.EDQUOT, Short: true, Can: writing},
		"read-only file system":       {Err: syscall.EROFS, After: true},
		"input/output error for good": {Err: syscall.EIO, After: true},
		"short write":                 {Short: true, Can: writing},
	}
}

// eachFault does something that writes files, with each of its calls failing in each way. check is told what failed.
func eachFault(t *testing.T, do func(on outfile.Files, dir string) error, check func(t *testing.T, at *outfiletest.Faulty, dir string, err error)) {
	t.Helper()
	plain := &outfiletest.Faulty{}
	if err := do(outfile.On(plain), t.TempDir()); err != nil || len(plain.Calls()) < 4 {
		t.Fatalf("without a fault: %v, %q", err, plain.Calls())
	}
	for name, how := range failures() {
		for n := 1; n <= len(plain.Calls()); n++ {
			t.Run(fmt.Sprintf("%s at %d, %s", name, n, strings.Fields(plain.Calls()[n-1])[0]), func(t *testing.T) {
				at := &outfiletest.Faulty{Fault: how, At: n}
				dir := t.TempDir()
				err := do(outfile.On(at), dir)
				if at.Hit() == "" {
					if err != nil {
						t.Errorf("nothing failed, and it says %v", err)
					}
					return
				}
				check(t, at, dir, err)
			})
		}
	}
}

// told holds an error of a file against what is there: it names the file and the reason in one line, and what was begun
// and is left.
func told(t *testing.T, at *outfiletest.Faulty, dir, path string, err error) {
	t.Helper()
	want := io.ErrShortWrite
	if at.Err != nil {
		want = at.Err
	}
	if err == nil || !errors.Is(err, want) || !strings.Contains(err.Error(), path) || strings.Contains(err.Error(), "\n") {
		t.Errorf("%s failed, and it says %v", at.Hit(), err)
	}
	for _, left := range outfiletest.Leftovers(t, dir) {
		if err == nil || !strings.Contains(err.Error(), left) {
			t.Errorf("%s is left, and it says %v", left, err)
		}
	}
}

// TestWritesAreWholeOrNot: whatever fails, the old file is whole, or the new one; never a half, never silence.
func TestWritesAreWholeOrNot(t *testing.T) {
	fresh := strings.Repeat("new ", 50_000) // several writes
	for _, old := range []string{"", "old"} {
		t.Run(old, func(t *testing.T) {
			eachFault(t, func(on outfile.Files, dir string) error {
				path := filepath.Join(dir, "x")
				if old != "" {
					if err := os.WriteFile(path, []byte(old), 0o640); err != nil {
						t.Fatal(err)
					}
				}
				return on.Write(path, func(w io.Writer) error {
					for part := range slices.Chunk([]byte(fresh), 1000) {
						if _, err := w.Write(part); err != nil {
							return err
						}
					}
					return nil
				})
			}, func(t *testing.T, at *outfiletest.Faulty, dir string, err error) {
				path := filepath.Join(dir, "x")
				told(t, at, dir, path, err)
				got, no := os.ReadFile(path)
				switch {
				case string(got) == old && (no == nil) == (old != ""):
				case string(got) == fresh && strings.HasPrefix(at.Hit(), "syncdir"):
				default:
					t.Errorf("%s failed, and %d bytes are there, %v", at.Hit(), len(got), no)
				}
			})
		})
	}
}

// TestWhatCannotBeFilledIsNotThere, and what was there is.
func TestWhatCannotBeFilledIsNotThere(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	half := func(w io.Writer) error {
		_, _ = io.WriteString(w, strings.Repeat("half", 50_000))
		return errors.New("nothing to draw")
	}
	for _, old := range []string{"", "old"} {
		if err := (outfile.Files{}).Write(path, half); err == nil || err.Error() != path+": nothing to draw" {
			t.Errorf("%v", err)
		}
		if got, _ := os.ReadFile(path); string(got) != old || len(outfiletest.Leftovers(t, dir)) > 0 {
			t.Errorf("%.20q, and %q", got, outfiletest.Leftovers(t, dir))
		}
		if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// TestDirectoriesAreMadeForGood: with those that they are in, each of which the disk has.
func TestDirectoriesAreMadeForGood(t *testing.T) {
	eachFault(t, func(on outfile.Files, dir string) error { return on.MkdirAll(filepath.Join(dir, "a", "b")) },
		func(t *testing.T, at *outfiletest.Faulty, dir string, err error) {
			told(t, at, dir, filepath.Join(dir, "a", "b"), err)
		})
	plain, dir := &outfiletest.Faulty{}, t.TempDir()
	if err := outfile.On(plain).MkdirAll(filepath.Join(dir, "a", "b")); err != nil {
		t.Fatal(err)
	}
	want := []string{"mkdir a", "syncdir " + filepath.Base(dir), "mkdir b", "syncdir a"}
	if got := plain.Calls(); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if err := outfile.On(plain).MkdirAll(filepath.Join(dir, "a", "b") + "/"); err != nil || len(plain.Calls()) != len(want) {
		t.Errorf("one that is there: %v, %q", err, plain.Calls())
	}
}

// TestACheckLeavesNothing, whether the file is there or not, and tells what a write would.
func TestACheckLeavesNothing(t *testing.T) {
	for _, old := range []string{"", "old"} {
		eachFault(t, func(on outfile.Files, dir string) error {
			if old != "" {
				if err := os.WriteFile(filepath.Join(dir, "x"), []byte(old), 0o640); err != nil {
					t.Fatal(err)
				}
			} else if err := on.MkdirAll(filepath.Join(dir, "y")); err != nil { // more calls
				return err
			}
			return on.Check(filepath.Join(dir, "x"))
		}, func(t *testing.T, at *outfiletest.Faulty, dir string, err error) {
			if err == nil {
				t.Errorf("%s failed, and it says nothing", at.Hit())
			}
			if got, _ := os.ReadFile(filepath.Join(dir, "x")); string(got) != old {
				t.Errorf("%s failed, and %q is there", at.Hit(), got)
			}
		})
	}
}

// TestCommitSyncsBeforeRenaming before it has its name, and the name before it is said to be there.
func TestCommitSyncsBeforeRenaming(t *testing.T) {
	dir := t.TempDir()
	for _, overwrite := range []bool{true, false} {
		at := &outfiletest.Faulty{}
		f, err := outfile.On(at).Create(filepath.Join(dir, fmt.Sprint(overwrite)), overwrite)
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Commit(); err != nil {
			t.Fatal(err)
		}
		var calls []string
		for _, call := range at.Calls() {
			calls = append(calls, strings.Fields(call)[0])
		}
		want := []string{"open", "sync", "close", "rename", "syncdir"}
		if !overwrite {
			want = []string{"open", "sync", "close", "link", "remove", "syncdir"}
		}
		if !slices.Equal(calls, want) {
			t.Errorf("overwrite %v: %q, want %q", overwrite, calls, want)
		}
	}
}

// Whichever file operation fails, a file that must not replace another is whole or absent, the error names it, and every
// file left behind is named.
func TestNewFilesAreWholeOrAbsent(t *testing.T) {
	eachFault(t, func(on outfile.Files, dir string) error {
		f, err := on.Create(filepath.Join(dir, "x"), false)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(f, "whole"); err != nil {
			return errors.Join(err, f.Abandon())
		}
		return f.Commit()
	}, func(t *testing.T, at *outfiletest.Faulty, dir string, err error) {
		path := filepath.Join(dir, "x")
		got, no := os.ReadFile(path)
		switch {
		case err == nil && string(got) == "whole" && strings.HasPrefix(at.Hit(), "link"): // it was renamed
			return
		case no != nil || string(got) == "whole":
		default:
			t.Errorf("%s failed, and %q is there", at.Hit(), got)
		}
		if err != nil { // the second line names what could not be removed
			err = errors.New(strings.ReplaceAll(err.Error(), "\n", "; "))
		}
		if err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("%s failed, and it says %v", at.Hit(), err)
		}
		for _, left := range outfiletest.Leftovers(t, dir) {
			if err == nil || !strings.Contains(err.Error(), left) {
				t.Errorf("%s is left, and it says %v", left, err)
			}
		}
	})
}
