package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/workload/http"
)

// TestComparisonsOfKinds checks that the default rows of a comparison are metrics of its kind, and its presets settings.
func TestComparisonsOfKinds(t *testing.T) {
	t.Parallel()
	for _, k := range kinds() {
		for _, name := range k.ComparedFigures() {
			if _, err := figure.Parse(name, k.Report.Known(k.Name)); err != nil {
				t.Errorf("%s: %v", k.Name, err)
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

// TestMetricsOfWhichMoreIsBetter names the metrics other than rates of which more is better. Otherwise a comparison would
// call the better side worse.
func TestMetricsOfWhichMoreIsBetter(t *testing.T) {
	t.Parallel()
	want := map[string]string{"bytes": "", "ok": "", "http": "answers flow.completed", "ws": "deliveries heartbeats", "updates": "in_time"}
	for _, k := range kinds() {
		for _, name := range figure.Names(k.Report.Known(k.Name)) {
			spec, err := figure.Parse(name, k.Report.Known(k.Name))
			if err != nil {
				continue // a pattern of names
			}
			_, common := want[name]
			rate := spec.Unit() == figure.PerSecond || spec.Unit() == figure.BytesPerSec
			more := common || rate || slices.Contains(strings.Fields(want[k.Name]), name)
			if spec.LessIsBetter() == more {
				t.Errorf("%s: less of %s is better: %t", k.Name, name, !more)
			}
			if spec.Own() && spec.Unit() == figure.PerSecond && spec.Counts("") == "" {
				t.Errorf("%s: nobody knows what %s counts", k.Name, name)
			}
		}
	}
	errors, err := figure.Parse("answers{status=503}", http.Kind().Report.Known("http"))
	if err != nil || !errors.LessIsBetter() {
		t.Errorf("answers that are errors: %v", err)
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
