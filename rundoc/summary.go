package rundoc

import (
	"cmp"
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Summary describes how long operations took.
//
// A percentile is the value at that percentile of the histogram in HDR: the largest value
// equivalent, at three significant digits, to the observation of rank ⌊p·Count + ½⌋, the
// whole number nearest to p·Count, brought into the exact range MinNS to MaxNS. A percentile
// that the sample cannot support (fewer than MinAbove observations of a higher rank) is
// absent. MinNS, MaxNS and MeanNS are exact, the mean rounded to 1 ns; StddevNS comes from
// the histogram. Of an empty sample there is nothing but its count; where Count is above 0,
// an omitted minimum, mean, deviation or maximum is 0.
type Summary struct {
	Count    int64  `json:"count"`
	MinNS    int64  `json:"min_ns,omitempty"`
	MeanNS   int64  `json:"mean_ns,omitempty"`
	StddevNS int64  `json:"stddev_ns,omitempty"`
	P50NS    *int64 `json:"p50_ns,omitempty"`
	P90NS    *int64 `json:"p90_ns,omitempty"`
	P95NS    *int64 `json:"p95_ns,omitempty"`
	P99NS    *int64 `json:"p99_ns,omitempty"`
	P999NS   *int64 `json:"p999_ns,omitempty"`
	MaxNS    int64  `json:"max_ns,omitempty"`
	// Intervals are those of the percentiles; nil where none is known, as of times that were merged.
	Intervals *Intervals `json:"intervals,omitempty"`
	// HDR is the whole distribution: a compressed V2 HdrHistogram in base64, three
	// significant digits, unit 1 ns.
	HDR string `json:"hdr,omitempty"`
	// Free is the same operations without the generator's own delay, in response and service times; nil where
	// that is not known. Its Free is nil. Free to raw is the span of a figure.
	Free *Summary `json:"free,omitempty"`
}

// percentile is one of a Summary's percentiles.
type percentile struct {
	name     string
	permille int64
	value    **int64
}

// percentiles are all that a Summary has: a new one is a field above, and a line here.
func (s *Summary) percentiles() []percentile {
	return []percentile{
		{"p50", 500, &s.P50NS},
		{"p90", 900, &s.P90NS},
		{"p95", 950, &s.P95NS},
		{"p99", 990, &s.P99NS},
		{"p99.9", 999, &s.P999NS},
	}
}

// SetPercentiles sets each percentile to the time in ns at it, or to nil where the sample does not support it. A
// percentile is given in thousandths: 990 is the p99.
func (s *Summary) SetPercentiles(at func(permille int64) *int64) {
	for _, p := range s.percentiles() {
		*p.value = at(p.permille)
	}
}

// Interval is the 95% confidence interval of a percentile within its run: where the percentile of what the run is a
// sample of lies, as far as its own operations can say. Two runs of the same thing differ by more than that.
//
// It comes from order statistics: the two observations between whose ranks the percentile lies by the binomial
// distribution, for the effective number of observations. Neighbours that are alike, as in slow spells, make it smaller
// than their count: it is found from how much the stretches of the run differ in how many are above the percentile.
type Interval struct {
	LowNS     int64   `json:"low_ns"`
	HighNS    int64   `json:"high_ns"`
	Effective float64 `json:"effective"` // as many independent observations would say as much
}

// Intervals are those of a Summary's percentiles. One is absent where the percentile is, where it is not known, and
// where the run is too short for one.
type Intervals struct {
	P50  *Interval `json:"p50,omitempty"`
	P90  *Interval `json:"p90,omitempty"`
	P95  *Interval `json:"p95,omitempty"`
	P99  *Interval `json:"p99,omitempty"`
	P999 *Interval `json:"p999,omitempty"`
	Mean *Interval `json:"mean,omitempty"` // of the mean, by how much the means of the run's stretches differ
}

// of is the place of a percentile's interval, in thousandths; nil: it has none.
func (i *Intervals) of(permille int64) **Interval {
	switch permille {
	case 500:
		return &i.P50
	case 900:
		return &i.P90
	case 950:
		return &i.P95
	case 990:
		return &i.P99
	case 999:
		return &i.P999
	}
	return nil
}

// SetIntervals sets the interval of each percentile that the summary has, and that of its mean; at gives nil where
// there is none.
func (s *Summary) SetIntervals(at func(permille int64) *Interval, mean *Interval) {
	all := Intervals{Mean: mean}
	for _, p := range s.percentiles() {
		if *p.value != nil {
			*all.of(p.permille) = at(p.permille)
		}
	}
	s.Intervals = nil
	if all != (Intervals{}) {
		s.Intervals = &all
	}
}

// Interval is the one of a percentile, in thousandths; nil where it has none, or one that makes no sense.
func (s *Summary) Interval(permille int64) *Interval {
	if s.Intervals == nil {
		return nil
	}
	for _, p := range s.percentiles() {
		if p.permille != permille || *p.value == nil {
			continue
		}
		if i := *s.Intervals.of(permille); s.holds(i, **p.value) {
			return i
		}
	}
	return nil
}

// MeanInterval is the one of the mean, likewise.
func (s *Summary) MeanInterval() *Interval {
	if s.Intervals == nil || !s.holds(s.Intervals.Mean, s.MeanNS) {
		return nil
	}
	return s.Intervals.Mean
}

// holds reports whether an interval is one that makes sense of this value.
func (s *Summary) holds(i *Interval, value int64) bool {
	return i != nil && s.MinNS <= i.LowNS && i.LowNS <= value && value <= i.HighNS && i.HighNS <= s.MaxNS &&
		i.Effective >= 1 && i.Effective <= float64(s.Count)
}

// WithoutHistogram is the summary without its distribution, nor that of its free figures: for a place whose times
// are somewhere else in the document in full.
func (s Summary) WithoutHistogram() Summary {
	s.HDR = ""
	if s.Free != nil {
		s.Free = new(s.Free.WithoutHistogram())
	}
	return s
}

// MinAbove is how many observations must lie above a percentile for a Summary to show it:
// with fewer, the figure is hardly more than one lucky or unlucky observation.
const MinAbove = 10

// Exact holds the figures that a histogram keeps only approximately. They are kept beside
// it, over the same observations.
type Exact struct {
	Min, Max int64 // ns
	Sum      int64 // ns; the mean is Sum ÷ the histogram's count
}

// Summarize makes the summary of the observations in h, whose exact figures are exact. The
// histogram must have three significant digits and the unit 1 ns, as hdrhistogram.New(1,
// highest, 3) makes it; an observation above its highest value must have been recorded as
// that value, so that the counts are whole. An empty or nil histogram gives an empty summary.
func Summarize(h *hdrhistogram.Histogram, exact Exact) Summary {
	if h == nil || h.TotalCount() == 0 {
		return Summary{}
	}
	return summarize(h, exact.Min, exact.Max, meanOf(big.NewInt(exact.Sum), h.TotalCount()))
}

func summarize(h *hdrhistogram.Histogram, lowest, highest, mean int64) Summary {
	s := Summary{
		Count:    h.TotalCount(),
		MinNS:    lowest,
		MeanNS:   mean,
		StddevNS: int64(math.Round(h.StdDev())),
		MaxNS:    highest,
	}
	s.setPercentiles(h.ValueAtPercentile)
	// Encode writes to memory and can only fail for an unknown version.
	if b, err := h.Encode(hdrhistogram.V2CompressedEncodingCookieBase); err == nil {
		s.HDR = string(b)
	}
	return s
}

// setPercentiles takes the percentiles that the sample supports from its histogram, which has a value at each.
func (s *Summary) setPercentiles(at func(percentile float64) int64) {
	s.SetPercentiles(func(permille int64) *int64 {
		if !Supports(s.Count, permille) {
			return nil
		}
		v := at(float64(permille) / 10)
		v = max(s.MinNS, min(v, s.MaxNS))
		return &v
	})
}

// Supports reports whether at least MinAbove of count observations have a rank above that of a percentile, given in
// thousandths: count − ⌈count·p⌉ = ⌊count·(1−p)⌋. Whatever shows a percentile of whatever kind asks here, and leaves it
// out where the answer is no.
func Supports(count, permille int64) bool { return count >= Needs(permille) }

// Needs is how many observations a percentile takes, given in thousandths and below 1000, for a sample to support it.
func Needs(permille int64) int64 {
	above := 1000 - permille
	return (MinAbove*1000 + above - 1) / above
}

// meanOf is sum ÷ count, rounded to the nearest integer.
func meanOf(sum *big.Int, count int64) int64 {
	n := big.NewInt(count)
	half := new(big.Int).Rsh(n, 1)
	return half.Add(half, sum).Div(half, n).Int64()
}

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

// Figures are the totals without the texts of their histograms, which take longer to encode than all the rest.
func (r *Run) Figures() (Operation, error) { return r.sum(newSamples(), noText) }

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
	err := r.mergeTimes(&total, c, hdr)
	r.keepIntervals(&total)
	return total, err
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

// keepIntervals gives the sum of all operations the intervals that the document has for it, as they do not follow from
// those of the operations.
func (r *Run) keepIntervals(total *Operation) {
	if r.Total == nil || len(r.Operations) < 2 {
		return
	}
	for _, t := range operationTimes() {
		known, sum := *t.in(r.Total), t.of(total)
		if known == nil || known.Intervals == nil || known.Count != sum.Count {
			continue
		}
		*sum = sum.within(known)
		if sum.Free != nil && known.Free != nil {
			sum.Free = new(sum.Free.within(known.Free))
		}
	}
}

// within is the summary with the intervals that another one has of the same times, as far as they make sense of it.
func (s Summary) within(known *Summary) Summary {
	one := s
	one.Intervals = known.Intervals
	s.SetIntervals(one.Interval, one.MeanInterval())
	return s
}

// SumUp sets the totals, which follow from the operations but for the intervals: those are of all operations together,
// as known has them.
func (r *Run) SumUp(known *Totals) {
	r.Total = known
	total, err := r.Figures()
	r.Total = total.totals(err == nil && r.kind().alike())
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
			j.broken("totals: the %s is not that of all operations merged", t.name)
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
