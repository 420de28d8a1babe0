package contrast

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/setdoc"
)

// setOf is a set with a comparison, as it is kept.
func setOf(c *setdoc.Comparison) *setdoc.Set {
	s := &setdoc.Set{Schema: setdoc.Schema, Kind: setdoc.KindCompare, Comparison: c}
	for i := range c.Launches {
		for _, id := range c.Launches[i].Members {
			s.Members = append(s.Members, setdoc.Member{ID: id})
		}
	}
	return s
}

// aSet has something in each part of a comparison.
func aSet(t *testing.T) *setdoc.Set {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 11))
	c := comparisonOf(rowsOf(rng, contaminated, 3, 33, 0.08), 30)
	c.BusyLimit, c.RoundNS = 0.5, 5e8
	busy := 0.9
	c.Launches[3].Others = &busy
	c.Launches[4].Lost = "it did not start"
	for i := range c.Launches {
		c.Launches[i].Rounds = []float64{math.Exp(0.1 * rng.NormFloat64()), math.Exp(0.1 * rng.NormFloat64())}
	}
	Analyze(c)
	text, err := json.Marshal(setOf(c)) // as it is read again
	var s setdoc.Set
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		t.Fatal(err)
	}
	return &s
}

func TestReread(t *testing.T) {
	if wrong := Reread(aSet(t)); wrong != nil {
		t.Fatalf("as it was made: %q", wrong)
	}
	if wrong := Reread(&setdoc.Set{Kind: setdoc.KindSweep}); wrong != nil {
		t.Errorf("without a comparison: %q", wrong)
	}
	x := 1.01
	for what, change := range map[string]func(*setdoc.Comparison){
		"figure 1":                   func(c *setdoc.Comparison) { c.Rows[0].Outcome = setdoc.NoneShown },
		"figure 2":                   func(c *setdoc.Comparison) { *c.Rows[1].P /= 2 },
		"figure 3":                   func(c *setdoc.Comparison) { c.Rows[2].Smallest = nil },
		"the result for figure 1":    func(c *setdoc.Comparison) { *c.Launches[20].Values[1][0].Value *= 3 },
		"interim analyses":           func(c *setdoc.Comparison) { c.Looks[0] = 5 },
		"the significance levels":    func(c *setdoc.Comparison) { c.Alphas[2] = 0.2 },
		"number of launches used":    func(c *setdoc.Comparison) { c.Judged = 20 },
		"number of dropped launches": func(c *setdoc.Comparison) { c.Dropped = 0 },
		"launch 4 is dropped":        func(c *setdoc.Comparison) { c.Launches[3].Dropped = false },
		"launch 6 is dropped":        func(c *setdoc.Comparison) { c.Launches[5].Dropped = true },
		"the decision to stop":       func(c *setdoc.Comparison) { c.Decided = "" },
		"rounds":                     func(c *setdoc.Comparison) { c.Rounds.Stddev *= x },
		"2 rows, but compares 3":     func(c *setdoc.Comparison) { c.Rows = c.Rows[:2] },
		"launch 2 belongs to a run that is not": func(c *setdoc.Comparison) {
			c.Launches[1].Members[0] = "another"
		},
		"launch 2 shares its run": func(c *setdoc.Comparison) {
			c.Launches[1].Members[0] = c.Launches[0].Members[0]
		},
		"launch 1 has values for side 2": func(c *setdoc.Comparison) { c.Launches[0].Members[1] = "" },
	} {
		s := aSet(t)
		change(s.Comparison)
		if wrong := strings.Join(Reread(s), "; "); !strings.Contains(wrong, what) {
			t.Errorf("%s is not noticed: %q", what, wrong)
		}
	}
	s := aSet(t)
	s.Kind = setdoc.KindPlan
	if wrong := strings.Join(Reread(s), "; "); !strings.Contains(wrong, `its kind is "plan"`) {
		t.Errorf("%q", wrong)
	}
	s = aSet(t)
	s.Comparison.Rules++
	s.Comparison.Rows[0].Outcome = "fine"
	if wrong := Reread(s); wrong != nil {
		t.Errorf("made by other rules: %q", wrong)
	}
	// Another version may put its sentences otherwise.
	s = aSet(t)
	s.Comparison.Decided, s.Comparison.Doubts = "genug", []string{"vielleicht"}
	if wrong := Reread(s); wrong != nil {
		t.Errorf("in other words: %q", wrong)
	}
}

// Whatever a document says, it is judged without a panic, and what comes of it can be written.
func FuzzAnalyze(f *testing.F) {
	for _, c := range []*setdoc.Comparison{
		comparisonOf([][]float64{levels(12, 0.1, 0.02), levels(12, 0, 0.02)}, 10), {},
		{Looks: []int{-1, 0, 3, 2}, Alphas: []float64{7}, Figures: make([]setdoc.Compared, 2), Launches: make([]setdoc.Launch, 5)},
	} {
		text, err := json.Marshal(c)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text, 1.0, 0.0)
	}
	f.Add([]byte(`{"figures":[{"unit":"share"}],"looks":[1],"alphas":[1e-300],"launches":[{"values":[[{"value":0,"of":-5}],[]]}]}`),
		math.NaN(), math.Inf(1))
	f.Fuzz(func(t *testing.T, text []byte, x, y float64) {
		var c setdoc.Comparison
		if json.Unmarshal(text, &c) != nil || len(c.Launches) > 1000 || len(c.Figures) > 20 {
			return
		}
		for i := range c.Launches { // what no document holds
			for side := range c.Launches[i].Values {
				for at := range c.Launches[i].Values[side] {
					if (i+at)%7 == 3 {
						c.Launches[i].Values[side][at].Value = []*float64{&x, &y}[side]
					}
				}
			}
			if i == 2 {
				c.Launches[i].Rounds, c.Launches[i].Others = []float64{x, y, x, 1}, &x
			}
		}
		if len(c.Alphas) > 1 {
			c.Alphas[1] = y
		}
		Analyze(&c)
		Over(&c)
		if rows := Inconclusive(&c); len(rows) > len(c.Figures) || len(c.Rows) != len(c.Figures) {
			t.Errorf("%d rows of %d figures, %v", len(c.Rows), len(c.Figures), rows)
		}
		if _, err := json.Marshal(c.Rows); err != nil {
			t.Error(err)
		}
		if _, err := json.Marshal(c.Rounds); err != nil {
			t.Error(err)
		}
		again := fmt.Sprint(c.Judged, c.Decided, c.Doubts)
		Reread(&setdoc.Set{Comparison: &c})
		if Analyze(&c); fmt.Sprint(c.Judged, c.Decided, c.Doubts) != again {
			t.Error("the same launches say something else")
		}
	})
}
