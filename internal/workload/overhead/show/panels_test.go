package show_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/show"
)

func TestPanels(t *testing.T) {
	for _, f := range overheadFixtures {
		t.Run(f.Name, func(t *testing.T) {
			run := reporttest.Document(t, f.Name)
			reporttest.SoundPanels(t, reporttest.Panels(t, run, show.Kind()))
			reporttest.GoldenPanels(t, f.Name+".panels.json", reporttest.OwnPanels(t, run, show.Kind()), *update)
		})
	}
}
