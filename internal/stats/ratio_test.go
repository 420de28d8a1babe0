package stats

import (
	"math"
	"testing"
)

// Parts that are by turns as far above their ratio as below it have a kurtosis of 1, of which rounding makes a little less:
// they are known with all their degrees of freedom.
func TestPartsInTurn(t *testing.T) {
	for n := 8; n < 16; n += 2 {
		for _, away := range []float64{0.1, 0.3, 0.7, 1.1, 3.3} {
			var parts []Part
			for i := range n {
				parts = append(parts, Part{10 + away*float64(1-i%2*2), 1})
			}
			_, half, _ := Ratio(parts)
			if want := Student975(float64(n-1)) * away / math.Sqrt(float64(n-1)); math.Abs(half-want) > 1e-9 {
				t.Errorf("%d in turn by %v: ±%v, not %v", n, away, half, want)
			}
		}
	}
}
