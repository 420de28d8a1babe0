package sweep

import (
	"math"
	"testing"

	"github.com/plimsoll/plimsoll/setdoc"
)

// The law has a peak where more brings less, and is refused with the reason where it cannot be.
func TestScalingLawIsFitted(t *testing.T) {
	law := func(sigma, kappa float64, values ...string) (rows []setdoc.Row) {
		for _, value := range values {
			n := numbers([]string{value})[value]
			for i, off := range []float64{0.999, 1, 1.001} {
				rows = append(rows, rowAt(value, i+1, n, off*100*n/(1+sigma*(n-1)+kappa*n*(n-1))))
			}
		}
		return rows
	}
	values := []string{"1", "2", "4", "8", "16", "32"}
	p := clientsPlan(3, values...)
	s := Analyze(p, law(0.02, 0.01, values...))
	if s.Scaling.Peak == nil || math.Abs(s.Scaling.Peak.Value-math.Sqrt(0.98/0.01)) > 0.1 || s.Scaling.NoPeak != "" ||
		s.Scaling.Refused != "" || math.Abs(s.Scaling.Spread-0.001) > 3e-4 || s.Doubts != nil {
		t.Errorf("%+v, %q", s.Scaling, s.Doubts)
	}
	s = Analyze(p, law(0.02, 0, values...))
	if s.Scaling.Peak != nil || s.Scaling.NoPeak == "" || s.Scaling.Lambda == nil {
		t.Errorf("%+v", s.Scaling)
	}
	rows := law(0.02, 0, values[:3]...)
	if s = Analyze(p, rows); s.Scaling.Refused != "too few settings: 3, at least 4 are needed" {
		t.Errorf("%+v", s.Scaling)
	}
	rows[4].OfferedPerS = new(1.0)
	if s = Analyze(p, rows); s.Scaling.Refused != "the load has a fixed rate, so clients does not control the concurrency" {
		t.Errorf("%+v", s.Scaling)
	}
	rows[4].OfferedPerS, rows[4].Throughput = nil, nil
	if s = Analyze(p, rows); s.Scaling.Refused != "no operation succeeded with clients 2" {
		t.Errorf("%+v", s.Scaling)
	}
}
