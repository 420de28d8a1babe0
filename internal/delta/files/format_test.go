package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/outfile"
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
		"DELTA_00000000000000421", ".DELTA_0000000000000042.csv.123.partial", "DELTA_0000000000000042.csv.partial",
		"SNAPSHOT_0000000000000042"} {
		if n, ok := ParseName(bad); ok {
			t.Errorf("%q is %d", bad, n)
		}
	}
	if n, ok := ParseName("DELTA_0000000000000042"); n != 42 || !ok {
		t.Error("a name without an extension is none")
	}
}

func TestDirectories(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{Name(2, CSV), Name(1, Avro), "DELTA_0000000000000003", ".x" + outfile.Temporary,
		"notes.csv"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Expand([]string{"-", dir, "none"})
	want := []string{"-", filepath.Join(dir, Name(1, Avro)), filepath.Join(dir, Name(2, CSV)),
		filepath.Join(dir, "DELTA_0000000000000003"), "none"}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if _, err := Expand([]string{t.TempDir()}); err == nil || !strings.Contains(err.Error(), "no delta files") {
		t.Error(err)
	}
}
