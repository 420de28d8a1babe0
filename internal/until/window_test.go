package until

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/stats"
)

// When a window ends, and what is said of it then; a stretch is a quarter of a second.
func TestWindowEndsWhenKnownOrHopeless(t *testing.T) {
	const s = time.Second
	times := func(bin int, n uint32) Batch {
		return Batch{OK: int64(n), Count: int64(n), Times: in(map[int]uint32{bin: n})}
	}
	steady := func(time.Duration) Batch { return times(50, 10) }
	none := func(time.Duration) Batch { return Batch{Failed: 1} }
	rising := func(at time.Duration) Batch { return Batch{OK: 1, Count: 1, Sum: 1 + at.Seconds()} }
	percentile := func(needs int64, most time.Duration) Rule {
		return Rule{Measure: Percentile, Quantile: 0.5, Needs: needs, Within: 0.01, Most: most}
	}
	rate := func(most time.Duration) Rule { return Rule{Measure: Rate, Within: 0.1, Most: most} }
	for _, test := range []struct {
		name   string
		rule   Rule
		of     func(at time.Duration) Batch
		stop   time.Duration // 0: when it says so, or at the most
		length time.Duration
		takes  time.Duration
		known  bool
		steady bool
		why    string
	}{
		{"two looks", percentile(1, 5*time.Minute), steady, 0, 45 * s, 0, true, true, ""},
		{"two looks of a short one", percentile(1, time.Minute), steady, 0, 30 * s, 0, true, true, ""},
		{"one look and the end", percentile(1, 5*time.Minute), steady, 44 * s, 44 * s, 0, true, true, ""},
		{"the end only", percentile(1, 5*time.Minute), steady, 29*s + 3*quarter, 29*s + 3*quarter, 0, false, true,
			"the interval was narrow enough only once, at the end of the window, which may be chance"},
		{"the end of the most only", percentile(1, 5*time.Minute), func(at time.Duration) Batch {
			if at < 290*s {
				return Batch{Times: make([]uint32, stats.Bins)}
			}
			return times(50, 10)
		}, 0, 5 * time.Minute, 0, false, true,
			"the interval was narrow enough only once, at the end of the window, which may be chance, and the window reached its maximum"},
		{"a look too early", percentile(1000, time.Minute), steady, 0, 45 * s, 0, true, true, ""},
		{"hardly hopeless", percentile(7200, time.Minute), steady, 0, time.Minute, 180 * s, false, true,
			"too few values for this percentile: 2400; it requires 7200, and the window reached its maximum"},
		{"hopeless", percentile(7201, time.Minute), steady, 0, 30 * s, 30 * s * 7201 / 1200, false, true,
			"too few values for this percentile: 1200; it requires 7201, and the required window would be far longer than the maximum"},
		{"nearly the most", percentile(2400, time.Minute), steady, 57 * s, 57 * s, 57 * s * 2400 / 2280, false, true,
			"too few values for this percentile: 2280; it requires 2400"},
		// The last stretch waits for another, which makes a batch with it.
		{"about the most", percentile(2400, time.Minute), steady, 57*s + quarter, 57*s + quarter,
			57250 * time.Millisecond * 2400 / 2280, false, true,
			"too few values for this percentile: 2280; it requires 2400, and the window reached its maximum"},
		{"never", rate(time.Minute), none, 0, 30 * s, 0, false, true, "no operation has succeeded"},
		{"never, from a quarter on", rate(4 * time.Minute), none, 0, 101*s + quarter, 0, false, true, "no operation has succeeded"},
		{"never, at a quarter", rate(2 * time.Minute), none, 0, 45 * s, 0, false, true, "no operation has succeeded"},
		{"never, and far", rate(10 * time.Minute), none, 0, 228 * s, 0, false, true, "no operation has succeeded"},
		{"no times", percentile(10, time.Minute), func(time.Duration) Batch { return Batch{Times: make([]uint32, stats.Bins)} }, 0,
			time.Minute, 0, false, true, "too few values for this percentile: 0; it requires 10, and the window reached its maximum"},
		{"one time", percentile(10, time.Minute), func(at time.Duration) Batch {
			b := times(50, 1)
			if at > 0 {
				b = times(50, 0)
			}
			return b
		}, 0, 30 * s, 300 * s, false, true,
			"too few values for this percentile: 1; it requires 10, and the required window would be far longer than the maximum"},
		{"a rate needs no times", Rule{Measure: Rate, Within: 0.1, Most: time.Minute, Needs: 1e6}, func(time.Duration) Batch {
			return Batch{Count: 1, Length: quarter}
		}, 10 * s, 10 * s, 0, false, true, "no operation has succeeded"},
		{"rises and is wide", Rule{Measure: Mean, Within: 0.001, Most: time.Minute}, rising, 0, 30 * s, -1, false, true,
			"after 30s it is known to within "},
		{"rises, at the end", Rule{Measure: Mean, Within: 0.001, Most: time.Minute}, rising, 19 * s, 19 * s, 0, false, false,
			"not steady: it rises, and the last 30% of the window have 4.7 times the value of the first"},
	} {
		w := NewWindow(test.rule)
		most := test.rule.Most
		if test.stop > 0 {
			most = test.stop
		}
		for w.length < most {
			b := test.of(w.length)
			b.Length = quarter
			if w.Add(b) {
				break
			}
		}
		length := w.length
		if test.stop == 0 && length < most { // what comes until the run has ended does not count
			for range 8 {
				w.Add(Batch{Length: quarter, OK: 1000, Failed: 1000, Count: 1000, Sum: 1e15, Times: in(map[int]uint32{500: 1000})})
			}
		}
		a := w.End()
		if length != test.length || a.Known != test.known || a.Steady != test.steady ||
			a.Why != test.why && (test.takes >= 0 || !strings.HasPrefix(a.Why, test.why)) {
			t.Errorf("%s: after %v: %+v", test.name, length, a)
		}
		if test.takes >= 0 && (a.Takes-test.takes).Abs() > time.Microsecond {
			t.Errorf("%s: takes %v", test.name, a.Takes)
		}
	}
	if got := scaled(time.Hour, 1e30); got != 1<<62 {
		t.Errorf("for ever: %v", got)
	}
}

// Over ten slices there is a trend where as many of them are in their order as are by chance in one of a hundred, and
// its ends are half as much again apart.
func TestTrendNeedsOrderAndDistance(t *testing.T) {
	rises := "not steady: it rises, and the last 30%% of the window have %s times the value of the first"
	falls := "not steady: it falls, and the last 30%% of the window have %s times the value of the first"
	for _, test := range []struct {
		values []float64
		want   string
	}{
		{[]float64{10, 20, 30, 40, 50, 60, 70, 80, 90}, ""}, // nine
		{[]float64{10, 20, 30, 40, 50, 60, 70, 80, 90, 100}, fmt.Sprintf(rises, "4.5")},
		{[]float64{10, 100, 20, 30, 40, 50, 60, 70, 80, 90}, fmt.Sprintf(rises, "1.8")}, // 8 pairs of 45 are not in order
		{[]float64{100, 10, 20, 30, 40, 50, 60, 70, 80, 90}, ""},                        // 9 are not
		{[]float64{100, 90, 80, 70, 60, 50, 40, 30, 20, 10}, fmt.Sprintf(falls, "0.22")},
		{[]float64{2, 2, 2, 2.1, 2.2, 2.3, 2.4, 3, 3, 3}, fmt.Sprintf(rises, "1.5")},
		{[]float64{2, 2, 2, 2.1, 2.2, 2.3, 2.4, 3, 3, 2.99}, ""},
		{[]float64{3, 3, 3, 2.9, 2.8, 2.7, 2.6, 2, 2, 2}, fmt.Sprintf(falls, "0.67")},
		{[]float64{3, 3, 3, 2.9, 2.8, 2.7, 2.6, 2.01, 2, 2}, ""},
		{[]float64{3, 3, 3, 2.9, 2.8, 2.7, 2.6, 2.5, 2.4, 2.4}, ""},
		{[]float64{0, 0, 0, 1, 2, 3, 4, 5, 6, 7}, "not steady: there are no values in the first 30% of the window"},
		{[]float64{7, 6, 5, 4, 3, 2, 1, 0, 0, 0}, "not steady: there are no values in the last 30% of the window"},
		// Twenty, two a slice.
		{[]float64{1, 3, 3, 5, 5, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 14, 15, 17, 19, 21}, fmt.Sprintf(rises, "4.1")},
		// Eleven: the last slice has two of them, and so has what comes to the end.
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, fmt.Sprintf(rises, "4.8")},
	} {
		w := NewWindow(Rule{Measure: Mean})
		var list []Batch
		for _, v := range test.values {
			list = append(list, Batch{Count: 1, Sum: v})
		}
		if got := w.trend(list, 1.5); got != test.want {
			t.Errorf("%v: %q", test.values, got)
		}
		if got := w.trend(list, apart); got != test.want {
			t.Errorf("%v, of a window: %q", test.values, got)
		}
	}
}

const quarter = 250 * time.Millisecond

// in are times by bin: so many in each.
func in(counts map[int]uint32) []uint32 {
	times := make([]uint32, stats.Bins)
	for bin, n := range counts {
		times[bin] = n
	}
	return times
}
