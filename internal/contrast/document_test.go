package contrast

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/plimsoll/plimsoll/setdoc"
)

// comparisonOf is a comparison of figures of times, whose launches have these logarithms of ratios.
func comparisonOf(samples [][]float64, most int) *setdoc.Comparison {
	c := &setdoc.Comparison{Workload: "http", Way: setdoc.ByRuns, Seed: 1, Looks: Looks(most)}
	c.Alphas = Alphas(c.Looks, len(samples))
	for i := range samples {
		c.Figures = append(c.Figures, setdoc.Compared{
			Figure: setdoc.Figure{Name: fmt.Sprintf("figure %d", i+1), Unit: "ns"}, Less: true,
		})
	}
	for at := range samples[0] {
		l := setdoc.Launch{First: at % 2, Members: [2]string{fmt.Sprint("a", at), fmt.Sprint("b", at)}}
		for i := range samples {
			a, b := 1e6, 1e6*math.Exp(samples[i][at])
			l.Values[0] = append(l.Values[0], setdoc.Known{Value: &a})
			l.Values[1] = append(l.Values[1], setdoc.Known{Value: &b})
		}
		c.Launches = append(c.Launches, l)
	}
	return c
}

// rowsOf are rows of noise, of which the first is worse by a share.
func rowsOf(rng *rand.Rand, draw func(*rand.Rand) float64, rows, launches int, worse float64) [][]float64 {
	samples := make([][]float64, rows)
	for i := range samples {
		for range launches {
			v := draw(rng)
			if i == 0 {
				v += math.Log1p(worse)
			}
			samples[i] = append(samples[i], v)
		}
	}
	return samples
}

// differs reports whether any of the rows is said to be better or worse.
func differs(rows []setdoc.Contrast) bool {
	for i := range rows {
		if rows[i].Outcome == setdoc.Better || rows[i].Outcome == setdoc.Worse {
			return true
		}
	}
	return false
}
