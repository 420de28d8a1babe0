package show

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// WayDrawing shows the way of a batch and what of it the stages are. Its lines have at most
// 76 columns.
const WayDrawing = `scheduled  sent             received   started             applied
 |          |                 |          |                   |
 |send delay|<--- transit --->|<-waiting>|<-decode and apply>|<-acknowledge
 |          |<-- publish: until the broker has it            |
 |          |<---------- end to end, from the send --------->|
 |<------------------ end to end, from the schedule -------->|`

// WayMeaning says in words what WayDrawing shows.
const WayMeaning = "Scheduled: the intended start, independent of broker and server. Sent: a publisher starts to " +
	"send. Received: the receive call of the server returns. Applied: a read finds the last update of the batch. " +
	"Publish and transit overlap: the server may have a batch before the broker's acknowledgement arrives."

// Subtitle says what was measured, and how.
func (v *shown) Subtitle() string {
	d := v.detail
	var parts []string
	if d.Transport != "" {
		parts = append(parts, units.Shorten(units.Clean(d.Transport), 40)+", "+delivers(d))
	}
	if d.Batch > 0 {
		parts = append(parts, "batches of "+units.Number(int64(d.Batch)))
	}
	if d.Publishers > 0 {
		parts = append(parts, units.Count(int64(d.Publishers), "publisher", "publishers"))
	}
	if n := len(d.Servers); n > 0 {
		parts = append(parts, units.Count(int64(n), "server", "servers"))
	}
	if d.Listeners > 0 {
		parts = append(parts, units.Count(int64(d.Listeners), "listener", "listeners"))
	}
	if v.WindowNS > 0 {
		parts = append(parts, "window "+units.Length(v.WindowNS))
	}
	return v.Heading(parts...)
}

func delivers(d *rundoc.UpdatesDetail) string {
	if d.AtLeastOnce {
		return "at least once"
	}
	return "at most once"
}

// Answer says how many updates were applied, how soon, and whether all were.
func (v *shown) Answer() []report.Fact {
	d := v.detail
	facts := []report.Fact{{Key: "Applied", Value: v.appliedAnswer(), Strong: true}}
	if largest, ok := v.largestAnswer(); ok {
		facts = append([]report.Fact{largest}, facts...)
	}
	if d.Proof == nil {
		facts[0] = report.Fact{Key: "Published", Value: v.publishedAnswer(), Strong: true}
	}
	scheduled, sent := d.Stage(rundoc.StageE2EScheduled), d.Stage(rundoc.StageE2ESent)
	switch {
	case scheduled != nil:
		facts = append(facts, report.Fact{Key: "End to end", Value: v.endToEnd(scheduled),
			Strong: true, Points: v.GapsNote()})
		if sent != nil {
			facts = append(facts, report.Fact{Key: "From send", Value: stageAnswer(sent)})
		}
		facts = append(facts, v.serversAnswer()...)
	case d.Proof == nil:
		facts = append(facts, report.Fact{Key: "Publishing", Value: v.ResponseAnswer() + ", from intended start",
			Strong: true, Points: v.GapsNote()})
	default:
		facts = append(facts, report.Fact{Key: "End to end", Value: units.Dash +
			" (the server reported no usable times)", Strong: true})
	}
	var said []string
	if scheduled != nil || d.Proof == nil {
		said = append(said, rundoc.WarnGaps)
	}
	note := v.Notes(said...)
	for _, n := range d.Notes {
		note.Points = append(note.Points, units.Clean(n))
	}
	facts = append(facts, v.readsAnswer()...)
	return append(facts, v.dueAnswer(), v.proofAnswer(),
		v.CountsAnswer(), v.failuresAnswer(), v.VerdictAnswer(), note, v.demoAnswer())
}

// failuresAnswer adds what the broker said to the causes of the failures, the most frequent first.
func (v *shown) failuresAnswer() report.Fact {
	f := v.FailuresAnswer()
	const most = 3
	for _, c := range v.Total.Causes[:min(most, len(v.Total.Causes))] {
		if message := Message(v.detail, c.Cause); message != "" {
			f.Points = append(f.Points, report.Cause(c.Cause)+": "+units.Shorten(units.Clean(message), 400))
		}
	}
	return f
}

// Message returns what the broker or its client library said about failures with this cause, or "".
func Message(d *rundoc.UpdatesDetail, cause string) string {
	if i := slices.IndexFunc(d.Failures, func(f rundoc.FailureMessage) bool { return f.Cause == cause }); i >= 0 {
		return d.Failures[i].Message
	}
	return ""
}

// demoAnswer says of a demo what its figures are of. A search for the largest rate means to keep the machine busy.
func (v *shown) demoAnswer() report.Fact {
	f := v.DemoAnswer("")
	if len(v.detail.Search) > 0 {
		f.Points = nil
	}
	return f
}

// largestAnswer is what a search for the largest rate came to, if this was one.
func (v *shown) largestAnswer() (report.Fact, bool) {
	search := v.detail.Search
	if len(search) == 0 || v.WindowNS <= 0 {
		return report.Fact{}, false
	}
	rate := float64(v.Total.Scheduled) / (float64(v.WindowNS) / 1e9)
	above := 0.0 // the lowest rate above that was not sustained
	sustained := false
	for i := range search {
		s := &search[i]
		near := s.RatePerS > 0.99*rate && s.RatePerS < 1.01*rate
		sustained = sustained || near && s.Sustained
		if !s.Sustained && !s.Interrupted && !near && s.RatePerS > rate && (above == 0 || s.RatePerS < above) {
			above = s.RatePerS
		}
	}
	if !sustained {
		return report.Fact{Key: "Largest rate", Value: units.Dash +
			" (not found; the values below are those of the last trial)", Strong: true}, true
	}
	text := units.PerSecond(rate) + " batches/s sustained"
	if above > 0 {
		text += ", " + units.PerSecond(above) + " not"
	}
	return report.Fact{Key: "Largest rate", Value: text, Strong: true}, true
}

// appliedAnswer is the rate of applied updates, of what was due.
func (v *shown) appliedAnswer() string {
	d := v.detail
	if v.WindowNS <= 0 || d.Stage(rundoc.StageApply) == nil && len(d.Servers) == 0 {
		return units.Dash + " (unknown: the server reported no times)"
	}
	if silent := v.detail.Silent(); len(silent) > 0 {
		return units.Dash + " (unknown: " + serverList(silent) + " did not respond)"
	}
	text := units.PerSecond(d.AppliedPerS) + " updates/s"
	if p := d.Proof; p != nil && p.Restarted {
		text = units.Dash + " (the server restarted during the run)"
	}
	if v.Open {
		offered := float64(v.Total.Scheduled) / (float64(v.WindowNS) / 1e9)
		each, mean := meanBatch(d)
		text += fmt.Sprintf(", %s scheduled (%s batches/s of %s)", units.PerSecond(offered*each),
			units.PerSecond(offered), mean)
	}
	if p := d.Proof; p != nil && p.Stale > 0 {
		text += "; " + units.Share(float64(p.Stale), float64(p.Updates)) +
			" of the updates were stale and do not count"
	}
	return text
}

// meanBatch is how many updates a batch had, also in words. The last batch of each delta file may have
// fewer than the others.
func meanBatch(d *rundoc.UpdatesDetail) (float64, string) {
	m := &d.Manifest
	if mean := float64(m.Updates) / float64(m.Batches); m.Batches > 0 && m.Updates > 0 && mean < float64(d.Batch) {
		return mean, units.PerSecond(mean) + " on average"
	}
	return float64(d.Batch), units.Number(int64(d.Batch))
}

// publishedAnswer is the rate of a run that only published.
func (v *shown) publishedAnswer() string {
	if v.WindowNS <= 0 {
		return units.Dash + " (the document has no window)"
	}
	if v.detail.Batch <= 0 {
		return v.ThroughputAnswer() // the document has no detail
	}
	each, _ := meanBatch(v.detail)
	return fmt.Sprintf("%s updates/s: %s", units.PerSecond(v.Total.RatePerS*each), v.ThroughputAnswer())
}

// stageAnswer is a stage's percentiles in a line.
func stageAnswer(s *rundoc.UpdateStage) string {
	r := &s.Summary
	if r.Count == 0 {
		return units.Dash
	}
	if s.Negative > 0 && r.P50NS == nil && s.Negative >= r.Count {
		return fmt.Sprintf("%s (unknown: %s of %s are negative)", units.Dash, units.Number(s.Negative),
			units.Number(r.Count+s.Negative))
	}
	parts := report.PercentileWords(r)
	if r.P50NS == nil && s.Negative == 0 {
		parts = append(parts, "mean "+units.Duration(r.MeanNS))
	}
	return strings.Join(append(parts, "max "+units.Duration(r.MaxNS)), " · ")
}

// The words of a proof that has no gap.
const proven = "no losses, no duplicates, final state matches"

// proofAnswer is the proof in a line, with what is wrong.
func (v *shown) proofAnswer() report.Fact {
	p := v.detail.Proof
	f := report.Fact{Key: "Proof", Strong: true, Tone: report.Bad}
	switch {
	case p == nil && v.detail.Batch <= 0:
		return report.Fact{Key: f.Key, Value: units.Dash + " (no data about the updates in the document)"}
	case p == nil:
		return report.Fact{
			Key: f.Key, Value: units.Dash + " (the run only published; check a server with 'plimsoll updates --verify RUN " +
				"--kv URL')",
			Points: v.unknownBatches(),
		}
	case p.Complete && v.detail.Due != nil && v.detail.Due.NeverPublished > 0:
		f.Value, f.Tone = "published batches: "+proven+v.everywhere(), report.Good
		return f
	case p.Complete:
		f.Value, f.Tone = proven+v.everywhere(), report.Good
		return f
	case !p.Answered():
		f.Tone = report.Doubtful
		f.Value = "UNKNOWN: the server did not report what it received"
	case p.Unknown && p.Lost > 0:
		f.Tone = report.Doubtful
		f.Value = fmt.Sprintf("UNKNOWN: %s of %s had not arrived when the server last responded",
			units.Count(p.Lost, "batch", "batches"), units.Number(p.Published))
	case p.Unknown && len(v.detail.Silent()) > 0:
		f.Tone = report.Doubtful
		f.Value = "UNKNOWN: " + serverList(v.detail.Silent()) + " did not report what arrived"
	case p.Unknown:
		f.Tone = report.Doubtful
		f.Value = "UNKNOWN: the batches arrived, but the state of the server could not be compared"
	case p.Lost > 0:
		f.Value = fmt.Sprintf("INCOMPLETE: %s of %s lost", units.Count(p.Lost, "batch", "batches"),
			units.Number(p.Published))
	default:
		f.Value = "INCOMPLETE: the batches arrived, but the server's data is inconsistent"
	}
	f.Points = v.unknownBatches()
	const most = 5
	for i, problem := range p.Problems {
		if i == most {
			f.Points = append(f.Points, fmt.Sprintf("and %d more", len(p.Problems)-most))
			break
		}
		f.Points = append(f.Points, units.Clean(problem))
	}
	return f
}

// unknownBatches tells of those that nobody knows to have arrived or not.
func (v *shown) unknownBatches() []string {
	n := v.detail.Manifest.Unknown
	if n <= 0 {
		return nil
	}
	return []string{units.Count(n, "batch", "batches") +
		" unknown: sent but never acknowledged by the broker. They count neither as lost nor as delivered."}
}

// Sections are the parts of an updates run's report after the answer.
func (v *shown) Sections() []report.Section {
	publishing := v.Times()
	publishing.Title = "Publishing: " + strings.ToLower(publishing.Title[:1]) + publishing.Title[1:]
	throughput := report.Section{}
	if v.detail.Proof == nil {
		throughput = v.Throughput()
	}
	samples := report.StreamedFile("samples", v.detail.Samples, "sample", "samples")
	sections := append([]report.Section{v.updateStages(), v.reads(), v.readCourse()}, v.servers()...)
	return append(sections,
		v.clocks(), v.due(), v.proofCounts(), v.lost(), v.applied(), throughput, v.trials(),
		publishing, v.Outcomes(), v.Failures(), v.Connections(), v.Ledger(), v.Little(), v.Instrument(),
		v.Phases(), v.updatesMeaning(), v.Plan(report.PlanShape{Own: "updates"}), v.Files(samples...))
}

func (v *shown) updatesMeaning() report.Section {
	notes := []string{WayMeaning}
	if v.detail.Stage(rundoc.StageReading) != nil {
		notes = append(notes, readingMeaning)
	}
	return report.Section{Title: "Definitions", Drawing: WayDrawing, Notes: notes}
}

const readingMeaning = "Receive call: the whole call, as reported by Google; idle until the first returned message " +
	"was sent, then busy. Idle time is not a cost: it shrinks as the rate grows."
