package cli

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/run"
)

// The rows that a comparison of a kind has by itself are figures of that kind, some of its fixed runs have them, and a
// side takes settings that there are.
func TestWhatKindsAreComparedBy(t *testing.T) {
	for _, k := range kinds() {
		runs := fixedRuns(t, k.Name)
		for _, name := range k.ComparedFigures() {
			spec, err := figure.Parse(name, k.Report.Known(k.Name))
			if err != nil {
				t.Errorf("%s: %v", k.Name, err)
				continue
			}
			known := 0
			for _, doc := range runs {
				if spec.Of(doc).Why == "" {
					known++
				}
			}
			if known == 0 {
				t.Errorf("%s: no run has a %s", k.Name, name)
			}
		}
		for _, all := range [][]run.Preset{k.InTurn, k.AmongMany} {
			if len(all) == 0 {
				t.Errorf("%s takes nothing as one of many", k.Name)
			}
			for _, p := range all {
				takesPreset(t, k, p)
			}
		}
	}
}

// takesPreset reports a preset whose setting does not take it, or which stands back for settings that there are not.
func takesPreset(t *testing.T, k run.Kind, p run.Preset) {
	t.Helper()
	settings := k.New().Settings()
	for _, name := range append([]string{p.Setting}, p.Unless...) {
		if settings.Lookup(name) == nil {
			t.Errorf("%s has no setting %s", k.Name, name)
			return
		}
	}
	if err := settings.Lookup(p.Setting).Set(p.Value); err != nil {
		t.Errorf("%s: --%s %s: %v", k.Name, p.Setting, p.Value, err)
	}
}
