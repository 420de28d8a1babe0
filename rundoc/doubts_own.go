package rundoc

import (
	"fmt"
	"math"

	"github.com/plimsoll/plimsoll/internal/units"
)

// What the generator did to the figures itself is judged here, once for all kinds: by what it measured of
// itself, and as far as that is in the document. What is not there is not guessed at; Unseen names it.

// neighbour is how a kind tells that the machine of the generator was too busy with more than that.
type neighbour struct {
	who    string // what shares the machine with the generator: the start of a sentence that goes on with "which"
	advice string
	unseen bool // how much CPU the target uses here is not known
}

// apart is that of a target that may be put elsewhere. Where its CPU is not known, only its address says that it runs
// here: what else used the CPUs may be other programs.
func (r *Run) apart() neighbour {
	if t := &r.Target; !t.Embedded && t.CPUUserNS+t.CPUSystemNS == 0 {
		return neighbour{who: "The target's address is on this machine",
			advice: "If it runs here, move it to a separate machine.", unseen: true}
	}
	return neighbour{who: "Target and generator share this machine",
		advice: "Move the target to a separate machine."}
}

// generator finds what the generator itself put into the figures.
func (j *judgement) generator(n neighbour) {
	j.ownDoubts(n)
	j.clockStep()
}

// ownDoubts are those about what the times and the load are made of.
func (j *judgement) ownDoubts(n neighbour) {
	j.ownSpan()
	j.ownLimit()
	j.gaps()
	j.throttled()
	if !j.waitedForCPU(n) {
		j.usedUp()
	}
	j.garbage()
}

// ownSpan finds percentiles that are mostly the generator's own delay.
func (j *judgement) ownSpan() {
	for _, o := range j.alike() {
		raw, free := &o.ResponseTime, o.ResponseTime.Free
		if free == nil || float64(raw.MeanNS-free.MeanNS) < MinOwnShare*float64(raw.MeanNS) {
			continue
		}
		p := raw.widest(free)
		if p == nil {
			continue
		}
		j.say("The response time's %s%s is %s, but %s without the generator delay, which was %s of all response time (limit "+
			"%s). Use the corrected values, give the generator more CPU, or lower the load.",
			p.name, ofWhich(o), units.Duration(p.raw), units.Duration(p.free),
			units.Percent3(float64(raw.MeanNS-free.MeanNS)/float64(raw.MeanNS)), units.Percent3(MinOwnShare))
		return
	}
}

// alike are the operations whose times are samples of one thing: all together, or each name.
func (j *judgement) alike() []*Operation {
	if j.run.kind().alike() {
		return []*Operation{&j.total}
	}
	var each []*Operation
	for i := range j.run.Operations {
		each = append(each, &j.run.Operations[i])
	}
	return each
}

func ofWhich(o *Operation) string {
	if o.Name == totalName {
		return ""
	}
	return " of " + o.String()
}

// span is a percentile with and without the generator's own delay.
type span struct {
	name      string
	raw, free int64
}

// tooWide reports whether the generator's own delay is more than an edge of the figure.
func (s *span) tooWide() bool {
	return s != nil && float64(s.raw-s.free) > max(MinSpan*float64(s.raw), MinSpanNS)
}

// widest is the span that is too wide, if the p50 or the p99 is; if both are, the wider. Of a sample too small
// for a p99 the highest percentile that it has stands for that.
func (s *Summary) widest(free *Summary) *span {
	var mid, high *span
	theirs := free.percentiles()
	for i, p := range s.percentiles() {
		if raw, own := *p.value, *theirs[i].value; raw != nil && own != nil && p.permille <= 990 {
			high = &span{p.name, *raw, *own}
			if p.permille == 500 {
				mid = high
			}
		}
	}
	switch {
	case !high.tooWide() && !mid.tooWide():
		return nil
	case !high.tooWide() || mid.tooWide() && mid.raw-mid.free >= high.raw-high.free:
		return mid
	}
	return high
}

// ownLimit finds a closed model whose clients waited for the generator more than for the target.
func (j *judgement) ownLimit() {
	g := &j.run.Generator
	if j.run.OpenModel() || g.OwnDelay == nil || g.OwnDelay.Count <= 0 {
		return
	}
	own, mean := float64(g.OwnTimeNS), g.OwnTimeNS/g.OwnDelay.Count
	if own <= 0 || own < MaxOwnClosed*float64(g.ResponseTimeNS) || mean < MinOwnClosedNS {
		return
	}
	// Operations that were rejected have no response time, and may have taken most of the clients' time, in attempts and
	// back-off.
	if all := j.run.Little.InFlightPredicted * float64(j.window); j.rejected() > 0 && own < MaxOwnClosed*all {
		return
	}
	j.say("The generator delay was %s of all response time (limit %s) and %s per operation (limit %s), so the "+
		"throughput is the generator's limit, not the target's. Give the generator more CPU, or use more machines.",
		units.Percent3(own/float64(g.ResponseTimeNS)), units.Percent3(MaxOwnClosed), units.Duration(mean),
		units.Duration(MinOwnClosedNS))
}

// rejected is how many operations failed without a response time.
func (j *judgement) rejected() int64 {
	return j.total.Scheduled - j.total.Unsent - j.total.ResponseTime.Count
}

// gaps finds a generator that did not run for noticeable times.
func (j *judgement) gaps() {
	share, many := j.run.longGaps()
	if share <= MaxGapShare {
		return
	}
	j.say("The generator was paused for %s (%s of %s or more), %s of the window (limit %s), so the slowest times may "+
		"be its own. Look for other programs, a CPU quota or a suspended machine.",
		units.Duration(j.run.Generator.Hiccups.LongNS), many, units.Duration(LongGapNS),
		units.Percent3(share), units.Percent3(MaxGapShare))
}

// longGaps is the share of the window that the long gaps took, and in words how many there were. Of a document
// that does not count them it is known how many are listed, which are not all where the list is full.
func (r *Run) longGaps() (share float64, many string) {
	h, window := r.Generator.Hiccups, r.window()
	if h == nil || window <= 0 {
		return 0, ""
	}
	share = float64(h.LongNS) / float64(window)
	if h.Long > 0 {
		return share, countOf(h.Long, "pause")
	}
	var listed int64
	for _, g := range h.Longest {
		if g.NS >= LongGapNS {
			listed++
		}
	}
	if many = countOf(listed, "pause"); listed >= MaxGaps {
		many = "at least " + many
	}
	return share, many
}

// throttled finds a generator that a quota kept from running. The kernel sums that time over CPUs, in both versions
// of control groups, so that it is held against all those that the generator may use.
func (j *judgement) throttled() {
	g := &j.run.Generator
	if g.ThrottledNS == nil || j.window <= 0 {
		return
	}
	cpus := max(1, g.CPUs)
	// It may be throttled on more CPUs than its quota is the time of: all of the window is the most.
	if share := min(1, float64(*g.ThrottledNS)/(cpus*float64(j.window))); share > MaxThrottled {
		summed := ""
		if cpus > 1 {
			summed = fmt.Sprintf(" (summed over %.3g CPUs)", cpus)
		}
		j.say("A CPU quota throttled the generator for %s%s, %s of the window (limit %s), which is part of the response "+
			"times. Raise the quota of its control group or of a parent, or lower the load.",
			units.Duration(*g.ThrottledNS), summed, units.Percent3(share), units.Percent3(MaxThrottled))
	}
}

// waitedForCPU finds a generator that was ready to run and had no CPU. That it shares the machine with the
// target is only said where the machine was busy, and where its own threads show that they waited. How much CPU it
// used says neither: it stands in for the wait where that is not known. It reports whether that use is judged with it.
func (j *judgement) waitedForCPU(n neighbour) bool {
	if j.runDelay == nil {
		j.maybeWaited(n)
		return true
	}
	g := &j.run.Generator
	busy, much := j.busyMachine()
	shared := much && j.waitedFor(MaxSharedDelay)
	alone := j.waitedFor(MaxRunDelay) && float64(*j.runDelay) > MaxRunDelayShare*float64(j.window)
	if !shared && !alone {
		return false
	}
	waited := "the generator waited " + units.Duration(*j.runDelay) + " for a CPU"
	if ran := g.CPUUserNS + g.CPUSystemNS; ran > 0 {
		waited += ", " + times(float64(*j.runDelay)/float64(ran)) + " times as long as it ran"
	}
	if !shared {
		j.say("T%s (limit %.3g times, and %s per second). Stop other programs on its CPUs, or give it more CPUs.",
			waited[1:], MaxRunDelay, units.Duration(MaxRunDelayShare*1e9))
		return true
	}
	j.say("%s, which was %s busy (limit %s%s), and %s (limit %.3g times). %s", n.who, units.Percent3(busy),
		units.Percent3(MaxMachineShare), j.whoUsed(n), waited, MaxSharedDelay, j.advice(n, busy))
	return true
}

// times returns a factor for display.
func times(factor float64) string {
	if factor < 10 {
		return units.Digits3(factor)
	}
	return units.Number(int64(math.Round(factor)))
}

// usedUp finds a generator that had all its CPUs and needed more, where nobody knows when its answers had come: what
// they wait for is then neither run delay, since its own threads have the CPUs, nor a gap, since it runs.
func (j *judgement) usedUp() {
	if g := &j.run.Generator; g.usedUp() && !g.stamped() {
		j.say("The generator used %s of its %.3g CPUs (limit %s), and without kernel timestamps it is unknown how long "+
			"responses waited for it. Give it more CPUs, or lower the load.",
			units.Percent3(g.CPUShare), g.CPUs, units.Percent3(MaxCPUShare))
	}
}

// usedUp reports whether the generator used about all of its CPUs.
func (g *Generator) usedUp() bool { return g.CPUShare > MaxCPUShare }

// stamped reports whether it is known of most answers when they came.
func (g *Generator) stamped() bool {
	return g.Stamps != nil && g.Stamps.Used > g.Stamps.Missing+g.Stamps.Refused
}

// advice returns the neighbour's advice, and to stop other programs if they used much of the CPUs.
func (j *judgement) advice(n neighbour, busy float64) string {
	if others, known := j.run.OthersShare(); known && others/busy > MaxOthersShare {
		return "Stop other programs. " + n.advice
	}
	return n.advice
}

// whoUsed returns how much of a busy machine's CPUs each program used, as part of a parenthesis.
func (j *judgement) whoUsed(n neighbour) string {
	g, t := &j.run.Generator, &j.run.Target
	all := float64(j.run.Host.CPUs) * float64(j.window)
	if all <= 0 {
		return ""
	}
	text := fmt.Sprintf("; generator %s", units.Percent3(float64(g.CPUUserNS+g.CPUSystemNS)/all))
	if used := t.CPUUserNS + t.CPUSystemNS; used > 0 {
		text += fmt.Sprintf(", target %s", units.Percent3(float64(used)/all))
	}
	if others, known := j.run.OthersShare(); known {
		text += fmt.Sprintf(", others %s", units.Percent3(others))
	}
	if n.unseen {
		text += ", target unknown"
	}
	return text
}

// maybeWaited is waitedForCPU where nobody counted how long the threads waited: on other systems than Linux, of
// a foreign program, and in documents of the rules 1. Then CPUs that are used up are all that can be known, and
// the words say no more than that.
func (j *judgement) maybeWaited(n neighbour) {
	if g := &j.run.Generator; g.usedUp() {
		j.say("The generator used %s of its %.3g CPUs (limit %s), and how long it waited for a CPU is unknown on this "+
			"system. Give it more CPUs, or lower the load.",
			units.Percent3(g.CPUShare), g.CPUs, units.Percent3(MaxCPUShare))
	}
	if busy, much := j.busyMachine(); much {
		j.say("%s, which was %s busy (limit %s%s), and whether they waited for each other is unknown. %s",
			n.who, units.Percent3(busy), units.Percent3(MaxMachineShare), j.whoUsed(n), j.advice(n, busy))
	}
}

// busyMachine is how busy a machine was that carried generator and target, and whether that is too much.
func (j *judgement) busyMachine() (share float64, much bool) {
	busy, known := j.run.MachineShare()
	return busy, known && j.run.Target.SameHost && busy > MaxMachineShare
}

// garbage reports a generator whose CPUs were busy with garbage collection, where that can have changed the times.
// Single pauses are no reason of their own: the corrected values exclude them.
func (j *judgement) garbage() {
	g := &j.run.Generator
	if share := g.GCShare * g.CPUShare; share > MaxGCShare && !j.undelayed() {
		j.say("Garbage collection used %s of the generator's available CPU time (limit %s). Give it more memory, or use "+
			"fewer clients.", units.Percent3(share), units.Percent3(MaxGCShare))
	}
}

// undelayed reports whether the generator is known to have delayed the operations by so little that neither their mean
// nor a percentile up to p99 is larger by more than MaxSmallDelay.
func (j *judgement) undelayed() bool {
	for _, o := range j.alike() {
		raw, corrected := &o.ResponseTime, o.ResponseTime.Free
		if corrected == nil || float64(raw.MeanNS) > (1+MaxSmallDelay)*float64(corrected.MeanNS) {
			return false
		}
		theirs := corrected.percentiles()
		for i, p := range raw.percentiles() {
			value, without := *p.value, *theirs[i].value
			if p.permille <= 990 && value != nil && without != nil && float64(*value) > (1+MaxSmallDelay)*float64(*without) {
				return false
			}
		}
	}
	return true
}

// OwnReasons are the reasons of the verdict that come from the generator itself, such as that it had no CPU: where
// there are some, it may be what limited the run.
func (r *Run) OwnReasons() []string {
	j := judgementOf(r)
	j.total, _ = r.Figures() // what cannot be read is a broken law, and no doubt
	j.offered()
	j.ownDoubts(r.apart())
	return j.reasons
}

// SharedMachine reports whether target and generator had to share a machine that was busy, and neither is known
// to have had all the CPU that it wanted.
func (r *Run) SharedMachine() bool {
	j := judgementOf(r)
	_, much := j.busyMachine()
	t := &r.Target
	return much && (t.Embedded || t.CPUUserNS+t.CPUSystemNS > 0) && (j.runDelay == nil || j.waitedFor(MaxSharedDelay))
}

// waitedFor reports whether the threads waited for a CPU for so many times as long as they ran.
func (j *judgement) waitedFor(times float64) bool {
	g := &j.run.Generator
	return float64(*j.runDelay) > times*float64(g.CPUUserNS+g.CPUSystemNS)
}
