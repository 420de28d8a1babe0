package rundoc

import "strings"

// updates derives the warnings of an updates run.
func (w *warnings) updates() {
	d := w.run.Updates()
	if d == nil {
		d = &UpdatesDetail{}
	}
	w.deadSeconds()
	w.nothingApplied(d)
	w.serverBehind(d)
	w.outcomes()
	w.openModel()
	w.sampleOfUpdates(d)
	if p := d.Proof; p != nil {
		if p.Interrupted {
			w.add(WarnInterrupted, "The wait for the server after the window was interrupted.")
		}
		if p.Duplicates > 0 {
			w.add(WarnRedelivered, "Deliveries of batches that the server had already: %s. They were told apart by their sequences, and each batch was applied once.", number(p.Duplicates))
		}
		if p.Unreadable > 0 {
			w.add(WarnUnreadable, "Messages that were no batch, or a broken one, since the server's start: %s. They were skipped; they may be another program's.",
				number(p.Unreadable))
		}
	}
	w.samplesFile()
}

// MaxBacklogNS is how long after the window a server may work on what was published in it, and still
// count as one that keeps up.
const MaxBacklogNS = 250e6

// serverBehind tells of a queue that was there when the window ended. In most runs it grew all the
// while, and the times from end to end with it.
func (w *warnings) serverBehind(d *UpdatesDetail) {
	if d.BacklogNS <= MaxBacklogNS || d.Proof != nil && d.Proof.Restarted {
		return
	}
	w.add(WarnTargetBehind, "The server did not keep up: it applied the last batch %s after the end of the window. The queue before it is in all times from end to end, "+
		"which may be the longer, the longer the run. --max finds the rate that is sustained.", duration(d.BacklogNS))
}

// nothingApplied tells of whole seconds of the window in which the server applied nothing
// although batches came in every other one.
func (w *warnings) nothingApplied(d *UpdatesDetail) {
	if d.Proof != nil && d.Proof.Restarted {
		return // the server that was started last does not know what the one before it applied
	}
	whole := w.run.window() / 1e9
	if len(d.Series) == 0 || whole <= 0 {
		return
	}
	alive := map[int64]bool{}
	batches := 0.0
	for _, s := range d.Series {
		if s.Batches > 0 && s.Second >= 0 && s.Second < whole {
			alive[s.Second], batches = true, batches+float64(s.Batches)
		}
	}
	if batches/float64(whole) < MinDeadRate {
		return
	}
	if dead := whole - int64(len(alive)); dead > 0 {
		w.add(WarnStandstill, "The server applied nothing in %d s of %d, although %s batches a second were applied on average.", dead, whole, number(int64(batches/float64(whole)+0.5)))
	}
}

// sampleOfUpdates is sample for the end-to-end times, or the times of publishing where there are none.
func (w *warnings) sampleOfUpdates(d *UpdatesDetail) {
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
	if s.Summary.P99NS == nil && s.all()/100 < MinAbove {
		w.add(WarnSmallSample, "%s batches are too few for %s: a percentile is shown if %d of them lie above it.",
			number(s.all()), strings.Join(absent, ", "), MinAbove)
	}
}
