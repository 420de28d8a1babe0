package rundoc

import (
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
)

// DueBatches is what became of the batches that were due in the window, those that were never published
// included: batches = in time + late + lost + never published + unknown.
type DueBatches struct {
	Batches int64 `json:"batches"` // due in the window, by the schedule
	// InTime were applied at most WithinNS after they were due, and Late after that. The histogram of the
	// times from the schedule divides them, whose buckets are a thousandth wide.
	InTime   int64 `json:"in_time"`
	Late     int64 `json:"late"`
	WithinNS int64 `json:"within_ns"`
	Lost     int64 `json:"lost"` // the broker acknowledged them, and the server did not receive them
	// NeverPublished were not taken by the broker, as far as anybody knows, and did not arrive: they were not
	// sent, or sent and not acknowledged.
	NeverPublished int64 `json:"never_published"`
	// Unknown are those of which nobody could say more at the end, and those that were applied at a time
	// that is not known, which Untimed counts.
	Unknown int64 `json:"unknown"`
	Untimed int64 `json:"untimed,omitempty"`
	// The times from the schedule until applied, over all that was due but for the untimed: what did not
	// arrive is later than all that did. A percentile that falls among what did not arrive, or among times
	// below zero, is absent, and so is one that the sample does not support.
	P50NS  *int64 `json:"p50_ns,omitempty"`
	P90NS  *int64 `json:"p90_ns,omitempty"`
	P95NS  *int64 `json:"p95_ns,omitempty"`
	P99NS  *int64 `json:"p99_ns,omitempty"`
	P999NS *int64 `json:"p999_ns,omitempty"`
	MaxNS  *int64 `json:"max_ns,omitempty"` // absent where something did not arrive
}

// Fates are the batches of a window, counted by what is known of them: what was received, what was
// acknowledged or not and is not there, and what nobody can tell. The rest was never sent.
type Fates struct{ Received, Lost, NeverPublished, Unknown int64 }

// arrivedSince counts in what a server applied while it was asked, where that was before its end: it tells what it
// received first, and then the times, so that more batches may be timed than it named. They are some of those that were
// still to come.
func (f *Fates) arrivedSince(timed int64) {
	for _, from := range []*int64{&f.Unknown, &f.Lost, &f.NeverPublished} {
		n := max(0, min(timed-f.Received, *from))
		*from -= n
		f.Received += n
	}
}

// NewDueBatches makes the account of so many batches that were due, of which a server timed some from the schedule
// on; nil: none. The error is that of the stage's histogram.
func NewDueBatches(due, within int64, timed *UpdateStage, f Fates) (*DueBatches, error) {
	times, err := timed.sample()
	if err != nil {
		return nil, err
	}
	f.arrivedSince(timed.all())
	b := &DueBatches{
		Batches: due, WithinNS: within, Lost: f.Lost,
		NeverPublished: f.NeverPublished + max(0, due-f.Received-f.Lost-f.NeverPublished-f.Unknown),
		Untimed:        max(0, f.Received-timed.all()),
	}
	b.InTime = timed.within(times, within)
	b.Late = timed.all() - b.InTime
	b.Unknown = f.Unknown + b.Untimed
	b.setTimes(timed, times)
	return b, nil
}

// Absent are the batches that did not arrive, as far as is known.
func (b *DueBatches) Absent() int64 { return b.Lost + b.NeverPublished + b.Unknown - b.Untimed }

// Times are the percentiles over what was due, as a summary without a histogram. It has no other figure but
// their number and, where all arrived, the longest.
func (b *DueBatches) Times() Summary {
	s := Summary{Count: b.Batches - b.Untimed, P50NS: b.P50NS, P90NS: b.P90NS, P95NS: b.P95NS, P99NS: b.P99NS,
		P999NS: b.P999NS}
	if b.MaxNS != nil {
		s.MaxNS = *b.MaxNS
	}
	return s
}

// Never reports whether a percentile, in thousandths, falls among the batches that did not arrive. The sample
// supports it.
func (b *DueBatches) Never(permille int64) bool {
	n := b.Batches - b.Untimed
	return Supports(n, permille) && rankOf(n, float64(permille)/10) > n-b.Absent()
}

// setTimes sets the percentiles and the longest time.
func (b *DueBatches) setTimes(timed *UpdateStage, times *sample) {
	if timed.all() == 0 {
		return
	}
	n := b.Batches - b.Untimed
	s := Summary{}
	s.SetPercentiles(func(permille int64) *int64 {
		rank := rankOf(n, float64(permille)/10) - timed.Negative
		if !Supports(n, permille) || rank <= 0 || rank > timed.Summary.Count || times == nil {
			return nil
		}
		at := max(timed.Summary.MinNS, min(times.atRank(rank), timed.Summary.MaxNS))
		return &at
	})
	b.P50NS, b.P90NS, b.P95NS, b.P99NS, b.P999NS = s.P50NS, s.P90NS, s.P95NS, s.P99NS, s.P999NS
	if b.Absent() == 0 && timed.Summary.Count > 0 {
		b.MaxNS = new(timed.Summary.MaxNS)
	}
}

// sample are the durations of a stage from zero on; nil where there are none.
func (s *UpdateStage) sample() (*sample, error) {
	if s == nil {
		return nil, nil
	}
	h, err := s.Summary.Histogram()
	if err != nil || h == nil {
		return nil, err
	}
	return newSample(h), nil
}

// within counts the durations of a stage that are at most this, those below zero included.
func (s *UpdateStage) within(times *sample, ns int64) int64 {
	if s == nil {
		return 0
	}
	n := s.Negative
	if times != nil {
		for _, b := range times.bars {
			if b.low <= ns {
				n += b.count
			}
		}
	}
	return n
}

// laws checks that each batch that was due is in one place, and that the places agree with what is counted
// elsewhere.
func (b *DueBatches) laws(j *judgement, timed *UpdateStage, p *Proof) {
	if b == nil {
		return // a document of before
	}
	places := []int64{b.InTime, b.Late, b.Lost, b.NeverPublished, b.Unknown}
	sum := 0.0
	for _, n := range places {
		sum += float64(n)
	}
	if slices.Min(append(places, b.Untimed, b.WithinNS)) < 0 || sum != float64(b.Batches) || b.Untimed > b.Unknown {
		j.broken("due: %d batches were due, but %d in time + %d late + %d lost + %d never published + %d unknown "+
			"(%d of them untimed) are %.0f", b.Batches, b.InTime, b.Late, b.Lost, b.NeverPublished, b.Unknown, b.Untimed,
			sum)
		return
	}
	b.counts(j, p)
	b.times(j, timed)
}

// counts holds the places against the engine's counts and the proof.
//
//   - What was due is what the schedule says.
//   - What was not sent was never published, and what the broker acknowledged was.
//   - What the window lost is among what the run lost, and what was lost in all is at most that of the warm-up more.
//   - A proof without an answer knows nothing of what was published.
func (b *DueBatches) counts(j *judgement, p *Proof) {
	t := &j.total
	if b.Batches != t.Scheduled || b.NeverPublished < t.Unsent || b.NeverPublished > t.Scheduled-t.OK {
		j.broken("due: %d batches, %d of them never published; the operations are %d, %d of them ok and %d unsent",
			b.Batches, b.NeverPublished, t.Scheduled, t.OK, t.Unsent)
	}
	switch {
	case p == nil || !p.Answered():
		if b.InTime+b.Late+b.Lost+b.Untimed > 0 {
			j.broken("due: there is no proof, but %d batches were in time, %d late, %d lost, %d untimed",
				b.InTime, b.Late, b.Lost, b.Untimed)
		}
	case b.Lost > p.Lost || p.Complete && b.Unknown > b.Untimed:
		j.broken("due: %d batches of the window are lost and %d unknown, but %d are lost in total; the "+
			"proof is %s", b.Lost, b.Unknown-b.Untimed, p.Lost, p.Outcome())
	}
}

// times holds what was applied, and how late, against the times from the schedule on.
func (b *DueBatches) times(j *judgement, timed *UpdateStage) {
	times, err := j.stageSample(timed)
	if err != nil {
		return // the stage's own law says so
	}
	if in := timed.within(times, b.WithinNS); b.InTime != in || b.Late != timed.all()-in {
		j.broken("due: %d batches were in time and %d late, but of the times from the schedule %d are within %d ns "+
			"and %d are not", b.InTime, b.Late, in, b.WithinNS, timed.all()-in)
	}
	want := *b
	want.P50NS, want.P90NS, want.P95NS, want.P99NS, want.P999NS, want.MaxNS = nil, nil, nil, nil, nil, nil
	want.setTimes(timed, times)
	if has, should := b.figures(), want.figures(); has != should {
		j.broken("due: the times over all that was due are %s, and should be %s", has, should)
	}
}

// figures are the times in a line.
func (b *DueBatches) figures() string {
	exactly := func(ns *int64) string {
		if ns == nil {
			return "absent"
		}
		return strconv.FormatInt(*ns, 10)
	}
	s := b.Times()
	text := ""
	for _, p := range s.percentiles() {
		text += p.name + " " + exactly(*p.value) + ", "
	}
	return text + "max " + exactly(b.MaxNS) + " ns"
}

// stageSample are the durations of a stage, decoded once for all laws.
func (j *judgement) stageSample(s *UpdateStage) (*sample, error) {
	if s == nil {
		return nil, nil
	}
	return j.samples.of(&s.Summary)
}

// laws holds the reads to the laws of operations, and what they found to what was published.
func (r *UpdateReads) laws(j *judgement, d *UpdatesDetail) {
	alone := judgementOf(&Run{Operations: []Operation{r.Operation}})
	alone.total = r.Operation
	alone.conservation()
	alone.attribution()
	alone.times()
	for _, reason := range alone.reasons {
		j.broken("reads: %s", strings.TrimSuffix(strings.TrimPrefix(reason, brokenLaw), "."))
	}
	if !(r.RatePerS > 0) || r.Readers < 1 || r.Found < 0 || r.Found > r.Asked ||
		(r.Batches == nil) != (r.Keys == ReadHot) {
		j.broken("reads: %.7g a second over %d connections found %d keys of %d, which is inconsistent", r.RatePerS, r.Readers,
			r.Found, r.Asked)
	}
	if r.Batches != nil {
		r.Batches.laws(j, d)
	}
}

// laws checks the batches that were looked for.
//
//   - No more were found than looked for, and no more were looked for than were due.
//   - Each that was found has a time and a resolution, which is a part of it.
//   - A server has received what a read found there.
func (b *ReadBatches) laws(j *judgement, d *UpdatesDetail) {
	if min(b.Seen, b.Unwatched, b.Wrong) < 0 || b.Seen > b.Batches || b.Batches > j.total.Scheduled-b.Unwatched {
		j.broken("reads: %d batches were found of %d, and %d were not looked for; %d were due", b.Seen, b.Batches,
			b.Unwatched, j.total.Scheduled)
	}
	t, r := &b.Times, &b.Resolution
	if t.all() != b.Seen || r.all() != b.Seen || t.Negative+r.Negative != 0 {
		j.broken("reads: %d batches were found, and %d have a time, %d a resolution", b.Seen, t.all(), r.all())
		return
	}
	j.summary("times until a read found a batch", &t.Summary)
	j.summary("resolution of those", &r.Summary)
	if r.Summary.MaxNS > t.Summary.MaxNS || r.Summary.MeanNS > t.Summary.MeanNS {
		j.broken("reads: the resolution is up to %d ns, and the times that it is a part of are up to %d ns",
			r.Summary.MaxNS, t.Summary.MaxNS)
	}
	p := d.Proof
	if p != nil && len(d.Servers) == 0 && p.Answered() && !p.Unknown && !p.Restarted && b.Seen > p.Received {
		j.broken("reads: %d batches were found, and the server received %d", b.Seen, p.Received)
	}
}

// doubts says why the times of reads may not be those that readers have.
func (r *UpdateReads) doubts(j *judgement) {
	o := &r.Operation
	if bad := o.Failed + o.Unsent; float64(bad) > maxReadsBad*float64(o.Scheduled) {
		j.say("Of %s reads %s failed and %s were not sent (limit %s): the times cover only the rest.",
			units.Number(o.Scheduled), units.Number(o.Failed), units.Number(o.Unsent), units.Percent3(maxReadsBad))
	}
	if b := r.Batches; b != nil && b.Wrong > 0 {
		j.say("Reads returned a value other than the published one %s times.", units.Number(b.Wrong))
	}
}

// maxReadsBad is the share of the reads that may be missing in their times.
const maxReadsBad = 0.01
