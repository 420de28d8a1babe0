package script

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/infile"
)

// A file of up to 1 MiB is read, a longer one sent from the disk.
func TestTakeFile(t *testing.T) {
	for size, disk := range map[int64]bool{0: false, Small: false, Small + 1: true} {
		name := filepath.Join(t.TempDir(), "body")
		if err := os.WriteFile(name, make([]byte, size), 0o600); err != nil {
			t.Fatal(err)
		}
		var r Request
		if err := r.TakeFile(name, new(infile.Files).Open); err != nil || !r.HasBody {
			t.Fatal(err)
		}
		if disk && (r.File == nil || r.File.Size != size || r.Body != "") || !disk && (r.File != nil || int64(len(r.Body)) != size) {
			t.Errorf("%d bytes: %+v, %d in memory", size, r.File, len(r.Body))
		}
	}
	var r Request
	if err := r.TakeFile("none", new(infile.Files).Open); err == nil || !strings.Contains(err.Error(), "none") {
		t.Error(err)
	}
}

// What is no file on a disk may have no end: it is not read whole before it is refused.
func TestTakeEndlessFileIsRefused(t *testing.T) {
	const endless = "/dev/zero"
	if _, err := os.Stat(endless); err != nil {
		t.Skip(err)
	}
	var r Request
	err := r.TakeFile(endless, new(infile.Files).Open)
	if err == nil || !strings.Contains(err.Error(), "is a pipe or device with more than 64 MiB") {
		t.Error(err)
	}
}
