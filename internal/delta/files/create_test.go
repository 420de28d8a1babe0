package files

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNamesOfFiles(t *testing.T) {
	if got := Name(42, CSV); got != "DELTA_0000000000000042.csv" {
		t.Error(got)
	}
	for _, f := range Formats() {
		if n, ok := ParseName("/some/dir/" + Name(MaxNumber, f)); n != MaxNumber || !ok {
			t.Errorf("%v: %d, %v", f, n, ok)
		}
		if got, err := ParseFormat(f.String()); got != f || err != nil {
			t.Errorf("%v: %v, %v", f, got, err)
		}
		if got := FormatOf("x." + strings.ToUpper(f.String())); got != f {
			t.Errorf("%v: %v", f, got)
		}
	}
	for _, bad := range []string{"", "DELTA_", "DELTA_1", "delta_0000000000000042", "DELTA_000000000000004x",
		"DELTA_00000000000000421", ".DELTA_0000000000000042.csv.123.partial", "DELTA_0000000000000042.csv.partial", "SNAPSHOT_0000000000000042"} {
		if n, ok := ParseName(bad); ok {
			t.Errorf("%q is %d", bad, n)
		}
	}
	if n, ok := ParseName("DELTA_0000000000000042"); n != 42 || !ok {
		t.Error("a name without an extension is none")
	}
}

func TestFilesAppearWhole(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "x")
	listed := func() string {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(entries)
	}
	create := func(content string, overwrite bool) *File {
		t.Helper()
		f, err := Create(path, overwrite)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.WriteString(content); err != nil {
			t.Fatal(err)
		}
		if _, ok := ParseName(f.Name()); ok {
			t.Errorf("%s has the name of a delta file", f.Name())
		}
		return f
	}
	one, two := create("one", false), create("two", false)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is there before its time: %v", err)
	}
	if err := one.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := two.Commit(); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the second: %v", err)
	}
	if _, err := Create(path, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a third: %v", err)
	}
	if err := create("dropped", true).Abandon(); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(path); string(got) != "one" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	path = link
	if err := create("four", true).Commit(); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "x")); string(got) != "four" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got := listed(); strings.Contains(got, temporary) {
		t.Errorf("left behind: %s", got)
	}
	if _, err := Create(dir, true); err == nil {
		t.Error("a directory became a file")
	}
	null, err := Create(os.DevNull, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(null.Commit(), null.Abandon()); err == nil {
		t.Error("it was closed twice")
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("the null device: %v, %v", info, err)
	}
}

func TestDirectories(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{Name(2, CSV), Name(1, Avro), "DELTA_0000000000000003", ".x" + temporary, "notes.csv"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Expand([]string{"-", dir, "none"})
	want := []string{"-", filepath.Join(dir, Name(1, Avro)), filepath.Join(dir, Name(2, CSV)), filepath.Join(dir, "DELTA_0000000000000003"), "none"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if _, err := Expand([]string{t.TempDir()}); err == nil || !strings.Contains(err.Error(), "no delta files") {
		t.Error(err)
	}
}
