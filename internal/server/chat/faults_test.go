package chat

import (
	"math"
	"testing"
	"time"
)

func TestDecisionsKeepTheRates(t *testing.T) {
	const n = 200_000
	f := Faults{DropRate: 0.01, ErrorRate: 0.02, SilentRate: 0.03, GarbageRate: 0.04,
		DuplicateRate: 0.05, LateRate: 0.06, ReorderRate: 0.07, Delay: time.Second,
		Jitter: 100 * time.Millisecond, Seed: 1}
	var counts [kindCount + 1]int
	sum := time.Duration(0)
	for i := range uint64(n) {
		d := f.decide(i)
		counts[d.fault]++
		if d.delay < f.Delay || d.delay >= f.Delay+f.Jitter {
			t.Fatalf("decision %d: delay %v", i, d.delay)
		}
		sum += d.delay
	}
	for i, k := range kinds {
		p := k.rate(&f)
		if want, sigma := p*n, math.Sqrt(p*(1-p)*n); math.Abs(float64(counts[i])-want) > 4*sigma {
			t.Errorf("%s: %d of %d, want %.0f ± %.0f", k.name, counts[i], n, want, 4*sigma)
		}
	}
	mean, want := sum/n, f.Delay+f.Jitter/2
	if sigma := float64(f.Jitter) / math.Sqrt(12*n); math.Abs(float64(mean-want)) > 4*sigma {
		t.Errorf("mean delay %v, want %v", mean, want)
	}
}

// TestSeed holds what a seed means: a change here changes what documented runs show.
func TestSeed(t *testing.T) {
	f := Faults{DropRate: 0.01, Seed: 1}
	drops := 0
	for i := range uint64(10_000) {
		if f.decide(i).fault == drop {
			drops++
		}
	}
	if drops != wantDrops {
		t.Errorf("%d drops in 10,000 decisions of seed 1, it was %d", drops, wantDrops)
	}
}

// wantDrops is what the generator gave when it was written.
const wantDrops = 96
