package deltas

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/run"
)

// How far a command is with files of rows follows from their bytes.
func TestDeltaProgress(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, make([]byte, 4000), 0o644); err != nil {
		t.Fatal(err)
	}
	if whole := bytesOf([]string{path, path}); whole != 8000 {
		t.Errorf("%v bytes", whole)
	}
	if whole := bytesOf([]string{path, stdio}); whole != 0 {
		t.Errorf("%v bytes of stdin", whole)
	}
	synctest.Test(t, func(t *testing.T) {
		p := &progress{begun: time.Now(), whole: 4000}
		time.Sleep(3 * time.Second)
		if l := p.live(); l.Done >= 0 || l.Left >= 0 {
			t.Errorf("before the first byte: %+v", l)
		}
		if n, err := io.CopyN(io.Discard, p.reads(path, strings.NewReader(strings.Repeat("x", 4000))), 1000); n != 1000 || err != nil {
			t.Fatal(n, err)
		}
		p.count(5000) // few rows are told
		p.count(8192)
		p.count(8193)
		want := run.Live{Elapsed: 3 * time.Second, What: "rows.csv", Count: "8,192 rows", Done: 0.25, Left: 9 * time.Second, About: true}
		if diff := cmp.Diff(want, p.live()); diff != "" {
			t.Error(diff)
		}
	})
}
