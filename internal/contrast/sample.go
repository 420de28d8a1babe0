package contrast

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/plimsoll/plimsoll/internal/stats"
	"github.com/plimsoll/plimsoll/setdoc"
)

// The units of figures that may well be 0, as figure has them.
const (
	share = "share"
	count = "count"
)

// sample is a figure in the launches of a look.
type sample struct {
	pairs  [][2]setdoc.Known // of the launches in which both sides have it
	logs   []float64         // the logarithms of the ratios of these, the second side's to the first's
	none   bool              // all of them are 0, as where there are none
	alike  bool              // both sides are the same in each of them
	merged bool              // the values are of several launches each, whose times were merged
	absent string            // why there are no logarithms
	why    string            // why the other launches do not have it: the most frequent reason
}

// sampleOf takes a figure from launches.
func sampleOf(counted []*setdoc.Launch, figure int, unit string) sample {
	s := sample{none: true}
	reasons := map[string]int{}
	zeros := false
	for _, l := range counted {
		pair, why := pairOf(l, figure)
		s.merged = s.merged || pair[0].Merged || pair[0].Launches > 1
		if why != "" {
			reasons[why]++
			continue
		}
		a, b := *pair[0].Value, *pair[1].Value
		s.pairs = append(s.pairs, pair)
		s.none = s.none && a == 0 && b == 0
		zeros = zeros || a == 0 || b == 0
	}
	s.why = mostFrequent(reasons)
	if s.none {
		s.absent = setdoc.NoneOnEither
		return s
	}
	for _, pair := range s.pairs {
		a, b := *pair[0].Value, *pair[1].Value
		room := 0.0
		switch {
		case unit == share && pair[0].Of > 0 && pair[1].Of > 0:
			room = 0.5 / (float64(pair[0].Of)/2 + float64(pair[1].Of)/2)
		case unit == count && zeros:
			room = 0.5
		}
		ratio := math.Log(b+room) - math.Log(a+room)
		if !(a >= 0) || !(b >= 0) || math.IsNaN(ratio) || math.IsInf(ratio, 0) {
			s.absent = fmt.Sprintf("the ratio of %.4g to %.4g is undefined", b, a)
			s.logs = nil
			return s
		}
		s.logs = append(s.logs, ratio)
	}
	if s.alike = !slices.ContainsFunc(s.logs, func(v float64) bool { return v != 0 }); s.alike {
		s.absent = setdoc.AlikeInEach
	}
	return s
}

// pairOf is the figure on both sides of a launch, or why one has none.
func pairOf(l *setdoc.Launch, figure int) (pair [2]setdoc.Known, why string) {
	for side := range pair {
		if figure < len(l.Values[side]) {
			pair[side] = l.Values[side][figure]
		}
		if v := pair[side].Value; v == nil || math.IsNaN(*v) || math.IsInf(*v, 0) {
			return pair, cmp.Or(pair[side].Why, "there is no value")
		}
	}
	return pair, ""
}

// mostFrequent is the reason that is given most often, the first of the alphabet among such.
func mostFrequent(reasons map[string]int) (most string) {
	for _, why := range slices.Sorted(maps.Keys(reasons)) {
		if reasons[why] > reasons[most] {
			most = why
		}
	}
	return most
}

// middle is what a side came to: of a share that of all operations together, else the geometric mean of the launches
// that are left without a fifth at each end, and the mean of these where one is 0.
func (s sample) middle(side int) float64 {
	var logs, values []float64
	var of, operations float64
	for _, pair := range s.pairs {
		v := *pair[side].Value
		of += float64(max(0, pair[side].Of))
		operations += v * float64(max(0, pair[side].Of))
		values, logs = append(values, v), append(logs, math.Log(v))
	}
	switch {
	case of > 0:
		return operations / of
	case slices.Min(values) > 0:
		return math.Exp(stats.TrimmedMean(logs).Mean)
	}
	return stats.TrimmedMean(values).Mean
}
