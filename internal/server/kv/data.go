package kv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/delta"
	"github.com/plimsoll/plimsoll/internal/delta/files"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/server/kv/store"
)

// Data is a place with delta files, which are loaded at the start and when they appear.
type Data interface {
	// Name is what people call it, without secrets.
	Name() string
	// List gives the names of what is there, each with what changes when the file does.
	List(ctx context.Context) ([]File, error)
	Open(ctx context.Context, name string) (io.ReadCloser, error)
	// Watch sends when something may have changed, until ctx is done, and then returns. It
	// returns an error at once if that cannot be known.
	Watch(ctx context.Context, changed chan<- struct{}) error
}

// File is a file of Data.
type File struct{ Name, Version string }

// loader loads the files of the data, in the order of their numbers, and each again when it has
// changed. What of that is there already changes nothing in the store.
type loader struct {
	s    *Server
	data []Data

	far struct{ files, of, rows atomic.Int64 } // see Loading; of the scan that goes on

	started  bool // errors of places are not returned to anybody any more
	mu       sync.Mutex
	loaded   map[string]string // version, by the data's name and the file's
	files    int64
	rows     kvRows
	bad      int64
	problems map[string]string // what is wrong now, by place
}

// kvRows counts the rows of files.
type kvRows struct{ applied, stale int64 }

func newLoader(s *Server, data []Data) *loader {
	return &loader{s: s, data: data, loaded: make(map[string]string), problems: make(map[string]string)}
}

// pending is a file that is to be loaded.
type pending struct {
	data   Data
	file   File
	number uint64
}

func (p *pending) key() string { return p.data.Name() + "\x00" + p.file.Name }

// scan loads what is new or has changed, in the order of the files' numbers. An error is one of
// the place or of the memory; what is wrong with single files is in the problems.
func (l *loader) scan(ctx context.Context) error {
	var all []pending
	var failed error
	for _, d := range l.data {
		found, err := d.List(ctx)
		l.problem(d.Name(), err, l.started)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		there := make(map[string]bool)
		for _, f := range found {
			number, ok := files.ParseName(f.Name)
			p := pending{d, f, number}
			there[p.key()] = true
			if ok && !l.has(&p) {
				all = append(all, p)
			}
		}
		l.forgetGone(d, there)
	}
	slices.SortFunc(all,
		func(a, b pending) int { return strings.Compare(filepath.Base(a.file.Name), filepath.Base(b.file.Name)) })
	l.far.files.Store(0)
	l.far.rows.Store(0)
	l.far.of.Store(int64(len(all)))
	for i := range all {
		err := l.load(ctx, &all[i])
		l.far.files.Add(1)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		l.problem(all[i].key(), err, true)
		if errors.Is(err, store.ErrFull) {
			return errors.Join(failed, err)
		}
	}
	return failed
}

func (l *loader) has(p *pending) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	version, ok := l.loaded[p.key()]
	return ok && version == p.file.Version
}

// forgetGone forgets files of a place that are not there any more, and what was wrong with them.
func (l *loader) forgetGone(d Data, there map[string]bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	gone := func(key, _ string) bool { return strings.HasPrefix(key, d.Name()+"\x00") && !there[key] }
	maps.DeleteFunc(l.loaded, gone)
	maps.DeleteFunc(l.problems, gone)
}

// problem keeps what is wrong with a place, and says it once, unless somebody else does.
func (l *loader) problem(place string, err error, say bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		delete(l.problems, place)
		return
	}
	if say && l.problems[place] != err.Error() {
		l.s.log.Warn("cannot load data", "error", err)
	}
	l.problems[place] = err.Error()
}

// load reads a file. Rows that are wrong are skipped and counted; the first is a problem of the
// file, as is what ends the reading early. Such a file is read again when it changes.
func (l *loader) load(ctx context.Context, p *pending) error {
	in, err := p.data.Open(ctx, p.file.Name)
	if err != nil {
		return err
	}
	defer in.Close()
	var first error
	bad := int64(0)
	r, err := files.NewReader(&interruptible{ctx, in}, files.Options{
		Name: strings.TrimRight(p.data.Name(), "/") + "/" + p.file.Name, Bad: func(wrong *files.RowError) {
			bad++
			if first == nil {
				first = wrong
			}
		},
	})
	var rows kvRows
	if err == nil {
		rows, err = l.apply(r, p.number)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !errors.Is(err, store.ErrFull) { // else it is read again with the next scan, and would count each time
		l.loaded[p.key()] = p.file.Version
		l.files++
		l.rows.applied += rows.applied
		l.rows.stale += rows.stale
		l.bad += bad
	}
	if err == nil && first != nil {
		err = fmt.Errorf("skipped %d rows; the first: %w", bad, first)
	}
	return err
}

// apply applies the rows of a file, one by one: each is valid only until the next is read.
func (l *loader) apply(r *files.Reader, number uint64) (rows kvRows, err error) {
	one := make([]delta.Row, 1)
	for n := uint32(0); ; n++ {
		if err := r.Next(&one[0]); err != nil {
			if err == io.EOF {
				err = nil
			}
			return rows, err
		}
		if err := store.Check(one); err != nil {
			return rows, r.Wrong(err)
		}
		a, err := l.s.store.Apply(store.Batch{Sequence: number, First: n}, one)
		if err != nil {
			return rows, err
		}
		rows.applied += a.Applied
		rows.stale += a.Stale
		l.far.rows.Add(1)
	}
}

// interruptible ends a reading when ctx does.
type interruptible struct {
	ctx context.Context // stored context: a Reader has none
	in  io.Reader
}

func (r *interruptible) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.in.Read(b)
}

// first loads what is there at the start, where a place that cannot be read is an error.
func (l *loader) first(ctx context.Context) error {
	err := l.scan(ctx)
	l.started = true
	if errors.Is(err, store.ErrFull) {
		return fault.New(fault.RunFailed, "the data does not fit in memory: %w", err).
			Hint("raise --memory: %d MiB are enough for %d of %d files", l.s.cfg.Memory>>20,
				max(0, l.far.files.Load()-1), l.far.of.Load())
	}
	if err != nil && ctx.Err() == nil {
		return fault.New(fault.RunFailed, "cannot read the data: %w", err).
			Hint("use --data with the location of delta files")
	}
	return err
}

// watch loads what appears, when the places say so and every now and then.
func (l *loader) watch(ctx context.Context) {
	changed := make(chan struct{}, 1)
	var watchers sync.WaitGroup
	defer watchers.Wait()
	for _, d := range l.data {
		watchers.Go(func() {
			if err := d.Watch(ctx, changed); err != nil && ctx.Err() == nil {
				l.s.log.Info("cannot watch the data for changes; scanning it periodically instead", "data", d.Name(), "error", err)
			}
		})
	}
	tick := time.NewTicker(l.s.cfg.DataScan)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-changed:
		case <-tick.C:
		}
		_ = l.scan(ctx) // what failed is among the problems, and is tried again
	}
}

// loadedData is what /health says of the files.
type loadedData struct {
	Files    int64 `json:"files"` // loaded; one that has changed counts again
	Applied  int64 `json:"rows_applied"`
	Stale    int64 `json:"rows_stale"`
	Bad      int64 `json:"rows_bad"` // skipped
	problems []string
}

func (l *loader) state() *loadedData {
	if len(l.data) == 0 {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	d := &loadedData{Files: l.files, Applied: l.rows.applied, Stale: l.rows.stale, Bad: l.bad}
	for _, p := range l.problems {
		d.problems = append(d.problems, p)
	}
	slices.Sort(d.problems)
	return d
}
