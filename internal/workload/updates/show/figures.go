package show

import (
	"fmt"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// figures are those of the way of a batch, and of what became of the updates.
func figures() []figure.Source {
	all := []figure.Source{
		counting("updates", ofDetail("applied", "updates applied by the server per second", figure.PerSecond, applied)),
		ofDetail("backlog", "end of the window to the last batch applied", figure.Time,
			func(d *rundoc.UpdatesDetail) figure.Value {
				if v := applied(d); v.Why != "" {
					return v
				}
				return figure.Value{Raw: float64(d.BacklogNS)}
			}),
		more(ofDue("in_time", "share of scheduled batches applied within --deadline", false,
			func(b *rundoc.DueBatches) int64 { return b.InTime })),
		ofDue("late", "share of scheduled batches applied later", false,
			func(b *rundoc.DueBatches) int64 { return b.Late }),
		ofDue("never_published", "share of scheduled batches never published", true,
			func(b *rundoc.DueBatches) int64 { return b.NeverPublished }),
		ofDue("not_applied", "share of scheduled batches that did not arrive", true,
			(*rundoc.DueBatches).Absent),
		ofProof("lost", "acknowledged batches that the server did not receive",
			func(p *rundoc.Proof) int64 { return p.Lost }),
		ofProof("incomplete", "1 if updates are lost or the final state is wrong, else 0",
			func(p *rundoc.Proof) int64 {
				if p.Complete {
					return 0
				}
				return 1
			}),
		ofProof("duplicates", "redelivered batches",
			func(p *rundoc.Proof) int64 { return p.Duplicates }),
		ofProof("foreign", "received batches that this run did not publish",
			func(p *rundoc.Proof) int64 { return p.Foreign }),
		ofProof("unreadable", "messages that are not a valid batch",
			func(p *rundoc.Proof) int64 { return p.Unreadable }),
		ofProof("stale", "updates superseded by a later one of their key", func(p *rundoc.Proof) int64 { return p.Stale }),
		ofDetail("unknown", "unacknowledged batches of unknown fate", figure.Count,
			func(d *rundoc.UpdatesDetail) figure.Value { return figure.Value{Raw: float64(d.Manifest.Unknown)} }),
	}
	all = append(all, readFigures()...)
	for _, s := range stageFigures() {
		one := ofStage(s[0], s[1], s[2])
		if s[1] == rundoc.StageE2EScheduled {
			one.Later = neverArrived
		}
		all = append(all, one)
	}
	return all
}

// headline are the figures that say how well a run went.
func headline() []string { return []string{"applied", "visibility.p99", "failed", "lost"} }

// neverArrived is what of the batches that were due did not arrive.
func neverArrived(run *rundoc.Run) (n int64, why string) {
	d := run.Updates()
	if d == nil || d.Due == nil {
		return 0, ""
	}
	return d.Due.Absent(), fmt.Sprintf("%s of %s scheduled batches did not arrive",
		units.Number(d.Due.Absent()), units.Number(d.Due.Batches))
}

// stageFigures are the stages by the names of their figures, and what they are.
func stageFigures() [][3]string {
	return [][3]string{
		{"visibility", rundoc.StageE2EScheduled, "scheduled start until a read finds the batch"},
		{"visibility_first", rundoc.StageFirst, "the same for the first of several servers"},
		{"spread", rundoc.StageSpread, "first to last server that applied the batch"},
		{"visibility_sent", rundoc.StageE2ESent, "send until a read finds the batch"},
		{"visibility_broker", rundoc.StageE2EBroker, "broker's timestamp until a read finds the batch"},
		{"publish", rundoc.StagePublish, "send until the broker acknowledged"},
		{"transit", rundoc.StageTransit, "send until the server received the batch"},
		{"reading", rundoc.StageReading, "duration of a receive call of the server"},
		{"reading_idle", rundoc.StageReceiveIdle, "part of a receive call without data"},
		{"reading_busy", rundoc.StageReceiveBusy, "part of a receive call with data"},
		{"queued", rundoc.StageQueued, "received until the server starts with the batch"},
		{"apply", rundoc.StageApply, "start until the batch is applied"},
		{"processing", rundoc.StageProcessing, "received until the batch is applied"},
		{"acknowledge", rundoc.StageAcknowledge, "applied until acknowledged to the broker"},
	}
}

// readFigures are those of the reads beside the updates.
func readFigures() []figure.Source {
	times := func(of func(r *rundoc.UpdateReads) *rundoc.Summary) func(*rundoc.Run, map[string]string) []rundoc.Summary {
		return func(run *rundoc.Run, _ map[string]string) []rundoc.Summary {
			d := run.Updates()
			if d == nil || d.Reads == nil || of(d.Reads) == nil {
				return nil
			}
			return []rundoc.Summary{*of(d.Reads)}
		}
	}
	share := func(name, help string, of func(o *rundoc.Operation) int64) figure.Source {
		return ofDetail(name, help, figure.Share, func(d *rundoc.UpdatesDetail) figure.Value {
			if d.Reads == nil || d.Reads.Operation.Scheduled <= 0 {
				return figure.Value{Why: "the run made no reads"}
			}
			return figure.Value{Raw: float64(of(&d.Reads.Operation)) / float64(d.Reads.Operation.Scheduled)}
		})
	}
	return []figure.Source{
		{Name: "read", Help: "response time of --reads", Unit: figure.Time,
			Times: times(func(r *rundoc.UpdateReads) *rundoc.Summary { return &r.Operation.ResponseTime })},
		{Name: "read_visibility", Help: "scheduled start until one of --reads found the batch", Unit: figure.Time,
			Times: times(func(r *rundoc.UpdateReads) *rundoc.Summary {
				if r.Batches == nil {
					return nil
				}
				return &r.Batches.Times.Summary
			}), Later: neverRead},
		share("read_failed", "share of failed reads", func(o *rundoc.Operation) int64 { return o.Failed }),
		share("read_unsent", "share of unsent reads", func(o *rundoc.Operation) int64 { return o.Unsent }),
	}
}

// neverRead is what of the batches that were due no read found.
func neverRead(run *rundoc.Run) (n int64, why string) {
	d := run.Updates()
	if d == nil || d.Reads == nil || d.Reads.Batches == nil {
		return 0, ""
	}
	due := d.Reads.Batches.Batches
	if d.Due != nil {
		due = max(due, d.Due.Batches-d.Reads.Batches.Unwatched)
	}
	n = due - d.Reads.Batches.Seen
	return n, fmt.Sprintf("no read found %s of %s scheduled batches", units.Number(n),
		units.Number(due))
}

// noUpdates is why a document has no value.
const noUpdates = "the document has no details of updates"

func counting(what string, s figure.Source) figure.Source { s.Counts = what; return s }

func more(s figure.Source) figure.Source { s.More = figure.MoreIsBetter; return s }

func ofDetail(name, help string, unit figure.Unit, of func(*rundoc.UpdatesDetail) figure.Value) figure.Source {
	return figure.Source{Name: name, Help: help, Unit: unit,
		Number: func(run *rundoc.Run, _ map[string]string) figure.Value {
			if d := run.Updates(); d != nil {
				return of(d)
			}
			return figure.Value{Why: noUpdates}
		}}
}

// ofDue is a share of the batches that were due. The share of what the server did is known where it was asked.
func ofDue(name, help string, always bool, of func(*rundoc.DueBatches) int64) figure.Source {
	return ofDetail(name, help, figure.Share, func(d *rundoc.UpdatesDetail) figure.Value {
		b := d.Due
		switch {
		case b == nil:
			return figure.Value{Why: "the document has no details of scheduled batches"}
		case !always && d.Proof == nil:
			return figure.Value{Why: "the run only published"}
		case b.Batches <= 0:
			return figure.Value{Why: "no batch was scheduled"}
		}
		return figure.Value{Raw: float64(of(b)) / float64(b.Batches)}
	})
}

// ofProof is a count that is known where the server was asked to its end.
func ofProof(name, help string, of func(*rundoc.Proof) int64) figure.Source {
	return ofDetail(name, help, figure.Count, func(d *rundoc.UpdatesDetail) figure.Value {
		switch p := d.Proof; {
		case p == nil:
			return figure.Value{Why: "the run only published"}
		case p.Unknown:
			return figure.Value{Why: "the server stopped responding before the end"}
		default:
			return figure.Value{Raw: float64(of(p))}
		}
	})
}

// applied is the rate of the updates that were applied, as far as the server told.
func applied(d *rundoc.UpdatesDetail) figure.Value {
	switch {
	case d.Proof == nil:
		return figure.Value{Why: "the run only published"}
	case d.Proof.Restarted:
		return figure.Value{Why: "the server was restarted during the run"}
	case d.Stage(rundoc.StageApply) == nil && len(d.Servers) == 0:
		return figure.Value{Why: "the server reported no times"}
	case len(d.Silent()) > 0:
		return figure.Value{Why: serverList(d.Silent()) + " reported nothing"}
	}
	return figure.Value{Raw: d.AppliedPerS}
}

// ofStage are the times of a stage. Where some are below zero its percentiles count them as the lowest, and its
// distribution does not have them: then there are only the percentiles that the document has.
func ofStage(name, stage, help string) figure.Source {
	return figure.Source{Name: name, Help: help, Unit: figure.Time,
		Times: func(run *rundoc.Run, _ map[string]string) []rundoc.Summary {
			d := run.Updates()
			if d == nil {
				return nil
			}
			s := d.Stage(stage)
			switch {
			case s == nil:
				return nil
			case s.Negative > 0:
				return []rundoc.Summary{s.Summary.WithoutHistogram()}
			}
			return []rundoc.Summary{s.Summary}
		}}
}
