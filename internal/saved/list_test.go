package saved

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/rundoc"
)

// Each of so many things is done once, by no more at once than that, whatever a stretch has.
func TestParallel(t *testing.T) {
	const processors = 3
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
	for n := range 10 {
		for stretch := 1; stretch < 5; stretch++ {
			for most := 1; most < 4; most++ {
				var lock sync.Mutex
				done, now, widest := make([]int, n), 0, 0
				parallel(n, stretch, most, func(i int) {
					lock.Lock()
					now++
					widest = max(widest, now)
					lock.Unlock()
					runtime.Gosched()
					lock.Lock()
					defer lock.Unlock()
					now--
					done[i]++
				})
				for i := range done {
					if done[i] != 1 || widest > most {
						t.Errorf("%d things by %d in stretches of %d: the one at %d %d times, by %d", n, most, stretch, i, done[i],
							widest)
					}
				}
			}
		}
	}
	if after := runtime.GOMAXPROCS(0); after != processors {
		t.Errorf("%d processors are used, and not %d", after, processors)
	}
}

// Whoever waits is told of many documents that have to be read, and of a few not.
func TestWhenReadingIsTold(t *testing.T) {
	all := &Filter{Kind: KindRun}
	for _, c := range []struct {
		documents int
		of        Choice
		want      int
	}{
		{63, Choice{}, 0}, {64, Choice{}, 64}, {65, Choice{}, 65}, {64, Choice{Limit: 1}, 0}, {64, Choice{Limit: 2}, 0},
		{64, Choice{Limit: 2, Filter: all}, 64}, {63, Choice{Limit: 2, Filter: all}, 0}, {64, Choice{Filter: all}, 64},
	} {
		s := &Runs{Dir: t.TempDir()}
		for i := range c.documents {
			write(t, s.Path(idAt(i)), "torn")
		}
		told := 0
		c.of.Reading = func(n int) { told = n }
		if _, _, err := s.List(noKind, c.of); err != nil || told != c.want {
			t.Errorf("of %d, %+v: %d were told, %v", c.documents, c.of, told, err)
		}
		c.of.Reading = nil // which nobody has to give
		if _, _, err := s.List(noKind, c.of); err != nil {
			t.Error(err)
		}
	}
}

// The index is written anew where a thousand lines and more say nothing.
func TestWhenTheIndexIsWrittenAnew(t *testing.T) {
	s := &Runs{Dir: t.TempDir()}
	if path := filepath.Join(s.Dir, ".index-2.jsonl"); s.index() != path { // where other builds look for it
		t.Errorf("%s, want %s", s.index(), path)
	}
	write(t, s.Path(idAt(0)), aRun(idAt(0), 1))
	list(t, s)
	line, err := os.ReadFile(s.index())
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(s.index()); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	for n, anew := range map[int]bool{999: false, 1000: false, 1001: true} {
		for _, stale := range []string{"x\n", strings.Repeat("x", 60) + "\n"} {
			text := strings.Repeat(stale, n) + string(line)
			write(t, s.index(), text)
			list(t, s)
			after, err := os.ReadFile(s.index())
			if err != nil || (string(after) != text) != anew {
				t.Errorf("%d lines %.1q…: %d bytes of %d are left, %v", n, stale, len(after), len(text), err)
			}
		}
	}
}

// A command that was killed may have left something in a set that is not complete, and has not changed for a day.
func TestLeftovers(t *testing.T) {
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	l := &listing{bare: []string{"bare"}}
	for id, age := range map[string]time.Duration{"day": leftover, "older": leftover + 1, "fresh": 0} {
		for suffix, open := range map[string]bool{"": false, "-open": true} {
			l.entries = append(l.entries, Entry{ID: id + suffix, Open: open, Changed: now.Add(-age).UnixNano()})
		}
	}
	if diff := cmp.Diff([]string{"bare", "older-open"}, l.leftovers(now)); diff != "" {
		t.Error(diff)
	}
}

// What goes while it is looked for is not called broken, and a document that is gone not either.
func TestWhatIsGoneMeanwhile(t *testing.T) {
	s := &Runs{Dir: t.TempDir()}
	if e := s.entry(idAt(0), noKind); e.ID != idAt(0) || e.Error != "it is being removed" {
		t.Errorf("%+v", e)
	}
	set := aSet(t, s, 10, 1, 1)
	path := filepath.Join(MemberDir(s.SetDir(set.ID), idAt(11)), RunFile)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load("last/1"); err == nil || !errors.Is(err, os.ErrNotExist) ||
		!strings.HasPrefix(err.Error(), "the run last/1 holds no document: ") {
		t.Error(err)
	}
	write(t, path, "torn") // and one that is broken is not removed alone
	if _, err := s.Load("last/1"); err == nil || !strings.HasPrefix(err.Error(), "cannot read the run: ") ||
		strings.Contains(err.Error(), "removes it") {
		t.Error(err)
	}
	// The run of another version says which, and so does what is neither run nor set.
	other := filepath.Join(t.TempDir(), "other.json")
	write(t, other, `{"schema": "something else"}`)
	if _, err := s.Load(other); !errors.Is(err, rundoc.ErrSchema) {
		t.Error(err)
	}
}

// A document that is there is served as it is.
func TestADocumentIsOpened(t *testing.T) {
	path := filepath.Join(t.TempDir(), RunFile)
	write(t, path, "{}")
	f, err := OpenDocument(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.Size() != 2 {
		t.Errorf("%v, %v", info, err)
	}
}
