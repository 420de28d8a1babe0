package figure_test

import (
	"fmt"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/stats"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Each rank has the time of that rank, and not of the one before it: the times are 1 to 1000 ns, which a histogram tells
// apart.
func TestEachRankHasItsTime(t *testing.T) {
	h := hdrhistogram.New(1, 1<<42, 3)
	for n := range int64(1000) {
		_ = h.RecordValue(n + 1)
	}
	all := rundoc.Summarize(h, rundoc.Exact{Min: 1, Max: 1000, Sum: 500_500})
	for later := int64(0); later < 990; later += 13 {
		source := figure.Source{Name: "seen", Unit: figure.Time, Times: func(*rundoc.Run, map[string]string) []rundoc.Summary {
			return []rundoc.Summary{all}
		}, Later: func(*rundoc.Run) (int64, string) { return later, "late" }}
		v := parsed(t, "seen.p50", figure.Known{Own: []figure.Source{source}}).Of(&rundoc.Run{})
		if want := (1000 + later + 1) / 2; v.Raw != float64(want) || v.Why != "" {
			t.Errorf("with %d that are late: %+v, want %d", later, v, want)
		}
	}
	all.Intervals = &rundoc.Intervals{P50: &rundoc.Interval{LowNS: 1, HighNS: 1000, Effective: 1000}}
	for percent := 55; percent < 90; percent += 3 {
		v := parsed(t, fmt.Sprint("p", percent), figure.Known{}).Of(&rundoc.Run{Operations: []rundoc.Operation{{ResponseTime: all}}})
		ranks := stats.RanksOf(1000, float64(percent)/100, stats.Alike{Inflation: 1, Freedom: 15})
		if v.Low == nil || *v.Low != float64(ranks.Low) || *v.High != float64(ranks.High) {
			t.Errorf("p%d: %+v, want the ranks %d and %d", percent, v, ranks.Low, ranks.High)
		}
	}
}
