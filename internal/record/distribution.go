package record

import (
	"sync"

	"github.com/plimsoll/plimsoll/internal/stats"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Distribution is that of times that only one kind of traffic knows. Any number of goroutines may add.
type Distribution struct{ of *hist }

// NewDistribution makes an empty one.
func NewDistribution() *Distribution { return &Distribution{newHist(fine)} }

// Add takes a time in ns; one below 0 counts as 0.
func (t *Distribution) Add(ns int64) { t.of.add(max(ns, 0)) }

// Summary is that of the times so far; nil when there are none.
func (t *Distribution) Summary() (*rundoc.Summary, error) { return Together(t) }

// Together is the summary of the times of several distributions so far; nil when there are none.
func Together(ts ...*Distribution) (*rundoc.Summary, error) {
	hs := make([]*hist, len(ts))
	for i, t := range ts {
		hs[i] = t.of
	}
	m := merge(hs...)
	if m.n == 0 {
		return nil, nil
	}
	s, err := m.summary()
	return &s, err
}

// Ordered is a distribution of times that come in the order in which they are measured, whose summary has intervals.
// Adding takes a lock: it is for what comes once a message, and not once for each of those who receive it.
type Ordered struct {
	all   *Distribution
	mu    sync.Mutex
	order stats.Sequence
}

// NewOrdered makes an empty one.
func NewOrdered() *Ordered { return &Ordered{all: NewDistribution()} }

// Add takes the next time in ns; one below 0 counts as 0.
func (t *Ordered) Add(ns int64) {
	t.all.Add(ns)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.order.Add(ns)
}

// Summary is that of the times so far; nil when there are none.
func (t *Ordered) Summary() (*rundoc.Summary, error) {
	m := merge(t.all.of)
	if m.n == 0 {
		return nil, nil
	}
	s, err := m.summary()
	t.mu.Lock()
	defer t.mu.Unlock()
	m.intervals(&s, t.order.Above, t.order.Parts())
	return &s, err
}
