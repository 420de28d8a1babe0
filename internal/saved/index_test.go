package saved

import (
	"bytes"
	"os"
	"runtime"
	"strings"
	"testing"
)

// TestAnIndexOfNothing takes no more memory than it has bytes, however many lines they are, and is written anew.
func TestAnIndexOfNothing(t *testing.T) {
	s := &Runs{Dir: t.TempDir()}
	write(t, s.Path(idAt(0)), aRun(idAt(0), 1))
	if entries := list(t, s); len(entries) != 1 {
		t.Fatalf("%d entries", len(entries))
	}
	line, err := os.ReadFile(s.index())
	if err != nil {
		t.Fatal(err)
	}
	const short, long = 4 << 20, mostLines + 100
	lines := bytes.Repeat([]byte("1\n"), short)
	lines = append(lines, strings.Repeat(strings.Repeat("x", leastLine)+"\n", long)...)
	if err := os.WriteFile(s.index(), append(lines, line...), 0o600); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	known, stale := s.readIndex()
	runtime.ReadMemStats(&after)
	if known[idAt(0)] == nil || len(known) != 1 || stale != short+long {
		t.Errorf("%d entries are known, and %d lines are stale", len(known), stale)
	}
	// The bytes several times while they are read, and what of each line is there; of short ones it was 1.6 GB.
	const most = 400 << 20
	if took := after.TotalAlloc - before.TotalAlloc; took > most {
		t.Errorf("%d lines in %d bytes take %d bytes", short+long, len(lines), took)
	}
	list(t, s)
	if text, err := os.ReadFile(s.index()); err != nil || strings.TrimSpace(string(text)) != strings.TrimSpace(string(line)) {
		t.Errorf("the index is not written anew: %d bytes, %v", len(text), err)
	}
}
