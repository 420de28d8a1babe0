package search_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/plimsoll/plimsoll/internal/search"
)

const (
	precise     = 1.05
	lowestRate  = 2
	highestRate = 1_000_000
)

func rates(start float64) search.Search {
	return search.Search{Start: start, Lowest: lowestRate, Highest: highestRate, Precise: precise}
}

// TestTheSearchFindsTheLargestRate has servers of every capacity.
func TestTheSearchFindsTheLargestRate(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 1000 {
		capacity := 2 * math.Pow(10, r.Float64()*5)
		s := rates(2 * math.Pow(10, r.Float64()*4))
		trials := 0
		for rate, ok := s.Next(); ok; rate, ok = s.Next() {
			s.Found(rate, rate <= capacity)
			if trials++; trials > 40 {
				t.Fatalf("capacity %v, start %v: no end", capacity, s.Start)
			}
		}
		if s.Held > capacity || s.Held*precise < capacity {
			t.Errorf("capacity %v, start %v: found %v in %d trials", capacity, s.Start, s.Held, trials)
		}
	}
}

func TestTheSearchEnds(t *testing.T) {
	for _, c := range []struct {
		name      string
		sustained bool
		held      float64
	}{{"whatever is offered is sustained", true, highestRate}, {"nothing is", false, 0}} {
		s := rates(45)
		for rate, ok := s.Next(); ok; rate, ok = s.Next() {
			if rate < lowestRate || rate > highestRate {
				t.Fatalf("%s: tries %v", c.name, rate)
			}
			s.Found(rate, c.sustained)
		}
		if s.Held != c.held {
			t.Errorf("%s: %v", c.name, s.Held)
		}
	}
}

// What the trials were too short for may be less than half of what they showed.
func TestLowerRatesAreMeasured(t *testing.T) {
	rate, s := 100.0, rates(100)
	for n := range 6 {
		next := s.Lower(rate, n+1)
		if next >= rate || n == 0 && rate/next > precise+1e-9 {
			t.Errorf("%v after %v", next, rate)
		}
		rate = next
	}
	if rate > 50 || rate < 20 {
		t.Errorf("the last one is %v of 100", rate)
	}
}
