package report

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/rundoc"
)

// UpdatesDrawing shows the way of a batch and what of it the stages are. Its lines have at most
// 76 columns.
const UpdatesDrawing = `due        sent             received   taken up            applied
 |          |                 |          |                   |
 |send delay|<--- transit --->|<-waiting>|<-decode and apply>|<-acknowledge
 |          |<-- publish: until the broker has it            |
 |          |<---------- end to end, from the send --------->|
 |<------------------ end to end, from the schedule -------->|`

// UpdatesMeaning says in words what UpdatesDrawing shows.
const UpdatesMeaning = "A batch is due when the schedule says so, whatever broker and server do; it is sent when a publisher begins to, received " +
	"when the server's receive call returns, and applied when a read finds its last update. Publish and transit overlap: " +
	"the server may have a batch before the broker's answer has come back."

// updatesHeading says what was measured, and how.
func (v *view) updatesHeading() string {
	d := v.updates
	var parts []string
	if d.Transport != "" {
		parts = append(parts, shorten(clean(d.Transport), 40)+", "+delivers(d))
	}
	if d.Batch > 0 {
		parts = append(parts, "batches of "+number(int64(d.Batch)))
	}
	if d.Publishers > 0 {
		parts = append(parts, some(int64(d.Publishers), "publisher", "publishers"))
	}
	if d.Listeners > 0 {
		parts = append(parts, some(int64(d.Listeners), "listener", "listeners"))
	}
	if v.windowNS > 0 {
		parts = append(parts, "window "+length(v.windowNS))
	}
	if v.run.Interrupted {
		parts = append(parts, "interrupted")
	}
	return strings.Join(append(parts, utc(v.run.Started)), " · ")
}

func delivers(d *rundoc.UpdatesDetail) string {
	if d.AtLeastOnce {
		return "at least once"
	}
	return "at most once"
}

// updatesAnswer says how many updates were applied, how soon, and whether all were.
func (v *view) updatesAnswer() []fact {
	d := v.updates
	facts := []fact{{key: "Applied", value: v.appliedAnswer(), strong: true}}
	if largest, ok := v.largestAnswer(); ok {
		facts = append([]fact{largest}, facts...)
	}
	if d.Proof == nil {
		facts[0] = fact{key: "Published", value: v.publishedAnswer(), strong: true}
	}
	scheduled, sent := d.Stage(rundoc.StageE2EScheduled), d.Stage(rundoc.StageE2ESent)
	switch {
	case scheduled != nil:
		facts = append(facts, fact{key: "End to end", value: stageAnswer(scheduled) + " from the schedule", strong: true})
		if sent != nil {
			facts = append(facts, fact{key: "From the send", value: stageAnswer(sent)})
		}
	case d.Proof == nil:
		facts = append(facts, fact{key: "Publishing", value: v.responseAnswer() + ", from the schedule", strong: true})
	default:
		facts = append(facts, fact{key: "End to end", value: dash + " (the server told no times that are related to the publisher's)", strong: true})
	}
	note := v.warningsAnswer()
	for _, n := range d.Notes {
		note.points = append(note.points, clean(n))
	}
	return append(facts, v.proofAnswer(),
		fact{key: capital(v.words.many), value: v.countsAnswer()}, v.failuresAnswer(), v.verdictAnswer(), note)
}

// largestAnswer is what a search for the largest rate came to, if this was one.
func (v *view) largestAnswer() (fact, bool) {
	search := v.updates.Search
	if len(search) == 0 || v.windowNS <= 0 {
		return fact{}, false
	}
	rate := float64(v.total.Scheduled) / (float64(v.windowNS) / 1e9)
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
		return fact{key: "Largest rate", value: dash + " (not found; these are the figures of the last trial)", strong: true}, true
	}
	text := perSecond(rate) + " batches/s sustained"
	if above > 0 {
		text += ", " + perSecond(above) + " not"
	}
	return fact{key: "Largest rate", value: text, strong: true}, true
}

// appliedAnswer is the rate of applied updates, of what was due.
func (v *view) appliedAnswer() string {
	d := v.updates
	if v.windowNS <= 0 || d.Stage(rundoc.StageApply) == nil {
		return dash + " (not known: the server told no times)"
	}
	text := perSecond(d.AppliedPerS) + " updates/s"
	if p := d.Proof; p != nil && p.Restarted {
		text = dash + " (the server was started again in the run)"
	}
	if v.open {
		offered := float64(v.total.Scheduled) / (float64(v.windowNS) / 1e9)
		each, mean := meanBatch(d)
		text += fmt.Sprintf(", of %s due (%s batches/s of %s)", perSecond(offered*each), perSecond(offered), mean)
	}
	if p := d.Proof; p != nil && p.Stale > 0 {
		text += "; " + shareOf(float64(p.Stale), float64(p.Updates)) + " of all updates were stale, and do not count"
	}
	return text
}

// meanBatch is how many updates a batch had, also in words. The last batch of each delta file may have
// fewer than the others.
func meanBatch(d *rundoc.UpdatesDetail) (float64, string) {
	m := &d.Manifest
	if mean := float64(m.Updates) / float64(m.Batches); m.Batches > 0 && m.Updates > 0 && mean < float64(d.Batch) {
		return mean, perSecond(mean) + " on average"
	}
	return float64(d.Batch), number(int64(d.Batch))
}

// publishedAnswer is the rate of a run that only published.
func (v *view) publishedAnswer() string {
	if v.windowNS <= 0 {
		return dash + " (the document has no window)"
	}
	if v.updates.Batch <= 0 {
		return v.throughputAnswer() // the document has no detail
	}
	each, _ := meanBatch(v.updates)
	return fmt.Sprintf("%s updates/s: %s", perSecond(v.total.RatePerS*each), v.throughputAnswer())
}

// stageAnswer is a stage's percentiles in a line.
func stageAnswer(s *rundoc.UpdateStage) string {
	r := &s.Summary
	if r.Count == 0 {
		return dash
	}
	if s.Negative > 0 && r.P50NS == nil && s.Negative >= r.Count {
		return fmt.Sprintf("%s (not known: %s of %s are below zero)", dash, number(s.Negative), number(r.Count+s.Negative))
	}
	var parts []string
	for _, p := range percentiles(r) {
		// The slow end that the sample supports, and no more than three of them.
		if p.value != nil && (p.name == "p50" || p.name == "p99" || p.name == "p99.9" || r.P99NS == nil && (p.name == "p95" || p.name == "p90" && r.P95NS == nil)) {
			parts = append(parts, p.name+" "+duration(*p.value))
		}
	}
	if r.P50NS == nil && s.Negative == 0 {
		parts = append(parts, "mean "+duration(r.MeanNS))
	}
	return strings.Join(append(parts, "max "+duration(r.MaxNS)), " · ")
}

// The words of a proof that has no gap.
const proven = "nothing lost, nothing twice, final state equal"

// proofAnswer is the proof in a line, with what is wrong.
func (v *view) proofAnswer() fact {
	p := v.updates.Proof
	f := fact{key: "Proof", strong: true}
	switch {
	case p == nil && v.updates.Batch <= 0:
		return fact{key: f.key, value: dash + " (the document does not say what became of the updates)"}
	case p == nil:
		return fact{
			key: f.key, value: dash + " (the run only published; 'plimsoll updates --check RUN --kv URL' asks a server)",
			points: v.unknownBatches(),
		}
	case p.Complete:
		f.value = proven
		return f
	case !p.Answered():
		f.value = "UNKNOWN: nothing is known of what the server received"
	case p.Unknown && p.Lost > 0:
		f.value = fmt.Sprintf("UNKNOWN: at the server's last answer %s of %s had not arrived", some(p.Lost, "batch", "batches"), number(p.Published))
	case p.Unknown:
		f.value = "UNKNOWN: the batches arrived, and the server's state could not be compared"
	case p.Lost > 0:
		f.value = fmt.Sprintf("INCOMPLETE: %s of %s lost", some(p.Lost, "batch", "batches"), number(p.Published))
	default:
		f.value = "INCOMPLETE: the batches arrived, and the rest does not agree"
	}
	f.points = v.unknownBatches()
	const most = 5
	for i, problem := range p.Problems {
		if i == most {
			f.points = append(f.points, fmt.Sprintf("and %d more", len(p.Problems)-most))
			break
		}
		f.points = append(f.points, clean(problem))
	}
	return f
}

// unknownBatches tells of those that nobody knows to have arrived or not.
func (v *view) unknownBatches() []string {
	n := v.updates.Manifest.Unknown
	if n <= 0 {
		return nil
	}
	return []string{some(n, "batch", "batches") + " unknown: sent, and never acknowledged by the broker. Whether they arrived is not known: they count neither as lost nor as delivered."}
}

// updatesSections are the parts of an updates run's report after the answer.
func (v *view) updatesSections() []section {
	publishing := v.times()
	publishing.title = "Publishing: " + strings.ToLower(publishing.title[:1]) + publishing.title[1:]
	throughput := section{}
	if v.updates.Proof == nil {
		throughput = v.throughput()
	}
	return []section{
		v.updateStages(), v.clocks(), v.proofCounts(), v.lost(), v.applied(), throughput, v.trials(), publishing, v.outcomes(), v.failures(),
		v.connections(), v.ledger(), v.little(), v.instrument(), v.phases(), v.updatesMeaning(), v.plan(), v.files(),
	}
}

func (v *view) updatesMeaning() section {
	notes := []string{UpdatesMeaning}
	if v.updates.Stage(rundoc.StageReading) != nil {
		notes = append(notes, readingMeaning)
	}
	return section{title: "What the stages are", drawing: UpdatesDrawing, notes: notes}
}

const readingMeaning = "Reading off the queue is a receive call, whole, as the reference prints it: idle until the first message that it returns was sent, and busy after that. " +
	"Idle is no cost: it shrinks as the rate grows."
