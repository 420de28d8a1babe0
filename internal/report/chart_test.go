package report_test

import (
	"bytes"
	"flag"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/chart"
	"github.com/plimsoll/plimsoll/internal/report/course"
	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/rundoc"
)

var charts = flag.String("charts", "", "write the charts to this directory, to look at them")

// chartRuns are the shapes that a chart must cope with.
func chartRuns(t *testing.T) map[string]*rundoc.Run {
	runs := map[string]*rundoc.Run{"hour": hourRun()}
	for _, f := range fixtures {
		if f.Name != "empty" {
			runs[f.Name] = fixture(t, f.Name)
		}
	}
	down := fixture(t, "tiny")
	down.Series[0] = rundoc.Point{Failed: 12}
	runs["down"] = down
	long := hourRun()
	long.Ledger.WindowNS = 30 * 3600e9
	runs["sparse"] = long
	hour := hourRun()
	hour.Generator.Hiccups = gaps(rundoc.Gap{AtNS: 600e9, NS: 1e9}, rundoc.Gap{AtNS: 1800e9, NS: 90e9})
	runs["hour-gaps"] = hour
	stops := fixture(t, "failing")
	stops.Generator.Hiccups = gaps(rundoc.Gap{AtNS: -1e9, NS: 1500e6}, rundoc.Gap{AtNS: 3e9, NS: 49e6},
		rundoc.Gap{AtNS: 7e9, NS: 62e6}, rundoc.Gap{AtNS: 12e9, NS: 2e9}, rundoc.Gap{AtNS: 34e9, NS: 5e9})
	runs["stops"] = stops
	return runs
}

func gaps(list ...rundoc.Gap) *rundoc.Hiccups { return &rundoc.Hiccups{Longest: list} }

// A chart says when the generator did not run, and one of a run without long gaps says nothing of it.
func TestChartMarksGaps(t *testing.T) {
	const legend, grey, minGapNS = "generator paused", "fill:#3B3B3B", 50_000_000
	draw := func(list ...rundoc.Gap) string {
		run := fixture(t, "good")
		run.Generator.Hiccups = gaps(list...)
		var out bytes.Buffer
		if err := showChart(&out, run, chart.SVG); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	for _, tt := range []struct {
		name string
		gap  rundoc.Gap
		want bool
	}{
		{"long", rundoc.Gap{AtNS: 5e9, NS: minGapNS}, true},
		{"short", rundoc.Gap{AtNS: 5e9, NS: minGapNS - 1}, false},
		{"before the window", rundoc.Gap{AtNS: -5e9, NS: 1e9}, false},
		{"into the window", rundoc.Gap{AtNS: -5e9, NS: 6e9}, true},
		{"after the window", rundoc.Gap{AtNS: 10e9, NS: 1e9}, false},
		{"no time at all", rundoc.Gap{AtNS: math.MinInt64, NS: math.MaxInt64}, false},
	} {
		out := draw(tt.gap)
		if strings.Contains(out, legend) != tt.want || strings.Contains(out, grey) != tt.want {
			t.Errorf("%s: marked %t, want %t", tt.name, !tt.want, tt.want)
		}
		if n := strings.Count(out, grey); tt.want && n != 3 {
			t.Errorf("%s: %d bands, want one on each of 3 panels", tt.name, n)
		}
	}
}

// The verdict stands before the answer, and below it why, however much there is to say of the generator's own delay.
func TestChartHasTheVerdict(t *testing.T) {
	for name, want := range map[string]string{
		"frozen": ">invalid</text>", "quiet": ">valid</text>", "blind": ">valid (limited checks)</text>",
	} {
		var out bytes.Buffer
		if err := showChart(&out, fixture(t, name), chart.SVG); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s: no %q", name, want)
		}
		if name == "frozen" && !strings.Contains(out.String(), "p99 901 ms (2.44 ms corrected)") {
			t.Error("no corrected p99")
		}
		if why := "operations late"; strings.Contains(out.String(), why) != (name == "frozen") {
			t.Errorf("%s: of why the verdict is so, it has %q: %t", name, why, name != "frozen")
		}
	}
}

// A chart of the open model has what was offered, and one of a run with failures marks them, and by which causes.
func TestChartShows(t *testing.T) {
	for _, tt := range []struct {
		name            string
		offered, failed bool
	}{{"goals", true, false}, {"good", false, false}, {"failing", false, true}, {"quiet", true, false}} {
		run := fixture(t, tt.name)
		var out bytes.Buffer
		if err := showChart(&out, run, chart.SVG); err != nil {
			t.Fatal(err)
		}
		if tt.offered != (run.OpenModel() && run.Series[0].Offered != nil) {
			t.Errorf("%s: the fixture has changed", tt.name)
		}
		for text, want := range map[string]bool{">offered<": tt.offered, ">failed<": tt.failed} {
			if strings.Contains(out.String(), text) != want {
				t.Errorf("%s: %s is there: %t", tt.name, text, !want)
			}
		}
	}
}

// Both ends of the axis of times have labels, in every chart.
func TestEndsOfTheAxisOfTimes(t *testing.T) {
	label := regexp.MustCompile(`>([0-9.,]+ (?:ns|µs|ms|s))</text>`)
	for name, run := range chartRuns(t) {
		v := report.NewView(run, report.Kind{}, report.Options{})
		p := report.Choose(v.Graphs(), course.ResponseTime)[0]
		if p.Empty != "" {
			continue
		}
		p.X.Unit, p.Rules = graph.Number, nil // so that times are those of the other axis
		var out bytes.Buffer
		if err := chart.Draw(&out, chart.Head{}, []graph.Panel{p}, chart.SVG); err != nil {
			t.Fatal(err)
		}
		lowest, highest := math.Inf(1), 0.0
		for _, m := range label.FindAllStringSubmatch(out.String(), -1) {
			d, err := time.ParseDuration(strings.NewReplacer(",", "", " ", "").Replace(m[1]))
			if err != nil {
				t.Fatal(err)
			}
			lowest, highest = min(lowest, float64(d)), max(highest, float64(d))
		}
		for _, s := range p.Series {
			for _, y := range s.Y {
				if y < lowest || y > highest {
					t.Fatalf("%s: %v is outside of the labels from %v to %v", name, y, lowest, highest)
				}
			}
		}
	}
}

func TestChart(t *testing.T) {
	for name, run := range chartRuns(t) {
		for _, format := range []chart.Format{chart.PNG, chart.SVG} {
			if format == chart.PNG && name != "failing" && *charts == "" {
				continue // the drawing is the same, and pixels take long
			}
			var out bytes.Buffer
			if err := showChart(&out, run, format); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if *charts != "" {
				if err := os.WriteFile(filepath.Join(*charts, name+"."+string(format)), out.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			switch format {
			case chart.PNG:
				img, err := png.Decode(&out)
				if err != nil {
					t.Fatal(err)
				}
				if size := img.Bounds().Size(); size.X != 1200 || size.Y != 800 {
					t.Errorf("%s: %v", name, size)
				}
			case chart.SVG:
				wanted := []string{"Throughput", "Response time", "time since the start"}
				for _, want := range wanted {
					if !strings.Contains(out.String(), want) {
						t.Errorf("%s: no %q in the chart", name, want)
					}
				}
				if strings.Contains(out.String(), "NaN") {
					t.Errorf("%s: NaN in the chart", name)
				}
			}
		}
	}
}

func TestChartWithoutSeries(t *testing.T) {
	err := showChart(&bytes.Buffer{}, fixture(t, "empty"), chart.PNG)
	if err == nil || !strings.Contains(err.Error(), "no time series") {
		t.Errorf("error %v", err)
	}
}

func TestChartFormat(t *testing.T) {
	for path, want := range map[string]chart.Format{"a.png": chart.PNG, "x/b.SVG": chart.SVG} {
		if got, err := chart.FormatOf(path); got != want || err != nil {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	for _, path := range []string{"a.pdf", "png", ""} {
		_, err := chart.FormatOf(path)
		if fault.CodeOf(err) != fault.Usage || fault.HintOf(err) == "" {
			t.Errorf("%q: %v", path, err)
		}
	}
}
