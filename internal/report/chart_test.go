package report_test

import (
	"bytes"
	"flag"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report/chart"
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
	return runs
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
				wanted := []string{"Throughput", "Response time", "so far", "time since the start"}
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
