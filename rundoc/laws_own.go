package rundoc

import (
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/units"
)

// The laws of this file are those of what the instrument measured of itself. Documents of the rules 1 have none
// of it.

// spanned checks the free figures of a time against the raw ones: they are of the same operations, and none of
// them took longer for what is left out.
func (j *judgement) spanned(name string, s *Summary) {
	f := s.Free
	if f == nil {
		return
	}
	name = "corrected " + name
	if f.Count != s.Count {
		j.broken("times: the %s counts %d operations, but %d including the generator delay", name, f.Count, s.Count)
		return
	}
	j.summary(name, f)
	above := func(what string, free, raw int64) {
		if float64(free) > 2+(1+bucketTolerance)*float64(raw) {
			j.broken("times: the %s: the %s of %s is larger than including the generator delay, %s", name, what,
				units.Duration(free), units.Duration(raw))
		}
	}
	above("minimum", f.MinNS, s.MinNS)
	above("mean", f.MeanNS, s.MeanNS)
	above("maximum", f.MaxNS, s.MaxNS)
	raw := s.percentiles()
	for i, p := range f.percentiles() {
		if a, b := *p.value, *raw[i].value; a != nil && b != nil {
			above(p.name, *a, *b)
		}
	}
}

// ownTimes checks the generator's own delay against the response times that it is a part of.
func (j *judgement) ownTimes() {
	g := &j.run.Generator
	if g.OwnDelay != nil {
		j.summary("generator delay", g.OwnDelay)
	}
	if g.OwnTimeNS < 0 || g.ResponseTimeNS < 0 {
		j.broken("generator delay: its sum of %s, or that of the response times of %s, is negative",
			units.Duration(g.OwnTimeNS), units.Duration(g.ResponseTimeNS))
	}
	var count, own, response float64
	for i := range j.run.Operations {
		s := &j.run.Operations[i].ResponseTime
		if s.Count > 0 && s.Free == nil {
			return
		}
		count += float64(s.Count)
		response += float64(s.MeanNS) * float64(s.Count)
		if s.Free != nil {
			own += float64(s.MeanNS-s.Free.MeanNS) * float64(s.Count)
		}
	}
	if count == 0 || g.OwnDelay == nil {
		return
	}
	if float64(g.OwnDelay.Count) != count {
		j.broken("generator delay: it counts %d operations, but the response times %.0f", g.OwnDelay.Count, count)
	}
	// Each mean is rounded to 1 ns, so each sum is known to a ns for each operation.
	j.sums("the response times", float64(g.ResponseTimeNS), response, count)
	j.sums("the generator delays", float64(g.OwnTimeNS), own, 2*count)
	j.sums("the generator delays", float64(g.OwnTimeNS), float64(g.OwnDelay.MeanNS)*count, count)
}

func (j *judgement) sums(what string, is, by, slack float64) {
	if math.Abs(is-by) > slack+1e-9*by {
		j.broken("generator delay: %s sum to %s, but %s by their means", what, units.Duration(int64(is)),
			units.Duration(int64(by)))
	}
}

// instrument checks the figures of the generator's watches by themselves. How long it was throttled has no bound: a
// control group may have others in it, on CPUs that the generator may not use.
func (j *judgement) instrument() {
	g := &j.run.Generator
	for _, ns := range []*int64{g.RunDelayNS, g.ThrottledNS} {
		if ns != nil && *ns < 0 {
			j.broken("generator: it waited for a CPU, or was throttled, for a negative time of %s", units.Duration(*ns))
		}
	}
	for _, share := range g.Processors {
		if !(share >= 0 && share <= 1.1) {
			j.broken("generator: %.4g is not a share of a CPU", share)
		}
	}
	if !(g.GCShare >= 0 && g.GCShare <= 1.001) {
		j.broken("generator: %.4g is not a share of its CPU time", g.GCShare)
	}
	if !slices.Contains([]string{"", "spin", "sleep"}, g.Pacing) {
		j.broken("generator: unknown pacing %.40q", g.Pacing)
	}
	j.stamps()
	j.starts()
	j.hiccups()
	j.inFlight()
}

// stamps checks that no more arrivals were counted than there were attempts. Those of a ramp are among the arrivals
// alone.
func (j *judgement) stamps() {
	s := j.run.Generator.Stamps
	if s == nil {
		return
	}
	if min(s.Used, s.Missing, s.Refused) < 0 {
		j.broken("generator: a count of timestamps is negative")
		return
	}
	if all := float64(s.Used) + float64(s.Missing) + float64(s.Refused); j.run.phase(PhaseRamp) == nil &&
		all > float64(j.total.Attempts) {
		j.broken("generator: %.0f arrivals with or without a timestamp, but %d attempts", all, j.total.Attempts)
	}
}

// starts checks the figures of how late operations started against the longest send delay. Those that were rejected
// have no time, but they are among the own delays.
func (j *judgement) starts() {
	g, s := &j.run.Generator, &j.total.SendDelay
	if j.totalErr != nil || s.Count == 0 {
		return
	}
	most := 2 + (1+bucketTolerance)*float64(s.MaxNS)
	own := j.run.Definition(FigureOwnStart) > 1 && s.Count == j.total.Scheduled-j.total.Unsent
	if float64(g.SendDelayP99NS) > most || own && float64(g.OwnDelayP99NS) > most {
		j.broken("generator: the p99 of the send delay is %s and of the start delay %s, but the longest send delay is %s",
			units.Duration(g.SendDelayP99NS), units.Duration(g.OwnDelayP99NS), units.Duration(s.MaxNS))
	}
}

// hiccups checks that the gaps lie in the window, one after the other, and add up. The readings are made a little
// before and after the window, like those of the processors' time, and a gap at its end may have no wake-up yet.
func (j *judgement) hiccups() {
	h := j.run.Generator.Hiccups
	if h == nil {
		return
	}
	const around = 1e9
	j.summary("lateness of the generator's wake-ups", &h.Lateness)
	if len(h.Longest) > MaxGaps {
		j.broken("hiccups: %d gaps are listed, more than %d", len(h.Longest), MaxGaps)
		return
	}
	if h.Gaps > h.Lateness.Count+2 || h.Gaps < int64(len(h.Longest)) || h.LongNS < 0 || h.LongNS > h.GapsNS ||
		(h.Gaps == 0) != (h.GapsNS == 0) || j.window > 0 && float64(h.GapsNS) > float64(j.window)+around {
		j.broken("hiccups: %d gaps of %s, %s of them long, %d wake-ups and a window of %s are inconsistent",
			h.Gaps, units.Duration(h.GapsNS), units.Duration(h.LongNS), h.Lateness.Count, units.Duration(j.window))
	}
	var sum, end, long float64 // the figures of a document may be any, and their sums more than fits
	var listed int64
	for i, g := range h.Longest {
		if at := float64(g.AtNS); g.NS <= 0 || i > 0 && at < end || at < -around ||
			j.window > 0 && at > float64(j.window)+around {
			j.broken("hiccups: the gap of %s at %s is out of order, or outside the window of %s",
				units.Duration(g.NS), units.Duration(g.AtNS), units.Duration(j.window))
			return
		}
		if sum, end = sum+float64(g.NS), float64(g.AtNS)+float64(g.NS); g.NS >= LongGapNS {
			long += float64(g.NS)
			listed++
		}
	}
	// What sums up to more than fits is more than there is, too, within what a float64 tells apart.
	const exact = 1 + 1e-12
	listsAll := h.Gaps == int64(len(h.Longest))
	if sum > exact*float64(h.GapsNS) || long > exact*float64(h.LongNS) ||
		listsAll && (exact*sum < float64(h.GapsNS) || exact*long < float64(h.LongNS)) {
		j.broken("hiccups: the longest gaps sum to %s, %s of them long, and all to %s and %s", units.Duration(int64(sum)),
			units.Duration(int64(long)), units.Duration(h.GapsNS), units.Duration(h.LongNS))
	}
	if h.Long != 0 && (h.Long < listed || listsAll && h.Long > listed || h.Long > h.Gaps ||
		float64(h.Long)*LongGapNS > exact*float64(h.LongNS)) {
		j.broken("hiccups: %d gaps of %s or more, of %d, sum to %s, and %d of them are listed", h.Long,
			units.Duration(LongGapNS), h.Gaps, units.Duration(h.LongNS), listed)
	}
}

// inFlight checks what was sampled against the slots that there were.
func (j *judgement) inFlight() {
	l := &j.run.Little
	if l.Slots < 0 || l.Dropped < 0 || !(l.Variance >= 0) {
		j.broken("Little's law: %d slots, %d samples dropped or a variance of %.4g are invalid", l.Slots, l.Dropped,
			l.Variance)
	}
	if l.Slots <= 0 {
		return
	}
	// Whatever is between 0 and the slots varies by no more than half of them, squared.
	most := float64(l.Slots)
	clients := int64(max(1, j.run.Ledger.Clients))
	if l.Slots%clients != 0 || l.InFlightSampled > 1.01*most || l.InFlightPredicted > 1.01*most ||
		l.Variance > 1.01*most*most/4*float64(l.Samples)/float64(max(1, l.Samples-1)) {
		j.broken("Little's law: %.4g in flight by samples, %.4g by throughput × time and a variance of %.4g cannot be "+
			"of %d slots of %d clients", l.InFlightSampled, l.InFlightPredicted, l.Variance, l.Slots, j.run.Ledger.Clients)
	}
}
