package sets

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// linesOf are the head and the rows of the only table of a section, each in a line; nil: it has none.
func linesOf(t *testing.T, s report.Section) []string {
	t.Helper()
	if len(s.Tables) == 0 {
		return nil
	}
	if len(s.Tables) > 1 {
		t.Errorf("%q has %d tables", s.Title, len(s.Tables))
	}
	return linesOfTable(s.Tables[0])
}

func linesOfTable(t report.Table) []string {
	var heads []string
	for _, h := range t.Heads() {
		heads = append(heads, h.Text)
	}
	lines := []string{strings.Join(heads, " | ")}
	for _, cells := range t.Cells() {
		lines = append(lines, strings.Join(cells, " | "))
	}
	return lines
}

func wantLines(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s: %s", what, diff)
	}
}

// The table of the levels has a column for what was offered, and for how long the runs measured, only where that is
// known and not the same everywhere; and it marks the levels that are not to be trusted.
func TestTableOfLevels(t *testing.T) {
	levels := func() []setdoc.Level {
		return []setdoc.Level{
			{Validity: string(rundoc.Valid)}, {Validity: string(rundoc.Seen), OfferedPerS: new(1234.0)},
			{Validity: string(rundoc.Suspect)}, {},
		}
	}
	v := sweepOf(setdoc.Sweep{Levels: levels(), Best: new(1), Peak: new(2), FailsFrom: new(3), Rows: []setdoc.Row{
		{Values: []string{"1"}, WindowNS: 1e9}, {Values: []string{"1"}, WindowNS: 2e9}, {Values: []string{"2"}, WindowNS: 4e9},
		{Values: []string{"3"}, WindowNS: 4e9},
	}})
	wantLines(t, "windows that differ", linesOf(t, v.levels()),
		"clients | offered, /s | window | requests/s | 95% CI | failed | p99 | ",
		"1 | – | 1.50 s | 1,000 | – | – | – | ",
		"2 | 1,234 | 4.00 s | 2,000 | – | – | – | best",
		"3 | – | 4.00 s | 3,000 | – | – | – | highest, suspect",
		"4 | – | 0 ns | 4,000 | – | – | – | fails")
	v.sweep.Rows, v.sweep.Levels = nil, v.sweep.Levels[2:]
	v.sweep.Best, v.sweep.Peak, v.sweep.FailsFrom = nil, nil, nil
	wantLines(t, "no windows", linesOf(t, v.levels()), "clients | requests/s | 95% CI | failed | p99 | ",
		"3 | 3,000 | – | – | – | suspect", "4 | 4,000 | – | – | – | ")

	if got := sweepOf(setdoc.Sweep{Rows: []setdoc.Row{{}, {WindowNS: 1}}}).window(); got != "window 1.00 ns" {
		t.Error(got)
	}

	named := sweepOf(setdoc.Sweep{Levels: levelsOf(3)})
	named.sweep.Vary[0].Numeric, named.sweep.Levels[1].Throughput = false, nil
	var bars []string
	for _, cells := range named.levels().Tables[0].Cells() {
		bars = append(bars, cells[len(cells)-1])
	}
	if len(bars[0]) == 0 || bars[1] != "" || len(bars[2]) <= len(bars[0]) {
		t.Errorf("bars %q", bars)
	}
}

// Each section of a sweep is there where one level has something for it, and is none where no level has.
func TestSectionsOfLevels(t *testing.T) {
	ns := func(n int64) *int64 { return &n }
	missing := func(share float64) []setdoc.MissingShare {
		return []setdoc.MissingShare{{State: rundoc.StateAwaiting, Share: share}}
	}
	base := &setdoc.Base{W1: 1e6, Single: true}
	causes := make([]setdoc.CauseCount, 9)
	for i := range causes {
		causes[i] = setdoc.CauseCount{Cause: string(rune('a' + i)), Count: 1}
	}
	for _, tt := range []struct {
		name    string
		section func(*View) report.Section
		base    *setdoc.Base
		levels  []setdoc.Level
		want    []string
	}{
		{"missing", (*View).missing, nil, []setdoc.Level{{Missing: missing(0.25)}}, nil},
		{"missing", (*View).missing, base, levelsOf(1), nil},
		{"missing", (*View).missing, base, []setdoc.Level{{Missing: missing(0.25)}, {Efficiency: new(0.75)}},
			[]string{"clients | lost | awaiting", "1 | – | 25.0%", "2 | 25.0% | –"}},
		{"client time", (*View).clientTime, nil, levelsOf(1), nil},
		{"client time", (*View).clientTime, nil, []setdoc.Level{{Shares: map[string]float64{"awaiting": 0}}}, nil},
		{"client time", (*View).clientTime, nil, []setdoc.Level{{Shares: map[string]float64{"awaiting": 0.5}}},
			[]string{"clients | awaiting", "1 | 50.0%"}},
		{"causes", (*View).causes, nil, []setdoc.Level{{}, {Causes: causes[:1]}, {Causes: causes[:8]}, {Causes: causes}},
			[]string{"clients | causes, most frequent first", "2 | a 1", "3 | a 1, b 1, c 1, d 1, e 1, f 1, g 1, h 1",
				"4 | a 1, b 1, c 1, d 1, e 1, f 1, g 1, h 1 and 1 more"}},
		{"times", (*View).times, nil, levelsOf(1), nil},
		{"times", (*View).times, nil, []setdoc.Level{{ResponseP50NS: ns(1e6)}},
			[]string{"clients | response p50 | p99 | service mean | p50 | p99", "1 | 1.00 ms | – | – | – | –"}},
		{"times", (*View).times, nil, []setdoc.Level{{ResponseP99NS: ns(1e6)}},
			[]string{"clients | response p50 | p99 | service mean | p50 | p99", "1 | – | 1.00 ms | – | – | –"}},
		{"times", (*View).times, nil, []setdoc.Level{{}, {ServiceMeanNS: 1}},
			[]string{"clients | response p50 | p99 | service mean | p50 | p99", "1 | – | – | – | – | –",
				"2 | – | – | 1.00 ns | – | –"}},
		{"Little's law", (*View).little, nil, levelsOf(1), nil},
		{"Little's law", (*View).little, nil, []setdoc.Level{{}, {Little: new(0.125), InFlight: 9, InFlightPredicted: 8}},
			[]string{"clients | in flight, sampled | throughput × time | difference", "2 | 9.00 | 8.00 | +12.5%"}},
		{"seconds", (*View).seconds, nil, levelsOf(1), nil},
		{"seconds", (*View).seconds, nil, []setdoc.Level{{PeakSecond: new(1250.0)}, {PeakSecond: new(9.0), Throughput: new(0.0)}},
			[]string{"clients | mean, requests/s | highest second | above the mean", "1 | 1,000 | 1,250 | +25.0%"}},
	} {
		wantLines(t, tt.name, linesOf(t, tt.section(sweepOf(setdoc.Sweep{Levels: tt.levels, Base: tt.base}))), tt.want...)
	}
	v := sweepOf(setdoc.Sweep{Levels: []setdoc.Level{{PeakSecond: new(1250.0)}}})
	v.sweep.Levels[0].Throughput = nil
	wantLines(t, "a peak of nothing", linesOf(t, v.seconds()))
}

// The grid has a dash where a setting was not measured, and a unit in its title where there is one.
func TestGridOfTwoSettings(t *testing.T) {
	for _, tt := range []struct {
		figure  setdoc.Figure
		numeric bool
		title   string
		level   string
	}{
		{requests, true, "Throughput over clients × rooms, requests/s", "7.00"}, {p50, false, "P50 over clients × rooms", "7.00 ns"},
	} {
		v := NewView(Source{Set: &setdoc.Set{Sweep: &setdoc.Sweep{Figure: tt.figure,
			Vary: []setdoc.Vary{{Setting: "clients", Values: []string{"1", "2"}, Numeric: tt.numeric},
				{Setting: "rooms", Values: []string{"a", "b"}}},
			Levels: []setdoc.Level{{Values: []string{"2", "a"}, Throughput: new(7.0)}}}}}, report.Options{})
		s := v.grid()
		if first := s.Tables[0].Heads()[0]; s.Title != tt.title || first.Right != tt.numeric {
			t.Errorf("%q, figures at the right: %v", s.Title, first.Right)
		}
		wantLines(t, tt.title, linesOf(t, s), "clients | rooms a | rooms b", "1 | – | –", "2 | "+tt.level+" | –")
	}
}

// The scaling law is said to have been refused only where a reason is known, and of a setting that means how much goes
// on at once.
func TestLawThatIsNone(t *testing.T) {
	for _, tt := range []struct {
		scaling     *setdoc.Scaling
		concurrency bool
		want        string
		sections    int
	}{
		{nil, true, "Scaling law | ", 0}, {&setdoc.Scaling{}, true, "Scaling law | ", 1},
		{&setdoc.Scaling{Refused: "too few"}, true, "Scaling law | not fitted: too few", 1},
		{&setdoc.Scaling{Refused: "too few"}, false, "Scaling law | ", 1},
	} {
		v := sweepOf(setdoc.Sweep{Scaling: tt.scaling})
		v.sweep.Vary[0].Concurrency = tt.concurrency
		if got, s := inLine(v.lawAnswer()), v.law(); got != tt.want || len(s.Intro) != tt.sections {
			t.Errorf("%q and %+v, want %q", got, s, tt.want)
		}
	}
}

// The columns of a file have nothing where a mean is not known, and its nanoseconds where it is.
func TestMeanTimesInAFile(t *testing.T) {
	v := sweepOf(setdoc.Sweep{Levels: []setdoc.Level{{}, {ServiceMeanNS: 1}}})
	wantLines(t, "times", linesOfTable(report.TableOf(v.all(), v.csvTimes()...)),
		"service_mean_ns | service_p50_ns | service_p99_ns | response_p50_ns | response_p99_ns", " |  |  |  | ",
		"1 |  |  |  | ")
}
