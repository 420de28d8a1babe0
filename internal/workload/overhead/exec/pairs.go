package exec

// An operation whose calls follow those of another one is a pair. What is between two of them is what the
// client does with the one answer, and for the next request. A pair has a figure when it is a habit of the
// program, and not the one moment in which it went on to something else.
const (
	leastPairs = 2
	pairShare  = 0.1 // of the calls of the operation
	mostPairs  = 24  // more are no table
)

// pair is that of an answer and the request after it.
func (m *measuring) pair(before, e *Exchange) *Operation {
	k := [2]key{keyOf(before), keyOf(e)}
	p := m.pairs[k]
	if p == nil {
		p = &Operation{Service: e.Service, Operation: e.Operation, After: before.Operation, first: e.Received}
		if before.Service != e.Service {
			p.After = serviceName(before.Service) + " " + before.Operation
		}
		m.pairs[k] = p
		m.Pairs = append(m.Pairs, p)
	}
	p.Calls++
	p.last = e.Received
	return p
}

// keepPairs leaves the pairs that have a figure, without their warm-up.
func (r *Result) keepPairs(o Options) {
	calls := map[key]int64{}
	for _, op := range r.Operations {
		calls[key{op.Service, op.Operation}] = op.Calls
	}
	var kept []*Operation
	for _, p := range r.Pairs {
		n := p.Calls
		if n < leastPairs || float64(n) < pairShare*float64(calls[key{p.Service, p.Operation}]) ||
			len(kept) == mostPairs {
			r.Mixed += n
			continue
		}
		p.New, p.Kept = p.warmed(p.New, o), p.warmed(p.Kept, o)
		kept = append(kept, p)
	}
	r.Pairs = kept
}

// warmed is what of the times follows the warm-up.
func (op *Operation) warmed(gaps []Gap, o Options) []Gap {
	for len(gaps) > 0 && op.warms(gaps[0].received, o) {
		op.Warm++
		gaps = gaps[1:]
	}
	return gaps
}
