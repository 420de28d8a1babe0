package figure_test

import (
	"math"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/rundoc"
)

// atBest is a figure of a run at best.
func atBest(t *testing.T, text string, unit figure.Unit, run *rundoc.Run, low bool) figure.Value {
	t.Helper()
	spec, err := figure.Parse(text, figure.Known{})
	if err != nil {
		t.Fatal(err)
	}
	if unit != "" {
		spec, _ = spec.In(unit)
	}
	return spec.AtBest(run, low)
}

// What a few may have done is no figure yet; what many did is. Each is worked out by hand.
func TestAtBest(t *testing.T) {
	of := func(ok, failed int64) *rundoc.Run {
		return &rundoc.Run{
			Ledger: rundoc.Ledger{WindowNS: 1e9},
			Operations: []rundoc.Operation{{Name: "send", Scheduled: ok + failed, OK: ok, Failed: failed,
				RatePerS: float64(ok), BytesPerS: 10 * float64(ok)}},
		}
	}
	for _, test := range []struct {
		text string
		unit figure.Unit
		run  *rundoc.Run
		low  bool
		want float64
	}{
		{"rate", "", of(900, 0), false, 990}, // 900 + 3 × √900
		{"rate", "", of(900, 0), true, 900},
		{"bytes_rate", "", of(900, 0), false, 9900},
		{"failed", figure.Share, of(999, 1), true, 0},           // 1 is no more than 3 × √1
		{"failed", figure.Share, of(9900, 100), true, 0.007},    // (100 − 3 × √100) ÷ 10,000
		{"failed", figure.Share, of(9900, 100), false, 0.03985}, // not what it is asked for
		{"ok", figure.Share, of(9900, 100), false, 0.993},
		{"failed", figure.Count, of(9900, 100), true, 100},
		{"ok", figure.Share, of(99, 1), false, 1}, // 0.99 + 3 × 0.01
		{"rate", "", of(1, 0), false, 4},          // of one there may as well have been 1 + 3 × √1
		{"retries", "", of(9900, 100), true, 0},
	} {
		if v := atBest(t, test.text, test.unit, test.run, test.low); v.Why != "" || math.Abs(v.Raw-test.want) > 1e-4*test.want {
			t.Errorf("%s: %v, %s; want %v", test.text, v.Raw, v.Why, test.want)
		}
	}
	if v := atBest(t, "rate{operation=read}", "", of(1, 0), false); v.Why == "" {
		t.Errorf("there is a rate of nothing: %v", v.Raw)
	}
}

// A percentile that too few times can tell is above a limit as soon as a lower one is, and one that few put above it is
// not yet.
func TestPercentilesAtBest(t *testing.T) {
	of := func(quick, slow int) *rundoc.Run {
		h := hdrhistogram.New(1, 1e12, 3)
		_ = h.RecordValues(1e6, int64(quick)) // within its bounds
		_ = h.RecordValues(50e6, int64(slow))
		n := int64(quick + slow)
		s := rundoc.Summarize(h, rundoc.Exact{Min: 1e6, Max: 50e6, Sum: int64(quick)*1e6 + int64(slow)*50e6})
		return &rundoc.Run{Operations: []rundoc.Operation{{Name: "send", Scheduled: n, OK: n, ResponseTime: s}}}
	}
	for _, test := range []struct {
		quick, slow int
		slowly      bool // the p99 at best is a slow one
		none        bool
	}{
		{quick: 0, slow: 19, none: true},
		{quick: 0, slow: 20, slowly: true},
		{quick: 9, slow: 11, slowly: true},
		{quick: 11, slow: 9},
		{quick: 985, slow: 15}, // the p99 itself is slow; 10 + 3 × √10 of 1,000 might be bad luck
		{quick: 975, slow: 25, slowly: true},
		{quick: 98_500, slow: 1500, slowly: true}, // and of 100,000 they are not
	} {
		v := atBest(t, "p99", "", of(test.quick, test.slow), true)
		if test.none != (v.Why != "") || !test.none && test.slowly != (v.Raw > 40e6) {
			t.Errorf("%d of %d: %v, %s", test.slow, test.quick+test.slow, v.Raw, v.Why)
		}
	}
	// Where high is wanted, it is what it is.
	if v := atBest(t, "p99", "", of(985, 15), false); v.Raw < 40e6 {
		t.Errorf("the p99 is %v", v.Raw)
	}
	// Of 811 times a p10 is the p0.0 something at best, and of 810 there is none below it: 0.9 + 3 × √(0.9 ÷ 810) is all.
	// The p5.332 of 2997 is the lowest that there is, the p0.0001.
	for _, test := range []struct {
		name   string
		n      int
		slowly bool
	}{{"p10", 809, true}, {"p10", 810, true}, {"p10", 811, false}, {"p5.332", 2997, false}} {
		if v := atBest(t, test.name, "", of(40, test.n-40), true); test.slowly != (v.Raw > 40e6) {
			t.Errorf("the %s of %d is %v", test.name, test.n, v.Raw)
		}
	}
	if v := atBest(t, "max", "", of(985, 15), true); v.Raw < 49e6 {
		t.Errorf("the longest is %v", v.Raw)
	}
}
