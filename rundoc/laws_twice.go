package rundoc

import (
	"fmt"
	"math"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll/plimsoll/internal/units"
)

// The laws of this file tie together what a document says more than once: whoever changes a figure has to
// change the others with it. They hold for the documents of every version, on the fields that are there.

// bucketTolerance is how far an exact figure may be from the one of a histogram with three significant digits.
const bucketTolerance = 0.002

// byHistogram checks the exact figures of a summary against its histogram.
func (j *judgement) byHistogram(name string, s *Summary, h *sample) {
	near := func(exact int64, by float64) bool {
		return math.Abs(float64(exact)-by) <= 2+bucketTolerance*math.Abs(by)
	}
	lowest, highest := float64(h.lowest()), float64(h.highest())
	if s.MinNS > 0 && !near(s.MinNS, lowest) {
		j.broken("times: the %s: the minimum is %s, but %s by its histogram", name, units.Duration(s.MinNS),
			units.Duration(int64(lowest)))
	}
	// What is above the highest value that a histogram can have is recorded as that.
	if clamped := near(h.most, highest); clamped {
		return
	}
	if !near(s.MaxNS, highest) {
		j.broken("times: the %s: the maximum is %s, but %s by its histogram", name, units.Duration(s.MaxNS),
			units.Duration(int64(highest)))
	}
	if !near(s.MeanNS, h.mean()) {
		j.broken("times: the %s: the mean is %s, but %s by its histogram", name, units.Duration(s.MeanNS),
			units.Duration(int64(h.mean())))
	}
	if !near(s.StddevNS, h.deviation()) {
		j.broken("times: the %s: the standard deviation is %s, but %s by its histogram", name, units.Duration(s.StddevNS),
			units.Duration(int64(h.deviation())))
	}
}

// twice checks what the parts of a document say of the same things.
//
//   - No operation has a higher rate than all those that it counts, those of the ramp too, would make:
//     a document without its series says so as well.
//   - The window phase has the length of the window, and its rate is that of the operations.
//   - The phases are not longer than the run, but for a second and what the wall clock stepped by.
//   - Each connection that was opened has a time.
//   - The difference of Little's law is that of its two figures.
//   - The generator used no more than all processors.
func (j *judgement) twice() {
	r := j.run
	j.rates()
	if p := r.phase(PhaseWindow); p != nil {
		if r.Ledger.WindowNS > 0 && p.DurationNS != r.Ledger.WindowNS {
			j.broken("phases: the window is %s long, but %s by the time breakdown",
				units.Duration(p.DurationNS), units.Duration(r.Ledger.WindowNS))
		}
		if p.RatePerS != 0 && !near(p.RatePerS, j.total.RatePerS, 1e-6) {
			j.broken("phases: the window has %.7g/s, but the operations have %.7g/s", p.RatePerS, j.total.RatePerS)
		}
	}
	j.phases()
	if c := &r.Connections; c.ConnectTime.Count > 0 && c.ConnectTime.Count != c.Opened {
		j.broken("connections: %d were opened, and %d have a time", c.Opened, c.ConnectTime.Count)
	}
	l := &r.Little
	if l.Difference != 0 && l.InFlightPredicted > 0 &&
		math.Abs(l.Difference-(l.InFlightSampled/l.InFlightPredicted-1)) > 1e-6*(1+math.Abs(l.Difference)) {
		j.broken("Little's law: %.6g and %.6g in flight do not differ by %.4g", l.InFlightSampled, l.InFlightPredicted,
			l.Difference)
	}
	j.used()
}

// rates leaves a millionth, and one operation, of room, as series does. The bytes of what the ramp began
// are not known.
func (j *judgement) rates() {
	if j.window == 0 {
		return
	}
	for i := range j.run.Operations {
		o := &j.run.Operations[i]
		ended, sent := float64(o.OK)+float64(o.Carried), float64(o.Bytes)
		if !(o.RatePerS*seconds(j.window) <= 1+1.000001*ended) || !(o.RatePerS >= 0 && o.BytesPerS >= 0) ||
			o.Carried == 0 && o.BytesPerS*seconds(j.window) > 1+1.000001*sent {
			j.broken("rates: %s has %.7g/s and %.7g B/s in a window of %s, but %.0f operations that ended ok, and %.0f bytes",
				o, o.RatePerS, o.BytesPerS, units.Duration(j.window), ended, sent)
		}
	}
}

func (j *judgement) phases() {
	var all float64
	for i := range j.run.Phases {
		p := &j.run.Phases[i]
		if p.OK > p.Operations || min(p.OK, p.Operations, p.DurationNS, p.MeanNS) < 0 || !(p.RatePerS >= 0) {
			j.broken("phases: %.40q has %d operations, %d of them ok, in %s",
				p.Name, p.Operations, p.OK, units.Duration(p.DurationNS))
		}
		all += seconds(p.DurationNS)
	}
	run := j.run.Ended.Sub(j.run.Started).Seconds()
	if !j.run.Started.IsZero() && all > run+1+math.Abs(float64(j.run.Generator.ClockStepNS))/1e9 {
		j.broken("phases: they last %.6g s in all, but the run lasted %.6g s", all, run)
	}
}

// used checks that the processors' time is not more than there was. The readings are made a little
// before and after the window, and Linux may bring the time of a thread that runs up to date only with its next tick.
func (j *judgement) used() {
	const slack = 1.1
	const tick = 0.01 // s; CONFIG_HZ=100
	g := &j.run.Generator
	all := slack*float64(max(j.run.Host.CPUs, int(g.CPUs)))*seconds(j.window) + 1
	user, system := seconds(g.CPUUserNS), seconds(g.CPUSystemNS)
	if user < 0 || system < 0 || j.window > 0 && j.run.Host.CPUs > 0 && user+system > all {
		j.broken("generator: it used %.4g s of CPU in a window of %s on %d CPUs", user+system, units.Duration(j.window),
			j.run.Host.CPUs)
	}
	// The generator's share is of the CPUs on which its own code runs at a time (GOMAXPROCS). What the kernel
	// does for it besides, such as copying what it writes to files, takes the machine's others.
	most := slack
	if g.CPUs > 0 {
		most *= max(1, float64(j.run.Host.CPUs)/g.CPUs)
	}
	if j.window > 0 {
		most += tick / seconds(j.window)
	}
	if !(g.CPUShare >= 0 && g.CPUShare <= most) || !(g.MachineShare >= 0 && g.MachineShare <= slack) {
		j.broken("generator: it used %s of its CPUs, but the CPUs of the machine were %s busy",
			units.Percent3(g.CPUShare), units.Percent3(g.MachineShare))
	}
	if g.OwnLate != nil && *g.OwnLate > j.total.Scheduled {
		j.broken("generator: %d operations started late, of %d", *g.OwnLate, j.total.Scheduled)
	}
}

// courses checks the times of the series against those of all operations. Operations carried into the
// window are in the series alone.
func (j *judgement) courses() {
	const coarse = 100 // ns: the series counts in coarser steps
	most := float64(j.total.ResponseTime.MaxNS)
	for _, p := range j.run.Series {
		if p.P99NS != 0 && p.P50NS > p.P99NS || j.total.Carried == 0 && j.totalErr == nil &&
			float64(max(p.P50NS, p.P99NS)) > 1.02*most+coarse {
			j.broken("series: second %d has a p50 of %s and a p99 of %s, and the slowest operation took %s",
				p.Second, units.Duration(p.P50NS), units.Duration(p.P99NS), units.Duration(j.total.ResponseTime.MaxNS))
			return
		}
	}
}

// sliceTolerance is how far a percentile of a coarse histogram may be from the exact one.
const sliceTolerance = 0.04

// slices checks that the slices follow each other inside the window, and that they have the response
// times of all operations.
func (j *judgement) slices() {
	list := j.run.Slices
	if len(list) == 0 {
		return
	}
	if len(list) > MaxSlices {
		j.broken("slices: there are %d, more than %d", len(list), MaxSlices)
		return
	}
	var merged *hdrhistogram.Histogram
	next, whole := 0.0, math.Ceil(seconds(j.window))
	for i := range list {
		s := &list[i]
		end := float64(s.FromS) + float64(s.Seconds)
		if float64(s.FromS) < next || s.Seconds < 1 || j.window > 0 && end > whole {
			j.broken("slices: one of %d s from second %d follows second %.0f in a window of %s",
				s.Seconds, s.FromS, next, units.Duration(j.window))
			return
		}
		next = end
		h, err := s.ResponseTime.Histogram()
		if err == nil && h != nil {
			merged, err = mergeHistograms(merged, h)
		}
		if err != nil {
			j.broken("slices: the response times from second %d: %v", s.FromS, err)
			return
		}
	}
	if j.totalErr == nil { // what cannot be merged is another law's
		j.slicesAgree(merged)
	}
}

// slicesAgree checks the slices' response times against those of the operations.
func (j *judgement) slicesAgree(merged *hdrhistogram.Histogram) {
	want, count := &j.total.ResponseTime, int64(0)
	if merged != nil {
		count = merged.TotalCount()
	}
	if count != want.Count {
		j.broken("slices: they have %d response times, but the operations have %d", count, want.Count)
		return
	}
	for _, p := range want.percentiles() {
		if *p.value == nil || **p.value >= sliceMost {
			continue
		}
		exact, got := float64(**p.value), float64(merged.ValueAtPercentile(float64(p.permille)/10))
		if math.Abs(got-exact) > sliceTolerance*exact+2*sliceUnit {
			j.broken("slices: the %s of all is %s, but %s by the operations", p.name,
				units.Duration(int64(got)), units.Duration(int64(exact)))
		}
	}
}

// offeredOverTime checks what the points say of the load and of failures against the operations.
//
//   - What was offered sums to what was scheduled, and each point tells of it, or none does.
//   - Of no cause, and in all, are there more failed attempts than the operations had.
//   - The generator's own part is not longer than its longest.
//   - The generator did not run for no longer than the point is.
func (j *judgement) offeredOverTime() {
	var offered, told, failed, causes int64
	of := map[string]int64{}
	for i := range j.run.Series {
		p := &j.run.Series[i]
		if p.Offered != nil {
			told++
			offered += *p.Offered
			if *p.Offered < 0 {
				j.broken("series: the operations offered in second %d are negative", p.Second)
			}
		}
		if len(p.Causes) > MaxPointCauses+1 {
			j.broken("series: second %d has %d causes, more than %d", p.Second, len(p.Causes), MaxPointCauses+1)
		}
		for _, c := range p.Causes {
			j.named(c.Cause, fmt.Sprintf("a failed attempt of second %d", p.Second))
			if c.Count <= 0 {
				j.broken("series: second %d has the cause %.40q %d times", p.Second, c.Cause, c.Count)
			}
			of[c.Cause] += c.Count
			failed += c.Count
		}
		if own := j.run.Generator.OwnDelay; p.OwnP99NS < 0 ||
			own != nil && float64(p.OwnP99NS) > (1+sliceTolerance)*float64(own.MaxNS)+2*sliceUnit {
			j.broken("series: the generator delay of second %d has a p99 of %s", p.Second, units.Duration(p.OwnP99NS))
		}
		if p.GapNS < 0 || seconds(p.GapNS) > float64(p.Length()) {
			j.broken("series: from second %d the generator was paused for %s, of %d s",
				p.Second, units.Duration(p.GapNS), p.Length())
		}
	}
	if told > 0 && (told < int64(len(j.run.Series)) || offered != j.total.Scheduled) {
		j.broken("series: %d of %d points have the offered load, %d operations in total, but %d were scheduled",
			told, len(j.run.Series), offered, j.total.Scheduled)
	}
	for _, c := range j.total.Causes {
		causes += c.Count
		if c.Cause != OtherCauses && of[c.Cause] > c.Count {
			j.broken("series: it has %d attempts that failed by %.40q, and the operations have %d",
				of[c.Cause], c.Cause, c.Count)
		}
		delete(of, c.Cause)
	}
	delete(of, OtherCauses)
	if failed > causes || len(of) > 0 {
		j.broken("series: %d attempts failed, by %d causes that the operations do not have; those have %d",
			failed, len(of), causes)
	}
}
