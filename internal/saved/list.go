package saved

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Choice says which of the saved runs a list is to have.
type Choice struct {
	Filter *Filter // nil: all
	Limit  int     // the newest so many; 0: all
	// Reading is told how many documents may have to be read, where that are many; it may be nil.
	Reading func(documents int)
	// Now is the time by which leftovers of killed runs are old, and removed; the zero time: none is.
	Now time.Time
}

// List is the list of the runs and sets chosen, newest first, and how many it looked at: from the index, and of what
// that does not know from the documents, which are then put into it. No more documents are read than the list needs.
// A document that cannot be read has an entry with an error.
func (s *Runs) List(kinds Kinds, c Choice) (entries []Entry, looked int, err error) {
	folders, others, err := s.look()
	if err != nil {
		return nil, 0, err
	}
	l := s.compare(folders)
	l.kinds = kinds
	if !c.Now.IsZero() {
		s.cleanAll(append(others, l.leftovers(c.Now)...), c.Now)
	}
	if c.Reading != nil && len(l.unknown) >= manyAtOnce && (c.Limit == 0 || c.Filter != nil) {
		c.Reading(len(l.unknown))
	}
	for l.next < len(l.entries) && (c.Limit == 0 || len(entries) < c.Limit) {
		to := len(l.entries)
		if c.Limit > 0 {
			to = min(to, l.next+c.Limit-len(entries))
		}
		part := l.read(to)
		looked += len(part)
		if c.Filter != nil {
			part = c.Filter.Pick(part)
		}
		entries = append(entries, part...)
	}
	if l.stale > mostStale {
		s.writeIndex(l.entries)
	}
	return entries, looked, nil
}

// listing is a list that is being made.
type listing struct {
	*Runs
	kinds   Kinds
	entries []Entry // newest first; of one that has to be read only the id
	unknown []int   // those, in this order
	next    int     // the first that nobody has asked for
	bare    []string
	stale   int // lines of the index that say nothing
}

// compare looks which folders have a document, and whether the index knows it.
func (s *Runs) compare(folders []string) *listing {
	known, stale := s.readIndex()
	l := &listing{Runs: s, stale: stale + len(known), entries: make([]Entry, 0, len(folders))}
	type state struct {
		known *Entry
		there bool
	}
	states := make([]state, len(folders))
	parallel(len(folders), manyAtOnce, len(folders), func(i int) {
		id, file := folders[i], RunFile
		e := known[id]
		if e != nil {
			file = e.File
		}
		info, err := os.Stat(filepath.Join(s.Dir, id, file))
		if err == nil && e != nil && e.is(info) {
			states[i] = state{e, true}
			return
		}
		states[i].there = err == nil || s.document(id) != ""
	})
	for i, at := range states {
		switch {
		case !at.there:
			l.bare = append(l.bare, folders[i])
		case at.known == nil:
			l.unknown = append(l.unknown, len(l.entries))
			l.entries = append(l.entries, Entry{ID: folders[i]})
		default:
			l.stale--
			l.entries = append(l.entries, *at.known)
		}
	}
	return l
}

// leftovers are the folders in which a killed command may have left something.
func (l *listing) leftovers(now time.Time) []string {
	folders := l.bare
	for i := range l.entries {
		if e := &l.entries[i]; e.Open && now.Sub(time.Unix(0, e.Changed)) > leftover {
			folders = append(folders, e.ID)
		}
	}
	return folders
}

const (
	// manyAtOnce is how many documents are read before what they say is put into the index, so that a list which is
	// interrupted loses no more.
	manyAtOnce = 64
	// mostReaders bounds the documents that are in memory, each of which may have megabytes.
	mostReaders = 4
)

// read is the list from the next entry on to before another. What has to be read for it is read.
func (l *listing) read(to int) []Entry {
	from := l.next
	below, _ := slices.BinarySearch(l.unknown, to)
	for part := range slices.Chunk(l.unknown[:below], manyAtOnce) {
		made := make([]Entry, len(part))
		parallel(len(part), 1, mostReaders, func(i int) { made[i] = l.entry(l.entries[part[i]].ID, l.kinds) })
		for i := range made {
			l.entries[part[i]] = made[i]
		}
		l.put(made...)
	}
	l.unknown, l.next = l.unknown[below:], to
	return l.entries[from:to]
}

// parallel does something for each of so many things, a stretch of them after the other, on so many processors at most.
func parallel(n, stretch, most int, do func(i int)) {
	var next atomic.Int64
	var all sync.WaitGroup
	for range min((n+stretch-1)/stretch, most, runtime.GOMAXPROCS(0)) {
		all.Go(func() {
			for from := 0; from < n; {
				from = int(next.Add(int64(stretch))) - stretch
				for i := from; i < min(from+stretch, n); i++ {
					do(i)
				}
			}
		})
	}
	all.Wait()
}

// entry is the entry of a run or a set, from its document.
func (s *Runs) entry(id string, kinds Kinds) Entry {
	failed := func(err error) Entry {
		if errors.Is(err, fs.ErrNotExist) {
			return Entry{ID: id, Error: "being removed"}
		}
		return Entry{ID: id, Error: err.Error()}
	}
	path := s.document(id)
	info, err := os.Stat(path)
	if err != nil {
		return failed(err)
	}
	// The state is that of before the reading: what changes meanwhile is read again.
	found, err := read(path)
	if err != nil {
		return failed(err)
	}
	return found.Describe(kinds).of(id, info)
}
