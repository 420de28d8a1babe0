package bandwidth

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/store/flow"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// flowOf is the course of the document; nil without one.
func flowOf(c *flow.Course, window time.Time) *rundoc.Flow {
	if c == nil {
		return nil
	}
	f := &rundoc.Flow{
		Counted: countedAs(c.How), Encrypted: c.Encrypted, BinNS: int64(c.Width),
		FromNS: int64(c.Origin.Sub(window)), LongestLookNS: int64(c.LongestLook),
	}
	for _, b := range c.Bins {
		f.Sent, f.Received = append(f.Sent, b.Sent), append(f.Received, b.Received)
	}
	f.Sent, f.Received = withoutEnd(f.Sent), withoutEnd(f.Received)
	return f
}

func countedAs(how flow.How) string {
	switch how {
	case flow.Kernel:
		return rundoc.CountedKernel
	case flow.Queue:
		return rundoc.CountedQueue
	case flow.HandedOver:
		return rundoc.CountedHandedOver
	}
	return rundoc.CountedCalls
}

// withoutEnd leaves out the bins after the last that has anything.
func withoutEnd(bins []int64) []int64 {
	for len(bins) > 0 && bins[len(bins)-1] == 0 {
		bins = bins[:len(bins)-1]
	}
	return bins
}

// standstill finds when nothing went a transfer's way while it was on. The stretches begin at origin, the transfer's
// times at window; nil when there is none.
func standstill(list []flow.Stretch, origin, window time.Time, on []Iteration) *rundoc.Standstill {
	var s rundoc.Standstill
	shift := origin.Sub(window)
	for _, stretch := range list {
		for _, i := range on {
			from, to := max(stretch.From+shift, i.From), min(stretch.To+shift, i.From+i.Duration)
			length := int64(to - from)
			if length < int64(leastStandstill) {
				continue
			}
			s.AllNS += length
			if length > s.DurationNS {
				s.FromNS, s.DurationNS = int64(from), length
			}
		}
	}
	if s.DurationNS == 0 {
		return nil
	}
	return &s
}

// leastStandstill is the shortest that is told.
const leastStandstill = 500 * time.Millisecond

// mostSlow is how many slow requests a document lists.
const mostSlow = 10

// slowRequests are those that took much longer than others of their name. shift is from the requests' start to the
// window's.
func slowRequests(figures []store.Figures, shift time.Duration) (list []rundoc.SlowRequest) {
	for _, f := range figures {
		median, count := f.Median()
		if count < rundoc.SlowLeast {
			continue
		}
		for _, s := range f.Longest {
			if s.Took < rundoc.SlowTimes*median || s.Took < median+rundoc.SlowNS {
				break
			}
			list = append(list, rundoc.SlowRequest{
				Name: f.Name, Of: s.Of, FromNS: int64(s.From + shift), DurationNS: int64(s.Took),
				MedianNS: int64(median), Failed: s.Failed,
			})
		}
	}
	slices.SortStableFunc(list, func(a, b rundoc.SlowRequest) int { return cmp.Compare(b.DurationNS, a.DurationNS) })
	return list[:min(len(list), mostSlow)]
}

// still is how long a transfer stood still, by what was counted.
type still struct {
	share   float64 // of its time
	longest rundoc.Standstill
	request *rundoc.SlowRequest // that went on meanwhile; nil when none was slow
}

// stillOf takes what was counted of a transfer. Where it never stood still for long, it is nothing: what is short is
// the way in which requests follow each other.
func stillOf(d *rundoc.BandwidthDetail, t *rundoc.Transfer, s *rundoc.Standstill) still {
	if s == nil || s.DurationNS < rundoc.MinStandstillNS || t.DurationNS <= 0 {
		return still{}
	}
	return still{share: float64(s.AllNS) / float64(t.DurationNS), longest: *s, request: d.SlowIn(s)}
}

// standstills adds the time in which not one byte moved. What of it the requests waited for answers, for connections,
// or for each other is named already as that; the rest is a body that stood still on its way, and the time that it
// took is none in which the network carried what it could: it is taken off there.
func (l *limits) standstills() {
	share := l.still.share
	for _, o := range l.list {
		if o.What != "network" {
			share -= o.Share
		}
	}
	if share < leastLimit {
		return
	}
	s := &l.still.longest
	what := ""
	if r := l.still.request; r != nil {
		what = fmt.Sprintf(" (%s took %s, %.0f times the median)", named(r), units.Duration(r.DurationNS), r.Times())
	}
	for i := range l.list {
		if l.list[i].What == "network" {
			left := max(0, l.list[i].Share-share)
			l.list = append(l.list[:i], l.list[i+1:]...)
			l.add("network", left, "sending or receiving took %s of the time, stalls excluded: the network, or the store's "+
				"data transfer, is the bottleneck")
			break
		}
	}
	how := "no data moved in %s of the time although requests were in flight"
	if rest := l.still.share - share; rest >= leastLimit {
		how = fmt.Sprintf("no data moved in %.0f%%%% of the time: in %%s while requests were in flight, otherwise during "+
			"the other waits listed here", 100*min(1, l.still.share))
	}
	l.add("standstill", share, how+"; the longest stall was "+
		units.Duration(s.DurationNS)+" at "+units.Duration(s.FromNS)+escape(what)+
		": check for packet loss and for pauses of the store")
}

// named is a slow request in words.
func named(r *rundoc.SlowRequest) string {
	if r.Of == "" {
		return r.Name
	}
	return r.Name + ", " + r.Of + ","
}

// escape keeps text as it is in a format.
func escape(text string) string { return strings.ReplaceAll(text, "%", "%%") }

// windowStart is when the window of a run began; the run's own start where the document does not say.
func windowStart(doc *rundoc.Run) time.Time {
	for _, p := range doc.Phases {
		if p.Name == rundoc.PhaseWindow {
			return p.Started
		}
	}
	return doc.Started
}
