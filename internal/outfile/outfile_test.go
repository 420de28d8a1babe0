package outfile_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/outfile"
)

func TestFilesAppearWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	one, two := begin(t, path, "one", false), begin(t, path, "two", false)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is there before its time: %v", err)
	}
	if err := one.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := two.Commit(); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the second: %v", err)
	}
	if _, err := outfile.Create(path, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a third: %v", err)
	}
	if err := begin(t, path, "dropped", true).Abandon(); err != nil {
		t.Error(err)
	}
	want(t, path, "one")
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := begin(t, path, "secret", true).Commit(); err != nil {
		t.Fatal(err)
	}
	want(t, path, "secret")
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it now: %v, %v", info.Mode(), err)
	}
	if names := entries(t, dir); names != "[x]" {
		t.Errorf("left behind: %s", names)
	}
}

// TestSpoiledFilesHaveAnotherName: one that no other file has, which somebody may still want.
func TestSpoiledFilesHaveAnotherName(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	longest := strings.Repeat("n", 255) // which cannot be renamed to a longer one
	for _, name := range []string{"a.csv", "there.csv", "b.csv", "b.csv.partial", "b.csv.partial.2", "c.csv", "c.csv.partial", longest} {
		if err := os.WriteFile(name, []byte("half of "+name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("there.csv", "link.csv"); err != nil {
		t.Fatal(err)
	}
	for path, to := range map[string]string{
		"a.csv": "a.csv.partial", "link.csv": "there.csv.partial", "b.csv": "b.csv.partial.3", "none.csv": "none.csv", "dir/": "dir/",
		"c.csv": "c.csv.partial.2", longest: longest,
	} {
		if got := outfile.Spoil(path); got != to {
			t.Errorf("%s is %s now, want %s", path, got, to)
		}
	}
	for _, name := range []string{"b.csv.partial", "b.csv.partial.2"} {
		want(t, name, "half of "+name)
	}
	want(t, "b.csv.partial.3", "half of b.csv")
	for path, there := range map[string]bool{
		"a.csv": false, "a.csv.partial": true, "there.csv": false, "there.csv.partial": true, "none.csv.partial": false,
	} {
		if _, err := os.Stat(path); (err == nil) != there {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// What a link leads to is written, also when it is not there yet, and the link stays one.
func TestLinksAreFollowed(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	for _, d := range []string{"a", "b/c"} {
		if err := os.MkdirAll(at(d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{
		"there": "a/x", "absolute": at("a/y"), "dangling": "a/z", "twice": "dangling", "c": "b/c", "a/up": "../b/up",
		"loop": "loop",
	} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(at("a/x"), []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	for path, lands := range map[string]string{
		"there": "a/x", "absolute": "a/y", "dangling": "a/z", "twice": "a/z", "c/../k": "b/k", "a/up": "b/up",
	} {
		// Not by Join, which would take c/.. away.
		if err := begin(t, dir+"/"+path, path, true).Commit(); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		want(t, at(lands), path)
		if info, err := os.Lstat(at(path)); path != "c/../k" && (err != nil || info.Mode()&fs.ModeSymlink == 0) {
			t.Errorf("%s is no link any more: %v", path, err)
		}
	}
	for path, want := range map[string]string{"loop": "too many levels", "a": "is a directory", "a/": "is a directory",
		"c/.": "is a directory", "none/x": "no such file"} {
		if _, err := outfile.Create(dir+"/"+path, true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

func begin(t *testing.T, path, content string, overwrite bool) *outfile.File {
	t.Helper()
	f, err := outfile.Create(path, overwrite)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(f.Name(), outfile.Temporary) || f.Special() {
		t.Errorf("it is written to %s, special %v", f.Name(), f.Special())
	}
	if _, err := io.WriteString(f, content); err != nil {
		t.Fatal(err)
	}
	return f
}

func want(t *testing.T, path, content string) {
	t.Helper()
	if got, err := os.ReadFile(path); string(got) != content || err != nil {
		t.Errorf("%s has %q, want %q: %v", path, got, content, err)
	}
}

func entries(t *testing.T, dir string) string {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return fmt.Sprint(names)
}
