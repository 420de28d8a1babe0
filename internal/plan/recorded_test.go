package plan

import (
	"strings"
	"testing"
	"time"
)

// TestRecordedArrivals: only operations with times of their own can keep to them, and what else shapes the load has
// then nothing to say.
func TestRecordedArrivals(t *testing.T) {
	for name, c := range map[string]struct {
		change func(l *Load)
		want   string
	}{
		"fits":          {func(*Load) {}, ""},
		"without times": {func(l *Load) { l.Recorded = false }, "it must be poisson"},
		"ramp":          {func(l *Load) { l.Ramp = time.Second }, "--ramp and --stages"},
		"pacing":        {func(l *Load) { l.Pacing = "run" }, "--pacing"},
		"think time":    {func(l *Load) { l.ThinkTime = time.Second }, "--think-time"},
	} {
		t.Run(name, func(t *testing.T) {
			l := Load{Rate: 10, Arrivals: AsRecorded, Recorded: true, MaxWaiting: 10, Pacing: Auto}
			c.change(&l)
			err := l.checkModel()
			if got := err != nil; got != (c.want != "") || got && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}
