package outfile_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/plimsoll/plimsoll/internal/outfile"
)

func writing(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Of two processes that write the same file, the one that ends later keeps its own beside the other's, and says where.
func TestGuardedFilesKeepBothOfTwoWrites(t *testing.T) {
	for _, before := range []string{"", "before"} {
		path := filepath.Join(t.TempDir(), "run.json")
		if before != "" {
			if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		first, second := outfile.Files{}.Guarded(), outfile.Files{}.Guarded()
		if err := errors.Join(first.Check(path), second.Check(path), first.Write(path, writing("first")),
			first.Write(path, writing("first, again"))); err != nil {
			t.Fatal(err)
		}
		beside := filepath.Join(filepath.Dir(path), "run-2.json")
		err := second.Write(path, writing("second"))
		want := path + ": another process has modified the file; it was not overwritten, and the new file is " + beside
		if err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
		if a, b := read(t, path), read(t, beside); a != "first, again" || b != "second" {
			t.Errorf("%q and %q", a, b)
		}
		if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 2 {
			t.Errorf("%v is left", entries)
		}
		if _, err := second.Stream(path); err == nil {
			t.Error("a stream takes the place of what came in the meantime")
		}
	}
}

func TestAGuardedFileThatWasRemovedIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.html")
	files := outfile.Files{}.Guarded()
	if err := errors.Join(os.WriteFile(path, nil, 0o600), files.Check(path), os.Remove(path),
		files.Write(path, writing("new"))); err != nil || read(t, path) != "new" {
		t.Error(err)
	}
}
