package contrast

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/stats"
	"github.com/plimsoll/plimsoll/setdoc"
)

func TestLooks(t *testing.T) {
	for most, want := range map[int][]int{
		-3: {1}, 0: {1}, 1: {1}, 5: {5}, 9: {9}, 10: {10}, 12: {12}, 13: {10, 13}, 20: {10, 20}, 24: {10, 24}, 26: {10, 20, 26},
		30: {10, 20, 30}, 50: {10, 20, 50}, 100: {10, 20, 40, 100}, 1000: {10, 20, 40, 80, 160, 320, 640, 1000},
	} {
		got := Looks(most)
		if !slices.Equal(got, want) {
			t.Errorf("at most %d: %v, want %v", most, got, want)
		}
		for _, rows := range []int{0, 1, 6, 12, 40} {
			alphas := Alphas(got, rows)
			sum := 0.0
			for k, alpha := range alphas {
				sum += alpha
				if !(alpha > 0) || k > 0 && alpha <= alphas[k-1] {
					t.Errorf("at most %d, %d rows: the levels are %v", most, rows, alphas)
				}
			}
			if len(alphas) != len(got) || most != 30 && math.Abs(sum-total) > 1e-12 || sum > 1.8*total {
				t.Errorf("at most %d, %d rows: the levels are %v", most, rows, alphas)
			}
		}
	}
}

// levels are so many values about a middle, above and below it in turn.
func levels(n int, middle, spread float64) (values []float64) {
	for i := range n {
		off := spread / 2 * float64(i/2%5+1) / 5
		if i%2 == 1 {
			off = -off
		}
		values = append(values, middle+off)
	}
	return values
}

func outcomes(c *setdoc.Comparison) (list []string) {
	for i := range c.Rows {
		list = append(list, c.Rows[i].Outcome)
	}
	return list
}

func TestOutcomes(t *testing.T) {
	log := math.Log1p
	for _, tt := range []struct {
		name      string
		minEffect float64
		rows      [][]float64
		judged    int
		over      bool
		want      []string
	}{
		{"worse, and over at once", 0, [][]float64{levels(30, log(0.1), 0.02)}, 10, true, []string{setdoc.Worse}},
		{"better", 0, [][]float64{levels(30, -log(0.1), 0.02)}, 10, true, []string{setdoc.Better}},
		{"one decided, one not", 0, [][]float64{levels(30, log(0.1), 0.02), levels(30, 0, 0.02)}, 30, true,
			[]string{setdoc.Worse, setdoc.NoneShown}},
		{"one decided, one not yet", 0, [][]float64{levels(29, log(0.1), 0.02), levels(29, 0, 0.02)}, 20, false,
			[]string{setdoc.Worse, setdoc.NoneShown}},
		{"too few for the first look", 0, [][]float64{levels(9, log(0.1), 0.02)}, 9, false, []string{setdoc.Unknown}},
		{"less than what matters", 0.02, [][]float64{levels(30, log(0.01), 0.01)}, 10, true, []string{setdoc.NoneShown}},
		{"as much as what matters", 0.02, [][]float64{levels(30, log(0.03), 0.01)}, 10, true, []string{setdoc.Worse}},
		{"nothing that matters", 0.02, [][]float64{levels(30, log(0.1), 0.01), levels(30, 0, 0.01)}, 10, true,
			[]string{setdoc.Worse, setdoc.NoneShown}},
		{"it could be more than what matters", 0.02, [][]float64{levels(30, 0, 0.2)}, 30, true, []string{setdoc.NoneShown}},
	} {
		c := comparisonOf(tt.rows, 30)
		c.MinEffect = tt.minEffect
		Analyze(c)
		if diff := cmp.Diff(tt.want, outcomes(c)); diff != "" || c.Judged != tt.judged || Over(c) != tt.over {
			t.Errorf("%s: judged by %d, over %t (%s); %s", tt.name, c.Judged, Over(c), c.Decided, diff)
		}
		for i := range c.Figures { // more is better: as the other way round
			c.Figures[i].Less = false
		}
		Analyze(c)
		for i, outcome := range outcomes(c) {
			turned := map[string]string{setdoc.Better: setdoc.Worse, setdoc.Worse: setdoc.Better}
			if want, is := turned[tt.want[i]]; is && outcome != want || !is && outcome != tt.want[i] {
				t.Errorf("%s: %s where more is better", tt.name, outcome)
			}
		}
	}
}

// A row says what the formulas say.
func TestRow(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed, 9))
	samples := rowsOf(rng, contaminated, 3, 30, 0.08)
	c := comparisonOf(samples, 30)
	Analyze(c)
	p := make([]float64, 3)
	for i := range samples {
		p[i] = max(stats.TrimmedMean(samples[i]).P(), stats.SignFlip(samples[i], 1))
	}
	for i := range samples {
		m := stats.TrimmedMean(samples[i])
		level := Alphas(c.Looks, 2)[2] / 2 // of those that are left when the first one is shown
		if i == 0 {
			level = c.Alphas[2] / 3
		}
		low, high := m.Interval(level)
		r := c.Rows[i]
		near := func(what string, got *float64, want float64) {
			t.Helper()
			if got == nil || math.Abs(*got-want) > 1e-9*math.Abs(want) {
				t.Errorf("row %d: %s is %v, want %g", i+1, what, got, want)
			}
		}
		near("the ratio", r.Ratio, math.Exp(m.Mean))
		near("its lower end", r.Low, math.Exp(low))
		near("its upper end", r.High, math.Exp(high))
		near("p", r.P, m.P())
		if i == 0 { // the others' sign-flip tests were not asked
			near("p after Holm", r.Adjusted, stats.Holm(p)[i])
		}
		near("the sign-flip test's p", r.SignFlip, stats.SignFlip(samples[i], 1))
		near("the first side", r.A, 1e6)
		near("the second side", r.B, 1e6*math.Exp(m.Mean))
		if i > 0 {
			reach := stats.StudentQuantile(1-level/2, 17) + stats.StudentQuantile(0.9, 17)
			near("the smallest", r.Smallest, math.Exp(1.15*reach*m.Err)-1)
		} else if r.Smallest != nil || r.Outcome != setdoc.Worse {
			t.Errorf("row 1 is %s, and %v would have been seen", r.Outcome, *r.Smallest)
		}
	}
}

// A difference that only one of the tests shows is none, and the interval says no more.
func TestTestsThatDisagree(t *testing.T) {
	rng := rand.New(rand.NewPCG(seed, 12))
	alpha := Alphas([]int{10, 20, 30}, 1)[2]
	for range 5000 {
		var values []float64
		for range 30 { // three heaps: the few values at the ends hide how far apart they are
			values = append(values, 0.1*float64(rng.IntN(3)-1)+0.02*rng.NormFloat64())
		}
		if stats.TrimmedMean(values).P() > alpha/2 || stats.SignFlip(values, 1) <= alpha {
			continue
		}
		c := comparisonOf([][]float64{values}, 30)
		c.Looks, c.Alphas = []int{30}, []float64{alpha}
		Analyze(c)
		r := c.Rows[0]
		if r.Outcome != setdoc.NoneShown || *r.Low > 1 || *r.High < 1 || *r.Adjusted <= alpha ||
			!strings.Contains(strings.Join(c.Doubts, "; "), "the sign-flip test does not") {
			t.Errorf("p %g, sign-flip %g: %s, from %g to %g, %q", *r.P, *r.SignFlip, r.Outcome, *r.Low, *r.High, c.Doubts)
		}
		return
	}
	t.Error("the two always agree")
}

func TestDroppedAndLost(t *testing.T) {
	c := comparisonOf([][]float64{levels(13, 0.1, 0.02)}, 30)
	c.BusyLimit = 0.2
	for i, others := range []float64{0.1, 0.3, 0.2, 0.9} {
		c.Launches[i].Others = &others
	}
	c.Launches[4].Lost = "the server did not answer"
	c.Launches[5].Dropped = true // it says so, and others were not busy
	Analyze(c)
	if c.Dropped != 2 || !c.Launches[1].Dropped || !c.Launches[3].Dropped || c.Launches[2].Dropped || c.Launches[5].Dropped {
		t.Errorf("%d dropped", c.Dropped)
	}
	if c.Judged != 10 || c.Rows[0].Launches != 10 || !Over(c) {
		t.Errorf("judged by %d launches: %s", c.Judged, c.Decided)
	}
	all := strings.Join(c.Doubts, "; ")
	if !strings.Contains(all, "the server did not answer") || !strings.Contains(all, "unknown for 8 launches") {
		t.Errorf("%q", c.Doubts)
	}
	c.Launches[6].Lost = "it did not answer"
	Analyze(c)
	if c.Judged != 9 || Over(c) || c.Rows[0].Outcome != setdoc.Unknown {
		t.Errorf("nine launches are left: judged by %d, %s", c.Judged, c.Decided)
	}
}

// set puts the values of a figure of a side.
func set(c *setdoc.Comparison, side int, to func(at int) setdoc.Known) {
	for at := range c.Launches {
		c.Launches[at].Values[side][0] = to(at)
	}
}

func known(v float64, of int64) setdoc.Known { return setdoc.Known{Value: &v, Of: of} }

func TestZerosAndAbsentValues(t *testing.T) {
	one := func() *setdoc.Comparison { return comparisonOf([][]float64{levels(30, 0, 0.02)}, 30) }
	for _, tt := range []struct {
		name   string
		change func(c *setdoc.Comparison)
		judged int
		want   setdoc.Contrast
	}{
		{"no failures", func(c *setdoc.Comparison) {
			c.Figures[0].Unit = "share"
			for side := range 2 {
				set(c, side, func(at int) setdoc.Known { return known(0, int64(1000+100*side)) })
			}
		}, 10, setdoc.Contrast{Launches: 10, Outcome: setdoc.NoneShown, Absent: "none on either side"}},
		{"failures on one side alone", func(c *setdoc.Comparison) {
			c.Figures[0].Unit = "share"
			set(c, 0, func(at int) setdoc.Known { return known(0, 1000) })
			set(c, 1, func(at int) setdoc.Known { return known(float64(10+at%3)/900, 900) })
		}, 10, setdoc.Contrast{Launches: 10, Outcome: setdoc.Worse}},
		{"a failure now and then", func(c *setdoc.Comparison) {
			c.Figures[0].Unit = "share"
			set(c, 0, func(at int) setdoc.Known { return known(0, 1000) })
			set(c, 1, func(at int) setdoc.Known { return known(float64(at%10/9)/900, 900) })
		}, 30, setdoc.Contrast{Launches: 30, Outcome: setdoc.NoneShown}},
		{"counts of which some are 0", func(c *setdoc.Comparison) {
			c.Figures[0].Unit = "count"
			set(c, 0, func(at int) setdoc.Known { return known(0, 0) })
			set(c, 1, func(at int) setdoc.Known { return known(float64(5+at%3), 0) })
		}, 10, setdoc.Contrast{Launches: 10, Outcome: setdoc.Worse}},
		{"a time of 0", func(c *setdoc.Comparison) {
			set(c, 0, func(at int) setdoc.Known { return known(0, 0) })
			set(c, 1, func(at int) setdoc.Known { return known(5, 0) })
		}, 10, setdoc.Contrast{Launches: 10, Outcome: setdoc.Unknown, Absent: "the ratio of 5 to 0 is undefined"}},
		{"below 0", func(c *setdoc.Comparison) {
			set(c, 1, func(at int) setdoc.Known { return known(-5, 0) })
		}, 10, setdoc.Contrast{Launches: 10, Outcome: setdoc.Unknown, Absent: "the ratio of -5 to 1e+06 is undefined"}},
		{"in no launch", func(c *setdoc.Comparison) {
			set(c, 1, func(at int) setdoc.Known { return setdoc.Known{Why: "too few operations for a p99"} })
		}, 10, setdoc.Contrast{Outcome: setdoc.Unknown, Absent: "too few operations for a p99"}},
		{"in some launches", func(c *setdoc.Comparison) {
			set(c, 1, func(at int) setdoc.Known {
				if at%3 > 0 {
					return setdoc.Known{Why: "too few operations for a p99"}
				}
				return known(2e6, 0)
			})
		}, 30, setdoc.Contrast{Launches: 10, Outcome: setdoc.Worse}},
		{"in too few launches", func(c *setdoc.Comparison) {
			set(c, 1, func(at int) setdoc.Known {
				if at > 8 {
					return setdoc.Known{Why: "too few operations for a p99"}
				}
				return known(2e6, 0)
			})
		}, 30, setdoc.Contrast{Launches: 9, Outcome: setdoc.Unknown,
			Absent: "only 9 of 30 launches have a value, and at least 10 are needed: too few operations for a p99"}},
		{"exactly alike", func(c *setdoc.Comparison) {
			for side := range 2 {
				set(c, side, func(at int) setdoc.Known { return known(7, 0) })
			}
		}, 10, setdoc.Contrast{Launches: 10, Outcome: setdoc.NoneShown, Absent: "the same on both sides in each launch"}},
		{"exactly otherwise", func(c *setdoc.Comparison) {
			set(c, 0, func(at int) setdoc.Known { return known(10, 0) })
			set(c, 1, func(at int) setdoc.Known { return known(11, 0) })
		}, 10, setdoc.Contrast{Launches: 10, Outcome: setdoc.Worse}},
	} {
		c := one()
		tt.change(c)
		Analyze(c)
		r := c.Rows[0]
		got := setdoc.Contrast{Launches: r.Launches, Outcome: r.Outcome, Absent: r.Absent}
		if diff := cmp.Diff(tt.want, got); diff != "" || c.Judged != tt.judged {
			t.Errorf("%s: judged by %d, %+v: %s", tt.name, c.Judged, r, diff)
		}
	}
	// What has no operations to be a share of the more does not make the slower side fail more.
	c := one()
	c.Figures[0].Unit = "share"
	set(c, 0, func(at int) setdoc.Known { return known(float64(at%2)/1000, 1000) })
	set(c, 1, func(at int) setdoc.Known { return known(float64(at%2)/1000, 500) })
	Analyze(c)
	if r := c.Rows[0]; *r.Ratio != 1 || math.Abs(*r.A-0.0005) > 1e-12 {
		t.Errorf("the same shares of unlike numbers: a ratio of %g, %g of all", *r.Ratio, *r.A)
	}
}

// A figure that goes by steps, and is the same on both sides in most launches: no error of the trimmed values is not
// taken for certainty. A change of less than a step would not have been seen, nor one that the mean of all does not tell.
func TestMostLaunchesAlike(t *testing.T) {
	step := math.Log(1.1)
	for name, tt := range map[string]struct {
		steps    []float64 // of the launches that are not alike
		outcome  string
		atLeast  float64
		ratio    float64
		interval [2]float64
	}{
		"a step now and then":       {[]float64{1, -1, 1}, setdoc.NoneShown, 0.1, 1, [2]float64{0.9, 1.1}},
		"up to a fifth":             {[]float64{1, 1, 1, 1, 1, 1}, setdoc.NoneShown, 0.1, 1, [2]float64{0.9, 1.1}},
		"steps of their own":        {[]float64{1, 3, -2}, setdoc.NoneShown, 0.2, 1, [2]float64{0.83, 1.2}},
		"one that is wild":          {[]float64{50}, setdoc.NoneShown, 1, 1, [2]float64{0.1, 2}},
		"half of them":              {slices.Repeat([]float64{1}, 15), setdoc.Worse, 0, 1.05, [2]float64{1.02, 1.08}},
		"half, this way and that":   {slices.Repeat([]float64{1, -1}, 8), setdoc.NoneShown, 0.03, 1, [2]float64{0.99, 1.01}},
		"nearly all, by a step":     {slices.Repeat([]float64{1}, 28), setdoc.Worse, 0, 1.1, [2]float64{1.095, 1.105}},
		"nearly all, some the less": {append(slices.Repeat([]float64{1}, 25), -1, -1, -1, -1, -1), setdoc.Worse, 0, 1.1, [2]float64{1.07, 1.13}},
	} {
		logs := make([]float64, 30)
		for i, n := range tt.steps {
			logs[i] = n * step
		}
		rand.New(rand.NewPCG(seed, 13)).Shuffle(30, func(i, j int) { logs[i], logs[j] = logs[j], logs[i] })
		c := comparisonOf([][]float64{logs}, 30)
		c.Looks, c.Alphas = []int{30}, []float64{0.05}
		Analyze(c)
		r := c.Rows[0]
		if r.Outcome != tt.outcome || r.Absent != "" || math.Abs(*r.Ratio-tt.ratio) > 0.01 {
			t.Errorf("%s: %s (%s), a ratio of %g", name, r.Outcome, r.Absent, *r.Ratio)
		}
		if r.Outcome == setdoc.NoneShown && !(*r.Smallest >= tt.atLeast-1e-9) {
			t.Errorf("%s: %g would have been seen", name, *r.Smallest)
		}
		if *r.Low > tt.interval[0]+0.01 || *r.High < tt.interval[1]-0.01 || r.Outcome == setdoc.Worse && *r.Low <= 1 {
			t.Errorf("%s: from %g to %g", name, *r.Low, *r.High)
		}
	}
}

// A change that was seen by one of the tests alone is none that would have been seen.
func TestSmallestOfADisagreement(t *testing.T) {
	w := weight{Trimmed: stats.Trimmed{Mean: -0.3, Err: 0.001, Freedom: 17}, level: 0.05}
	if got := smallest(&w); math.Abs(got-math.Expm1(1.15*0.001*(stats.StudentQuantile(0.975, 17)+stats.StudentQuantile(0.9, 17)))) > 1e-9 {
		t.Errorf("%g", got)
	}
	if w.vetoed = true; math.Abs(smallest(&w)-math.Expm1(0.3)) > 1e-9 {
		t.Errorf("%g of what was not shown", smallest(&w))
	}
}

// Fewer launches than anything can be said by: the ratio, and no outcome.
func TestFewLaunches(t *testing.T) {
	for n := range 10 {
		c := comparisonOf([][]float64{levels(max(2, n), 0.1, 0.01)}, max(1, n))
		c.Launches = c.Launches[:n]
		Analyze(c)
		r := c.Rows[0]
		if r.Outcome != setdoc.Unknown || r.Absent == "" || r.P != nil || Over(c) != (n > 0) || c.Judged != n {
			t.Errorf("%d launches: %+v, over %t", n, r, Over(c))
		}
		if n >= 5 && (r.Low == nil || *r.Low >= *r.Ratio || *r.High <= *r.Ratio || math.Abs(*r.Ratio-1.1) > 0.02) {
			t.Errorf("%d launches: %+v", n, r)
		}
	}
}

func TestInconclusive(t *testing.T) {
	noisy, quiet, worse := levels(30, 0, 0.5), levels(30, 0, 0.001), levels(30, 0.1, 0.02)
	c := comparisonOf([][]float64{noisy, quiet, worse}, 30)
	c.MinEffect = 0.02
	Analyze(c)
	if got := Inconclusive(c); !slices.Equal(got, []int{0}) {
		t.Errorf("%v", got)
	}
	c.MinEffect = 0
	Analyze(c)
	if got := Inconclusive(c); !slices.Equal(got, []int{0, 1}) {
		t.Errorf("where any change matters: %v", got)
	}
	c.MinEffect = 2
	Analyze(c)
	if got := Inconclusive(c); got != nil {
		t.Errorf("where only a threefold one does: %v", got)
	}
}

func TestRounds(t *testing.T) {
	c := comparisonOf([][]float64{levels(3, 0, 0.1)}, 30)
	c.RoundNS = 5e8
	c.Launches[0].Rounds = []float64{1, math.E}            // ±0.5 about its mean
	c.Launches[1].Rounds = []float64{math.E, math.E, 0}    // nothing was done in the third
	c.Launches[2].Rounds = []float64{math.Exp(5), -1}      // one alone tells nothing
	c.Launches[0].Rounds = append(c.Launches[0].Rounds, 0) //
	Analyze(c)
	want := &setdoc.Rounds{LengthNS: 5e8, Count: 4, Stddev: 0.5}
	if diff := cmp.Diff(want, c.Rounds); diff != "" {
		t.Error(diff)
	}
}

func TestDoubtsOfTheOrder(t *testing.T) {
	c := comparisonOf([][]float64{levels(12, 0, 0.1)}, 30)
	Analyze(c)
	if len(c.Doubts) > 0 {
		t.Errorf("%q", c.Doubts)
	}
	for i := range c.Launches {
		c.Launches[i].First = 0
	}
	Analyze(c)
	if len(c.Doubts) != 1 || !strings.Contains(c.Doubts[0], "first in 0 of 12 launches") {
		t.Errorf("%q", c.Doubts)
	}
}
