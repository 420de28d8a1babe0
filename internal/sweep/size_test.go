package sweep

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/setdoc"
)

func receiversPlan(values ...string) Plan {
	p := clientsPlan(2, values...)
	p.Workload, p.Vary[0] = "ws", setdoc.Vary{Setting: "receivers", Values: values, Numeric: true, Size: true}
	return p
}

// offeredAt are two runs to which 50 messages a second were offered, and in which so many got through.
func offeredAt(value string, x float64) []setdoc.Row {
	one, two := rowAt(value, 1, 4, x), rowAt(value, 2, 4, x*1.001)
	one.OfferedPerS, two.OfferedPerS = new(50.0), new(50.0)
	return []setdoc.Row{one, two}
}

// Of receivers of each message nobody wants the fewest: the best are the most whose messages get through as well.
func TestTheLargestSizeIsTheBest(t *testing.T) {
	values := []string{"50", "100", "200", "400"}
	for name, test := range map[string]struct {
		through []float64
		best    int
		ending  string
		say     string
		not     string
	}{
		"as well up to a bound": {[]float64{50, 49.9, 49.8, 26}, 2, setdoc.EndsInFailure,
			"Receivers 200: 49.8/s, as good as the 50.0/s at receivers 50. At receivers 400 only 26.0/s of the offered 50.0/s", "more than at"},
		"as well as far as was measured": {[]float64{50, 50.001, 49.9, 49.9}, 3, setdoc.EndsRising,
			"It is the largest setting measured: larger ones may work as well.", "less than"},
		"no more than the first": {[]float64{50, 30, 20, 10}, 0, setdoc.EndsInFailure, "Receivers 50: 50.0/s. At receivers 100 only", "as good as"},
		"a gap between":          {[]float64{50, 30, 50, 50.1}, 3, setdoc.EndsRising, "Receivers 400: 50.1/s", "as good as"},
	} {
		var made []setdoc.Row
		for i, x := range test.through {
			made = append(made, offeredAt(values[i], x)...)
		}
		s := Analyze(receiversPlan(values...), made)
		if s.Best == nil || *s.Best != test.best || s.Ending != test.ending || !strings.Contains(s.Recommended, test.say) ||
			strings.Contains(s.Recommended, test.not) {
			t.Errorf("%s: best %v, %s, %q", name, s.Best, s.Ending, s.Recommended)
		}
		if s.Scaling.Lambda != nil || s.Base != nil || len(s.Doubts) > 0 {
			t.Errorf("%s: receivers have a scaling law, or a prediction: %+v, %+v, %q", name, s.Scaling, s.Base, s.Doubts)
		}
	}
}

// Where the clients wait for their deliveries the figure is how many are made, which may fall with the size.
func TestSizeThatLosesDeliveriesIsNotTheBest(t *testing.T) {
	p := receiversPlan("50", "100", "200", "400")
	p.Figure = setdoc.Figure{Name: "fanout.rate", Unit: "per_s", Of: "fanout.rate"}
	s := Analyze(p, rowsOf(map[string]float64{"50": 4000, "100": 8000, "200": 7990, "400": 5000}))
	if *s.Best != 2 || *s.Peak != 1 || s.Ending != setdoc.EndsInDecline ||
		!strings.Contains(s.Recommended, "Receivers 200: 7,990/s. Higher settings are worse: 5,000/s at receivers 400") {
		t.Errorf("best %d, peak %d, %s, %q", *s.Best, *s.Peak, s.Ending, s.Recommended)
	}
}
