package saved

import (
	"bytes"
	"encoding/json"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
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

// An entry has 64 KiB in the index with the end of its line, at most; a longer line is not written, and not read.
func TestLongLines(t *testing.T) {
	s := &Runs{Dir: t.TempDir()}
	entry := func(id string, length int) Entry {
		e := Entry{ID: id, Kind: KindRun, Started: time.Unix(1e9, 0), File: RunFile, Labels: []string{""}}
		line, err := json.Marshal(&e)
		if err != nil {
			t.Fatal(err)
		}
		e.Labels[0] = strings.Repeat("x", length-len(line)-1)
		return e
	}
	s.put(entry("a", 65535), entry("b", 65536), entry("c", 65537), entry("d", 300))
	known, stale := s.readIndex()
	if known["a"] == nil || known["b"] == nil || known["d"] == nil || len(known) != 3 || stale != 0 {
		t.Errorf("%d are known, %d lines are stale", len(known), stale)
	}
	long := entry("e", 65537)
	line, err := json.Marshal(&long)
	if err != nil {
		t.Fatal(err)
	}
	write(t, s.index(), string(line)+"\n")
	if known, stale := s.readIndex(); len(known) != 0 || stale != 1 {
		t.Errorf("%d are known, %d lines are stale", len(known), stale)
	}
}

// What cannot be read is in no index: the next list tries it again.
func TestWhatIsNotIndexed(t *testing.T) {
	s := &Runs{Dir: t.TempDir()}
	s.put(Entry{ID: "a", Error: "broken"})
	if text := s.indexText(); text != nil {
		t.Errorf("%q", text)
	}
}

// An entry counts that says of which document it is, and of what kind and when that began.
func TestWhatCountsAsAnEntry(t *testing.T) {
	const began = `"started":"2026-11-21T10:00:00Z"`
	for line, want := range map[string]bool{
		`{"id":"a","kind":"run",` + began + `,"file":"run.json"}`:    true,
		`{"id":"a","kind":"sweep",` + began + `,"file":"set.json"}`:  true,
		`{"kind":"run",` + began + `,"file":"run.json"}`:             false,
		`{"id":"a",` + began + `,"file":"run.json"}`:                 false,
		`{"id":"a","kind":"run","file":"run.json"}`:                  false,
		`{"id":"a","kind":"run",` + began + `,"file":"../run.json"}`: false,
		`{"id":"a","kind":"run",` + began + `}`:                      false,
		`{"id":"a","kind":7,` + began + `,"file":"run.json"}`:        false,
	} {
		if e, ok := decodeEntry([]byte(line)); ok != want || want && e.ID != "a" {
			t.Errorf("%s: %+v, %v", line, e, ok)
		}
	}
}
