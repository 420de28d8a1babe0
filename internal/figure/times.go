package figure

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// stat is what is asked of times: a percentile, or one of the others by its name.
type stat struct {
	name   string // "mean", "min", "max"; "" for a percentile
	millis int64  // the percentile in millionths of the whole: 999,000 is the p99.9
}

// The figures of times that are no percentiles.
const (
	mean    = "mean"
	minimum = "min"
	maximum = "max"
)

// whole is all of the observations, in the unit of stat.millis, and places how many decimals a percentile may have.
const (
	whole  = 1_000_000
	places = 4
)

func (s stat) String() string {
	if s.name != "" {
		return s.name
	}
	return "p" + strconv.FormatFloat(float64(s.millis)/(whole/100), 'f', -1, 64)
}

// statOf reads a statistic; false where the word is none at all, and an error where it is meant to be one.
func statOf(word string) (s stat, is bool, err error) {
	switch word {
	case mean, minimum, maximum:
		return stat{name: word}, true, nil
	}
	digits, begins := strings.CutPrefix(word, "p")
	if !begins || digits == "" || strings.Trim(digits, "0123456789.,") != "" {
		return stat{}, false, nil
	}
	before, after, pointed := strings.Cut(digits, ".")
	short := strings.TrimRight(after, "0")
	switch {
	case strings.Contains(digits, ","):
		return stat{}, true, fmt.Errorf("%s: a percentile has a point: write %s", word, strings.ReplaceAll(word, ",", "."))
	case before == "" || strings.Contains(after, ".") || pointed && after == "":
		return stat{}, true, fmt.Errorf("%s is not a percentile: write p99 or p99.9", word)
	case len(short) > places:
		return stat{}, true, fmt.Errorf("%s: a percentile has at most %d decimals", word, places)
	}
	n, err := strconv.ParseInt(before+(short + "0000")[:places], 10, 64)
	switch {
	case err == nil && n > 0 && n < whole:
		return stat{millis: n}, true, nil
	case err == nil && n == whole:
		return stat{}, true, fmt.Errorf("%s is the longest time: write max", word)
	case err == nil && n == 0:
		return stat{}, true, fmt.Errorf("%s is the shortest time: write min", word)
	case !pointed && len(before) > 2 && before[0] == '9':
		return stat{}, true, fmt.Errorf("%s: a percentile is below 100: did you mean p%s.%s?", word, before[:2], before[2:])
	}
	return stat{}, true, fmt.Errorf("%s: a percentile is below 100", word)
}

// needs is how many observations a percentile takes, for rundoc.MinAbove of them to lie above it.
func (s stat) needs() int64 {
	above := whole - s.millis
	return (rundoc.MinAbove*whole + above - 1) / above
}

// later are times of which only their number is known, and that they are longer than the others.
type later struct {
	n   int64
	why string
}

// ofTimes is the statistic of all the summaries' observations together; total is what the document has of those, or
// nil.
func (s Spec) ofTimes(all []rundoc.Summary, total *rundoc.Summary, more later) Value {
	one, err := together(all)
	switch {
	case err != nil:
		return Value{Unit: Time, Why: "its times cannot be read: " + err.Error()}
	case one.Count <= 0:
		return Value{Unit: Time, Why: "the run has no such times"}
	}
	if more.n > 0 {
		raw, why := s.stat.among(&one, more)
		return Value{Raw: raw, Unit: Time, Why: why, Never: s.stat.never(one.Count, more.n),
			Unsure: "no confidence interval: the percentile is beyond all measured times"}
	}
	withTotals(&one, total)
	raw, why := s.stat.of(&one)
	v := Value{Raw: raw, Unit: Time, Why: why}
	if one.Free != nil && one.Free.Count > 0 && why == "" {
		if free, why := s.stat.of(one.Free); why == "" {
			v.Free = &free
		}
	}
	return s.stat.within(v, &one)
}

// together are the observations of several summaries. Those of a single one need no histogram.
func together(all []rundoc.Summary) (rundoc.Summary, error) {
	var filled []rundoc.Summary
	for _, s := range all {
		if s.Count > 0 {
			filled = append(filled, s)
		}
	}
	switch len(filled) {
	case 0:
		return rundoc.Summary{}, nil
	case 1:
		return filled[0], nil
	}
	return rundoc.MergeSummaries(filled...)
}

// of is the statistic of a summary, or why it has none.
func (s stat) of(times *rundoc.Summary) (ns float64, why string) {
	switch s.name {
	case mean:
		return float64(times.MeanNS), ""
	case minimum:
		return float64(times.MinNS), ""
	case maximum:
		return float64(times.MaxNS), ""
	}
	if times.Count < s.needs() {
		return 0, fmt.Sprintf("too few times for a %v: %s, at least %s are needed", s, units.Number(times.Count),
			units.Number(s.needs()))
	}
	if at, kept := s.kept(times); kept {
		if at == nil {
			return 0, fmt.Sprintf("the document has no %v of these times", s)
		}
		return float64(*at), ""
	}
	h, err := times.Histogram()
	if err != nil || h == nil {
		return 0, fmt.Sprintf("the document has neither a %v nor a histogram of these times", s)
	}
	at := h.ValueAtPercentile(float64(s.millis) / (whole / 100))
	return float64(max(times.MinNS, min(at, times.MaxNS))), ""
}

// among is the statistic of a summary and of what is later than all of it.
func (s stat) among(times *rundoc.Summary, more later) (ns float64, why string) {
	n := times.Count + more.n
	rank := s.rank(n)
	switch {
	case s.name == minimum:
		return float64(times.MinNS), ""
	case s.never(times.Count, more.n):
		return 0, fmt.Sprintf("there is no %v: %s", s, more.why)
	case n < s.needs():
		return 0, fmt.Sprintf("too few times for a %v: %s, at least %s are needed", s, units.Number(n),
			units.Number(s.needs()))
	}
	h, err := times.Histogram()
	if err != nil || h == nil {
		return 0, fmt.Sprintf("the document has neither a %v nor a histogram of these times", s)
	}
	at := h.ValueAtPercentile(100 * float64(rank) / float64(times.Count)) // which the histogram rounds to the rank
	return float64(max(times.MinNS, min(at, times.MaxNS))), ""
}

// rank is the place of a percentile among so many, from 1 on.
func (s stat) rank(n int64) int64 { return max(1, int64(float64(s.millis)/whole*float64(n)+0.5)) }

// never reports whether a statistic of so many times, and of some that are longer than all, is one of the latter.
func (s stat) never(times, later int64) bool {
	return s.name != minimum && (s.name != "" || s.rank(times+later) > times)
}

// kept is a percentile that documents have in so many words.
func (s stat) kept(times *rundoc.Summary) (ns *int64, kept bool) {
	switch s.millis {
	case 500_000:
		return times.P50NS, true
	case 900_000:
		return times.P90NS, true
	case 950_000:
		return times.P95NS, true
	case 990_000:
		return times.P99NS, true
	case 999_000:
		return times.P999NS, true
	}
	return nil, false
}

// checked has no value that is no number: a document may come from anywhere.
func (v Value) checked() Value {
	bad := func(f float64) bool { return math.IsNaN(f) || math.IsInf(f, 0) }
	if v.Free != nil && bad(*v.Free) {
		v.Free = nil
	}
	if v.Why == "" && bad(v.Raw) {
		v.Why = "the value in the document is not a number"
	}
	if v.Why != "" {
		v.Raw, v.Free, v.Low, v.High, v.Unsure = 0, nil, nil, nil, ""
	}
	return v
}

// Quantile is the share of the times that a percentile is above; 0 of a figure that is none.
func (s Spec) Quantile() float64 { return float64(s.stat.millis) / whole }
