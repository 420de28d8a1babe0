package contrast

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/stats"
	"github.com/plimsoll/plimsoll/setdoc"
)

// The levels are a part of the rules: who changes them gives the rules another number, since documents have them.
func TestTheLevelsOfTheRules(t *testing.T) {
	if Rules != 2 || total != 0.05 {
		t.Errorf("rules %d, %g in all", Rules, total)
	}
	for rows, want := range map[int][]float64{
		0: {0.0073, 0.0146, 0.0438}, 1: {0.0073, 0.0146, 0.0438}, 2: {0.0046, 0.0092, 0.0552}, 3: {0.0047, 0.0094, 0.0564},
		6: {0.005, 0.01, 0.06}, 20: {0.005, 0.01, 0.06},
	} {
		for k, alpha := range Alphas([]int{10, 20, 30}, rows) {
			if math.Abs(alpha-want[k]) > 1e-12 {
				t.Errorf("%d rows, look %d: %g, want %g", rows, k+1, alpha, want[k])
			}
		}
		sum := 0.0
		for _, alpha := range Alphas([]int{10, 20, 40, 50}, rows) {
			sum += alpha
		}
		if math.Abs(sum-0.05) > 1e-12 {
			t.Errorf("other looks have %g together", sum)
		}
	}
	for _, looks := range [][]int{{9, 20, 30}, {11, 20, 30}, {10, 19, 30}, {10, 21, 30}, {10, 20, 29}, {10, 20, 31}} {
		if Alphas(looks, 1)[2] != 0.03 {
			t.Errorf("%v have the levels of others: %v", looks, Alphas(looks, 1))
		}
	}
	if looks := Looks(1 << 30); looks[len(looks)-1] != 1<<20 {
		t.Errorf("the last look is %d", looks[len(looks)-1])
	}
	if l := levelOf([]int{10, 20, 30}, 3, 0, 0.04); len(l) != 1 || l.all() != 0.04 {
		t.Errorf("of no look and no row: %v", l)
	}
}

// A document may have any levels: only what can be one is taken.
func TestLevelsOfADocument(t *testing.T) {
	a := &analysis{Comparison: &setdoc.Comparison{Alphas: []float64{0, 0.7, 1, 1.5, -1, math.NaN()}}}
	for look, want := range []float64{0, 0.7, 0, 0, 0, 0, 0, 0} {
		if got := a.alpha(look); got != want {
			t.Errorf("look %d: %g, want %g", look+1, got, want)
		}
	}
	c := comparisonOf([][]float64{levels(12, 0.1, 0.01)}, 30)
	c.Looks, c.Alphas = []int{10, 10}, []float64{0.01, 0.02}
	if Analyze(c); Over(c) != true || !strings.HasPrefix(c.Decided, "each figure") {
		t.Errorf("decided at the first look: %q", c.Decided)
	}
	c = comparisonOf([][]float64{levels(12, 0, 0.01)}, 30)
	c.Looks, c.Alphas = []int{10, 10}, []float64{0.01, 0.02}
	if Analyze(c); Over(c) {
		t.Errorf("a look twice: %q", c.Decided)
	}
}

// What is 0 now and then has half a failure more on both sides, or half of one of what is counted.
func TestRoomForZeros(t *testing.T) {
	always := func(a, b float64, of [2]int64) func(at int) [2]setdoc.Known {
		return func(int) [2]setdoc.Known { return [2]setdoc.Known{known(a, of[0]), known(b, of[1])} }
	}
	room := 1. / 1500 // 0.5 ÷ (1000/2 + 500/2)
	for name, tt := range map[string]struct {
		unit string
		of   func(at int) [2]setdoc.Known
		want float64
	}{
		"shares of unlike numbers":     {"share", always(0.01, 0.02, [2]int64{1000, 500}), (0.02 + room) / (0.01 + room)},
		"of one operation":             {"share", always(0, 1, [2]int64{1, 1}), 3},
		"of nobody knows how many":     {"share", always(0.01, 0.02, [2]int64{0, 0}), 2},
		"the first not known":          {"share", always(0.01, 0.02, [2]int64{0, 500}), 2},
		"the second not known":         {"share", always(0.01, 0.02, [2]int64{500, 0}), 2},
		"counts without a zero":        {"count", always(5, 10, [2]int64{}), 2},
		"times that are of operations": {"ns", always(5, 10, [2]int64{10, 10}), 2},
		"a count whose second is 0 once": {"count", func(at int) [2]setdoc.Known {
			return [2]setdoc.Known{known(5, 0), known(10*float64(min(at, 1)), 0)}
		}, 10.5 / 5.5},
		"a count whose first is 0 once": {"count", func(at int) [2]setdoc.Known {
			return [2]setdoc.Known{known(5*float64(min(at, 1)), 0), known(10, 0)}
		}, 10.5 / 5.5},
	} {
		c := comparisonOf([][]float64{levels(10, 0, 0.1)}, 10)
		c.Figures[0].Unit = tt.unit
		for at := range c.Launches {
			for side, v := range tt.of(at) {
				c.Launches[at].Values[side][0] = v
			}
		}
		if Analyze(c); c.Rows[0].Ratio == nil || math.Abs(*c.Rows[0].Ratio-tt.want) > 1e-9 {
			t.Errorf("%s: %+v, want %g", name, c.Rows[0], tt.want)
		}
	}
}

// A row says why it has no ratio, and what a side came to.
func TestOddValues(t *testing.T) {
	const before = 12
	one := func() *setdoc.Comparison { return comparisonOf([][]float64{levels(before, 0, 0.1)}, before) }
	for want, change := range map[string]func(c *setdoc.Comparison){
		"a ratio of 0 to 0 says nothing": func(c *setdoc.Comparison) {
			c.Launches[3].Values = [2][]setdoc.Known{{known(0, 0)}, {known(0, 0)}}
		},
		"a ratio of 0 to 5 says nothing": func(c *setdoc.Comparison) {
			c.Launches[3].Values = [2][]setdoc.Known{{known(5, 0)}, {known(0, 0)}}
		},
		"a ratio of 0.5 to -1e-05 says nothing": func(c *setdoc.Comparison) {
			c.Figures[0].Unit = "share"
			c.Launches[3].Values = [2][]setdoc.Known{{known(-1e-5, 1000)}, {known(0.5, 1000)}}
		},
		"a ratio of -1e-05 to 0.5 says nothing": func(c *setdoc.Comparison) {
			c.Figures[0].Unit = "share"
			c.Launches[3].Values = [2][]setdoc.Known{{known(0.5, 1000)}, {known(-1e-5, 1000)}}
		},
		"known in 9 of 12 launches, and 10 are needed: it is not known": func(c *setdoc.Comparison) {
			c.Launches[3].Values[1] = nil
			c.Launches[4].Values[0][0] = known(math.Inf(-1), 0)
			c.Launches[5].Values[0][0] = known(math.NaN(), 0)
		},
		"known in 8 of 12 launches, and 10 are needed: an a": func(c *setdoc.Comparison) {
			for at, why := range []string{"b", "an a", "an a", "b"} {
				c.Launches[at].Values[0][0] = setdoc.Known{Why: why}
			}
		},
	} {
		c := one()
		change(c)
		if Analyze(c); c.Rows[0].Absent != want {
			t.Errorf("%q, want %q", c.Rows[0].Absent, want)
		}
	}
	c := one()
	c.Figures[0].Unit = "share"
	set(c, 0, func(at int) setdoc.Known { return known([]float64{0.5, 0.01}[min(at, 1)], 1000*int64(min(at, 1))) })
	if Analyze(c); math.Abs(*c.Rows[0].A-0.01) > 1e-12 {
		t.Errorf("a share of nothing is in %g", *c.Rows[0].A)
	}
	c = one()
	c.Figures[0].Unit = "count"
	set(c, 0, func(at int) setdoc.Known { return known(float64(at), 0) })
	if Analyze(c); *c.Rows[0].A != 5.5 {
		t.Errorf("0 to 11 came to %g", *c.Rows[0].A)
	}
	c = one()
	c.Figures[0].Unit = "share"
	for side := range 2 { // something in the first launch, nothing in the others
		set(c, side, func(at int) setdoc.Known { return known(0.01*float64(1-min(at, 1)), 1000) })
	}
	if Analyze(c); c.Rows[0].Absent != setdoc.AlikeInEach {
		t.Errorf("%+v", c.Rows[0])
	}
	if finite(math.NaN()) != nil || finite(math.Inf(1)) != nil || finite(math.Inf(-1)) != nil || *finite(0) != 0 {
		t.Error("what a document cannot hold")
	}
}

// What is dropped was busy and not lost, and only where there is a limit.
func TestWhatIsDropped(t *testing.T) {
	busy := 0.9
	c := comparisonOf([][]float64{levels(12, 0.1, 0.02)}, 12)
	c.Launches[1].Others = &busy
	if Analyze(c); c.Dropped != 0 {
		t.Errorf("without a limit %d are dropped", c.Dropped)
	}
	c.BusyLimit, c.Launches[1].Lost = 0.5, "gone"
	if Analyze(c); c.Dropped != 0 || c.Launches[1].Dropped || c.Judged != 11 {
		t.Errorf("one that was lost is dropped: %d of %d", c.Dropped, c.Judged)
	}
}

// It goes on while a figure that some launch has is not decided, and with no figure at all.
func TestWhatIsNotDecided(t *testing.T) {
	c := comparisonOf([][]float64{levels(12, 0.1, 0.01), levels(12, 0, 0.01)}, 30)
	for at := range c.Launches {
		if at != 3 {
			c.Launches[at].Values[1][1] = setdoc.Known{Why: "too few"}
		}
	}
	if Analyze(c); Over(c) {
		t.Errorf("with one launch of ten: %s", c.Decided)
	}
	c.Launches[3].Values[1][1] = setdoc.Known{Why: "too few"}
	if Analyze(c); !Over(c) {
		t.Error("of what no launch has more would tell nothing")
	}
	c.Figures = nil
	if Analyze(c); Over(c) {
		t.Errorf("without a figure: %s", c.Decided)
	}
	few := comparisonOf([][]float64{levels(9, 0.1, 0.02)}, 30)
	Analyze(few)
	if low, _ := stats.TrimmedMean(levels(9, 0.1, 0.02)).Interval(few.Alphas[0]); math.Abs(*few.Rows[0].Low-math.Exp(low)) > 1e-6 {
		t.Errorf("before the first look the interval begins at %g, want %g", *few.Rows[0].Low, math.Exp(low))
	}
}

// What could have been missed, and what not.
func TestInconclusiveRows(t *testing.T) {
	at := func(x float64) *float64 { return &x }
	for name, tt := range map[string]struct {
		row    setdoc.Contrast
		missed bool
	}{
		"better":          {setdoc.Contrast{Outcome: setdoc.Better}, false},
		"worse":           {setdoc.Contrast{Outcome: setdoc.Worse}, false},
		"nothing at all":  {setdoc.Contrast{Outcome: setdoc.NoneShown, Absent: setdoc.NoneOnEither}, false},
		"alike":           {setdoc.Contrast{Outcome: setdoc.NoneShown, Absent: setdoc.AlikeInEach}, false},
		"unknown":         {setdoc.Contrast{Outcome: setdoc.Unknown, Absent: "too few"}, true},
		"would be seen":   {setdoc.Contrast{Outcome: setdoc.NoneShown, Smallest: at(0.02)}, false},
		"just not":        {setdoc.Contrast{Outcome: setdoc.NoneShown, Smallest: at(0.021)}, true},
		"seen of unknown": {setdoc.Contrast{Outcome: setdoc.Unknown, Smallest: at(0.01)}, true},
		"none":            {setdoc.Contrast{Outcome: setdoc.NoneShown}, true},
		"within":          {setdoc.Contrast{Outcome: setdoc.NoneShown, Low: at(0.99), High: at(1.01)}, false},
		"below":           {setdoc.Contrast{Outcome: setdoc.NoneShown, Low: at(0.97), High: at(1.01)}, true},
		"above":           {setdoc.Contrast{Outcome: setdoc.NoneShown, Low: at(0.99), High: at(1.03)}, true},
		"no lower end":    {setdoc.Contrast{Outcome: setdoc.NoneShown, High: at(1.01)}, true},
		"no upper end":    {setdoc.Contrast{Outcome: setdoc.NoneShown, Low: at(0.99)}, true},
		"unknown, within": {setdoc.Contrast{Outcome: setdoc.Unknown, Low: at(0.99), High: at(1.01)}, true},
	} {
		c := &setdoc.Comparison{MinEffect: 0.02, Rows: []setdoc.Contrast{tt.row}}
		if got := len(Inconclusive(c)) > 0; got != tt.missed {
			t.Errorf("%s: %t", name, got)
		}
		c.MinEffect = 0
		a := &analysis{Comparison: c}
		if a.within(&tt.row) {
			t.Errorf("%s: where any change matters it is within", name)
		}
	}
}

// One launch and several are spoken of as such.
func TestNumbersInWords(t *testing.T) {
	for n, want := range map[int][3]string{
		0: {"0 launches", "0 launches were", "0 launches are"}, 1: {"1 launch", "1 launch was", "1 launch is"},
		2: {"2 launches", "2 launches were", "2 launches are"},
	} {
		if diff := cmp.Diff(want, [3]string{launches(n), were(n), are(n)}); diff != "" {
			t.Error(diff)
		}
	}
}

// What should be known before it is used.
func TestDoubts(t *testing.T) {
	busy := 0.9
	made := func(n int, change func(c *setdoc.Comparison)) string {
		c := comparisonOf([][]float64{levels(n, 0, 0.1)}, n)
		change(c)
		Analyze(c)
		return strings.Join(c.Doubts, "; ")
	}
	began := func(of, n int) string {
		return made(of, func(c *setdoc.Comparison) {
			for i := range c.Launches {
				c.Launches[i].First = 0
				if i < n {
					c.Launches[i].First = 1
				}
			}
		})
	}
	const order = "what the one that begins has of it is taken for a difference"
	for name, tt := range map[string]struct{ got, want string }{
		"nothing":            {made(12, func(*setdoc.Comparison) {}), ""},
		"began in a third":   {began(12, 4), ""},
		"in less":            {began(12, 3), "the second side began in 3 of 12 launches: " + order},
		"in two thirds":      {began(12, 8), ""},
		"in more":            {began(12, 9), "the second side began in 9 of 12 launches: " + order},
		"in none of so many": {began(10, 0), "the second side began in 0 of 10 launches: " + order},
		"of few":             {began(9, 0), ""},
		"lost": {made(12, func(c *setdoc.Comparison) { c.Launches[3].Lost, c.Launches[8].Lost = "gone", "gone" }),
			"2 launches were lost, and in no figure: gone"},
		"one that is not known": {made(12, func(c *setdoc.Comparison) {
			c.BusyLimit = 0.25
			for i := range c.Launches[:11] {
				c.Launches[i].Others = new(0.1)
			}
		}), "how much of the CPUs others used is not known of 1 launch: none of these was dropped"},
		"half of them dropped": {made(2, func(c *setdoc.Comparison) {
			c.BusyLimit, c.Launches[0].Others, c.Launches[1].Others = 0.25, &busy, new(0.1)
		}),
			"1 launch was dropped, since others used more than 25 % of the CPUs: as many as were kept, or more; measure where less goes on, or keep them all by --busy-limit 0"},
		"less than half": {made(3, func(c *setdoc.Comparison) {
			c.BusyLimit, c.Launches[0].Others, c.Launches[1].Others, c.Launches[2].Others = 0.25, &busy, new(0.1), new(0.1)
		}), ""},
		"no launch": {made(2, func(c *setdoc.Comparison) { c.Launches = nil }), ""},
		"a figure of some": {made(13, func(c *setdoc.Comparison) { c.Launches[3].Values[0][0] = setdoc.Known{Why: "too few"} }),
			"figure 1 is of 12 of 13 launches: too few"},
		"a figure of too few": {made(12, func(c *setdoc.Comparison) {
			for i := range 3 {
				c.Launches[2*i].Values[0][0] = setdoc.Known{Why: "too few"}
			}
		}), ""},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %q, want %q", name, tt.got, tt.want)
		}
	}
	rounds := roundsOf([]*setdoc.Launch{{Rounds: []float64{1, math.E, math.Inf(1), math.NaN(), 0, -1}}}, 5e8)
	if rounds == nil || rounds.Count != 2 || math.Abs(rounds.Stddev-math.Sqrt2/2) > 1e-12 {
		t.Errorf("%+v", rounds)
	}
}

// The step of a figure is that which is off by the middle amount, the larger of two.
func TestStep(t *testing.T) {
	for want, logs := range map[float64][]float64{0: {0, 0}, 2: {0, -2, 0, 1, 3}, 3: {2, 1, -4, 3, 0}, 5: {5}, 7: {-7, 6}} {
		if got := stepOf(logs); got != want {
			t.Errorf("%v: %g, want %g", logs, got, want)
		}
	}
	w := &weight{p: 0.9, larger: 0.9}
	if (level{0.05, 0.05}).holm([]*weight{w, {p: 0.8, larger: 0.8}}); w.adjusted != 1 {
		t.Errorf("p after Holm is %g", w.adjusted)
	}
}

// What of a document is not as it must be, in more than one way.
func TestRereadOddDocuments(t *testing.T) {
	says := func(change func(*setdoc.Set)) string {
		s := aSet(t)
		change(s)
		return strings.Join(Reread(s), "; ")
	}
	for name, tt := range map[string]struct{ got, want string }{
		"another kind by other rules": {says(func(s *setdoc.Set) { s.Kind = setdoc.KindPlan; s.Comparison.Rules = 9 }),
			`it is of the kind "plan", and has a comparison`},
		"without looks":  {says(func(s *setdoc.Set) { s.Comparison.Looks, s.Comparison.Alphas = nil, nil }), "its looks are none"},
		"by a little":    {says(func(s *setdoc.Set) { *s.Comparison.Rows[1].Ratio *= 1.00001 }), "what it says of figure 2"},
		"by rounding":    {says(func(s *setdoc.Set) { *s.Comparison.Rows[1].Ratio *= 1 + 1e-9 }), ""},
		"without reason": {says(func(s *setdoc.Set) { s.Comparison.Rows[1].Absent = "so" }), "what it says of figure 2"},
		"decided too early": {says(func(s *setdoc.Set) {
			c := s.Comparison
			c.Launches, s.Members = c.Launches[:17], s.Members[:34]
			Analyze(c)
			c.Decided = "so"
		}), "whether it is decided does not follow from its launches"},
		"lost without runs": {says(func(s *setdoc.Set) {
			for _, at := range []int{4, 31} {
				s.Comparison.Launches[at].Lost, s.Comparison.Launches[at].Members = "gone", [2]string{}
			}
			Analyze(s.Comparison)
		}), ""},
	} {
		if (tt.want == "") != (tt.got == "") || !strings.HasPrefix(tt.got, tt.want) {
			t.Errorf("%s: %q, want %q", name, tt.got, tt.want)
		}
	}
	other := aSet(t) // another version may give another reason
	c := other.Comparison
	for i := range c.Launches {
		c.Launches[i].Values[0][2].Value = nil
	}
	Analyze(c)
	if c.Rows[2].Absent = "an unknown one"; len(slices.DeleteFunc(Reread(other), func(s string) bool { return !strings.Contains(s, "figure 3") })) > 0 {
		t.Errorf("%q", Reread(other))
	}
}
