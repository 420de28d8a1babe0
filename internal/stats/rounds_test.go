package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStretchesAreTheRounds(t *testing.T) {
	values := make([]int64, 40)
	equal := []int{2, 5, 8, 10, 13, 16, 18, 21, 24, 26, 29, 32, 34, 37, 40}
	for _, tt := range []struct {
		name   string
		rounds []int
		want   []int
	}{
		{"rounds", []int{5, 5, 10, 4, 4, 4, 4, 4}, []int{5, 10, 20, 24, 28, 32, 36, 40}},
		{"one without values", []int{5, 5, 0, 10, 4, 4, 4, 4, 4, 0}, []int{5, 10, 20, 24, 28, 32, 36, 40}},
		{"none", nil, equal},
		{"too few", []int{10, 10, 10, 10}, equal},
		{"of fewer values", []int{5, 5, 5, 5, 5, 5, 5, 4}, equal},
		{"of more values", []int{5, 5, 5, 5, 5, 5, 5, 6}, equal},
		{"below zero", []int{5, 5, 5, 5, 5, 5, 5, 6, -1}, equal},
		{"beyond all bounds", []int{5, math.MaxInt, math.MaxInt, 2, 5, 5, 5, 5, 5}, equal},
	} {
		if diff := cmp.Diff(tt.want, stretches(Series{Values: values, Rounds: tt.rounds})); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
	if got := stretches(Series{Values: values[:3]}); !cmp.Equal(got, []int{1, 2, 3}) {
		t.Errorf("three values: %v", got)
	}
}

// inRounds makes a series whose rounds are each at a level of their own, as on a machine that other
// programs use, and of lengths that have to do with it.
func inRounds(rng *rand.Rand, rounds int, spread, median float64) (s Series) {
	for range rounds {
		level := math.Exp(spread * rng.NormFloat64())
		n := int(100/level) + rng.IntN(50)
		s.Rounds = append(s.Rounds, n)
		for range n {
			s.Values = append(s.Values, int64(median*level*math.Exp(0.1*rng.NormFloat64())))
		}
	}
	return s
}

// TestRoundsAreTheUnitOfAComparison simulates runs without a difference, and with one of 50 %.
func TestRoundsAreTheUnitOfAComparison(t *testing.T) {
	if testing.Short() {
		t.Skip("simulates hundreds of runs")
	}
	const pairs = 400
	rng := rand.New(rand.NewPCG(firstSeed, 1))
	for _, c := range []struct {
		rounds int
		power  float64
	}{{minIndependent, 0.5}, {batches, 0.9}} {
		rounds, power := c.rounds, c.power
		var falsely, ignored, claimed float64
		for range pairs {
			a, b := inRounds(rng, rounds, 0.2, 200_000), inRounds(rng, rounds, 0.2, 200_000)
			if CompareMedians(a, b).P < Alpha {
				falsely += 1. / pairs
			}
			if CompareMedians(Series{Values: a.Values}, Series{Values: b.Values}).P < Alpha {
				ignored += 1. / pairs
			}
			s := CompareMedians(a, inRounds(rng, rounds, 0.2, 300_000))
			if s.Outcome(s.P, 0.03) == Worse {
				claimed += 1. / pairs
			}
		}
		t.Logf("%d rounds: P below %g in %.3f of the pairs without a difference, %.3f if the rounds are not known; "+
			"with one it is claimed in %.3f",
			rounds, Alpha, falsely, ignored, claimed)
		room := func(p float64) float64 { return 4 * math.Sqrt(p*(1-p)/pairs) }
		if falsely > Alpha+0.01+room(Alpha) || claimed < power-0.05-room(power) {
			t.Errorf("%d rounds: P is below %g in %.3f of the pairs without a difference, and one of 50 %% is "+
				"claimed in %.3f", rounds, Alpha, falsely, claimed)
		}
	}
}

// TestTheVarianceBetweenStretches has two of the weights 3 and 1, and some that are like their neighbours.
func TestTheVarianceBetweenStretches(t *testing.T) {
	near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
	// The mean is 2. The stretches move it by 3/4·(1−2) and 1/4·(5−2): 2/1·(9/16 + 9/16).
	if got := between([]float64{1, 1, 1, 5}, []int{3, 4}, 2); !near(got, 2.25) {
		t.Errorf("%g", got)
	}
	if got := between([]float64{4, 4}, []int{2}, 4); got != 0 {
		t.Errorf("one stretch: %g", got)
	}
	if got := between([]float64{4, 4}, []int{1, 2}, 4); got != 0 {
		t.Errorf("equal stretches: %g", got)
	}
	// Ten stretches of one value. Mixed they are as independent ones: 10/9·(10·0.25)/100. Sorted, their
	// autocorrelation is (8−1)·0.25/2.5 = 0.7, without its bias 0.7 + 3.1/10 = 1.01, and at most 0.9.
	mixed, sorted := []float64{0, 1, 1, 0, 1, 0, 0, 1, 0, 1}, []float64{0, 0, 0, 0, 0, 1, 1, 1, 1, 1}
	ends := []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	if got := between(mixed, ends, 0.5); !near(got, 2.5/90) {
		t.Errorf("mixed: %g", got)
	}
	// With three and four changes among nine neighbours it is 0.3 and 0.1, without its bias 0.49 and 0.23: the latter may
	// well be by chance.
	spells, chance := []float64{0, 0, 0, 1, 1, 0, 0, 1, 1, 1}, []float64{0, 0, 1, 1, 0, 0, 1, 1, 1, 0}
	if got := between(spells, ends, 0.5); !near(got, 2.5/90*1.49/0.51) {
		t.Errorf("in short spells: %g", got)
	}
	if got := between(chance, ends, 0.5); !near(got, 2.5/90) {
		t.Errorf("as by chance: %g", got)
	}
	if got := between(sorted, ends, 0.5); !near(got, 2.5/90*19) {
		t.Errorf("in spells: %g", got)
	}
}
