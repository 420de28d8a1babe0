package sweep

import (
	"math"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/setdoc"
)

// The prediction is of what is finite, and only figures that count operations tell where the time went.
func TestPredictionWithoutUsableValues(t *testing.T) {
	at := func(value string, clients, x float64) setdoc.Row { return rowAt(value, 1, clients, x) }
	for name, tt := range map[string]struct {
		rows      []setdoc.Row
		base      bool
		predicted []bool
	}{
		"an endless time":     {[]setdoc.Row{at("1", 1e49, 1e-300)}, false, []bool{false}},
		"no time":             {[]setdoc.Row{at("1", 1e-300, 1e49)}, false, []bool{false}},
		"as it should be":     {[]setdoc.Row{at("1", 1, 100), at("2", 2, 190)}, true, []bool{true, true}},
		"too much":            {[]setdoc.Row{at("1", 1e-255, 1e9), at("2", 1e49, 1)}, true, []bool{true, false}},
		"endlessly efficient": {[]setdoc.Row{at("1", 1e-300, 1e-10), at("2", 1e-300, 1e49)}, true, []bool{true, false}},
	} {
		s := Analyze(clientsPlan(1, "1", "2"), tt.rows)
		if (s.Base != nil) != tt.base {
			t.Errorf("%s: base %+v", name, s.Base)
		}
		for i, v := range s.Levels {
			if (v.Predicted != nil) != tt.predicted[i] || (v.Efficiency != nil) != tt.predicted[i] {
				t.Errorf("%s: level %d: %v, %v", name, i, v.Predicted, v.Efficiency)
			}
		}
	}
	for name, want := range map[string]int{"rate": 1, "bytes_rate": 1, "download": 0} {
		p := clientsPlan(1, "1", "2")
		p.Figure.Name = name
		s := Analyze(p, []setdoc.Row{at("1", 1, 100), at("2", 2, 150)})
		if got := s.Levels[1].Missing; len(got) != want || s.Levels[0].Missing != nil || s.Levels[1].Efficiency == nil {
			t.Errorf("%s: %v", name, got)
		}
	}
	rows := []setdoc.Row{at("1", 1, 100), at("2", 2, 150)}
	rows[0].States = nil
	if got := Analyze(clientsPlan(1, "1", "2"), rows).Levels[1].Missing; got != nil {
		t.Errorf("of a base without a ledger: %v", got)
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if finite(x) != nil {
			t.Errorf("%g is finite", x)
		}
	}
	if got := unlike(setdoc.Row{Clients: math.NaN()}, setdoc.Row{}); !strings.Contains(got, "no document can hold") {
		t.Errorf("%q", got)
	}
}
