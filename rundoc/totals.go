package rundoc

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Totals are all operations of the window together. They follow from Operations, and stand in
// the document for readers that merge no histograms.
type Totals struct {
	Scheduled  int64   `json:"scheduled"`
	OK         int64   `json:"ok"`
	Failed     int64   `json:"failed"`
	Unsent     int64   `json:"unsent"`
	Unfinished int64   `json:"unfinished"`
	Attempts   int64   `json:"attempts"`
	Retries    int64   `json:"retries"`
	Bytes      int64   `json:"bytes"`
	Carried    int64   `json:"carried,omitempty"`
	RatePerS   float64 `json:"rate_per_s"`
	BytesPerS  float64 `json:"bytes_per_s"`
	Causes     []Cause `json:"causes,omitempty"` // of failed attempts, the most frequent first
	// The times are those of Operation, merged, and without a histogram. They are absent where there
	// are none, and for a workload whose operations are no samples of one thing, such as create, write
	// and close.
	ResponseTime *Summary `json:"response_time,omitempty"`
	ServiceTime  *Summary `json:"service_time,omitempty"`
	SendDelay    *Summary `json:"send_delay,omitempty"`
	FirstAttempt *Summary `json:"first_attempt,omitempty"`
}

// totalName is the name of all operations together.
const totalName = "total"

// Totals sums up the operations: counts, rates and causes are added, and the times are
// merged through their histograms. Its name is "total" and it has no labels. Causes are
// sorted from the most to the least frequent. The error says which time's histogram cannot
// be read; the counts are right even then, and that time is empty.
func (r *Run) Totals() (Operation, error) { return r.sum(newSamples(), (*sample).encode) }

// figures are the totals without their histograms, which take as long to encode as all the rest.
func (r *Run) figures() (Operation, error) { return r.sum(newSamples(), noText) }

// sum is Totals, with the histograms that have been decoded, and what makes the text of new ones.
func (r *Run) sum(c *samples, hdr func(*sample) string) (Operation, error) {
	total := Operation{Name: totalName}
	causes := map[string]int64{}
	for i := range r.Operations {
		o := &r.Operations[i]
		total.Scheduled += o.Scheduled
		total.OK += o.OK
		total.Failed += o.Failed
		total.Unsent += o.Unsent
		total.Unfinished += o.Unfinished
		total.Attempts += o.Attempts
		total.Retries += o.Retries
		total.Bytes += o.Bytes
		total.Carried += o.Carried
		total.RatePerS += o.RatePerS
		total.BytesPerS += o.BytesPerS
		for _, c := range o.Causes {
			causes[c.Cause] += c.Count
		}
	}
	for cause, n := range causes {
		total.Causes = append(total.Causes, Cause{Cause: cause, Count: n})
	}
	slices.SortFunc(total.Causes, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Cause, b.Cause))
	})
	return total, r.mergeTimes(&total, c, hdr)
}

// operationTime is one of an operation's times.
type operationTime struct {
	name string
	of   func(*Operation) *Summary
	in   func(*Totals) **Summary
}

func operationTimes() []operationTime {
	return []operationTime{
		{"response_time", func(o *Operation) *Summary { return &o.ResponseTime },
			func(t *Totals) **Summary { return &t.ResponseTime }},
		{"service_time", func(o *Operation) *Summary { return &o.ServiceTime },
			func(t *Totals) **Summary { return &t.ServiceTime }},
		{"send_delay", func(o *Operation) *Summary { return &o.SendDelay },
			func(t *Totals) **Summary { return &t.SendDelay }},
		{"first_attempt", func(o *Operation) *Summary { return &o.FirstAttempt },
			func(t *Totals) **Summary { return &t.FirstAttempt }},
	}
}

func (r *Run) mergeTimes(total *Operation, c *samples, hdr func(*sample) string) error {
	var firstErr error
	for _, t := range operationTimes() {
		all := make([]Summary, len(r.Operations))
		for i := range r.Operations {
			all[i] = *t.of(&r.Operations[i])
		}
		merged, err := c.merge(all, hdr)
		if err != nil && firstErr == nil {
			firstErr = fmt.Errorf("operations: %s: %w", t.name, err)
		}
		*t.of(total) = merged
	}
	return firstErr
}

// totals is a sum of operations in the form of a document. Those that are not alike have no times
// together.
func (o *Operation) totals(alike bool) *Totals {
	sum := &Totals{
		Scheduled: o.Scheduled, OK: o.OK, Failed: o.Failed, Unsent: o.Unsent, Unfinished: o.Unfinished,
		Attempts: o.Attempts, Retries: o.Retries, Bytes: o.Bytes, Carried: o.Carried,
		RatePerS: o.RatePerS, BytesPerS: o.BytesPerS, Causes: o.Causes,
	}
	for _, t := range operationTimes() {
		if s := *t.of(o); alike && s.Count > 0 {
			*t.in(sum) = new(s.WithoutHistogram())
		}
	}
	return sum
}

// totals checks that the document's totals, if it has them, follow from its operations.
func (j *judgement) totals() {
	got, want := j.run.Total, j.total.totals(j.run.kind().alike())
	if got == nil || j.totalErr != nil {
		return // what cannot be merged is another law's
	}
	if got.counts() != want.counts() || !slices.Equal(got.Causes, want.Causes) {
		j.broken("totals: %d scheduled, %d ok, %d failed and the other counts are not the "+
			"sums of the operations, which have %d, %d and %d",
			got.Scheduled, got.OK, got.Failed, want.Scheduled, want.OK, want.Failed)
	}
	if !near(got.RatePerS, want.RatePerS, 1e-9) || !near(got.BytesPerS, want.BytesPerS, 1e-9) {
		j.broken("totals: %.7g/s and %.7g B/s are not the sums of the operations, %.7g/s and %.7g B/s",
			got.RatePerS, got.BytesPerS, want.RatePerS, want.BytesPerS)
	}
	for _, t := range operationTimes() {
		if !(*t.in(got)).same(*t.in(want)) {
			j.broken("totals: the %s is not the one of all operations merged", t.name)
		}
	}
}

func (t *Totals) counts() [9]int64 {
	return [...]int64{t.Scheduled, t.OK, t.Failed, t.Unsent, t.Unfinished, t.Attempts, t.Retries, t.Bytes, t.Carried}
}

// near reports whether two figures differ by no more than a share of the larger.
func near(a, b, share float64) bool {
	return math.Abs(a-b) <= share*max(math.Abs(a), math.Abs(b))
}

// same reports whether two summaries, each of which may be nil, have the same figures. A deviation comes
// of a sum of squares, whose last digits are not the same on every processor.
func (s *Summary) same(other *Summary) bool {
	if s == nil || other == nil {
		return s == other
	}
	if s.Count != other.Count || s.MinNS != other.MinNS || s.MeanNS != other.MeanNS || s.MaxNS != other.MaxNS ||
		math.Abs(float64(s.StddevNS)-float64(other.StddevNS)) > 1+1e-6*float64(s.StddevNS) {
		return false
	}
	theirs := other.percentiles()
	for i, p := range s.percentiles() {
		a, b := *p.value, *theirs[i].value
		if (a == nil) != (b == nil) || a != nil && *a != *b {
			return false
		}
	}
	return s.Free.same(other.Free)
}
