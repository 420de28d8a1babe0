package sets

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

var (
	requests  = setdoc.Figure{Name: "rate", Unit: "per_s", Of: "requests"}
	bandwidth = setdoc.Figure{Name: "rate", Unit: "bytes_per_s", Of: "x"}
	p50       = setdoc.Figure{Name: "p50", Unit: "ns"}
)

// A figure is written in its unit, which stands behind it or above its column.
func TestFiguresInWords(t *testing.T) {
	for _, tt := range []struct {
		f                        setdoc.Figure
		x                        float64
		amount, text, unit, name string
	}{
		{requests, 4811.2, "4,811", "4,811 requests/s", "requests/s", "throughput"},
		{setdoc.Figure{Unit: "per_s"}, 12.34, "12.3", "12.3/s", "/s", "throughput"},
		{bandwidth, 12.34e6, "12.3", "12.3 MB/s", "MB/s", "throughput"},
		{p50, 1.5e6, "1.50 ms", "1.50 ms", "", "p50"},
		{setdoc.Figure{Name: "failed", Unit: "share"}, 0.025, "2.5 %", "2.5 %", "", "failed"},
		{setdoc.Figure{Name: "heap", Unit: "bytes"}, 2048, "2.00 KiB", "2.00 KiB", "", "heap"},
		{setdoc.Figure{Unit: "ns"}, 0, "0 ns", "0 ns", "", "throughput"},
		{setdoc.Figure{Name: "runs\n", Unit: "count"}, 12.34, "12.3", "12.3", "", "runs?"},
	} {
		v := NewView(Source{Set: &setdoc.Set{Sweep: &setdoc.Sweep{Figure: tt.f}}}, report.Options{})
		head := tt.unit
		if head == "" || head == "/s" {
			head = tt.name
		}
		got := []string{amount(tt.f, tt.x), figureText(tt.f, tt.x), unitOf(tt.f), figureName(tt.f), v.figure(&tt.x), v.cell(&tt.x), v.head()}
		if diff := cmp.Diff([]string{tt.amount, tt.text, tt.unit, tt.name, tt.text, tt.amount, head}, got); diff != "" {
			t.Errorf("%+v: %s", tt.f, diff)
		}
	}
	v := NewView(Source{Set: &setdoc.Set{}}, report.Options{})
	if v.figure(nil) != "–" || v.cell(nil) != "–" || share(nil) != "–" || share(new(0.25)) != "25.0 %" {
		t.Errorf("%s, %s, %s, %s", v.figure(nil), v.cell(nil), share(nil), share(new(0.25)))
	}
	for x, want := range map[float64]int64{0.4: 0, 0.5: 1, -0.5: -1, 1e300: 1 << 62, -1e300: -1 << 62, math.Inf(1): 1 << 62, 3e18: 3e18} {
		if got := whole(x); got != want {
			t.Errorf("%v: %d, want %d", x, got, want)
		}
	}
	if whole(math.NaN()) != 0 || whole(math.Copysign(math.NaN(), -1)) != 0 {
		t.Error("what is no number")
	}
	for x, want := range map[float64]string{0: "0 %", 0.125: "+12.5 %", -0.125: "−12.5 %"} {
		if got := signed(x); got != want {
			t.Errorf("%v: %q, want %q", x, got, want)
		}
	}
	if got := signedShare(0.125); got != "12.5 %" {
		t.Error(got)
	}
}

// An interval around its middle is a margin, another one its ends.
func TestMargins(t *testing.T) {
	for _, tt := range []struct {
		f        setdoc.Figure
		mid      *float64
		interval []float64
		margin   string
		with     string
	}{
		{requests, new(1000.0), nil, "", "1,000 requests/s"},
		{requests, nil, []float64{900, 1100}, "", "–"},
		{requests, new(1000.0), []float64{900, 1100}, "± 100", "1,000 ± 100 requests/s"},
		{setdoc.Figure{Unit: "per_s"}, new(1000.0), []float64{900, 1100}, "± 100", "1,000 ± 100/s"},
		{p50, new(3e6), []float64{2e6, 4e6}, "± 1.00 ms", "3.00 ms ± 1.00 ms"},
		{requests, new(1000.0), []float64{800, 1100}, "800 to 1,100", "1,000 requests/s (800 to 1,100)"},
		{requests, new(1000.9), []float64{900, 1100}, "± 100", "1,001 ± 100 requests/s"},
		{requests, new(1001.1), []float64{900, 1100}, "900 to 1,100", "1,001 requests/s (900 to 1,100)"},
		{requests, new(999.1), []float64{900, 1100}, "± 100", "999 ± 100 requests/s"},
		{requests, new(998.9), []float64{900, 1100}, "900 to 1,100", "999 requests/s (900 to 1,100)"},
		{requests, new(1000.0), []float64{1, 2, 3}, "", "1,000 requests/s"},
	} {
		l := &setdoc.Level{Throughput: tt.mid, Interval: tt.interval}
		v := NewView(Source{Set: &setdoc.Set{Sweep: &setdoc.Sweep{Figure: tt.f}}}, report.Options{})
		if got := v.margin(l); got != tt.margin {
			t.Errorf("%v of %v: %q, want %q", tt.interval, tt.f, got, tt.margin)
		}
		if got := v.with(l); got != tt.with {
			t.Errorf("%v of %v: %q, want %q", tt.interval, tt.f, got, tt.with)
		}
	}
}

// What a set is called, and how it was made.
func TestTitles(t *testing.T) {
	clients := setdoc.Vary{Setting: "clients", Numeric: true, Values: []string{"1", "2", "4", "8", "16"}}
	started := time.Date(2026, 11, 28, 9, 0, 0, 0, time.UTC)
	row := func(ns ...int64) (rows []setdoc.Row) {
		for _, n := range ns {
			rows = append(rows, setdoc.Row{WindowNS: n})
		}
		return rows
	}
	for _, tt := range []struct {
		set             setdoc.Set
		title, subtitle string
	}{
		{setdoc.Set{}, "Plimsoll set", "0 runs · 2026-11-28 09:00 UTC"},
		{setdoc.Set{Kind: "plan", Members: make([]setdoc.Member, 1), Interrupted: true}, "Plimsoll plan", "1 run · interrupted · 2026-11-28 09:00 UTC"},
		{setdoc.Set{Kind: "sweep", Planned: 3, Members: []setdoc.Member{{Target: "a"}, {Target: ""}, {Target: "a"}}, Sweep: &setdoc.Sweep{Workload: "chat", Vary: []setdoc.Vary{clients},
			Levels: make([]setdoc.Level, 2), Repeats: 1, Rows: row(1e9, 0, 1.02e9)}}, "Plimsoll sweep · chat · clients 1 … 16 · a",
			"2 settings · window 1.02 s · 2026-11-28 09:00 UTC"},
		{setdoc.Set{Kind: "sweep", Planned: 3, Members: []setdoc.Member{{Target: "a"}, {Target: "b"}, {Target: "c"}}, Sweep: &setdoc.Sweep{
			Vary:   []setdoc.Vary{{Setting: "clients", Numeric: true, Values: []string{"1", "2", "4", "8"}}, {Setting: "x", Values: []string{"1", "2", "4", "8", "y"}}},
			Levels: make([]setdoc.Level, 1), Repeats: 2, Rows: row(1.03e9, 1e9, 0)}}, "Plimsoll sweep · clients 1, 2, 4, 8 · x 1, 2, 4, 8, y · a, b and 1 more",
			"1 setting × 2 runs · windows 1.00 s to 1.03 s · 2026-11-28 09:00 UTC"},
		{setdoc.Set{Kind: "sweep", Planned: 4, Members: make([]setdoc.Member, 3), Sweep: &setdoc.Sweep{Repeats: 2}}, "Plimsoll sweep",
			"3 of 4 runs · 2026-11-28 09:00 UTC"},
	} {
		tt.set.Started = started
		v := NewView(Source{Set: &tt.set}, report.Options{})
		if got := v.title(); got != tt.title {
			t.Errorf("%q, want %q", got, tt.title)
		}
		if got := v.Subtitle(); got != tt.subtitle {
			t.Errorf("%q, want %q", got, tt.subtitle)
		}
	}
}

// The command to try next is that for a chart, where there is something to draw and it was not drawn just now.
func TestWhatIsNext(t *testing.T) {
	for _, tt := range []struct {
		levels, probes int
		id             string
		drawn          bool
		sweep, line    string
	}{
		{2, 2, "a b", false, "plimsoll report 'a b' --chart sweep.svg", "plimsoll report 'a b' --chart loadline.svg"},
		{1, 1, "a", false, "", ""}, {2, 2, "", false, "", ""}, {2, 2, "a", true, "", ""},
	} {
		set := &setdoc.Set{ID: tt.id, Sweep: &setdoc.Sweep{Levels: make([]setdoc.Level, tt.levels)}}
		opt := report.Options{Files: []report.File{{What: "x"}}}
		if tt.drawn {
			opt.Files = append(opt.Files, report.File{What: report.ChartFile})
		}
		if got := NewView(Source{Set: set}, opt).next(); got != tt.sweep {
			t.Errorf("%+v: %q", tt, got)
		}
		v := lineView{NewView(Source{Set: &setdoc.Set{ID: tt.id}}, opt), &setdoc.Loadline{Probes: make([]setdoc.Probe, tt.probes)}}
		if got := v.next(); got != tt.line {
			t.Errorf("%+v: %q", tt, got)
		}
	}
	if got := NewView(Source{Set: &setdoc.Set{ID: "a"}}, report.Options{}).next(); got != "" {
		t.Error(got)
	}
	c := contrastView{NewView(Source{Set: &setdoc.Set{ID: "a"}}, report.Options{}), &setdoc.Comparison{Rows: make([]setdoc.Contrast, 1)}}
	if got := c.next(); got != "plimsoll report a --format markdown" {
		t.Error(got)
	}
	c.Name = ""
	if got := c.next(); got != "" {
		t.Error(got)
	}
	c.Name, c.of = "a", &setdoc.Comparison{}
	if got := c.next(); got != "" {
		t.Error(got)
	}
	if got := NewView(Source{Set: &setdoc.Set{ID: "a"}, Name: "b"}, report.Options{}).Name; got != "b" {
		t.Error(got)
	}
}

// A machine and a program in a line, as far as they are known.
func TestMadeBy(t *testing.T) {
	for want, set := range map[string]setdoc.Set{
		"": {}, "Made by Plimsoll 1.2.": {Tool: rundoc.Tool{Version: "1.2"}}, "Made on linux/amd64.": {Host: rundoc.Host{OS: "linux", Arch: "amd64"}},
		"Made on 1 processor, x, linux/, Plimsoll 1.": {Host: rundoc.Host{OS: "linux", CPUs: 1, CPU: "x"}, Tool: rundoc.Tool{Version: "1"}},
		"Made on 2 processors.":                       {Host: rundoc.Host{CPUs: 2}},
	} {
		if got := NewView(Source{Set: &set}, report.Options{}).madeBy(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// inLine is all of a fact in a line.
func inLine(f report.Fact) string {
	return strings.Join(append([]string{f.Key, f.Value}, f.Points...), " | ")
}
