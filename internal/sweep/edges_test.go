package sweep

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/setdoc"
)

// Values of a setting are numbers only where all of them are, in one way of writing them.
func TestNumbers(t *testing.T) {
	for _, tt := range []struct {
		values []string
		want   map[string]float64
	}{
		{nil, nil},
		{[]string{"1", "x"}, nil},
		{[]string{"1", "-Inf"}, nil},
		{[]string{"1", "NaN"}, nil},
		{[]string{"0.5", "-2"}, map[string]float64{"0.5": 0.5, "-2": -2}},
		{[]string{" 5", "1_0"}, map[string]float64{" 5": 5, "1_0": 10}},
		{[]string{"5%", "0.5"}, map[string]float64{"5%": 0.05, "0.5": 0.5}},
		{[]string{"1m", "30s"}, map[string]float64{"1m": 60e9, "30s": 30e9}},
		{[]string{"30s", "x"}, nil},
		{[]string{"1m", "64k"}, map[string]float64{"1m": 1 << 20, "64k": 64 << 10}},
		{[]string{"1m", "64k", "?"}, nil},
	} {
		if diff := cmp.Diff(tt.want, numbers(tt.values)); diff != "" {
			t.Errorf("%q: %s", tt.values, diff)
		}
	}
}

// A sweep of which nothing was measured says all the same what it was to be.
func TestSweepWithoutRows(t *testing.T) {
	want := &setdoc.Sweep{Rules: Rules, Workload: "chat", Repeats: 2, Seed: 7, Vary: clientsPlan(2, "1").Vary,
		Figure: clientsPlan(2, "1").Figure, Rows: []setdoc.Row{}, Order: []int{}, Levels: []setdoc.Level{}}
	if diff := cmp.Diff(want, Analyze(clientsPlan(2, "1"), nil)); diff != "" {
		t.Error(diff)
	}
}

// What is no number that can be measured is left out, and so is a value that a row lacks.
func TestWhatRowsHaveIsKnown(t *testing.T) {
	for x, has := range map[float64]bool{0: true, 9.9e49: true, 1e50: false, 1.5e50: false, -1: false, math.NaN(): false} {
		r := rowAt("1", 1, x, x)
		r.InFlightSampled, r.InFlightPredicted, r.OfferedPerS, r.PeakSecond = x, x, new(x), new(x)
		r = known(r)
		got := []float64{r.Clients, r.InFlightSampled, r.InFlightPredicted}
		want := []float64{0, 0, 0}
		if has {
			want = []float64{x, x, x}
		}
		if !slices.Equal(got, want) || (r.Throughput != nil) != has || (r.OfferedPerS != nil) != has || (r.PeakSecond != nil) != has {
			t.Errorf("%g: %v, %v, %v, %v", x, got, r.Throughput, r.OfferedPerS, r.PeakSecond)
		}
	}
	r := rowAt("1", 1, 1, 100)
	r.Values = nil
	if s := Analyze(clientsPlan(1, "1"), []setdoc.Row{rowAt("1", 1, 1, 100), r}); len(s.Levels) != 2 {
		t.Errorf("%+v", s.Levels)
	}
}

// figures are what a level of one run has: of 100,000 operations in ten seconds, where nothing else is said.
type figures struct {
	throughput              float64 // 0: none
	failed, notOpened, lost int64
	offered                 float64 // 0: closed
	invalid                 bool
}

// levelsOf are rows of one run each at 1, 2, 4, … clients.
func levelsOf(list ...figures) (values []string, rows []setdoc.Row) {
	for i, f := range list {
		value := []string{"1", "2", "4", "8", "16"}[i]
		r := rowAt(value, 1, 1, f.throughput)
		r.OK, r.Opened = 100_000-f.failed, 100_000-f.notOpened
		r.Failed, r.NotOpened = f.failed, f.notOpened
		if f.throughput == 0 {
			r.Throughput = nil
		}
		if f.offered > 0 {
			r.OfferedPerS = &f.offered
		}
		if f.invalid {
			r.Validity = "invalid"
		}
		if f.lost > 0 {
			r = setdoc.Row{Values: r.Values, Validity: "invalid"}
		}
		values, rows = append(values, value), append(rows, r)
	}
	return values, rows
}

// Which level is the best, which has most, from which on some fail, and how it ends: -1 stands for none.
func TestWhichLevel(t *testing.T) {
	at := func(p *int) int {
		if p == nil {
			return -1
		}
		return *p
	}
	type result struct {
		best, peak, from int
		ending           string
	}
	for name, tt := range map[string]struct {
		levels []figures
		want   result
		named  bool // the values are no numbers
	}{
		"one per cent fails":     {[]figures{{throughput: 100, failed: 1000}}, result{0, 0, 0, setdoc.EndsRising}, false},
		"a little more":          {[]figures{{throughput: 100, failed: 1001}}, result{-1, 0, 0, setdoc.EndsInFailure}, false},
		"a little less":          {[]figures{{throughput: 100, failed: 900}}, result{0, 0, 0, setdoc.EndsRising}, false},
		"one fails":              {[]figures{{throughput: 100}, {throughput: 200, failed: 1}}, result{1, 1, 1, setdoc.EndsRising}, false},
		"none fails":             {[]figures{{throughput: 100}, {throughput: 200}}, result{1, 1, -1, setdoc.EndsRising}, false},
		"one is not let in":      {[]figures{{throughput: 100}, {throughput: 200, notOpened: 1}}, result{1, 1, 1, setdoc.EndsRising}, false},
		"one per cent of them":   {[]figures{{throughput: 100, notOpened: 1000}}, result{0, 0, 0, setdoc.EndsRising}, false},
		"more of them":           {[]figures{{throughput: 100, notOpened: 1001}}, result{-1, 0, 0, setdoc.EndsInFailure}, false},
		"one that measured none": {[]figures{{throughput: 100}, {lost: 1}}, result{0, 0, 1, setdoc.EndsInFailure}, false},
		"97 % of the offered":    {[]figures{{throughput: 97, offered: 100}}, result{0, 0, -1, setdoc.EndsRising}, false},
		"less of the offered":    {[]figures{{throughput: 96.9, offered: 100}}, result{-1, 0, -1, setdoc.EndsInFailure}, false},
		"all names fail":         {[]figures{{throughput: 9, failed: 5000}, {throughput: 8, failed: 5000}}, result{-1, 0, -1, ""}, true},
		"the first name is best": {[]figures{{throughput: 9}, {throughput: 7}, {throughput: 8}}, result{0, 0, -1, ""}, true},
		"nothing gets through":   {[]figures{{failed: 9}}, result{-1, -1, 0, setdoc.EndsInFailure}, false},
		"nothing was to do":      {[]figures{{}}, result{-1, -1, -1, ""}, false},
		"a lower one is invalid": {[]figures{{throughput: 99, invalid: true}, {throughput: 100}}, result{1, 1, -1, setdoc.EndsRising}, false},
		"a lower one fails":      {[]figures{{throughput: 99, failed: 5000}, {throughput: 100}}, result{1, 1, 0, setdoc.EndsRising}, false},
		"97 % of the best":       {[]figures{{throughput: 97}, {throughput: 100}}, result{0, 1, -1, setdoc.EndsOnPlateau}, false},
		"less than that":         {[]figures{{throughput: 96.9}, {throughput: 100}}, result{1, 1, -1, setdoc.EndsRising}, false},
		"nine tenths beyond it":  {[]figures{{throughput: 100}, {throughput: 90}}, result{0, 0, -1, setdoc.EndsOnPlateau}, false},
		"less beyond it":         {[]figures{{throughput: 100}, {throughput: 89.9}}, result{0, 0, -1, setdoc.EndsInDecline}, false},
		"the last one is invalid": {[]figures{{throughput: 100}, {throughput: 50}, {throughput: 100, invalid: true}},
			result{0, 0, -1, setdoc.EndsInDecline}, false},
		"invalid beyond it": {[]figures{{throughput: 100}, {throughput: 50, invalid: true}}, result{0, 0, -1, setdoc.EndsRising}, false},
	} {
		values, rows := levelsOf(tt.levels...)
		p := clientsPlan(1, values...)
		p.Vary[0].Numeric = !tt.named
		s := Analyze(p, rows)
		got := result{at(s.Best), at(s.Peak), at(s.FailsFrom), s.Ending}
		if got != tt.want {
			t.Errorf("%s: %+v, want %+v", name, got, tt.want)
		}
		for i := range s.Levels {
			v := tt.levels[i]
			bad := v.lost > 0 || v.failed > 1000 || v.notOpened > 1000 || v.throughput < 0.97*v.offered
			if says := Failure(s, i); (says != "") != bad {
				t.Errorf("%s, level %d: %q", name, i, says)
			}
		}
	}
}

// near are three runs whose logarithms have this mean and this deviation: within a level the deviation of all.
func near(value string, mean, deviation float64) (rows []setdoc.Row) {
	for i, off := range []float64{-deviation, 0, deviation} {
		rows = append(rows, rowAt(value, i+1, 1, mean*math.Exp(off)))
	}
	return rows
}

// What repeats tell apart: of two levels with six degrees of freedom, those that lie 2.447 times the spread from each other,
// and 2.969 times where two pairs are compared.
func TestWhatRepeatsTell(t *testing.T) {
	const deviation = 0.02
	spread := deviation * math.Sqrt(2./3)
	for _, tt := range []struct {
		by      float64
		asGood  bool   // the first of three levels of which the second has most
		decline bool   // the last level of three, with one beyond the best
		two     string // the same with two beyond it
	}{
		{2.4, true, false, setdoc.EndsOnPlateau},
		{2.5, false, true, setdoc.EndsOnPlateau},
		{2.9, false, true, setdoc.EndsOnPlateau},
		{3.1, false, true, setdoc.EndsInDecline},
	} {
		less := 100 * math.Exp(-tt.by*spread)
		rising := slices.Concat(near("1", 50, deviation), near("2", less, deviation), near("4", 100, deviation))
		// Nine runs in three levels: their t has six degrees of freedom.
		if s := Analyze(clientsPlan(3, "1", "2", "4"), rising); (*s.Best == 1) != tt.asGood {
			t.Errorf("%g: best %d", tt.by, *s.Best)
		}
		falling := slices.Concat(near("1", 50, deviation), near("2", 100, deviation), near("4", less, deviation))
		if s := Analyze(clientsPlan(3, "1", "2", "4"), falling); (s.Ending == setdoc.EndsInDecline) != tt.decline {
			t.Errorf("%g: ends in %s", tt.by, s.Ending)
		}
		twice := slices.Concat(near("1", 100, deviation), near("2", 99.9, deviation), near("4", less, deviation))
		if s := Analyze(clientsPlan(3, "1", "2", "4"), twice); s.Ending != tt.two {
			t.Errorf("%g: with two beyond it ends in %s, want %s", tt.by, s.Ending, tt.two)
		}
	}
	// Where all repeats are alike, any difference tells.
	for x, want := range map[float64]string{
		100: "Policy b: 100/s, the best; policy a has 100/s, which the repeats do not tell apart from it.",
		99:  "Policy b: 100/s, 1.01 % more than policy a, the next.",
	} {
		p := Plan{Repeats: 2, Vary: []setdoc.Vary{{Setting: "policy", Values: []string{"b", "a"}}}, Figure: clientsPlan(1).Figure}
		rows := []setdoc.Row{rowAt("a", 1, 1, x), rowAt("a", 2, 1, x), rowAt("b", 1, 1, 100), rowAt("b", 2, 1, 100)}
		if got := Analyze(p, rows).Recommended; got != want {
			t.Errorf("%g: %q", x, got)
		}
	}
	// Two runs of one level, and four of the other: the spread is deviation·√(1/2 + 1/4).
	n := noise{deviation: deviation, freedom: 6}
	spread = deviation * math.Sqrt(0.75)
	for by, want := range map[float64]bool{2.44: false, 2.46: true} {
		a, b := &level{used: near("1", 100, 0)[:2]}, &level{used: near("2", 100*math.Exp(by*spread), 0)}
		b.used = append(b.used, b.used[0])
		if n.apart(a, b, 1) != want || n.apart(b, a, 1) != want {
			t.Errorf("%g times the spread: %t, want %t", by, !want, want)
		}
	}
}

// What a level is of few runs, or of those that have little.
func TestLevelOfFewRuns(t *testing.T) {
	const half = 12.706204736432095 / 2 // t of one degree of freedom, ÷ √2, of two runs that are 1 apart: their deviation is 1/√2
	rows := func(a, b float64, window int64) []setdoc.Row {
		list := []setdoc.Row{rowAt("1", 1, 1, a), rowAt("1", 2, 1, b)}
		list[0].WindowNS, list[1].WindowNS = window, window
		return list
	}
	other := clientsPlan(2, "1")
	other.Figure = setdoc.Figure{Name: "download", Unit: "bytes_per_s"}
	step := func(window float64) float64 { return 2 * half * 1e9 / window / math.Sqrt(24) * math.Sqrt(2) }
	for name, tt := range map[string]struct {
		plan Plan
		rows []setdoc.Row
		half float64 // of the interval; 0: there is none
	}{
		"one apart":                {clientsPlan(2, "1"), rows(100, 101, 10e9), half},
		"alike, a window of 1 s":   {clientsPlan(2, "1"), rows(100, 100, 1e9), step(1e9) / math.Sqrt(2)},
		"alike, no window":         {clientsPlan(2, "1"), rows(100, 100, 0), 0},
		"alike, of no step":        {other, rows(100, 100, 1e9), 0},
		"by a hundred millionth":   {other, rows(100, 100*(1+1e-8), 1e9), half * 100e-8},
		"by less than a billionth": {other, rows(100, 100*(1+1e-9), 1e9), 0},
		"one run":                  {clientsPlan(1, "1"), rows(100, 100, 1e9)[:1], 0},
	} {
		v := Analyze(tt.plan, tt.rows).Levels[0]
		switch {
		case tt.half == 0 && v.Interval != nil:
			t.Errorf("%s: %v", name, v.Interval)
		case tt.half > 0 && (len(v.Interval) != 2 || math.Abs((v.Interval[1]-v.Interval[0])/2/tt.half-1) > 1e-6):
			t.Errorf("%s: %v, want ± %g", name, v.Interval, tt.half)
		}
	}
	r := rowAt("1", 1, 1, 100)
	r.OK, r.Failed, r.WindowNS, r.States = 0, 1, 1, map[string]int64{"a": 1, "b": 0, "c": -3}
	r.OfferedPerS, r.InFlightPredicted = new(4.0), 2
	v := Analyze(clientsPlan(1, "1"), []setdoc.Row{r}).Levels[0]
	if v.FailedShare != 1 || v.OfferedPerS == nil || *v.OfferedPerS != 4 || v.Little != nil {
		t.Errorf("%+v", v)
	}
	if diff := cmp.Diff(map[string]float64{"a": 1}, v.Shares); diff != "" {
		t.Error(diff)
	}
	for want, list := range map[string][]string{
		"odd": {"odd", "strange"}, "valid": {"odd", "valid"}, "suspect": {"valid as far as seen", "suspect", "valid"},
		"invalid": {"suspect", "invalid", "valid"},
	} {
		var rows []setdoc.Row
		for _, validity := range list {
			rows = append(rows, setdoc.Row{Validity: validity})
		}
		if got := gravest(rows); got != want {
			t.Errorf("%q: %q, want %q", list, got, want)
		}
	}
	if two := levelOfOne(1e9); len(two.Interval) != 2 || two.Interval[0] != 0 || two.Interval[1] < 1e9 {
		t.Errorf("a window of a nanosecond: %v", two.Interval)
	}
}

// levelOfOne is the level of two runs that are alike, with a window of one nanosecond.
func levelOfOne(x float64) setdoc.Level {
	a, b := rowAt("1", 1, 1, x), rowAt("1", 2, 1, x)
	a.WindowNS, b.WindowNS = 1, 1
	return Analyze(clientsPlan(2, "1"), []setdoc.Row{a, b}).Levels[0]
}

// The prediction is of what is finite, and only figures that count operations tell where the time went.
func TestPredictionOfOddFigures(t *testing.T) {
	at := func(value string, clients, x float64) setdoc.Row { return rowAt(value, 1, clients, x) }
	for name, tt := range map[string]struct {
		rows      []setdoc.Row
		base      bool
		predicted []bool
	}{
		"an endless time":     {[]setdoc.Row{at("1", 1e49, 1e-300)}, false, []bool{false}},
		"no time":             {[]setdoc.Row{at("1", 1e-300, 1e49)}, false, []bool{false}},
		"as it should be":     {[]setdoc.Row{at("1", 1, 100), at("2", 2, 190)}, true, []bool{true, true}},
		"too much":            {[]setdoc.Row{at("1", 1e-255, 1e9), at("2", 1e49, 1)}, true, []bool{true, false}},
		"endlessly efficient": {[]setdoc.Row{at("1", 1e-300, 1e-10), at("2", 1e-300, 1e49)}, true, []bool{true, false}},
	} {
		s := Analyze(clientsPlan(1, "1", "2"), tt.rows)
		if (s.Base != nil) != tt.base {
			t.Errorf("%s: base %+v", name, s.Base)
		}
		for i, v := range s.Levels {
			if (v.Predicted != nil) != tt.predicted[i] || (v.Efficiency != nil) != tt.predicted[i] {
				t.Errorf("%s: level %d: %v, %v", name, i, v.Predicted, v.Efficiency)
			}
		}
	}
	for name, want := range map[string]int{"rate": 1, "bytes_rate": 1, "download": 0} {
		p := clientsPlan(1, "1", "2")
		p.Figure.Name = name
		s := Analyze(p, []setdoc.Row{at("1", 1, 100), at("2", 2, 150)})
		if got := s.Levels[1].Missing; len(got) != want || s.Levels[0].Missing != nil || s.Levels[1].Efficiency == nil {
			t.Errorf("%s: %v", name, got)
		}
	}
	rows := []setdoc.Row{at("1", 1, 100), at("2", 2, 150)}
	rows[0].States = nil
	if got := Analyze(clientsPlan(1, "1", "2"), rows).Levels[1].Missing; got != nil {
		t.Errorf("of a base without a ledger: %v", got)
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if finite(x) != nil {
			t.Errorf("%g is finite", x)
		}
	}
	if got := unlike(setdoc.Row{Clients: math.NaN()}, setdoc.Row{}); !strings.Contains(got, "no document holds") {
		t.Errorf("%q", got)
	}
}
