package show_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/internal/workload/bandwidth/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

func TestPanels(t *testing.T) {
	for _, f := range fixtures {
		t.Run(f.Name, func(t *testing.T) {
			run := fixture(t, f.Name)
			reporttest.SoundPanels(t, reporttest.Panels(t, run, show.Kind()))
			reporttest.GoldenPanels(t, f.Name+".panels.json", reporttest.OwnPanels(t, run, show.Kind()), *update)
		})
	}
}

// TestPanelThinsManyBlocks checks that a document with many blocks is drawn with a bounded number of dots, the longest included.
func TestPanelThinsManyBlocks(t *testing.T) {
	run := fixture(t, "bandwidth-reference")
	d := run.Bandwidth()
	d.Blocks = nil
	longest := int64(0)
	for i := range 50_000 {
		ns := int64(1e6 * (1 + float64(i*7919%1000)/10))
		longest = max(longest, ns)
		d.Blocks = append(d.Blocks, rundoc.Block{Operation: rundoc.OperationUploadBlock, Stream: 1, Iteration: 1,
			StartNS: int64(i) * 100_000, DurationNS: ns})
	}
	for _, s := range reporttest.Panel(t, reporttest.Panels(t, run, show.Kind()), "blocks").Series {
		found := false
		for _, y := range s.Y {
			found = found || y == float64(longest)
		}
		if n := len(s.X); n > 3000 || n < 300 || !found {
			t.Errorf("%d dots, and max is one of them: %v", n, found)
		}
	}
}
