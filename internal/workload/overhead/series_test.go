package overhead

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestPercentilesMatchNumPy holds figures of numpy.percentile, and of R's quantile, whose
// default it is too.
func TestPercentilesMatchNumPy(t *testing.T) {
	shares := []float64{0, 0.1, 0.25, 0.5, 0.9, 0.99, 1}
	for _, test := range []struct {
		name   string
		values []int64
		want   []float64
	}{
		{"none", nil, []float64{0, 0, 0, 0, 0, 0, 0}},
		{"one", []int64{7}, []float64{7, 7, 7, 7, 7, 7, 7}},
		{"two", []int64{20, 10}, []float64{10, 11, 12.5, 15, 19, 19.9, 20}},
		{"five", []int64{15, 20, 35, 40, 50}, []float64{15, 17, 20, 35, 46, 49.6, 50}},
		{"ten", []int64{3, 6, 7, 8, 8, 10, 13, 15, 16, 20}, []float64{3, 5.7, 7.25, 9, 16.4, 19.64, 20}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSeries()
			for _, v := range test.values {
				s.add(v)
			}
			near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-9 })
			if diff := cmp.Diff(test.want, s.Percentiles(shares...), near); diff != "" {
				t.Error(diff)
			}
			if !slices.Equal(s.Values, test.values) {
				t.Errorf("the order of measurement is lost: %v", s.Values)
			}
		})
	}
}

func TestSeriesIsThinnedEvenly(t *testing.T) {
	s := newSeries()
	s.bound = 8
	for i := range int64(100) {
		s.add(i)
		if len(s.Values) >= 8 {
			t.Fatalf("%d values are kept", len(s.Values))
		}
		for at, v := range s.Values {
			if v != int64(at*s.stride) {
				t.Fatalf("after %d: %v with a stride of %d", i, s.Values, s.stride)
			}
		}
		if int64(len(s.Values)) != i/int64(s.stride)+1 {
			t.Fatalf("after %d: %v with a stride of %d", i, s.Values, s.stride)
		}
	}
	if s.N != 100 || s.Min != 0 || s.Max != 99 || s.Mean() != 49.5 || s.stride != 16 {
		t.Errorf("%+v, mean %v", s, s.Mean())
	}
}

// TestSpreadKeepsRounds marks each value with its round, and finds it there after thinning
// and spreading.
func TestSpreadKeepsRounds(t *testing.T) {
	for _, lengths := range [][]int{{5}, {1, 1, 1}, {10, 0, 7, 100, 3}, {0, 40, 41, 42}, {0, 0}, {1000, 1}} {
		s := newSeries()
		s.bound = 64
		for round, n := range lengths {
			s.beginRound()
			for range n {
				s.add(int64(round))
			}
		}
		for _, n := range []int{1, 7, 30, 1000} {
			values, rounds := s.Spread(n)
			want := make([]int, len(lengths))
			for _, v := range values {
				want[v]++
			}
			if diff := cmp.Diff(want, rounds); diff != "" {
				t.Errorf("%v spread to %d: %s", lengths, n, diff)
			}
		}
	}
}
