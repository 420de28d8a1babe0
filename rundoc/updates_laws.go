package rundoc

import (
	"math"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
)

// betweenClocks says whether a stage begins on the publisher's clock and ends on the server's.
func betweenClocks(stage string) bool {
	return stage == StageTransit || stage == StageE2ESent || stage == StageE2EScheduled
}

func (d *UpdatesDetail) laws(j *judgement) {
	if d == nil {
		return
	}
	d.Manifest.laws(j)
	if len(d.Servers) > 0 || d.Spread != nil {
		d.serversLaws(j)
	} else {
		d.sideLaws(j)
	}
	if d.Reads != nil {
		d.Reads.laws(j, d)
	}
	d.whose(j)
}

// sideLaws checks what one server told, against itself and what was published.
func (d *UpdatesDetail) sideLaws(j *judgement) {
	if slices.Min([]int64{int64(d.Batch), d.MessageSize, int64(d.Publishers), d.BacklogNS, d.NoClock, d.Receives,
		d.Messages, d.Clock.BoundNS}) < 0 || !(d.AppliedPerS >= 0) {
		j.broken("updates: a value is negative")
	}
	if c := d.Clock; c.Shared && (c.OffsetNS != 0 || c.BoundNS != 0) {
		j.broken("updates: publisher and server share a clock, and it has an offset of %s (±%s) to itself",
			units.Duration(c.OffsetNS), units.Duration(c.BoundNS))
	}
	if len(d.Stages) > maxStages {
		j.broken("updates: there are %d stages", len(d.Stages))
		return
	}
	for i := range d.Stages {
		d.stageLaws(j, i)
	}
	d.stageCounts(j)
	d.stageRanks(j)
	d.stageSums(j)
	d.seriesLaws(j)
	d.Due.laws(j, d.Stage(StageE2EScheduled), d.Proof)
	if d.Proof != nil {
		d.proofLaws(j)
	}
}

// whose points to the server if its values violate the first invariant.
func (d *UpdatesDetail) whose(j *judgement) {
	if d.Proof != nil && !j.run.Target.Embedded && len(j.reasons) > 0 &&
		strings.HasPrefix(j.reasons[0], brokenLaw+"updates: ") {
		j.whose = "Many of these values come from the key/value server: if that server, its broker and Plimsoll are of " +
			"different versions, update them. Otherwise this is a bug in Plimsoll: please report it with the run document."
	}
}

// stageLaws checks one stage by itself.
func (d *UpdatesDetail) stageLaws(j *judgement, i int) {
	s := &d.Stages[i]
	if d.Stage(s.Name) != &s.UpdateStage {
		j.broken("updates: there are two stages %.40q", s.Name)
	}
	if s.Negative < 0 || (s.Negative > 0) != (s.NegativeMin < 0) || s.NegativeMin > 0 {
		j.broken("updates: %.40s: %d durations below zero, the lowest %d ns, are inconsistent",
			s.Name, s.Negative,
			s.NegativeMin)
	}
	// The broker's clock is another one, whatever publisher and server share.
	if s.Negative > 0 && s.Name != StageE2EBroker && (d.Clock.Shared || !betweenClocks(s.Name)) {
		j.broken("updates: %.40s: %s durations are below zero, the lowest %s, on one clock",
			s.Name, units.Number(s.Negative),
			units.Duration(s.NegativeMin))
	}
	if s.Negative == 0 {
		j.summary("stage "+s.Name, &s.Summary)
		return
	}
	// Percentiles that count the negative durations are not those of the histogram.
	if _, err := s.Summary.Histogram(); err != nil {
		j.broken("times: the stage %s: %v", s.Name, err)
		return
	}
	j.inOrder("stage "+s.Name, &s.Summary)
}

// stageCounts checks how many durations the stages have.
//
//   - Publish has the service times of the run's operations.
//   - A batch that was applied has waited and has been applied, and has its times from the
//     publisher on unless its clock is not known. That of the broker, and the acknowledgement, may
//     be missing.
//   - Each receive call is whole or, where its clock is known, divided in two.
//   - The server applied each batch that the broker acknowledged, if nothing is missing and it has
//     not been started again, and at most those besides that were sent.
func (d *UpdatesDetail) stageCounts(j *judgement) {
	if s := d.Stage(StagePublish); s.all() != j.total.ServiceTime.Count {
		j.broken("updates: publish has %d durations, and the operations %d service times",
			s.all(), j.total.ServiceTime.Count)
	}
	batches := d.Stage(StageApply).all()
	if queued := d.Stage(StageQueued).all(); queued != batches {
		j.broken("updates: %d batches waited in the server, and %d were applied", queued, batches)
	}
	if s := d.Stage(StageProcessing); s != nil && s.all() != batches {
		j.broken("updates: %d batches were processed, and %d were applied", s.all(), batches)
	}
	if e2e := d.Stage(StageE2EScheduled).all(); e2e+d.NoClock != batches {
		j.broken("updates: %d batches have a time from the schedule and %d no clock, but %d were applied", e2e,
			d.NoClock, batches)
	}
	for _, name := range []string{StageTransit, StageE2ESent} {
		if n := d.Stage(name).all(); n+d.NoClock < batches || n > batches {
			j.broken("updates: %d batches have the stage %s, of %d that were applied, %d of them without a clock",
				n, name,
				batches, d.NoClock)
		}
	}
	for _, name := range []string{StageE2EBroker, StageAcknowledge} {
		if n := d.Stage(name).all(); n > batches {
			j.broken("updates: %d batches have the stage %s, of %d that were applied", n, name, batches)
		}
	}
	idle, busy, reading := d.Stage(StageReceiveIdle).all(), d.Stage(StageReceiveBusy).all(), d.Stage(StageReading).all()
	if idle != busy || idle > reading || reading != d.Receives || d.Receives > d.Messages {
		j.broken("updates: %d receive calls of %d messages, but %d were timed, %d of them idle and %d busy", d.Receives,
			d.Messages, reading, idle, busy)
	}
	if p := d.Proof; p != nil && p.Complete && !p.Restarted && len(d.Stages) > 1 {
		if t := &j.total; batches < t.OK || batches > t.OK+t.Failed+t.Unfinished {
			j.broken("updates: the server timed %d batches of the window, but %d were "+
				"published and at most %d more sent",
				batches, t.OK, t.Failed+t.Unfinished)
		}
	}
}

// stageRanks checks that what contains a stage is not shorter: of each batch, and so at each rank.
func (d *UpdatesDetail) stageRanks(j *judgement) {
	for _, pair := range [][2]string{
		{StageTransit, StageE2ESent}, {StageE2ESent, StageE2EScheduled}, {StageApply, StageE2ESent},
		{StageReceiveIdle, StageReading}, {StageReceiveBusy, StageReading},
	} {
		part, whole := d.Stage(pair[0]), d.Stage(pair[1])
		// Of clocks that differ, decode and apply is on one and the end to end on both.
		if part.all() == 0 || part.all() != whole.all() || pair[0] == StageApply && !d.Clock.Shared {
			continue
		}
		wrong := part.Summary.Count > 0 && part.Summary.MaxNS > whole.Summary.MaxNS || part.Negative < whole.Negative
		theirs := whole.Summary.percentiles()
		for i, p := range part.Summary.percentiles() {
			a, b := *p.value, *theirs[i].value
			wrong = wrong || a != nil && b != nil && *a > *b
		}
		if wrong {
			j.broken("updates: %s is longer than %s, which contains it", pair[0], pair[1])
		}
	}
}

// stageSums checks that the parts of a time sum to it: of each batch exactly, and so do their means,
// but for their rounding. A stage with durations below zero has a mean without them.
func (d *UpdatesDetail) stageSums(j *judgement) {
	const rounding = 10 // ns
	for _, names := range [][]string{
		{StageE2ESent, StageTransit, StageQueued, StageApply},
		{StageProcessing, StageQueued, StageApply},
		{StageReading, StageReceiveIdle, StageReceiveBusy},
	} {
		whole := d.Stage(names[0])
		sum, comparable := 0.0, whole.all() > 0
		for i, name := range names {
			s := d.Stage(name)
			comparable = comparable && s != nil && s.Negative == 0 && s.Summary.Count == whole.Summary.Count
			if comparable && i > 0 {
				sum += float64(s.Summary.MeanNS)
			}
		}
		if comparable && math.Abs(sum-float64(whole.Summary.MeanNS)) > rounding {
			j.broken("updates: the mean of %s is %d ns, but its parts' sum to %.0f ns",
				names[0], whole.Summary.MeanNS, sum)
		}
	}
}

// seriesLaws checks the server's seconds against its stages.
func (d *UpdatesDetail) seriesLaws(j *judgement) {
	var batches, applied, rows float64
	for i, s := range d.Series {
		if i > 0 && s.Second <= d.Series[i-1].Second {
			j.broken("updates: the server's second %d follows second %d", s.Second, d.Series[i-1].Second)
		}
		if min(s.Batches, s.Applied, s.Stale, s.E2EP50NS, s.E2EP99NS, s.E2EMaxNS) < 0 {
			j.broken("updates: a value of the server's second %d is negative", s.Second)
		}
		batches, applied, rows = batches+float64(s.Batches), applied+float64(s.Applied),
			rows+float64(s.Applied)+float64(s.Stale)
	}
	n := float64(d.Stage(StageApply).all())
	if batches > n || batches < n && len(d.Series) < maxUpdateSeconds {
		j.broken("updates: the server's seconds have %.0f batches, and %.0f were applied", batches, n)
	}
	if rows > batches*float64(d.Batch) {
		j.broken("updates: the server's seconds have %.0f updates in %.0f batches of at most %d",
			rows, batches, d.Batch)
	}
	if len(d.Series) < maxUpdateSeconds {
		d.appliedRate(j, applied)
	}
}

// appliedRate checks the updates applied a second against how many were, and how long that took.
func (d *UpdatesDetail) appliedRate(j *judgement, applied float64) {
	if j.window == 0 || d.AppliedPerS == 0 && d.Proof != nil && d.Proof.Restarted {
		return
	}
	took := seconds(j.window) + seconds(d.BacklogNS)
	if want := applied / took; math.Abs(d.AppliedPerS-want) > LedgerTolerance*want {
		j.broken("updates: %.7g updates were applied a second, but %.0f ÷ %.6g s are %.7g",
			d.AppliedPerS, applied, took,
			want)
	}
}

// laws checks that the publishers' sequences are as many as the batches.
func (m *Manifest) laws(j *judgement) {
	unsure, arrived := 0, 0
	sum := 0.0 // a document may have any numbers: these do not overflow
	for i := range m.Publishers {
		p := &m.Publishers[i]
		unused := 0.0
		for k, s := range p.Unused {
			if s.Last < s.First || s.Last >= p.Next || k > 0 && s.First <= p.Unused[k-1].Last {
				j.broken("updates: publisher %d: the unused sequences %d to %d are out of place",
					p.Publisher, s.First, s.Last)
				break
			}
			unused += float64(s.Last-s.First) + 1
		}
		used := float64(p.Next) - unused
		if float64(len(p.Unsure)) > used || len(p.Arrived) > len(p.Unsure) {
			j.broken("updates: publisher %d: %d sequences are unsure and %d of them arrived, of %.0f that were used",
				p.Publisher, len(p.Unsure), len(p.Arrived), used)
		}
		sum += used - float64(len(p.Unsure))
		unsure, arrived = unsure+len(p.Unsure), arrived+len(p.Arrived)
	}
	if min(m.Unknown, m.Refused) < 0 || (m.Unknown != 0 || m.Refused != 0) &&
		(m.Unknown != int64(unsure)-m.Refused || arrived > 0) {
		j.broken("updates: the manifest has %d batches with an unknown outcome, but %d were never acknowledged, "+
			"and %d of them arrived (%d were refused)", m.Unknown, unsure, arrived, m.Refused)
	}
	if sum != float64(m.Batches) || m.Updates < 0 || m.Live < 0 {
		j.broken("updates: the manifest has %d batches, %d updates and %d keys, and the publishers' sequences are %.0f",
			m.Batches, m.Updates, m.Live, sum)
	}
}

// proofLaws checks the proof's counts, and that it is complete only if nothing is missing. That
// something is missing breaks no law: it is what the proof is there to find.
func (d *UpdatesDetail) proofLaws(j *judgement) {
	p, m := d.Proof, &d.Manifest
	if slices.Min([]int64{p.Published, p.Received, p.Unsure, p.Lost, p.Foreign, p.Duplicates, p.Unreadable, p.Updates,
		p.Applied, p.Stale, p.Partial,
		p.Expected.Live, p.Found.Live, p.Undrained}) < 0 {
		j.broken("proof: a count is negative")
	}
	if p.Complete != (len(p.Problems) == 0) {
		j.broken("proof: complete is %t, with %d problems", p.Complete, len(p.Problems))
	}
	if p.Unknown && (p.Complete || p.Foreign > 0) {
		j.broken("proof: it is unknown, but complete is %t, and %d batches are foreign", p.Complete, p.Foreign)
	}
	if p.Published != m.Batches || p.Expected != (StateSum{Live: m.Live, Digest: m.Digest}) {
		j.broken("proof: it expects %d batches and the digest %016x, the manifest %d and %016x", p.Published,
			p.Expected.Digest, m.Batches, m.Digest)
	}
	if !p.Answered() {
		return
	}
	if got := float64(p.Published) - float64(p.Lost) + float64(p.Unsure) +
		float64(p.Foreign); float64(p.Received) != got {
		j.broken("proof: %d batches received, but published %d − lost %d + unsure %d + foreign %d are %.0f",
			p.Received, p.Published, p.Lost, p.Unsure, p.Foreign, got)
	}
	if p.Undrained > p.Lost {
		j.broken("proof: %d batches had not arrived, of %d that were lost", p.Undrained, p.Lost)
	}
	p.spansLaws(j)
	same := p.StateKnown && p.Expected == p.Found
	if p.Complete &&
		(p.Lost > 0 || p.Foreign > 0 || !same || float64(p.Applied)+float64(p.Stale) != float64(p.Updates)) {
		j.broken("proof: it is complete, with %d batches lost, %d foreign, %d updates of which %d were applied and %d "+
			"stale, and the state equal %t",
			p.Lost, p.Foreign, p.Updates, p.Applied, p.Stale, same)
	}
}

func (p *Proof) spansLaws(j *judgement) {
	sum := 0.0
	for _, s := range p.LostSpans {
		if s.Last < s.First {
			j.broken("proof: the lost range %d to %d of publisher %d ends before it begins",
				s.First, s.Last, s.Publisher)
			return
		}
		sum += float64(s.Last-s.First) + 1
	}
	if sum > float64(p.Lost) || sum < float64(p.Lost) && len(p.LostSpans) < maxLostSpans {
		j.broken("proof: %d batches were lost, and the ranges have %.0f", p.Lost, sum)
	}
}
