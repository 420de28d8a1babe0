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

// TestPoissonFollowsTheStages counts arrivals in the stages of a course.
func TestPoissonFollowsTheStages(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	stages := []plan.Stage{{Duration: 10 * time.Second, Rate: 4000}, {Duration: 10 * time.Second, Rate: 4000},
		{Duration: 5 * time.Second, Rate: 0}}
	counts := [3]float64{}
	for _, at := range first(newArrivals(plan.Poisson, seed, 0, 0, stages), 1e6) {
		counts[min(at/10e9, 2)]++
	}
	for i, want := range [3]float64{20000, 40000, 10000} {
		if math.Abs(counts[i]-want) > 5*math.Sqrt(want) {
			t.Errorf("stage %d has %v arrivals, want %v", i, counts[i], want)
		}
	}
}

func TestQueueKeepsTheOrderThroughItsGrowth(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	var q queue
	var in, out uint64
	for in < 10000 {
		for range r.IntN(200) {
			q.push(turn{index: in})
			in++
		}
		for range r.IntN(150) {
			if got, ok := q.pop(); ok {
				if got.index != out {
					t.Fatalf("%d came after %d", got.index, out)
				}
				out++
			}
		}
		if q.len() != int(in-out) {
			t.Fatalf("%d in the queue, want %d", q.len(), in-out)
		}
	}
}

// TestOpenSourceCountsWhatItSchedules holds the schedule's own count against what it handed
// out, what it gave up and what it took back.
func TestOpenSourceCountsWhatItSchedules(t *testing.T) {
	var unsent []uint64
	s := (&openSource{
		limit: never, waiting: 3, start: 2e9, unsent: func(t turn) { unsent = append(unsent, t.index) },
		arrivals: newArrivals(plan.Constant, 1, 0, 1, nil), // one a second from 0
	}).open()
	s.stop(20e9)
	take := func(now int64, want uint64) {
		t.Helper()
		if got, ok := s.next(now); !ok || got.index != want || got.early != (want < 2) ||
			got.intended != int64(want)*1e9 {
			t.Errorf("at %d s: %+v, %v, want number %d", now/1e9, got, ok, want)
		}
	}
	take(0, 0)
	take(0, 1) // in the future
	take(7e9, 2)
	// 2, 3 and 4 were let in when they came due; 5, 6 and 7 found the queue full.
	take(7e9, 3)
	take(7e9, 4)
	take(7e9, 8) // in the future
	if diff := cmp.Diff([]uint64{5, 6, 7}, unsent); diff != "" {
		t.Error(diff)
	}
	future, _ := s.next(7e9)
	s.stop(8.5e9)
	s.giveBack(future)
	if _, ok := s.next(12e9); ok || s.exhausted() {
		t.Error("the schedule goes on behind its end")
	}
	if early, scheduled := s.finish(); early != 2 || scheduled != 7 || len(unsent) != 3 {
		t.Errorf("%d early, %d scheduled, unsent %v", early, scheduled, unsent)
	}
}

// TestOpenSourceLeavesNothingOut ends with operations in the queue, and behind it.
func TestOpenSourceLeavesNothingOut(t *testing.T) {
	var unsent []uint64
	s := (&openSource{
		first: 100, limit: 8, waiting: 5, unsent: func(t turn) { unsent = append(unsent, t.index) },
		arrivals: newArrivals(plan.Constant, 1, 0, 1, nil),
	}).open()
	if got, _ := s.next(3e9); got.index != 100 { // 101 to 103 wait
		t.Errorf("%+v", got)
	}
	s.stop(never)
	if _, scheduled := s.finish(); scheduled != 8 || !s.exhausted() {
		t.Errorf("%d scheduled, want the limit of 8", scheduled)
	}
	slices.Sort(unsent)
	if diff := cmp.Diff([]uint64{101, 102, 103, 104, 105, 106, 107}, unsent); diff != "" {
		t.Error(diff)
	}
}
