package stats

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The figures that numpy 2.4.6 gives: numpy.percentile(x, 100·p), linear, and mean.
func TestPercentilesAreThoseOfNumpy(t *testing.T) {
	sorted := []int64{7, 8, 15, 20, 35, 40, 50, 1003}
	for _, tt := range []struct{ p, want float64 }{
		{0, 7}, {0.1, 7.7}, {0.25, 13.25}, {0.5, 27.5}, {0.9, 335.9}, {0.99, 936.29}, {1, 1003},
		{-3, 7}, {4, 1003},
	} {
		if got := Percentile(sorted, tt.p); math.Abs(got-tt.want) > 1e-9 {
			t.Errorf("p%g = %v, want %v", 100*tt.p, got, tt.want)
		}
	}
	digits := []int64{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2, 6, 4, 3, 3, 8, 3, 2, 7}
	for i := range digits {
		digits[i] *= 1001
	}
	first := digits[0]
	got := Describe(digits)
	want := Figures{N: 30, Min: 1001, Mean: 4704.7, Med: 4004, P90: 8108.1, P99: 9009, Max: 9009}
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Error(diff)
	}
	if digits[0] != first {
		t.Error("the values were sorted in place")
	}
}
