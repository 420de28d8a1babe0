package run

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/onlook"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/rundoc"
)

// LookOn opens what the forms ask for to look on at the runs of a command; nil where nobody does. note tells a person
// what goes wrong with that meanwhile. end has those who look on see the end of what is over, within a bound, and
// sooner where ctx ends.
func (f *Forms) LookOn(note func(text string)) (show *onlook.Show, end func(ctx context.Context), err error) {
	if f.UI == "" {
		return nil, func(context.Context) {}, nil
	}
	show = onlook.New()
	endPage, err := f.openPage(show, note)
	if err != nil {
		return nil, nil, err
	}
	return show, func(context.Context) { endPage() }, nil
}

// SeenBy has those who look on see the run, one of several; before it measures.
func (r *Run) SeenBy(show *onlook.Show) { r.onlookers = show }

// scene is what may be seen of a run while it goes on. What is worked out of its window is worked out once for all who
// ask, and seldom enough to be no load beside the load.
type scene struct {
	target rundoc.Target   // set before anybody can ask
	plan   json.RawMessage // likewise: what makes the load an open one; nil: it is closed

	mu    sync.Mutex
	soFar func() *record.SoFar // of the engine; nil: there is none, or not yet
	last  *onlook.Counted
	next  time.Time // from when on it is worked out anew
}

const (
	// countEvery is how often what was counted is worked out anew, and countShare how many times as long as that took it
	// is at least until then: it takes milliseconds of a processor, which the load may need.
	countEvery = 500 * time.Millisecond
	countShare = 20
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
	begun := time.Now()
	m := func() onlook.Moment {
		what, at, of := r.View.place()
		return onlook.Moment{ID: r.ID, Workload: r.job.Workload, Labels: r.job.Forms.Labels, Started: begun, What: what,
			At: at, Of: of, Count: r.count, Kind: r.job.Kind}
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
	if s.soFar == nil || s.last != nil && time.Now().Before(s.next) {
		return s.last, nil
	}
	return r.countAnew()
}

// countAnew works it out; s.mu is held.
func (r *Run) countAnew() (*onlook.Counted, error) {
	s, from := &r.scene, time.Now()
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
	s.last = &onlook.Counted{Doc: doc, InFlight: soFar.InFlight}
	to := time.Now()
	s.next = to.Add(max(countEvery, countShare*to.Sub(from)))
	return s.last, nil
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
	if last, err := r.countAnew(); err == nil && last != nil { // else the one before stands: the document will tell why
		last.Over = true
	}
	s.soFar = nil
}
