package run

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/export"
	"github.com/plimsoll/plimsoll/internal/onlook"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/rundoc"
)

// LookOn opens what the forms ask for to look on at the runs of a command; nil where nobody does. note tells a person
// what goes wrong with that meanwhile. end has those who look on see the end of what is over, within a bound, and
// sooner where its context ends.
func (f *Forms) LookOn(
	ctx context.Context, env *Env, note func(string),
) (show *onlook.Show, end func(context.Context), err error) {
	around := export.Surroundings{Note: note, Quiet: f.Quiet, LookupEnv: env.LookupEnv, Version: Tool().Version}
	show, pushed, err := f.Export.Open(ctx, around)
	if err != nil || f.UI == "" {
		return show, pushed, err
	}
	if show == nil {
		show = onlook.New()
	}
	shown, err := f.openPage(ctx, env, show, note)
	if err != nil {
		pushed(ctx)
		return nil, nil, err
	}
	return show, func(ctx context.Context) {
		shown() // first: whoever waits for the last scrape need not wait for the page's end, too
		pushed(ctx)
	}, nil
}

// SeenBy has those who look on see the run, one of several; before it measures.
func (r *Run) SeenBy(show *onlook.Show) { r.onlookers = show }

// scene is what may be seen of a run while it goes on. What is worked out of its window is worked out once for all who
// ask, and seldom enough to be no load beside the load.
type scene struct {
	target rundoc.Target   // set before anybody can ask
	plan   json.RawMessage // likewise: what makes the load an open one; nil: it is closed
	picker *record.Picker  // likewise; nil: nobody wants operations

	mu      sync.Mutex
	soFar   func() *record.SoFar // of the engine; nil: there is none, or not yet
	counted worked[*onlook.Counted]
	sums    worked[*record.Sums]
}

// worked is what is worked out for all who ask: anew so often at most, and the more seldom the longer it takes, as it
// takes milliseconds of a processor, which the load may need.
type worked[T any] struct {
	last T
	next time.Time // from when on it is worked out anew
}

const (
	countEvery = 500 * time.Millisecond
	countShare = 20 // times as long as working it out takes is the pause until then, at least
)

// openPlan is as much of a plan as a reader of what was counted needs to know: that operations were due at a rate.
func openPlan(l *plan.Load) json.RawMessage {
	if l.Rate <= 0 && len(l.Stages) == 0 {
		return nil
	}
	type load struct {
		Rate   float64      `json:"rate_per_s"`
		Stages []plan.Stage `json:"stages,omitempty"`
	}
	text, err := json.Marshal(map[string]load{"load": {l.Rate, l.Stages}})
	if err != nil {
		return nil // a rate is a number: it is finite, or the plan is refused
	}
	return text
}

// by is what was worked out last, or works it out anew; what cannot be worked out leaves what was.
func (w *worked[T]) by(work func() (T, error)) (T, error) {
	from := time.Now()
	if from.Before(w.next) {
		return w.last, nil
	}
	made, err := work()
	if err != nil {
		return w.last, err
	}
	to := time.Now()
	w.last, w.next = made, to.Add(max(countEvery, countShare*to.Sub(from)))
	return made, nil
}

// open takes what tells what the window has come to.
func (s *scene) open(soFar func() *record.SoFar) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.soFar = soFar
}

// enter has those who look on see the run, until leave is called with its document, or nil.
func (r *Run) enter() (leave func(*rundoc.Run)) {
	if r.onlookers == nil {
		return func(*rundoc.Run) {}
	}
	r.View.watched = true
	r.scene.picker = r.onlookers.NewPicker()
	begun := time.Now()
	m := func() onlook.Moment {
		what, at, of := r.View.place()
		return onlook.Moment{ID: r.ID, Workload: r.job.Workload, Labels: r.job.Forms.Labels, Started: begun, What: what,
			At: at, Of: of, Count: r.count, Sums: r.sums, Kind: r.job.Kind, Picked: r.scene.picker}
	}
	left := r.onlookers.Enter(func() onlook.Moment {
		now := m()
		now.Live = r.View.now()
		return now
	})
	return func(doc *rundoc.Run) {
		ended := m()
		ended.Ended = doc
		left(ended)
	}
}

// count is what was counted so far, as onlook.Moment has it.
func (r *Run) count() (*onlook.Counted, error) {
	s := &r.scene
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.soFar == nil {
		return s.counted.last, nil
	}
	return s.counted.by(r.countNow)
}

// sums are what was counted so far in bare numbers.
func (r *Run) sums() *record.Sums {
	s := &r.scene
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.soFar == nil {
		return s.sums.last
	}
	sums, _ := s.sums.by(s.sumsNow) // which cannot fail
	return sums
}

// sumsNow works them out; s.mu is held.
func (s *scene) sumsNow() (*record.Sums, error) {
	if soFar := s.soFar(); soFar != nil {
		return soFar.Sums(), nil
	}
	return nil, nil
}

// countNow works out what was counted so far; the scene's lock is held.
func (r *Run) countNow() (*onlook.Counted, error) {
	s := &r.scene
	soFar := s.soFar()
	if soFar == nil {
		return nil, nil
	}
	doc, err := soFar.Counted()
	if err != nil {
		return nil, err
	}
	doc.ID, doc.Workload, doc.Tool, doc.Labels, doc.Target = r.ID, r.job.Workload, Tool(), r.job.Forms.Labels, s.target
	doc.Plan = s.plan
	doc.SumUp(nil)
	return &onlook.Counted{Doc: doc, InFlight: soFar.InFlight}, nil
}

// finish works out the last of what was counted, when nothing is recorded any more: from then on the record is the
// document's. It waits for whoever is about to work it out.
func (r *Run) finish() {
	s := &r.scene
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.soFar == nil {
		return
	}
	if !s.counted.next.IsZero() { // somebody has asked
		if last, err := r.countNow(); err == nil && last != nil { // else the one before stands: the document will tell why
			last.Over = true
			s.counted.last = last
		}
	}
	s.sums.last, _ = s.sumsNow()
	s.soFar = nil
}
