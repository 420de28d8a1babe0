package instrument

import (
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll/plimsoll/rundoc"
)

const (
	// maxLate bounds what the histogram tells apart, at 73 minutes; the exact maximum is kept beside it.
	maxLate = 1<<42 - 1
	// hold is how long a gap is held before it is summed up: the window's end may turn out to lie before it, when
	// whoever closes the window could not run either.
	hold = int64(10 * time.Second)
)

// span is a gap: two stamps.
type span struct{ from, to int64 }

func (s span) length() int64 { return s.to - s.from }

// hiccups gathers those of one window. The zero value is no window and gathers nothing.
type hiccups struct {
	open     bool
	start    int64
	lateness *hdrhistogram.Histogram
	exact    rundoc.Exact
	held     []span // those that are not summed up yet, in the order of time
	longest  []span // at most rundoc.MaxGaps, in the order of time
	count    int64
	sum      int64
	long     int64 // those of LongGap or more
	longSum  int64
}

func newHiccups(start int64) hiccups {
	return hiccups{open: true, start: start, lateness: hdrhistogram.New(1, maxLate+1, 3)}
}

// late notes how late the sleeper woke.
func (h *hiccups) late(ns int64) {
	if !h.open {
		return
	}
	ns = max(ns, 0)
	if h.lateness.RecordValue(min(ns, maxLate)) != nil {
		return // it takes all of 0 … maxLate
	}
	if h.lateness.TotalCount() == 1 || ns < h.exact.Min {
		h.exact.Min = ns
	}
	h.exact.Max = max(h.exact.Max, ns)
	h.exact.Sum += ns
}

// gap notes a gap, as far as it lies behind the window's start. Gaps come in the order of time.
func (h *hiccups) gap(from, to int64) {
	from = max(from, h.start)
	if !h.open || from >= to {
		return
	}
	h.held = append(h.held, span{from, to})
	settled := 0
	for h.held[settled].to < to-hold {
		h.settle(h.held[settled])
		settled++
	}
	h.held = slices.Delete(h.held, 0, settled)
}

// close ends the window at a stamp: what lies behind it is none of its.
func (h *hiccups) close(end int64) {
	for _, s := range h.held {
		if s.to = min(s.to, end); s.length() > 0 {
			h.settle(s)
		}
	}
	h.held, h.open = nil, false
}

// soFar gives the gaps of a window that may be open, those that are not summed up yet among them.
func (h *hiccups) soFar() *rundoc.Hiccups {
	all := hiccups{count: h.count, sum: h.sum, long: h.long, longSum: h.longSum, longest: slices.Clone(h.longest)}
	for _, s := range h.held {
		all.settle(s)
	}
	return all.sums()
}

func (h *hiccups) settle(s span) {
	h.count++
	h.sum += s.length()
	if s.length() >= int64(LongGap) {
		h.long++
		h.longSum += s.length()
	}
	h.longest = append(h.longest, s)
	if len(h.longest) > rundoc.MaxGaps {
		shortest := 0
		for i, other := range h.longest {
			if other.length() < h.longest[shortest].length() {
				shortest = i
			}
		}
		h.longest = slices.Delete(h.longest, shortest, shortest+1)
	}
}

// document gives the hiccups of a window that is closed, with stamps for times.
func (h *hiccups) document() *rundoc.Hiccups {
	d := h.sums()
	d.Lateness = rundoc.Summarize(h.lateness, h.exact)
	return d
}

// sums gives the gaps that are summed up, with stamps for times.
func (h *hiccups) sums() *rundoc.Hiccups {
	d := &rundoc.Hiccups{Gaps: h.count, GapsNS: h.sum, Long: h.long, LongNS: h.longSum}
	for _, s := range h.longest {
		d.Longest = append(d.Longest, rundoc.Gap{AtNS: s.from, NS: s.length()})
	}
	return d
}
