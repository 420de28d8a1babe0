package server

import (
	"math"
	"testing"
)

func TestPickKeepsTheRates(t *testing.T) {
	const n = 200_000
	rates := []float64{0.01, 0, 0.3}
	var counts [4]float64
	seed := Draws(7)
	for i := range uint64(n) {
		counts[Pick(seed.Draw(i, 0), rates...)]++
	}
	for i, p := range append(rates, 1-0.01-0.3) {
		if sigma := math.Sqrt(p * (1 - p) * n); math.Abs(counts[i]-p*n) > 4*sigma {
			t.Errorf("%d: %.0f of %d, want %.0f ± %.0f", i, counts[i], n, p*n, 4*sigma)
		}
	}
}

// TestFaultsForAFixedSeed holds what a seed means: a change here changes which requests of documented runs suffer
// what.
func TestFaultsForAFixedSeed(t *testing.T) {
	for _, want := range []struct {
		seed           Draws
		number, stream uint64
		draw           float64
	}{
		{1, 0, 0, 0.17569203021067015},
		{1, 1, 0, 0.8833108082136426},
		{2, 1, 3, 0.005735483554207166},
	} {
		if got := want.seed.Draw(want.number, want.stream); got != want.draw {
			t.Errorf("seed %d gives %v for %d, %d; it was %v", want.seed, got, want.number, want.stream, want.draw)
		}
	}
}
