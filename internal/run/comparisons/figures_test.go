package comparisons

import (
	"math"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// A load in slices is idle while a slice drains: its rate is that of the rest. A whole run's rate, and a time, are what
// the document says.
func TestRateOfSlicesExcludesIdleTime(t *testing.T) {
	doc := &rundoc.Run{
		Operations: []rundoc.Operation{{Name: "send", Scheduled: 90, OK: 90, RatePerS: 90, BytesPerS: 90,
			ResponseTime: rundoc.Summary{Count: 90, P50NS: new(int64(7)), MaxNS: 7, MinNS: 7, MeanNS: 7}}},
		Ledger: rundoc.Ledger{Clients: 2, WindowNS: 100, States: map[string]int64{
			rundoc.StateAwaiting: 150, rundoc.StateIdle: 50,
		}},
	}
	own := func(name string, unit figure.Unit) figure.Source {
		return figure.Source{Name: name, Unit: unit, Number: func(*rundoc.Run, map[string]string) figure.Value {
			return figure.Value{Raw: 90}
		}}
	}
	known := figure.Known{Own: []figure.Source{own("room.rate", figure.PerSecond), own("download.p50", figure.BytesPerSec)}}
	var rows []row
	for _, name := range []string{"rate", "p50", "room.rate", "download.p50", "bytes_rate"} {
		spec, err := figure.Parse(name, known)
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row{spec: spec})
	}
	for way, rate := range map[string]float64{setdoc.BySlices: 120, setdoc.ByRuns: 90, setdoc.AtOnce: 90} {
		got := valuesOf(rows, way, doc, false)
		for i, want := range []float64{rate, 7, rate, 90, rate} {
			if math.Abs(*got[i].Value-want) > 1e-9 {
				t.Errorf("%s: %s is %v, want %v", way, rows[i].spec, *got[i].Value, want)
			}
		}
	}
}

// What the process used is known of a side that has it to itself, and not of one of two at the same time.
func TestCPUOfSides(t *testing.T) {
	doc := messages(100)
	doc.Generator.CPUUserNS = 5e6
	for way, known := range map[string]bool{setdoc.BySlices: true, setdoc.ByRuns: true, setdoc.AtOnce: false} {
		got := valuesOf(rowsOf(t, "cpu_per_operation"), way, doc, false)[0]
		if known && (got.Value == nil || *got.Value != 5e4) || !known && (got.Value != nil || !strings.Contains(got.Why, "one of them")) {
			t.Errorf("%s: %+v", way, got)
		}
	}
}

// messages is the document of a window of a second with so many messages, of 1 ms each.
func messages(n int) *rundoc.Run {
	times := timesOf(n, 1e6)
	return &rundoc.Run{
		ID: "a", Ledger: rundoc.Ledger{Clients: 1, WindowNS: 1e9},
		Operations: []rundoc.Operation{{Name: "send", Scheduled: int64(n), OK: int64(n), RatePerS: float64(n), ResponseTime: times}},
	}
}

// timesOf are so many times of this length.
func timesOf(n int, ns int64) rundoc.Summary {
	h := hdrhistogram.New(1, 1e12, 3)
	_ = h.RecordValues(ns, int64(n)) // within its bounds
	return rundoc.Summarize(h, rundoc.Exact{Min: ns, Max: ns, Sum: int64(n) * ns})
}

func rowsOf(t *testing.T, names ...string) (rows []row) {
	t.Helper()
	for _, name := range names {
		spec, err := figure.Parse(name, figure.Known{})
		if err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row{spec: spec, Compared: setdoc.Compared{Figure: setdoc.Figure{Name: name}}})
	}
	return rows
}

// A window with too few times for a percentile says how long one would have enough; it is the same for counts that
// differ as those of launches do.
func TestTooFewTimesForAPercentileNamesALongerDuration(t *testing.T) {
	for _, test := range []struct {
		messages int
		figure   string
		longer   bool
		want     string
	}{
		{640, "p99", true, "too few operations in 1s for p99, which needs 1,000: --duration 2s would be enough"},
		{655, "p99", true, "too few operations in 1s for p99, which needs 1,000: --duration 2s would be enough"},
		{50, "p90", true, "too few operations in 1s for p90, which needs 100: --duration 3s would be enough"},
		{640, "p99.9", true, "too few operations in 1s for p99.9, which needs 10,000: --duration 20s would be enough"},
		{640, "p99", false, "too few times for a p99: 640, at least 1,000 are needed"},
		{0, "p99", true, "the run has no such times"},
		{1000, "p99", true, ""},
		{640, "rate", true, ""},
		{640, "mean", true, ""},
	} {
		got := valuesOf(rowsOf(t, test.figure), setdoc.ByRuns, messages(test.messages), test.longer)[0]
		if got.Why != test.want || (got.Value == nil) != (test.want != "") {
			t.Errorf("%s of %d: %q, want %q", test.figure, test.messages, got.Why, test.want)
		}
	}
}

// What a comparison has of a run is held against the document of that run.
func TestRereadMember(t *testing.T) {
	rows := rowsOf(t, "rate", "p99", "failed")
	made := func() *setdoc.Comparison {
		c := &setdoc.Comparison{Way: setdoc.ByRuns, Launches: []setdoc.Launch{
			{Members: [2]string{"b", "c"}, Values: [2][]setdoc.Known{make([]setdoc.Known, 3), make([]setdoc.Known, 3)}},
			{Members: [2]string{"c", "a"}, Values: [2][]setdoc.Known{nil, valuesOf(rows, setdoc.ByRuns, messages(1200), true)}},
			{Members: [2]string{"a", ""}, Lost: "B: nobody is there"},
		}}
		for _, one := range rows {
			c.Figures = append(c.Figures, one.Compared)
		}
		return c
	}
	value := func(figure int) func(*setdoc.Comparison) {
		return func(c *setdoc.Comparison) { *c.Launches[1].Values[1][figure].Value += 0.01 }
	}
	for name, test := range map[string]struct {
		edit func(*setdoc.Comparison)
		want string
	}{
		"as it was made": {func(*setdoc.Comparison) {}, ""},
		"a rate":         {value(0), "rate of B in launch 2 does not match its run"},
		"a share":        {value(2), "failed of B in launch 2 does not match its run"},
		"of how many":    {func(c *setdoc.Comparison) { c.Launches[1].Values[1][2].Of++ }, "failed of B in launch 2"},
		"none":           {func(c *setdoc.Comparison) { c.Launches[1].Values[1][1].Value = nil }, "p99 of B in launch 2"},
		"no such figure": {func(c *setdoc.Comparison) { c.Figures[0].Name = "of.tomorrow" }, ""},
	} {
		c := made()
		test.edit(c)
		wrong := strings.Join(RereadMember(c, messages(1200), figure.Known{}), "; ")
		if !strings.Contains(wrong, test.want) || (wrong == "") != (test.want == "") {
			t.Errorf("%s: %q, want %q", name, wrong, test.want)
		}
	}
}
