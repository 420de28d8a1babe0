package contrast

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/setdoc"
)

// merged has a figure known of pairs of launches alone.
func merged(c *setdoc.Comparison, figure, group int) {
	for at := range c.Launches {
		for side := range 2 {
			v := &c.Launches[at].Values[side][figure]
			if (at+1)%group == 0 {
				v.Launches = group
			} else {
				*v = setdoc.Known{Why: "too few times", Merged: true}
			}
		}
	}
}

// TestMergedLaunchesAreWaitedFor: a comparison does not end while a figure whose launches are merged has too few values, if
// it will have enough; and it says what its values are of.
func TestMergedLaunchesAreWaitedFor(t *testing.T) {
	for _, tt := range []struct {
		group, judged, values int
		outcome, says         string
	}{
		{2, 20, 10, setdoc.Worse, "figure 2 has 10 values from 20 launches after merging their times: too few times"},
		{3, 30, 10, setdoc.Worse, "figure 2 has 10 values from 30 launches after merging their times: too few times"},
		{5, 30, 6, setdoc.Unknown, ""},
	} {
		c := comparisonOf([][]float64{levels(30, math.Log1p(0.1), 0.02), levels(30, math.Log1p(0.1), 0.02)}, 30)
		merged(c, 1, tt.group)
		Analyze(c)
		row := &c.Rows[1]
		if c.Judged != tt.judged || row.Launches != tt.values || row.Outcome != tt.outcome || c.Decided == "" || row.A == nil {
			t.Errorf("%d together: judged by %d: %+v", tt.group, c.Judged, row)
		}
		if tt.says != "" && !slices.Contains(c.Doubts, tt.says) {
			t.Errorf("%d together: %q", tt.group, c.Doubts)
		}
		const few = "30 launches give 6 values after merging their times, and at least 10 are needed: too few times"
		if tt.says == "" && row.Absent != few {
			t.Errorf("%d together: %s", tt.group, row.Absent)
		}
	}
}

// TestFiguresThatAreNotJudged: information has values and a ratio, takes no share of the level from the other figures, and
// decides nothing.
func TestFiguresThatAreNotJudged(t *testing.T) {
	with := comparisonOf([][]float64{levels(30, math.Log1p(0.1), 0.02), levels(30, 1, 0.02)}, 30)
	with.Figures[1].Info = true
	with.Alphas = Alphas(with.Looks, Judged(with.Figures))
	alone := comparisonOf([][]float64{levels(30, math.Log1p(0.1), 0.02)}, 30)
	Analyze(with)
	Analyze(alone)
	if !slices.Equal(with.Alphas, alone.Alphas) || *with.Rows[0].Low != *alone.Rows[0].Low || with.Judged != alone.Judged {
		t.Errorf("%+v, alone %+v", with.Rows[0], alone.Rows[0])
	}
	info := with.Rows[1]
	if info.Outcome != setdoc.NotJudged || info.P != nil || info.Low != nil || math.Abs(math.Log(*info.Ratio)-1) > 0.05 || math.Abs(*info.A/1e6-1) > 1e-9 {
		t.Errorf("%+v", info)
	}
	if rows := Inconclusive(with); len(rows) > 0 {
		t.Errorf("inconclusive: %v", rows)
	}
	set := &setdoc.Set{Kind: setdoc.KindCompare, Comparison: with}
	for _, wrong := range Reread(set) {
		if !strings.Contains(wrong, "not in the set") {
			t.Error(wrong)
		}
	}
}
