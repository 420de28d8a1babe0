package stats

import (
	"math"
	"testing"
)

// The probabilities are those of Kendall's table for ten values: one side of S = 45 and of S = 25.
func TestMannKendall(t *testing.T) {
	rising := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	for _, test := range []struct {
		values []float64
		want   float64
	}{
		{rising, 2 / 3628800.},
		{[]float64{10, 9, 8, 7, 6, 5, 4, 3, 2, 1}, 2 / 3628800.},
		{[]float64{5, 4, 3, 2, 1, 6, 7, 8, 9, 10}, 0.0286}, // S = 25, one side 0.0143
		{[]float64{1, 1, 1, 1}, 1},
		{[]float64{1}, 1},
		{nil, 1},
	} {
		if got := MannKendall(test.values); math.Abs(got-test.want) > 1e-4*math.Max(1, test.want*10) {
			t.Errorf("%v: %v, want %v", test.values, got, test.want)
		}
	}
}
