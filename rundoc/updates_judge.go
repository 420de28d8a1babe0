package rundoc

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
)

// The thresholds for updates runs. Shares are of 1.
const (
	// MaxClockShare is how much of the end-to-end p50 the uncertainty of the offset between two
	// clocks may be.
	MaxClockShare = 0.1
	// MaxBacklogNS is how long after the window a server may work on what was published in it, and still
	// count as one that keeps up.
	MaxBacklogNS = 250e6
	// maxLostSpans is how many ranges of lost sequences a document lists at most.
	maxLostSpans = 1000
	// maxStages is more than a batch can have. Each is compared with the others.
	maxStages = 100
	// maxUpdateSeconds is from how many seconds on a server may have dropped the oldest.
	maxUpdateSeconds = 20 * 3600
)

// Updates is the detail of an updates run, or nil for another workload and where there is none
// that can be read.
func (r *Run) Updates() *UpdatesDetail {
	d, _ := r.Detail.(*UpdatesDetail)
	return d
}

// Stage is the stage of this name, or nil where the run has none.
func (d *UpdatesDetail) Stage(name string) *UpdateStage {
	if i := slices.IndexFunc(d.Stages, func(s NamedStage) bool { return s.Name == name }); i >= 0 {
		return &d.Stages[i].UpdateStage
	}
	return nil
}

// all counts the stage's durations, those below zero included; a stage that is not there has none.
func (s *UpdateStage) all() int64 {
	if s == nil {
		return 0
	}
	return s.Summary.Count + s.Negative
}

// Answered reports whether the server said what it received: a proof without it holds only what
// was published.
func (p *Proof) Answered() bool {
	return p.Complete || p.StateKnown || p.Received != 0 || p.Lost != 0 || p.Applied != 0 || p.Stale != 0 ||
		p.Found != StateSum{}
}

// Outcome is the proof in a word: complete, incomplete when something is wrong, or unknown.
func (p *Proof) Outcome() string {
	switch {
	case p.Complete:
		return "complete"
	case p.Unknown, !p.Answered():
		return "unknown"
	}
	return "incomplete"
}

func (d *UpdatesDetail) alike() bool { return true }

// responses are those of the message service alone: from end to end the times are those of all that was due.
func (d *UpdatesDetail) responses() string { return "the publish times" }

func (d *UpdatesDetail) doubts(j *judgement) {
	j.shortWindow()
	d.unbelievable(j)
	j.clientsLost("publisher")
	j.generator(j.run.apart())
}

// unbelievable finds what makes no figures of updates that were applied.
func (d *UpdatesDetail) unbelievable(j *judgement) {
	if d == nil {
		j.say("The document has no details about the updates, except that they were published.")
		return
	}
	if d.Reads != nil {
		d.Reads.doubts(j)
	}
	if d.Proof == nil {
		return // it only published, and says so
	}
	if len(d.Servers) > 0 {
		d.serversDoubts(j)
		return
	}
	d.Proof.doubts(j)
	d.told(j)
}

// told finds what is missing or doubtful of what a server told.
func (d *UpdatesDetail) told(j *judgement) {
	if d.Proof == nil || !d.Proof.Answered() {
		return
	}
	batches := d.Stage(StageApply).all()
	if batches == 0 && j.total.OK > 0 {
		j.say("The server reported no times, so there is no end-to-end time and no rate of applied updates.")
		return
	}
	if d.Proof.Restarted {
		j.say("The server restarted during the run: its times cover only %s batches of %s, and the rate of applied updates "+
			"is unknown.",
			units.Number(batches), units.Number(j.total.OK))
	}
	if d.NoClock > 0 {
		j.say("The clocks of publisher and server could not be compared for %s batches of %s: the end-to-end times cover "+
			"only the rest.", units.Number(d.NoClock), units.Number(batches))
	}
	d.clocks(j)
}

// doubts says what an incomplete proof means for the figures.
func (p *Proof) doubts(j *judgement) {
	switch {
	case p.Complete:
	case p.Lost > 0:
		j.say("The server did not receive %s of %s batches that the broker acknowledged: times of stages and the rate "+
			"cover only the rest.", units.Number(p.Lost), units.Number(p.Published))
	case !p.Answered():
		j.say("It is unknown what the server received: it did not respond to the query for the proof.")
	case p.Unknown:
		j.say("The proof is unknown: the server's state could not be compared with what was published.")
	default:
		j.say("The proof is incomplete: what the server applied differs, or may differ, from what was published.")
	}
}

// clocks weighs how well two clocks could be related.
func (d *UpdatesDetail) clocks(j *judgement) {
	if d.Clock.Shared {
		return
	}
	unsure := d.Clock.Uncertainty()
	for i := range d.Stages {
		s := &d.Stages[i]
		if betweenClocks(s.Name) && s.Negative > 0 && float64(s.NegativeMin) < -unsure {
			j.say("%s batches have a negative time in the stage %s (lowest %s), although the clocks should agree within %s: "+
				"one of them stepped or drifted. Use only the server's own stages.",
				units.Number(s.Negative), s.Name, units.Duration(s.NegativeMin), units.Duration(int64(unsure)))
			break
		}
	}
	s := d.Stage(StageE2EScheduled)
	if s == nil || s.Summary.P50NS == nil {
		return
	}
	if p50 := *s.Summary.P50NS; unsure > MaxClockShare*float64(p50) {
		j.say("The clocks of publisher and server may differ by up to %s, %s of the end-to-end p50 of %s (limit %s): all "+
			"times between them may be off by that much. The server's own stages are not affected.",
			units.Duration(int64(unsure)),
			units.Percent3(unsure/float64(max(p50, 1))), units.Duration(p50), units.Percent3(MaxClockShare))
	}
}

// Uncertainty is how far the offset between the clocks may be off, in ns: its bound, and what it
// changed by during the run.
func (c UpdateClock) Uncertainty() float64 {
	if c.Shared {
		return 0
	}
	return float64(c.BoundNS) + math.Abs(float64(c.DriftNS))
}

func (d *UpdatesDetail) client() string { return "publisher" }

func (d *UpdatesDetail) warn(w *warnings) {
	w.clientsLost("publisher")
	if d == nil {
		d = &UpdatesDetail{}
	}
	w.deadSeconds()
	d.nothingApplied(w)
	d.serverBehind(w)
	w.outcomes()
	w.openModel()
	d.sample(w)
	if p := d.Proof; p != nil {
		if p.Interrupted {
			w.add(WarnInterrupted, "The wait for the server after the window was interrupted.")
		}
		if p.Duplicates > 0 {
			w.add(WarnRedelivered,
				"Duplicate deliveries: %s. The server recognized them by their sequences and applied each batch once.",
				units.Number(p.Duplicates))
		}
		if p.Unreadable > 0 {
			w.add(WarnUnreadable,
				"Messages that were not valid batches, since the server's start: %s. They were skipped, and may be from "+
					"another program.",
				units.Number(p.Unreadable))
		}
	}
	w.fileLost("samples", d.Samples)
}

// serverBehind tells of a queue that was there when the window ended. In most runs it grew all the
// while, and the times from end to end with it. Batches that were published late by the publisher's own doing make
// one, too: then the server is not accused.
func (d *UpdatesDetail) serverBehind(w *warnings) {
	if d.BacklogNS <= MaxBacklogNS || d.Proof != nil && d.Proof.Restarted {
		return
	}
	if why := w.run.publishedLate(); why != "" {
		w.add(WarnBacklog, "The server applied the last batch %s after the end of the window. It is unknown whether it "+
			"kept up: %s.", units.Duration(d.BacklogNS), why)
		return
	}
	w.add(WarnTargetBehind,
		"The server did not keep up: it applied the last batch %s after the end of the window, so end-to-end times grow "+
			"with the length of the run. Use --max to find the sustainable rate.",
		units.Duration(d.BacklogNS))
}

// publishedLate says what shows that the last batches may have been published late by the publisher's own doing, or "".
func (r *Run) publishedLate() string {
	g := &r.Generator
	if r.StartedLate() {
		return fmt.Sprintf("the publisher started %s batches late%s", units.Number(g.ownLate()),
			g.lateBy())
	}
	if g.Hiccups == nil {
		return ""
	}
	for _, gap := range g.Hiccups.Longest {
		// One at the window's end may have gone on behind it, so that its length says nothing.
		left := r.window() - gap.AtNS - gap.NS
		if left <= 0 || left < MaxBacklogNS && gap.NS >= LongGapNS {
			return fmt.Sprintf("the publisher was paused for %s shortly before the end, and sent the batches of that time "+
				"afterwards", units.Duration(gap.NS))
		}
	}
	return ""
}

// nothingApplied tells of whole seconds of the window in which the server applied nothing
// although batches came in every other one.
func (d *UpdatesDetail) nothingApplied(w *warnings) {
	if d.Proof != nil && d.Proof.Restarted {
		return // the server that was started last does not know what the one before it applied
	}
	whole := w.run.window() / 1e9
	alive := map[int64]struct{}{}
	batches := 0.0
	for _, s := range d.Series {
		if s.Batches > 0 && s.Second >= 0 && s.Second < whole {
			alive[s.Second], batches = struct{}{}, batches+float64(s.Batches)
		}
	}
	if batches/float64(whole) < MinDeadRate {
		return
	}
	if dead := whole - int64(len(alive)); dead > 0 {
		w.add(WarnStandstill, "The server applied nothing in %d s of %d; the mean rate is %s batches per second.", dead,
			whole, units.Number(int64(batches/float64(whole)+0.5)))
	}
}

// sample is that of other runs for the end-to-end times, or the times of publishing where there are none.
func (d *UpdatesDetail) sample(w *warnings) {
	s := d.Stage(StageE2EScheduled)
	if s.all() == 0 {
		w.sample()
		return
	}
	var absent []string
	for _, p := range s.Summary.percentiles() {
		if *p.value == nil {
			absent = append(absent, p.name)
		}
	}
	// One that falls among times below zero is absent as well, however many there are.
	if s.Summary.P99NS == nil && !Supports(s.all(), 990) {
		w.add(WarnSmallSample, "%s batches are too few for %s: at least %d must lie above a percentile.",
			units.Number(s.all()), strings.Join(absent, ", "), MinAbove)
	}
}
