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
func TestSlowListingIsReported(t *testing.T) {
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
func TestListToleratesRunsRemovedMeanwhile(t *testing.T) {
	s := &Runs{Dir: t.TempDir()}
	if e := s.entry(idAt(0), noKind); e.ID != idAt(0) || e.Error != "being removed" {
		t.Errorf("%+v", e)
	}
	set := aSet(t, s, 10, 1, 1)
	path := filepath.Join(MemberDir(s.SetDir(set.ID), idAt(11)), RunFile)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Load("last/1"); err == nil || !errors.Is(err, os.ErrNotExist) ||
		!strings.HasPrefix(err.Error(), "the run last/1 has no document: ") {
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
