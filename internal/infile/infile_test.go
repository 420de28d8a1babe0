package infile_test

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/infile"
)

func content(t *testing.T, f *infile.Files, name string) (string, error) {
	t.Helper()
	in, err := f.Open(name)
	if err != nil {
		return "", err
	}
	defer func() { _ = in.Close() }()
	data, err := io.ReadAll(in)
	return string(data), err
}

// TestPipesAreReadOnce: whoever opens a pipe again finds what it gave.
func TestPipesAreReadOnce(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = r.Close() }()
	_, _ = w.WriteString("text")
	_ = w.Close()
	name := fmt.Sprint("/dev/fd/", r.Fd())
	if _, err := os.Stat(name); err != nil {
		t.Skip(err)
	}
	var f infile.Files
	for range 3 {
		if got, err := content(t, &f, name); err != nil || got != "text" {
			t.Errorf("%q, %v", got, err)
		}
	}
}

// TestWhatIsNotReadIsRefused: a directory, a device without end, what is too large, and what is not there.
func TestWhatIsNotReadIsRefused(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large")
	if err := os.WriteFile(large, make([]byte, 3<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	var f infile.Files
	for name, want := range map[string]string{dir: "is a directory", "/dev/zero": "is a pipe or device with more than 64 MiB",
		filepath.Join(dir, "none"): "no such file"} {
		if _, err := os.Stat(name); err != nil && strings.HasPrefix(name, "/dev") {
			continue
		}
		if _, err := content(t, &f, name); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for most, well := range map[int64]bool{3 << 10: true, 2 << 10: false} {
		data, err := infile.Read(large, most)
		if well && (err != nil || len(data) != 3<<10) || !well && (err == nil || err.Error() != large+" is larger than 2 KiB" || fault.HintOf(err) == "") {
			t.Errorf("%d: %d bytes, %v", most, len(data), err)
		}
	}
	if _, err := infile.Read(dir, 10); err == nil || !strings.Contains(err.Error(), "is a directory") {
		t.Errorf("%v", err)
	}
	if _, err := infile.KeyPair("/dev/null", filepath.Join(dir, "none")); err == nil || !strings.Contains(err.Error(), "cannot read the key: open") {
		t.Errorf("%v", err)
	}
}
