package until

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/setdoc"
)

// asked are launches with these values, of which so much is asked.
func asked(within float64, values ...float64) *setdoc.Launches {
	l := &setdoc.Launches{Within: within}
	for _, v := range values {
		l.Values = append(l.Values, setdoc.Known{Value: &v})
	}
	Launches(l)
	return l
}

func TestFewLaunchesHaveNoInterval(t *testing.T) {
	if l := asked(0.1, 1, 1, 1, 1, 1, 1); l.Range != nil || l.Known || !strings.Contains(l.Why, "at least 7") {
		t.Errorf("%+v", l)
	}
	seven := []float64{1, 1, 1, 1.05, 1, 1, 1}
	if l := asked(0.1, seven...); l.Known || *l.Median != 1 || !slices.Equal(l.Range, []float64{1, 1.05}) ||
		l.Why != "only 7 runs have a value, at least 12 are needed" {
		t.Errorf("%+v", l)
	}
	if l := asked(0.1, append(seven, 1, 1, 1, 1)...); l.Known {
		t.Errorf("%+v", l)
	}
	if l := asked(0.1, append(seven, 1, 1, 1, 1, 1)...); !l.Known || l.Why != "" {
		t.Errorf("%+v", l)
	}
	if l := asked(0, append(seven, 1, 1, 1, 1, 1)...); l.Known || l.Why != "" || len(l.Range) != 2 {
		t.Errorf("without a width: %+v", l)
	}
	if l := asked(0.1, 8, 10, 10, 10, 10, 10, 10, 10, 8, 12, 12, 14); l.Known || !strings.Contains(l.Why, "variation between runs is too high") {
		t.Errorf("%+v", l)
	}
	if l := asked(0.1); l.Median != nil || l.Why != "no run has a value" {
		t.Errorf("%+v", l)
	}
	l := &setdoc.Launches{Values: []setdoc.Known{{Why: "interrupted"}, {Why: "too few times"}}}
	if Launches(l); l.Median != nil || l.Why != "no run has a value; the last one: too few times" {
		t.Errorf("%+v", l)
	}
}

// Launches that rise or fall by more than was asked are not known, however narrow the interval of their median; of what
// has no share nothing is.
func TestDriftingLaunchesAreNotKnown(t *testing.T) {
	var rising, shuffled []float64
	for i := range 20 {
		rising = append(rising, 1+0.002*float64(i))
	}
	for _, i := range rand.New(rand.NewPCG(1, 9)).Perm(20) {
		shuffled = append(shuffled, rising[i])
	}
	if l := asked(0.02, rising...); l.Known || !strings.Contains(l.Why, "the runs drift: the median of the last third of 20 runs is 1.03 times") {
		t.Errorf("%+v", l)
	}
	if l := asked(0.05, rising...); !l.Known {
		t.Errorf("a drift that matters to nobody: %+v", l)
	}
	if l := asked(0.02, shuffled...); !l.Known {
		t.Errorf("%+v", l)
	}
	if l := asked(0.02, make([]float64, 20)...); l.Known || l.Why != "the median is 0" {
		t.Errorf("%+v", l)
	}
	if l := asked(1, 0, 0, 0, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2.1, 2.2, 2.3); l.Known || !strings.Contains(l.Why, "first third of 15 runs is 0") {
		t.Errorf("%+v", l)
	}
	many := make([]float64, 1000)
	for i := range many {
		many[i] = 1 + float64(i)
	}
	if l := asked(0.5, many...); l.Known || !strings.Contains(l.Why, "the runs drift") { // and that takes no minutes
		t.Errorf("of 1,000: %v, %s", l.Known, l.Why)
	}
}

// TestLaunchesIntervalCoversFreshLaunches simulates campaigns that stop when the interval is narrow, with occasional
// outliers. The median of 20 fresh launches must be outside the interval in at most 7% of them. The seed is fixed.
func TestLaunchesIntervalCoversFreshLaunches(t *testing.T) {
	const seed, most = 20261124, 40
	trials := 100
	if os.Getenv("PLIMSOLL_NIGHTLY") != "" {
		trials = 1000
	}
	for _, within := range []float64{0.03, 0.05, 0.1} {
		rng := rand.New(rand.NewPCG(seed, uint64(1000*within)))
		value := func() float64 {
			if rng.Float64() < 0.1 {
				return 1 + 0.4*max(-2, rng.NormFloat64())
			}
			return 1 + 0.05*rng.NormFloat64()
		}
		known, covered, made := 0, 0, 0
		for range trials {
			l := &setdoc.Launches{Within: within}
			for narrow := 0; narrow < 2 && len(l.Values) < most; {
				v := value()
				l.Values = append(l.Values, setdoc.Known{Value: &v})
				if Launches(l); l.Known {
					narrow++
				} else {
					narrow = 0
				}
			}
			fresh := make([]float64, Repeated)
			for i := range fresh {
				fresh[i] = value()
			}
			slices.Sort(fresh)
			made += len(l.Values)
			if median := (fresh[9] + fresh[10]) / 2; l.Known {
				known++
				if l.Range[0] <= median && median <= l.Range[1] {
					covered++
				}
			}
		}
		t.Logf("±%.0f%%: known in %d of %d, of which %.1f%% cover; %.1f launches each (seed %d)", 100*within, known, trials,
			100*float64(covered)/float64(known), float64(made)/float64(trials), seed)
		// Where hardly any gets to know, those that do were lucky: what counts is how many say what is wrong.
		if 100*(known-covered) > 7*trials {
			t.Errorf("±%v: %d of %d cover", within, covered, known)
		}
	}
}

// What a document says of launches must follow from their values, if it was made by the rules of today.
func TestRereadReportsValuesThatDoNotFollow(t *testing.T) {
	values := []float64{8, 10, 10, 10, 10, 10, 10, 10, 8, 12, 12, 14}
	other := 11.0
	for name, test := range map[string]struct {
		change func(*setdoc.Launches)
		same   bool
	}{
		"nothing":     {func(*setdoc.Launches) {}, true},
		"known":       {func(l *setdoc.Launches) { l.Known = false }, false},
		"median":      {func(l *setdoc.Launches) { l.Median = &other }, false},
		"no median":   {func(l *setdoc.Launches) { l.Median = nil }, false},
		"range":       {func(l *setdoc.Launches) { l.Range = []float64{8, 11} }, false},
		"other rules": {func(l *setdoc.Launches) { l.Rules, l.Range = 2, nil }, true},
		"later rules": {func(l *setdoc.Launches) { l.Rules, l.Known = 4, false }, true},
	} {
		l := asked(0.25, values...)
		if test.change(l); (len(Reread(l)) == 0) != test.same {
			t.Errorf("%s: %v", name, Reread(l))
		}
	}
	if Reread(nil) != nil {
		t.Error("nil launches")
	}
}
