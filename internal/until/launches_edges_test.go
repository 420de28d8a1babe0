package until

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/setdoc"
)

// The ranks at the ends of the interval of the median of 20 fresh launches, by counting in how many of all orders at
// least ten of the fresh ones come first.
func TestEdgesOfLaunches(t *testing.T) {
	for n, want := range map[int]int{1: 0, 6: 0, 7: 1, 11: 1, 12: 2, 15: 2, 16: 3, 19: 3, 20: 4, 23: 4, 24: 5, 26: 5, 27: 6, 30: 6, 31: 7, 34: 7, 35: 8, 38: 8, 39: 9, 41: 9, 42: 10, 45: 10, 46: 11, 49: 11, 50: 12, 53: 12, 54: 13, 56: 13, 57: 14, 100: 25, 1000: 270} {
		if got := outer(n); got != want {
			t.Errorf("%d: %d", n, got)
		}
	}
	// Of one, as many fresh ones come before it as there may be, each number as likely as the others.
	if p := beyond(1, 1); !near(p, 11.0/21) {
		t.Errorf("half of the fresh ones come before one: %v", p)
	}
	falling := []float64{14.5, 14.4, 14, 13.5, 13, 12, 12, 12, 12, 12, 11, 10.5, 10, 9.6, 9.5}
	up := func(n int, of func(i int) float64) (values []float64) {
		for i := range n {
			values = append(values, of(i))
		}
		return values
	}
	for _, test := range []struct {
		name         string
		within       float64
		values       []float64
		median, from float64
		to           float64
		known        bool
		why          string
	}{
		{"one", 0.1, []float64{3}, 3, 0, 0, false, "1 launches have the figure, and an interval takes 7"},
		{"two", 0.1, []float64{3, 1}, 2, 0, 0, false, "2 launches have the figure, and an interval takes 7"},
		{"six", 0.1, []float64{6, 5, 4, 3, 2, 1}, 3.5, 0, 0, false, "6 launches have the figure, and an interval takes 7"},
		{"nobody asks", 0, up(12, func(int) float64 { return 2 }), 2, 2, 2, false, ""},
		{"seven", 0.1, []float64{7, 6, 5, 4, 3, 2, 1}, 4, 1, 7, false, "7 launches have the figure, and to know it takes 12"},
		{"eleven", 0.1, up(11, func(int) float64 { return 2 }), 2, 2, 2, false, "11 launches have the figure, and to know it takes 12"},
		{"alike", 0.1, up(12, func(int) float64 { return 2 }), 2, 2, 2, true, ""},
		{"of 0", 0.1, make([]float64, 12), 0, 0, 0, false, "the median is 0, of which there is no share"},
		{"far apart", 0.1, []float64{8, 10, 10, 10, 10, 10, 10, 10, 8, 12, 12, 14}, 10, 8, 12, false,
			"launches differ too much: of 12, the interval is ±20 %"},
		{"just as far", 0.2, []float64{8, 10, 10, 10, 10, 10, 10, 10, 8, 12, 12, 14}, 10, 8, 12, true, ""},
		// Thirds of four and of five, and half of what is between two.
		{"rising", 0.3, []float64{10, 10, 11, 12, 12, 12, 12, 12, 12, 13, 15, 16}, 12, 10, 15, false,
			"launches drift: the last third of 12 has 1.33 times the median that the first has, and fresh ones may have another"},
		{"rising", 0.34, []float64{10, 10, 11, 12, 12, 12, 12, 12, 12, 13, 15, 16}, 12, 10, 15, true, ""},
		{"falling", 0.28, falling, 12, 9.6, 14.4, false,
			"launches drift: the last third of 15 has 0.714 times the median that the first has, and fresh ones may have another"},
		{"falling", 0.29, falling, 12, 9.6, 14.4, true, ""},
		{"rising from 0", 1, []float64{0, 0, 0, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2.1, 2.2, 2.3}, 2, 0, 2.2, false,
			"launches drift: the median of the first third of 15 is 0, and that of the last is not; fresh ones may have another"},
		// Of many, a hundred evenly spread are looked at for whether they drift: these do not, though half of them do, and
		// those between.
		{"many", 0.5, up(200, func(i int) float64 {
			switch {
			case i%4 == 0:
				return 100 + float64(i)/1000
			case i%4 == 2:
				return 100 - float64(i)/1000
			case i < 100:
				return float64(i) / 20
			}
			return 300 + float64(i)
		}), 100, 0, 0, true, ""},
	} {
		l := asked(test.within, test.values...)
		if math.Abs(*l.Median-test.median) > 0.01 || l.Known != test.known || !strings.HasPrefix(l.Why, test.why) || test.why == "" && l.Why != "" {
			t.Errorf("%s: %v, %v, %q", test.name, *l.Median, l.Known, l.Why)
		}
		switch {
		case len(test.values) < 7 && l.Range != nil, len(test.values) >= 7 && len(l.Range) != 2:
			t.Errorf("%s: %v", test.name, l.Range)
		case len(test.values) >= 7 && len(test.values) < 100 && !slices.Equal(l.Range, []float64{test.from, test.to}):
			t.Errorf("%s: %v", test.name, l.Range)
		}
	}
}

// What a document says of launches must follow from their values, if it was made by the rules of today.
func TestEdgesOfReread(t *testing.T) {
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
