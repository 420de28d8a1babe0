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
	pairs := 50
	if nightly() {
		pairs = 400
	}
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
				falsely += 1 / float64(pairs)
			}
			if CompareMedians(Series{Values: a.Values}, Series{Values: b.Values}).P < Alpha {
				ignored += 1 / float64(pairs)
			}
			s := CompareMedians(a, inRounds(rng, rounds, 0.2, 300_000))
			if s.Outcome(s.P, 0.03) == Worse {
				claimed += 1 / float64(pairs)
			}
		}
		t.Logf("%d rounds: P below %g in %.3f of the pairs without a difference, %.3f if the rounds are not known; "+
			"with one it is claimed in %.3f",
			rounds, Alpha, falsely, ignored, claimed)
		room := func(p float64) float64 { return 4 * math.Sqrt(p*(1-p)/float64(pairs)) }
		if falsely > Alpha+0.01+room(Alpha) || claimed < power-0.05-room(power) {
			t.Errorf("%d rounds: P is below %g in %.3f of the pairs without a difference, and one of 50%% is "+
				"claimed in %.3f", rounds, Alpha, falsely, claimed)
		}
	}
}
