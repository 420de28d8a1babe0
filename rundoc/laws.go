package rundoc

import (
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/units"
)

// conservation checks law 1: each scheduled operation has exactly one outcome, for every
// operation and in the window phase's own count.
func (j *judgement) conservation() {
	for i := range j.run.Operations {
		o := &j.run.Operations[i]
		ended := o.OK + o.Failed + o.Unsent + o.Unfinished
		if o.Scheduled != ended {
			j.broken("conservation: %s: scheduled %d, but ok %d + failed %d + unsent %d + unfinished %d = %d",
				o, o.Scheduled, o.OK, o.Failed, o.Unsent, o.Unfinished, ended)
		}
		if slices.Min([]int64{o.Scheduled, o.OK, o.Failed, o.Unsent, o.Unfinished, o.Attempts, o.Retries, o.Bytes,
			o.Carried}) < 0 {
			j.broken("conservation: %s: a count is negative", o)
		}
	}
	if p := j.run.phase(PhaseWindow); p != nil {
		if p.Operations != j.total.Scheduled || p.OK != j.total.OK {
			j.broken("conservation: the window has %d operations, %d of them ok, but the operations sum to %d, %d ok",
				p.Operations, p.OK, j.total.Scheduled, j.total.OK)
		}
	}
}

// ledger checks law 2: the states sum to clients × window, and none is negative. Without clients both are 0.
func (j *judgement) ledger() {
	l := j.run.Ledger
	var sum float64
	for name, ns := range l.States {
		if ns < 0 {
			j.broken("time breakdown: the time in the state %.40q is negative, %s", name, units.Duration(ns))
		}
		sum += float64(ns)
	}
	want := float64(l.Clients) * float64(l.WindowNS)
	if math.Abs(sum-want) > LedgerTolerance*want {
		j.broken("time breakdown: the states sum to %.6g client-seconds, but %d clients × %.6g s "+
			"are %.6g (they may differ by %s)",
			sum/1e9, l.Clients, seconds(l.WindowNS), want/1e9, units.Percent3(LedgerTolerance))
	}
}

// attribution checks law 4: failed attempts and retries have causes.
//
//   - Each retry follows an attempt that failed, and each failed operation ends in one; an
//     unfinished operation may have had one more, after which it was backing off.
//   - An operation that ended ok has 1 + its retries attempts; one that failed or is
//     unfinished has at most that many (it may not have come to its first).
//   - The retries by cause are as many as those by operation.
//   - No cause is without a name.
func (j *judgement) attribution() {
	for i := range j.run.Operations {
		o := &j.run.Operations[i]
		var causes int64
		for _, c := range o.Causes {
			causes += c.Count
			j.named(c.Cause, "a failed attempt")
		}
		if least := o.Retries + o.Failed; causes < least || causes > least+o.Unfinished {
			j.broken("attribution: %s: %d failed attempts have a cause, but there are %d "+
				"retries and %d failed operations (and %d unfinished)",
				o, causes, o.Retries, o.Failed, o.Unfinished)
		}
		if least := o.OK + o.Retries; o.Attempts < least || o.Attempts > least+o.Failed+o.Unfinished {
			j.broken("attribution: %s: %d attempts, but there are %d retries and %d ok, %d "+
				"failed and %d unfinished operations",
				o, o.Attempts, o.Retries, o.OK, o.Failed, o.Unfinished)
		}
	}
	var retries int64
	for _, c := range j.run.Retries {
		retries += c.Count
		j.named(c.Cause, "a retry")
	}
	if retries != j.total.Retries {
		j.broken("attribution: %d retries have a cause, but the operations had %d", retries, j.total.Retries)
	}
	for _, c := range j.run.Connections.Reconnects {
		j.named(c.Cause, "a reconnect")
	}
}

func (j *judgement) named(cause, what string) {
	if cause == "" {
		j.broken("attribution: %s has no cause", what)
	}
}

// times checks that the summaries cover the operations that they say they cover, that their
// figures are in order, and that they agree with their own histograms.
//
//   - The response time covers each operation that ended ok or is unfinished, and at most
//     each failed one besides.
//   - The service time likewise, but an unfinished operation may not have come to its start.
//   - Send delay and first attempts cover at most those that did not stay unsent.
//   - The stages cover the same operations, of those that ended ok, and last no longer than all of them.
func (j *judgement) times() {
	for i := range j.run.Operations {
		o := &j.run.Operations[i]
		most := o.OK + o.Failed + o.Unfinished
		for _, t := range []struct {
			name  string
			s     *Summary
			least int64
		}{
			{"response time", &o.ResponseTime, o.OK + o.Unfinished},
			{"service time", &o.ServiceTime, o.OK},
			{"send delay", &o.SendDelay, 0},
			{"first attempt", &o.FirstAttempt, 0},
		} {
			if t.s.Count < t.least || t.s.Count > most {
				j.broken("times: the %s of %s counts %d operations, but ok %d, failed %d "+
					"and unfinished %d allow %d to %d",
					t.name, o, t.s.Count, o.OK, o.Failed, o.Unfinished, t.least, most)
			}
			j.summary(t.name+" of "+o.String(), t.s)
		}
		j.spanned("response time of "+o.String(), &o.ResponseTime)
		j.spanned("service time of "+o.String(), &o.ServiceTime)
		j.stages(o)
		if o.SendDelay.Free != nil || o.FirstAttempt.Free != nil {
			j.broken("times: the send delay or the first attempt of %s has corrected values: only response and service time "+
				"can", o)
		}
	}
	j.summary("connect time", &j.run.Connections.ConnectTime)
}

func (j *judgement) summary(name string, s *Summary) {
	h, err := j.samples.of(s)
	if err != nil {
		j.broken("times: the %s: %v", name, err)
		return
	}
	if h == nil || !j.inOrder(name, s) {
		return
	}
	if s.Free != nil && s.Free.Free != nil {
		j.broken("times: the %s has corrected values of corrected values", name)
	}
	again := Summary{Count: s.Count, MinNS: s.MinNS, MaxNS: s.MaxNS}
	again.setPercentiles(h.at)
	theirs := again.percentiles()
	for i, p := range s.percentiles() {
		if a, b := *p.value, *theirs[i].value; (a == nil) != (b == nil) || a != nil && *a != *b {
			j.broken("times: the %s: %s is %s, but %s by its histogram", name, p.name, orAbsent(a), orAbsent(b))
		}
	}
	j.byHistogram(name, s, h)
}

// inOrder checks that the minimum, the percentiles and the maximum rise, and that the mean is
// between the ends. It is false when the ends or the mean are wrong.
func (j *judgement) inOrder(name string, s *Summary) bool {
	last, lastName := s.MinNS, "the minimum"
	for _, p := range s.percentiles() {
		if *p.value == nil {
			continue
		}
		if v := **p.value; v < last {
			j.broken("times: the %s: %s is %s, less than %s of %s",
				name, p.name, units.Duration(v), lastName, units.Duration(last))
		} else {
			last, lastName = v, p.name
		}
	}
	if s.MaxNS < last || s.MeanNS < s.MinNS || s.MeanNS > s.MaxNS || s.MinNS < 0 || s.StddevNS < 0 {
		j.broken("times: the %s: min %s, mean %s, %s %s and max %s are not in order",
			name, units.Duration(s.MinNS), units.Duration(s.MeanNS), lastName, units.Duration(last),
			units.Duration(s.MaxNS))
		return false
	}
	return true
}

// series checks the points against the operations.
//
//   - Seconds rise, and lie in the window.
//   - A point counts operations that ended in its second: the window's and those carried
//     into it. Those that ended in the drain are missing, so the sums are at most the
//     operations' (the bytes only where nothing was carried, because its bytes are not known).
//   - Throughput is the same operations ÷ the window.
func (j *judgement) series() {
	if len(j.run.Series) == 0 {
		return
	}
	var sum Point
	last := int64(-1)
	for _, p := range j.run.Series {
		end := float64(p.Second) + float64(p.Length())
		if p.Second <= last || p.Seconds < 0 || j.window > 0 && end > math.Ceil(seconds(j.window)) {
			j.broken("series: second %d follows second %d in a window of %s", p.Second, last, units.Duration(j.window))
			return
		}
		last = p.Second + p.Length() - 1
		sum.OK += p.OK
		sum.Failed += p.Failed
		sum.Bytes += p.Bytes
		if min(p.OK, p.Failed, p.Bytes) < 0 {
			j.broken("series: a count of second %d is negative", p.Second)
		}
	}
	t := &j.total
	if sum.OK > t.OK+t.Carried || sum.Failed > t.Failed+t.Carried || sum.OK+sum.Failed > t.OK+t.Failed+t.Carried ||
		sum.Bytes > t.Bytes && t.Carried == 0 {
		j.broken("series: it sums to %d ok, %d failed and %d bytes, more than the operations' "+
			"%d, %d and %d, and %d carried",
			sum.OK, sum.Failed, sum.Bytes, t.OK, t.Failed, t.Bytes, t.Carried)
	}
	if j.window == 0 {
		return
	}
	// The rate is a decimal fraction of a float64: one operation, or a millionth, of room.
	byBytes := j.total.BytesPerS * seconds(j.window)
	if off := math.Abs(byBytes - float64(sum.Bytes)); off > max(1, 1e-6*byBytes) {
		j.broken("series: it sums to %d bytes, but %.6g B/s × %s are %.7g", sum.Bytes, j.total.BytesPerS,
			units.Duration(j.window), byBytes)
	}
	byRate := j.total.RatePerS * seconds(j.window)
	if off := math.Abs(byRate - float64(sum.OK)); off > max(1, 1e-6*byRate) {
		j.broken("series: it sums to %d ok, but %.6g/s × %s are %.7g",
			sum.OK, j.total.RatePerS, units.Duration(j.window), byRate)
	}
}

func (j *judgement) stages(o *Operation) {
	s := o.Stages
	if s == nil {
		return
	}
	if s.Send.Count != s.Wait.Count || s.Wait.Count != s.Body.Count || s.Send.Count > o.OK {
		j.broken("times: the stages of %s count %d, %d and %d operations, of %d that ended ok",
			o, s.Send.Count, s.Wait.Count, s.Body.Count, o.OK)
	}
	var sum float64
	for _, stage := range []struct {
		name string
		s    *Summary
	}{{"send", &s.Send}, {"wait", &s.Wait}, {"body", &s.Body}} {
		j.summary(stage.name+" of "+o.String(), stage.s)
		sum += stage.s.sum()
	}
	// Each mean is rounded to a nanosecond.
	if all := o.ServiceTime.sum(); sum > all+2*float64(s.Send.Count)+float64(o.ServiceTime.Count) {
		j.broken("times: the stages of %s last %.7g s in all, longer than their operations, %.7g s", o, sum/1e9, all/1e9)
	}
}

// sum is all of the time, as far as its mean tells.
func (s *Summary) sum() float64 { return float64(s.MeanNS) * float64(s.Count) }

// flows checks that each flow has exactly one end, that those which failed did so at an operation that has failed as
// often, that each began with an operation, and that the times cover those that they say they cover.
func (j *judgement) flows() {
	failed := map[string]int64{}
	for i := range j.run.Operations {
		failed[j.run.Operations[i].Name] += j.run.Operations[i].Failed
	}
	if began := j.total.OK + j.total.Failed + j.total.Unfinished; j.run.started() > began {
		j.broken("conservation: %d flows started, but %d operations did", j.run.started(), began)
	}
	for i := range j.run.Flows {
		f := &j.run.Flows[i]
		if f.Started != f.Completed+f.Failed+f.Cut || min(f.Completed, f.Failed, f.Cut) < 0 {
			j.broken("conservation: the flow %.40q: started %d, but completed %d + failed %d + cut off %d",
				f.Name, f.Started, f.Completed, f.Failed, f.Cut)
		}
		var at int64
		for _, a := range f.FailedAt {
			at += a.Count
			if failed[a.Operation] -= a.Count; failed[a.Operation] < 0 || a.Count <= 0 {
				j.broken("conservation: the flow %.40q: %d failed at %.40q, none or more than the operation did",
					f.Name, a.Count, a.Operation)
			}
		}
		if at != f.Failed {
			j.broken("conservation: the flow %.40q: %d failed, but %d did so at an operation", f.Name, f.Failed, at)
		}
		t := &f.ResponseTime
		if t.Count < f.Completed+f.Cut || t.Count > f.Started {
			j.broken("times: the flow %.40q: %d have a response time, but %d were completed or cut off, of %d",
				f.Name, t.Count, f.Completed+f.Cut, f.Started)
		}
		j.summary("response time of the flow "+f.Name, t)
		j.spanned("response time of the flow "+f.Name, t)
	}
}
