package sweep

import (
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/setdoc"
)

// Of a kind without a throughput the figure is a time, and less is better.
func TestTimeMetricPrefersLess(t *testing.T) {
	p := clientsPlan(3, "1", "2", "4")
	p.Figure = setdoc.Figure{Name: "overhead.p50", Unit: "ns"}
	s := Analyze(p, rowsOf(map[string]float64{"1": 3e6, "2": 1e6, "4": 2e6}))
	if *s.Best != 1 || *s.Peak != 1 || s.Ending != "" || s.Base != nil ||
		s.Scaling.Refused != "the law needs a throughput, and overhead.p50 is a time" ||
		s.Recommended != "Clients 2: 1.00 ms, 50% less than the next best, clients 4." {
		t.Errorf("%+v, %q", s.Scaling, s.Recommended)
	}
}

// A level of which a run could not even begin is not the best, and says so: the others of its runs were lucky.
func TestLevelWithALostRunIsNotTheBest(t *testing.T) {
	lost := setdoc.Row{Values: []string{"8"}, Repeat: 2, Validity: "invalid", Reasons: []string{"Nothing was measured: refused."}}
	made := []setdoc.Row{rowAt("1", 1, 1, 100), rowAt("1", 2, 1, 101), rowAt("4", 1, 4, 390), rowAt("4", 2, 4, 392),
		rowAt("8", 1, 8, 780), lost}
	s := Analyze(clientsPlan(2, "1", "4", "8"), made)
	if s.Best == nil || *s.Best != 1 || s.Ending != setdoc.EndsInFailure || s.FailsFrom == nil || *s.FailsFrom != 2 {
		t.Errorf("best %v, ends in %q, fails from %v", s.Best, s.Ending, s.FailsFrom)
	}
	if !strings.Contains(s.Recommended, "At clients 8 1 of 2 runs produced no result.") {
		t.Errorf("%q", s.Recommended)
	}
	if got := Failure(s, 2); got != "1 of 2 runs produced no result" {
		t.Errorf("%q", got)
	}
	want := "Clients 8: 1 of 2 runs are invalid and excluded from the mean: Nothing was measured: refused."
	if !slices.Contains(s.Doubts, want) || s.Levels[2].Runs != 2 || s.Levels[2].Lost != 1 {
		t.Errorf("%+v, doubts %q", s.Levels[2], s.Doubts)
	}
}
