package record

import "github.com/plimsoll/plimsoll/rundoc"

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
