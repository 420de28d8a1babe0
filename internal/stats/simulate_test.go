package stats

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// nightly reports whether simulations may take minutes.
func nightly() bool { return os.Getenv("PLIMSOLL_NIGHTLY") != "" }

// process makes series like those of calls, around a median in ns: skewed, with a share of
// calls that take several times as long, and with neighbours that are alike by rho.
type process struct {
	name       string
	rho, tails float64
	pareto     bool // tails without a variance
}

func (p process) series(rng *rand.Rand, n int, median float64) []int64 {
	list := make([]int64, n)
	level := rng.NormFloat64()
	for i := range list {
		level = p.rho*level + math.Sqrt(1-p.rho*p.rho)*rng.NormFloat64()
		v := median * math.Exp(0.15*level)
		if rng.Float64() < p.tails {
			if p.pareto {
				v *= math.Pow(1-rng.Float64(), -1/1.2)
			} else {
				v *= 1 + 8*rng.ExpFloat64()
			}
		}
		list[i] = int64(v)
	}
	return list
}

// rates are the shares of the comparisons in which something was so; covered is that of those that
// have an interval.
type rates struct{ compared, covered, whitney, corrected, claimed float64 }

// simulated compares pairs of series whose medians differ by shift, a share. The true median
// with the tails is found from a long series.
func simulated(rng *rand.Rand, p process, n, pairs int, shift, minEffect float64) rates {
	const median = 200_000
	long := Describe(process{tails: p.tails, pareto: p.pareto}.series(rng, 400_000, median)).Med
	want := long * shift
	var r rates
	for range pairs {
		s := CompareMedians(Series{Values: p.series(rng, n, median)},
			Series{Values: p.series(rng, n, median*(1+shift))})
		for _, c := range []struct {
			is    bool
			share *float64
		}{
			{s.Absent == "", &r.compared}, {s.Absent == "" && s.Lo <= want && want <= s.Hi, &r.covered},
			{s.Whitney < Alpha, &r.whitney}, {s.P < Alpha, &r.corrected},
			{s.Outcome(s.P, minEffect) == Worse || s.Outcome(s.P, minEffect) == Better, &r.claimed},
		} {
			if c.is {
				*c.share += 1 / float64(pairs)
			}
		}
	}
	r.covered /= r.compared
	return r
}

// What the comments and docs/design/overhead.md say of the method. Mann and Whitney's p by itself claims
// far too much where neighbours are alike, which is why P is another.
func TestComparisonsInSimulation(t *testing.T) {
	pairs := 40
	if nightly() {
		pairs = 300
	}
	rng := rand.New(rand.NewPCG(firstSeed, 1))
	for _, tt := range []struct {
		process
		n                    int
		covers, falsely      float64 // expected, by a thousand pairs each
		fooled               bool    // Mann and Whitney's p by itself is
		claimsNone, claimsIt float64 // of a shift by 10%, with 3% as what matters
	}{
		{process{"independent", 0, 0, false}, 100, 0.98, 0.03, false, 0.02, 0.9},
		{process{"tails", 0, 0.05, false}, 1000, 0.98, 0.03, false, 0.01, 1},
		{process{"tails without a variance", 0, 0.3, true}, 1000, 0.97, 0.04, false, 0.01, 1},
		{process{"neighbours alike", 0.5, 0.03, false}, 1000, 0.97, 0.04, true, 0.02, 1},
		{process{"slow spells", 0.9, 0.03, false}, 1000, 0.95, 0.06, true, 0.05, 0.8},
		{process{"slower spells", 0.98, 0.03, false}, 1000, 0.9, 0.08, true, 0.04, 0.13},
		{process{"slower spells", 0.98, 0.03, false}, 5000, 0.94, 0.08, true, 0.06, 0.7},
	} {
		none := simulated(rng, tt.process, tt.n, pairs, 0, 0.03)
		shifted := simulated(rng, tt.process, tt.n, pairs, 0.1, 0.03)
		t.Logf("%-25s n %d: %+v, shifted %+v", tt.name, tt.n, none, shifted)
		// Four standard deviations of the share of so many pairs.
		room := func(p float64) float64 { return 4 * math.Sqrt(p*(1-p)/float64(pairs)) }
		if low := tt.covers - 0.01 - room(tt.covers); none.covered < low || shifted.covered < low {
			t.Errorf("%s: the interval holds the difference in %.3f and %.3f of the pairs",
				tt.name, none.covered, shifted.covered)
		}
		if none.corrected > tt.falsely+0.01+room(tt.falsely+0.01) {
			t.Errorf("%s: P is below %g in %.3f of the pairs without a difference", tt.name, Alpha, none.corrected)
		}
		if none.claimed > tt.claimsNone+0.01+room(tt.claimsNone+0.01) {
			t.Errorf("%s: a difference is claimed in %.3f of the pairs without one", tt.name, none.claimed)
		}
		if fooled := none.whitney > 0.12; fooled != tt.fooled {
			t.Errorf("%s: Mann and Whitney's p is below %g in %.3f of the pairs without a difference",
				tt.name, Alpha, none.whitney)
		}
		if shifted.claimed < tt.claimsIt-0.05-room(tt.claimsIt-0.05) {
			t.Errorf("%s: a difference of 10%% is claimed in %.3f of the pairs", tt.name, shifted.claimed)
		}
	}
}

// The benchmark's largest comparison must not keep anybody waiting.
func BenchmarkCompareMedians(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	p := process{tails: 0.05}
	before, now := p.series(rng, 5000, 200_000), p.series(rng, 5000, 200_000)
	for b.Loop() {
		CompareMedians(Series{Values: before}, Series{Values: now})
	}
}
