package report

import (
	"bytes"
	"encoding/csv"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

const (
	us = int64(1e3)
	ms = int64(1e6)
)

// timed is a summary whose percentiles, mean and maximum are all raw, and free without the own delay.
func timed(raw, free int64) rundoc.Summary {
	flat := func(ns int64) rundoc.Summary {
		s := rundoc.Summary{Count: 10_000, MinNS: ns / 2, MeanNS: ns, MaxNS: ns}
		s.SetPercentiles(func(int64) *int64 { return &ns })
		return s
	}
	s, f := flat(raw), flat(free)
	s.Free = &f
	return s
}

// A span needs a part that counts, and one that is more than what waking up costs.
func TestParted(t *testing.T) {
	for _, tt := range []struct {
		name      string
		raw, free int64
		want      bool
	}{
		{"nothing", 10 * ms, 10 * ms, false},
		{"a twentieth, and no more", 10 * ms, 9500 * us, false},
		{"more than a twentieth", 10 * ms, 9499 * us, true},
		{"half, but a tenth of a millisecond at most", 200 * us, 100 * us, false},
		{"half, and more than a tenth of a millisecond", 202 * us, 101 * us, true},
		{"much in itself, and little of it", 60_000 * ms, 59_000 * ms, false},
	} {
		if got := parted(&tt.raw, &tt.free); got != tt.want {
			t.Errorf("%s: %t", tt.name, got)
		}
	}
	if parted(nil, new(int64)) || parted(new(ms), nil) {
		t.Error("what is not known is no span")
	}
}

func TestSpanWords(t *testing.T) {
	mixed := timed(12_100*us, 9*ms)
	mixed.P50NS, mixed.Free.P50NS = new(1010*us), new(ms)
	mixed.MaxNS, mixed.Free.MaxNS = 2000*ms, 850*us
	old := timed(ms, ms)
	old.Free = nil
	few := timed(40*ms, 20*ms)
	for _, s := range []*rundoc.Summary{&few, few.Free} {
		s.SetPercentiles(func(int64) *int64 { return nil })
	}
	for _, tt := range []struct {
		name string
		sum  rundoc.Summary
		want string
	}{
		{"quiet", timed(ms, ms-50*us), "p50 1.00 ms · p99 1.00 ms · p99.9 1.00 ms · max 1.00 ms"},
		{"old document", old, "p50 1.00 ms · p99 1.00 ms · p99.9 1.00 ms · max 1.00 ms"},
		{"where it matters", mixed, "p50 1.01 ms · p99 12.1 ms (9.00 ms corrected) · " +
			"p99.9 12.1 ms (9.00 ms corrected) · max 2.00 s (850 µs corrected)"},
		{"few", few, "min 20.0 ms · mean 40.0 ms (20.0 ms corrected) · max 40.0 ms (20.0 ms corrected)"},
	} {
		v := &View{Total: rundoc.Operation{ResponseTime: tt.sum}}
		if got := v.ResponseAnswer(); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// spanRun has an operation that the generator held up, and one that it did not.
func spanRun(open bool) *rundoc.Run {
	run := &rundoc.Run{Operations: []rundoc.Operation{
		{Name: "held", OK: 10_000, ResponseTime: timed(10*ms, 4*ms), ServiceTime: timed(3*ms, 3*ms)},
	}}
	if open {
		run.Plan = []byte(`{"load":{"rate_per_s":10}}`)
	}
	return run
}

func rowsOf(t *Table) string {
	var b strings.Builder
	for _, r := range t.rows {
		b.WriteString(strings.Join(r, "|") + "\n")
	}
	return b.String()
}

// A row of what is free of the generator's own delay stands where it matters, and in Markdown always.
func TestTimesFree(t *testing.T) {
	for _, tt := range []struct {
		name string
		run  *rundoc.Run
		opt  Options
		want []string
	}{
		{"text, open", spanRun(true), Options{}, []string{"response time", "  corrected", "service time"}},
		{"markdown, open", spanRun(true), Options{allFree: true}, []string{"response time", "  corrected", "service time", "  corrected"}},
		{"markdown, closed", spanRun(false), Options{allFree: true}, []string{"response time", "  corrected", "service time"}},
	} {
		v := &View{Run: tt.run, Total: tt.run.Operations[0], Open: tt.run.OpenModel(), Options: tt.opt}
		s := v.Times()
		var got []string
		for _, r := range s.Tables[0].rows {
			got = append(got, r[0])
		}
		if strings.Join(got, ",") != strings.Join(tt.want, ",") {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
		if !strings.Contains(strings.Join(s.Notes, " "), FreeLegend) {
			t.Errorf("%s: no legend for the corrected values: %q", tt.name, s.Notes)
		}
	}
	quiet := spanRun(true)
	quiet.Operations[0].ResponseTime = timed(ms, ms)
	v := &View{Run: quiet, Total: quiet.Operations[0], Open: true}
	if s := v.Times(); len(s.Tables[0].rows) != 2 || strings.Contains(strings.Join(s.Notes, " "), FreeLegend) {
		t.Errorf("a quiet run's table is longer than it was:\n%s%q", rowsOf(&s.Tables[0]), s.Notes)
	}
}

func TestFreeP99Column(t *testing.T) {
	rows := []*rundoc.Operation{{ResponseTime: timed(10*ms, 4*ms)}, {ResponseTime: rundoc.Summary{Count: 1}}}
	table := TableOf(rows, freeP99(&View{}, rows, responseTime)...)
	if got := rowsOf(&table); got != "4.00 ms\n–\n" {
		t.Errorf("%q", got)
	}
	rows[0].ResponseTime = timed(ms, ms)
	if len(freeP99(&View{}, rows, responseTime)) != 0 {
		t.Error("a column that says nothing")
	}
	if len(freeP99(&View{Options: Options{allFree: true}}, rows, responseTime)) != 1 {
		t.Error("Markdown lacks it")
	}
}

// The columns are there in every document, behind the others but the intervals, and empty in one that does not have the figures.
func TestFreeCSV(t *testing.T) {
	read := func(run *rundoc.Run) map[string]string {
		var b bytes.Buffer
		if err := CSV(&b, run, Kind{Mixed: true}); err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(&b).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		row := map[string]string{}
		for i, name := range lines[0] {
			row[name] = lines[1][i]
		}
		if at := slices.Index(lines[0], "service_time_free_max_ns"); lines[0][at+1] != "response_time_mean_low_ns" {
			t.Errorf("behind the free figures is %s", lines[0][at+1])
		}
		return row
	}
	run := spanRun(true)
	row := read(run)
	if row["response_time_free_p99_ns"] != "4000000" || row["service_time_free_mean_ns"] != "3000000" {
		t.Errorf("%v", row)
	}
	run.Operations[0].ResponseTime.Free = nil
	if row = read(run); row["response_time_free_p99_ns"] != "" || row["service_time_free_p99_ns"] != "3000000" {
		t.Errorf("%v", row)
	}
}
