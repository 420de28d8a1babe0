package onlook

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// Moment is how one run goes now.
type Moment struct {
	ID, Workload string
	Labels       []string  // what the user calls the run
	Started      time.Time // when its life began
	What         string    // its place among several, for a person: "run 7 of 18: clients 32"; "" of a single one
	At, Of       int       // that in numbers, from 0 on; Of is 0 where nobody knows how many there will be
	// Live is the phase and how far it is, as the progress line has it; empty once the run is over.
	Live report.Live
	// Count works out what was counted so far, or gives what it has just worked out: so often may any number of
	// onlookers ask. nil and no error: nothing yet, as the window has not begun, or nothing that this kind can tell
	// before the end, such as of another program.
	Count func() (*Counted, error)
	// Sums is what was counted so far in bare numbers, for those who count on by themselves, likewise; it is worked out
	// in a tenth of the time. nil: nothing yet, or nothing that can be told.
	Sums func() *record.Sums
	// Picked takes out operations of the window that were picked; nil where the show picks none. It is for one watcher.
	Picked *record.Picker
	// Ended is the document of a run that is over, judged; nil of one that goes on, or that came to nothing.
	Ended *rundoc.Run
	// Kind is how the run is shown.
	Kind report.Kind
}

// Counted is what was counted of a run's window so far. All who look on share it: it is not to be changed.
type Counted struct {
	// Doc is what record.SoFar.Counted says, with who the run is, its target and its totals. Of its plan it has whether
	// the load is open, and at what rates.
	Doc      *rundoc.Run
	InFlight int64 // operations that have begun and not ended
	Over     bool  // nothing comes any more
}

// Watcher is told how the runs of a show go, on one goroutine of its own. What it is told while it is busy with
// something else it is not told. When the context ends it leaves off what it is busy with, at once.
type Watcher interface {
	// See is told about once a second, and when a run begins, how those go that go on now.
	See(ctx context.Context, now []Moment)
	// Over is told of each run that is over, behind all that it was told of it before; of many of them at once while it
	// was busy, the last ones.
	Over(ctx context.Context, run Moment)
}

// Show has the runs of a command that go on. A nil Show is one that nobody looks at.
type Show struct {
	// Picker makes what picks operations of a run for a watcher; nil: nobody wants any. It is set before a run enters.
	Picker func() *record.Picker

	every time.Duration

	mu     sync.Mutex
	scenes []*scene // that go on, in the order in which they began
	last   *Moment  // the run that was over last
	seats  []*seat
	set    *setdoc.Set // what several runs came to
}

// scene is a run that goes on.
type scene struct{ now func() Moment }

const (
	// tellEvery is how often those who look on are told.
	tellEvery = time.Second
	// maxEnds is of how many ended runs a watcher can still be told that was busy meanwhile.
	maxEnds = 64
)

// New makes a show without runs.
func New() *Show { return &Show{every: tellEvery} }

// NewPicker makes one for a run; nil where nobody wants it.
func (s *Show) NewPicker() *record.Picker {
	if s == nil || s.Picker == nil {
		return nil
	}
	return s.Picker()
}

// Enter adds a run, of which now tells at any moment how it goes, until leave is called with how it ended.
func (s *Show) Enter(now func() Moment) (leave func(ended Moment)) {
	if s == nil {
		return func(Moment) {}
	}
	of := &scene{now}
	s.mu.Lock()
	s.scenes = append(s.scenes, of)
	s.mu.Unlock()
	s.each(func(seat *seat) { seat.begun() })
	return func(ended Moment) {
		s.mu.Lock()
		s.scenes = slices.DeleteFunc(s.scenes, func(one *scene) bool { return one == of })
		s.last = &ended
		s.mu.Unlock()
		s.each(func(seat *seat) { seat.ended(ended) })
	}
}

func (s *Show) each(do func(*seat)) {
	s.mu.Lock()
	seats := slices.Clone(s.seats)
	s.mu.Unlock()
	for _, seat := range seats {
		do(seat)
	}
}

// Now is how the runs go that go on, in the order in which they began; where none does, how the last one ended.
func (s *Show) Now() []Moment {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	scenes, last := slices.Clone(s.scenes), s.last
	s.mu.Unlock()
	if len(scenes) == 0 && last != nil {
		return []Moment{*last}
	}
	moments := make([]Moment, len(scenes))
	for i, of := range scenes {
		moments[i] = of.now()
	}
	return moments
}

// Conclude takes the set that the runs were of, when the last of them is over. It is not to be changed any more.
func (s *Show) Conclude(set *setdoc.Set) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.set = set
}

// Set is what several runs came to; nil: they go on, or are no set.
func (s *Show) Set() *setdoc.Set {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.set
}

// Join has a watcher told from now on, until leave is called: that waits until the watcher was told of what had ended,
// until its context ends at most, when it cuts the watcher off, and reports whether it has. It is called once.
func (s *Show) Join(w Watcher) (leave func(patience context.Context) bool) {
	of := newSeat(s, w)
	s.mu.Lock()
	s.seats = append(s.seats, of)
	s.mu.Unlock()
	ctx, cut := context.WithCancel(context.Background())
	// goroutine: leave waits for its end.
	go of.run(ctx, s.every)
	return func(patience context.Context) bool {
		s.mu.Lock()
		s.seats = slices.DeleteFunc(s.seats, func(one *seat) bool { return one == of })
		s.mu.Unlock()
		defer cut()
		return of.leave(patience, cut)
	}
}
