package rundoc

import (
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/units"
)

// The thresholds for overhead runs. Shares are of 1.
const (
	// MaxLeftOut is the share of an operation's attempts that may be in no figure, although they went
	// well, before the figures are doubted: they may be those of another kind of attempt.
	MaxLeftOut = 0.1
	// MaxNewConnections is the share of an operation's attempts that may make a new connection before it
	// is told: from here on its p99 is what connecting costs.
	MaxNewConnections = 0.01
	// MinOverheadValues is the least number of values for an operation's p99 to be more than
	// its slowest one.
	MinOverheadValues = 100
	// MinJudgedValues is the least number of values for an operation's median to be more than chance: of
	// nine, all that can be said with 95% is that it is between the second and the second last.
	MinJudgedValues = 10
	// MaxNullShare is how much of the smallest median the null client's may be. Above it, the
	// instrument and the machine are most of what was measured.
	MaxNullShare = 0.5
)

// WorkloadOverhead is the Workload of a run whose Detail is an OverheadDetail.
const WorkloadOverhead = "overhead"

// The modes of an overhead run.
const (
	OverheadSDK  = "sdk"  // the SDK that Plimsoll is built with, timed by its hooks
	OverheadExec = "exec" // a foreign client, timed by the server
)

// Overhead is the detail of an overhead run, or nil for another workload and where there is
// none that can be read.
func (r *Run) Overhead() *OverheadDetail {
	d, _ := r.Detail.(*OverheadDetail)
	return d
}

// Name is the row's name in a sentence, such as S3 HeadObject.
func (r *OverheadRow) Name() string {
	switch {
	case r.Service == "":
		return r.Operation
	case r.Operation == "":
		return r.Service
	}
	return r.Service + " " + r.Operation
}

func (d *OverheadDetail) laws(j *judgement) {
	if d == nil {
		return
	}
	rows := d.Rows
	if d.Null != nil {
		rows = append(rows[:len(rows):len(rows)], *d.Null)
	}
	for i := range rows {
		r := &rows[i]
		if min(r.Failed, r.Unseen, r.Resent, r.Connections, r.StagedCalls) < 0 || r.ErrorNS < 0 ||
			!(r.AllocationsPerCall >= 0) || !(r.BytesPerCall >= 0) || !(r.CPUPerCallNS >= 0) {
			j.broken("overhead: %.60s has a negative value", r.Name())
		}
		if !(r.MedianFromNS >= 0) || !(r.MedianToNS >= r.MedianFromNS) || !(r.WaitedNS >= 0) {
			j.broken("overhead: the bounds of the median of %.60s are inconsistent", r.Name())
		}
		if r.Connections > max(r.values(), 0) {
			j.broken("overhead: %.60s has %d new connections of %d attempts", r.Name(), r.Connections, r.values())
		}
		sane := r.sound(j, "overhead", &r.Overhead)
		sane = r.sound(j, "SDK time", &r.SDKTime) && sane
		// Each round trip contains the wait for the answer, so each SDK time is at most the
		// overhead of the same attempt, and so is each rank of theirs.
		if o, s := &r.Overhead, &r.SDKTime; sane && d.Mode == OverheadSDK && o.N == s.N &&
			(s.MinNS > o.MinNS || s.MedNS > o.MedNS || s.MaxNS > o.MaxNS) {
			j.broken("overhead: %.60s: the SDK time is more than the overhead, which contains it", r.Name())
		}
		r.callLaws(j, d.Mode)
		r.stageLaws(j)
	}
}

// callLaws: an attempt is a part of its call, and the same wait is taken off both. So the overhead is at most the
// client's time, and that at most the call's, of each call and so of each rank of theirs.
func (r *OverheadRow) callLaws(j *judgement, mode string) {
	sane := r.sound(j, "client time", &r.ClientTime)
	sane = r.sound(j, "call", &r.Call) && sane
	c := &r.ClientTime
	if !sane || mode != OverheadSDK || c.N == 0 {
		return
	}
	if c.N != r.Call.N || c.N != r.Overhead.N {
		j.broken("overhead: %.60s has the client time of %d calls, the duration of %d and the overhead of %d", r.Name(),
			c.N, r.Call.N, r.Overhead.N)
		return
	}
	if o := &r.Overhead; o.MinNS > c.MinNS || o.MedNS > c.MedNS || o.MaxNS > c.MaxNS {
		j.broken("overhead: %.60s: the overhead is more than the client time, which contains it", r.Name())
	}
	if a := &r.Call; c.MinNS > a.MinNS || c.MedNS > a.MedNS || c.MaxNS > a.MaxNS {
		j.broken("overhead: %.60s: the client time is more than the call, which contains it", r.Name())
	}
}

// stageLaws: the stages of a call follow each other, and there is nothing between them.
func (r *OverheadRow) stageLaws(j *judgement) {
	if r.StagedCalls == 0 && r.StagedCallNS == 0 {
		return // of a document that did not have them
	}
	sum := 0.0
	for name, ns := range r.Stages {
		if !(ns >= 0) {
			j.broken("overhead: %.60s: the stage %.40q takes %.0f ns", r.Name(), name, ns)
		}
		sum += ns
	}
	const beyond = 1e18 // ns: no sum of such is one
	if !(math.Abs(sum) < beyond) || !(math.Abs(r.StagedCallNS) < beyond) {
		j.broken("overhead: the stages of %.60s are out of range", r.Name())
	} else if math.Abs(sum-r.StagedCallNS) > 1 {
		j.broken("overhead: the stages of %.60s sum to %.0f ns, and its calls took %.0f ns", r.Name(), sum, r.StagedCallNS)
	}
	if r.StagedCalls > r.Call.N {
		j.broken("overhead: %.60s has the stages of %d calls of %d", r.Name(), r.StagedCalls, r.Call.N)
	}
}

// sound checks that the figures rise, and that the single values are not more than there
// were. It is false when they do not make sense.
func (r *OverheadRow) sound(j *judgement, name string, s *Sample) bool {
	figures := [...]float64{s.MinNS, s.AvgNS, s.MedNS, s.P90NS, s.P99NS, s.MaxNS}
	if s.N == 0 && len(s.Values) == 0 && figures == [len(figures)]float64{} {
		return true
	}
	rising := slices.IsSorted(s.rising())
	// The mean of equal values may differ from them in its last digit.
	slack := 1e-9 * math.Abs(s.MaxNS)
	between := s.AvgNS >= s.MinNS-slack && s.AvgNS <= s.MaxNS+slack
	if s.N <= 0 || !rising || !between || math.IsInf(s.MinNS, 0) || math.IsInf(s.MaxNS, 0) {
		j.broken("overhead: the %s of %.60s: n %d, min %.0f, avg %.0f, med %.0f, p90 %.0f, "+
			"p99 %.0f and max %.0f ns are inconsistent",
			name, r.Name(), s.N, s.MinNS, s.AvgNS, s.MedNS, s.P90NS, s.P99NS, s.MaxNS)
		return false
	}
	if int64(len(s.Values)) > s.N {
		j.broken("overhead: the %s of %.60s has %d individual values of %d", name, r.Name(), len(s.Values), s.N)
	}
	s.valuesLaws(j, r, name)
	if !s.inRounds() {
		j.broken("overhead: the rounds of the %s of %.60s do not sum to its %d individual values", name, r.Name(),
			len(s.Values))
	}
	return true
}

// inRounds reports whether the rounds, where there are some, have all single values and no more.
func (s *Sample) inRounds() bool {
	left := len(s.Values)
	for _, n := range s.Rounds {
		if n < 0 || n > left {
			return false
		}
		left -= n
	}
	return s.Rounds == nil || left == 0
}

// valuesLaws checks the figures against the single values, where those are all there.
func (s *Sample) valuesLaws(j *judgement, r *OverheadRow, name string) {
	if int64(len(s.Values)) != s.N {
		return
	}
	values := slices.Sorted(slices.Values(s.Values))
	sum := 0.0
	for _, v := range values {
		sum += float64(v)
	}
	at := func(p float64) float64 { // R's type 7
		rank := p * float64(len(values)-1)
		low := int(rank)
		high := min(low+1, len(values)-1)
		return float64(values[low]) + (rank-float64(low))*(float64(values[high])-float64(values[low]))
	}
	for _, f := range []struct {
		is, by float64
		needs  int64 // values, for it not to be left out
	}{
		{is: s.MinNS, by: at(0)}, {is: s.MedNS, by: at(.5)}, {is: s.P90NS, by: at(.9), needs: Needs(900)},
		{is: s.P99NS, by: at(.99), needs: Needs(990)}, {is: s.MaxNS, by: at(1)},
		{is: s.AvgNS, by: sum / float64(len(values))},
	} {
		if f.is == 0 && s.N < f.needs {
			continue
		}
		if math.Abs(f.is-f.by) > 1+1e-6*math.Abs(f.by) {
			j.broken("overhead: a value of the %s of %.60s is %.0f ns, but %.0f ns by its individual values",
				name, r.Name(),
				f.is, f.by)
			return
		}
	}
}

// alike: the calls are of many kinds.
func (d *OverheadDetail) alike() bool { return false }

func (d *OverheadDetail) doubts(j *judgement) {
	d.unbelievable(j)
	d.missing(j)
	j.clientsLost("client")
	d.waited(j)
}

// waited finds what calls may have waited for. How long they took on the client's side is what is measured, and is
// no limit of the generator; nor is collecting garbage, which is the SDK's and part of what a call costs.
func (d *OverheadDetail) waited(j *judgement) {
	n := j.run.apart()
	n.advice = "Measure on an idle machine."
	if !n.unseen {
		n.who = "Client and server share this machine"
	}
	if j.run.Ledger.Clients > 1 {
		n.advice = "Measure on an idle machine, or with fewer clients (--clients)."
	}
	if d != nil && d.Mode == OverheadExec {
		j.runDelay = nil // what is known is this program's, and not the one's that called
	}
	j.ownSpan()
	j.gaps()
	j.throttled()
	if d.knowsWaits() {
		d.foreignWaited(j, n)
		j.clockStep()
		return
	}
	// A single client that needs all of a CPU is what is measured; of several, one waits for the others.
	if !j.waitedForCPU(n) && j.run.Ledger.Clients > 1 {
		j.usedUp()
	}
	j.clockStep()
}

// knowsWaits reports whether it is known of each row how long a foreign client waited for a processor.
func (d *OverheadDetail) knowsWaits() bool {
	return d != nil && d.Mode == OverheadExec && len(d.Rows) > 0 &&
		!slices.ContainsFunc(d.Rows, func(r OverheadRow) bool { return r.MedianToNS == 0 })
}

// foreignWaited finds a foreign client on a busy machine that waited for a processor for long beside what it took
// itself. The waits are taken off; what other programs do to caches is not.
func (d *OverheadDetail) foreignWaited(j *judgement, n neighbour) {
	busy, much := j.busyMachine()
	if !much {
		return
	}
	for i := range d.Rows {
		r := &d.Rows[i]
		if r.WaitedNS <= MaxSharedDelay*max(0, r.SDKTime.AvgNS) {
			continue
		}
		j.say("%s, which was %s busy (limit %s%s): calls of %.60s waited %s for a CPU on average (limit %.3g times their "+
			"own time). %s", n.who, units.Percent3(busy), units.Percent3(MaxMachineShare), j.whoUsed(n), r.Name(),
			units.Duration(int64(r.WaitedNS)), MaxSharedDelay, j.advice(n, busy))
		return
	}
}

// unbelievable finds what makes no figures of calls.
func (d *OverheadDetail) unbelievable(j *judgement) {
	if d == nil || len(d.Rows) == 0 {
		j.say("The document has no calls, so there is no overhead.")
		return
	}
	lowest := math.Inf(1)
	for i := range d.Rows {
		r := &d.Rows[i]
		if r.values() == 0 && r.Unseen == 0 && r.Resent == 0 {
			j.say("No attempt of %.60s succeeded, so its row is empty. Check the causes of the errors.", r.Name())
			continue
		}
		if out := float64(r.Unseen) + float64(r.Resent); out > MaxLeftOut*(out+float64(r.values())) {
			j.say("%s of the successful attempts of %.60s are excluded because their requests were sent twice or not observed "+
				"(limit %s): the rest may not be representative.", units.Percent3(out/(out+float64(r.values()))), r.Name(),
				units.Percent3(MaxLeftOut))
		}
		if ns := r.own(d.Null).MedNS; ns > 0 {
			lowest = min(lowest, ns)
		}
	}
	if d.Null != nil && d.Mode == OverheadSDK && d.Null.own(d.Null).MedNS > MaxNullShare*lowest {
		j.say("The null client, which only sends the same request, has a median of %s, more than half of the fastest row's "+
			"%s: the values are the machine's more than the SDK's. Stop other programs, and check whether the server sends its "+
			"responses in pieces.",
			units.Duration(int64(d.Null.own(d.Null).MedNS)), units.Duration(int64(lowest)))
	}
}

// own is what is held against the null client's: the client time, or the overhead where that has none.
func (r *OverheadRow) own(null *OverheadRow) *Sample {
	if null != nil && null.ClientTime.N != 0 && r.ClientTime.N != 0 {
		return &r.ClientTime
	}
	return &r.Overhead
}

// missing finds what an overhead run was to measure and did not, or hardly.
func (d *OverheadDetail) missing(j *judgement) {
	if d == nil {
		return
	}
	if len(d.Unmeasured) > 0 {
		why := ""
		if j.run.Interrupted {
			why = ", because the run was interrupted"
		} else if j.run.Aborted != "" {
			why = ", because a threshold ended the run"
		}
		j.say("Not measured%s: %s.", why, firstOf(d.Unmeasured))
	}
	var failed, few []string
	for i := range d.Rows {
		r := &d.Rows[i]
		n := r.values()
		if share := float64(r.Failed) / (float64(n) + float64(r.Failed)); n > 0 && share > MaxMissing {
			failed = append(failed, r.Name()+" ("+units.Percent3(share)+")")
		}
		if n > 0 && n < MinJudgedValues {
			few = append(few, r.Name()+" ("+units.Number(n)+")")
		}
	}
	if len(failed) > 0 {
		j.say("Failed attempts are excluded (limit %s): %s. Fix the causes of the errors.", units.Percent3(MaxMissing),
			firstOf(failed))
	}
	if len(few) > 0 {
		j.say("Fewer than %d attempts succeeded, too few for a median: %s. Measure longer (--duration).", MinJudgedValues,
			firstOf(few))
	}
}

// values is how many attempts the row's figures come from.
func (r *OverheadRow) values() int64 { return max(r.Overhead.N, r.SDKTime.N, r.ClientTime.N) }

// warn leaves out the warnings on response times of all operations together, which have no meaning
// here: the calls are of many kinds.
func (d *OverheadDetail) warn(w *warnings) {
	w.clientsLost("client")
	if d != nil {
		d.warnOfRows(w)
	}
	// Whether calls waited for a processor is not known of a short run.
	if n := w.run.window(); w.run.Target.SameHost && n > 0 && n < MinMachineWindowNS {
		w.add(WarnBusyUnknown, "The calls took only %s in total, too short to measure how busy this machine was.",
			units.Duration(n))
	}
}

func (d *OverheadDetail) warnOfRows(w *warnings) {
	var few, connected []string
	for i := range d.Rows {
		r := &d.Rows[i]
		n := r.values()
		if n > 0 && n < MinOverheadValues {
			few = append(few, r.Name())
		}
		if d.Mode == OverheadSDK && float64(r.Connections) > MaxNewConnections*float64(n) {
			connected = append(connected, r.Name()+" ("+units.Percent3(float64(r.Connections)/float64(n))+")")
		}
	}
	if len(connected) > 0 {
		w.add(WarnConnected, "The overhead of these includes new connections: %s.", firstOf(connected))
	}
	if len(few) > 0 {
		more := "Measure longer (--duration)."
		if d.Mode == OverheadExec {
			more = "Have the command make more calls."
		}
		w.add(WarnSmallSample, "Fewer than %d attempts, too few for a meaningful p99: %s. %s", MinOverheadValues,
			firstOf(few), more)
	}
	// The times of a foreign client's processes are without that, and a note of their own says what is in them.
	if d.Environment.Concurrency > 1 && d.Mode == OverheadSDK {
		w.add(WarnConcurrent,
			"%d clients ran at the same time: the values include the time they waited for CPUs and for each other.",
			d.Environment.Concurrency)
	}
}

// firstOf names some of a list.
func firstOf(names []string) string {
	const most = 4
	text := ""
	for i, name := range names {
		if i == most {
			return text + ", and " + units.Number(int64(len(names)-most)) + " more"
		}
		if i > 0 {
			text += ", "
		}
		text += name
	}
	return text
}
