package engine

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/plan"
)

// first gives up to n arrivals.
func first(a *arrivals, n int) (list []int64) {
	for range n {
		at := a.next()
		if at == never {
			return list
		}
		list = append(list, at)
	}
	return list
}

func TestConstantArrivals(t *testing.T) {
	for _, c := range []struct {
		name   string
		ramp   time.Duration
		rate   float64
		stages []plan.Stage
		n      int
		want   []float64 // s
	}{
		{"a rate", 0, 4, nil, 4, []float64{0, .25, .5, .75}},
		// Λ(t) = t² during the ramp of 2 s to a rate of 4, and then 4 + 4(t−2).
		{"a ramp", 2 * time.Second, 4, nil, 8, []float64{0, 1, math.Sqrt2, math.Sqrt(3), 2, 2.25, 2.5, 2.75}},
		{"a stage at its rate", 0, 2, []plan.Stage{{Duration: 2 * time.Second, Rate: 2}}, 9, []float64{0, .5, 1, 1.5}},
		{"a rise and a fall", 0, 0, []plan.Stage{{Duration: time.Second, Rate: 2}, {Duration: time.Second, Rate: 0}}, 9,
			[]float64{0, 1}},
		{"a pause", 0, 2, []plan.Stage{
			{Duration: time.Second, Rate: 2}, {Duration: 0, Rate: 0}, {Duration: time.Second, Rate: 0},
			{Duration: 0, Rate: 2}, {Duration: time.Second, Rate: 2},
		}, 9, []float64{0, .5, 2, 2.5}},
		{"nothing at all", 0, 0, []plan.Stage{{Duration: time.Second, Rate: 0}}, 9, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got []float64
			for _, at := range first(newArrivals(plan.Constant, 1, c.ramp, c.rate, c.stages), c.n) {
				got = append(got, math.Round(float64(at)/1e3)/1e6)
			}
			for i := range c.want {
				c.want[i] = math.Round(c.want[i]*1e6) / 1e6
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestBurstArrivals has all of a second's arrivals at its start, as many as the equal gaps put
// into that second, for rates whose gaps a binary fraction cannot hold.
func TestBurstArrivals(t *testing.T) {
	for _, rate := range []float64{1, 3, 7, 45, 105, 420, 1.0 / 3, 999.9} {
		burst := first(newArrivals(plan.Burst, 1, 0, rate, nil), 5000)
		even := first(newArrivals(plan.Constant, 1, 0, rate, nil), 5000)
		for i, at := range burst {
			want := int64(math.Floor(float64(i)/rate+1e-9)) * 1e9
			if at != want || at > even[i]+1 {
				t.Fatalf("rate %v: arrival %d comes at %d ns, want %d; with equal gaps at %d",
					rate, i, at, want, even[i])
			}
		}
	}
	ramp := first(newArrivals(plan.Burst, 1, 2*time.Second, 4, nil), 9)
	if diff := cmp.Diff([]int64{0, 1e9, 1e9, 1e9, 2e9, 2e9, 2e9, 2e9, 3e9}, ramp); diff != "" {
		t.Error(diff)
	}
}

func TestArrivalsAreAFunctionOfTheSeed(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	a := first(newArrivals(plan.Poisson, seed, time.Second, 500, nil), 5000)
	b := first(newArrivals(plan.Poisson, seed, time.Second, 500, nil), 5000)
	c := first(newArrivals(plan.Poisson, seed+1, time.Second, 500, nil), 5000)
	if !slices.Equal(a, b) {
		t.Error("the same seed gives other arrivals")
	}
	if slices.Equal(a, c) {
		t.Error("another seed gives the same arrivals")
	}
	if !slices.IsSorted(a) {
		t.Error("arrivals are out of order")
	}
}

// TestPoissonArrivals checks the gaps of a Poisson process: their mean, that their deviation
// equals it, and that neighbours are independent.
func TestPoissonArrivals(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	const n, rate = 200000, 1000
	list := first(newArrivals(plan.Poisson, seed, 0, rate, nil), n)
	var sum, squares, neighbours float64
	var last float64
	for i := 1; i < n; i++ {
		gap := float64(list[i]-list[i-1]) / 1e9 * rate
		sum += gap
		squares += gap * gap
		neighbours += gap * last
		last = gap
	}
	mean := sum / n
	deviation := math.Sqrt(squares/n - mean*mean)
	// Five standard errors: 1/√n for the mean, √2/√n for the deviation, 1/√n for the lag.
	if e := 5 / math.Sqrt(n); math.Abs(mean-1) > e || math.Abs(deviation-1) > 2*e || math.Abs(neighbours/n-1) > 3*e {
		t.Errorf("gaps have mean %v, deviation %v, product of neighbours %v; all should be 1",
			mean, deviation, neighbours/n)
	}
}
