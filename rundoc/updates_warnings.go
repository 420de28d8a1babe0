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
	w.outcomes()
	w.openModel()
	w.sampleOfUpdates(d)
	if p := d.Proof; p != nil {
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
	if s.Summary.P99NS == nil {
		w.add(WarnSmallSample, "%s batches are too few for %s: a percentile is shown if %d of them lie above it.",
			number(s.all()), strings.Join(absent, ", "), MinAbove)
	}
}
