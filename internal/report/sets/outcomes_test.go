package sets

import (
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

// What became of a threshold is told with what the run's document says of it: why its figure, or the interval that a
// strict one needs, is not known; or what the figure would have been.
func TestOutcomesOfThresholds(t *testing.T) {
	at := func(ms float64) *float64 { return new(ms * 1e6) }
	const why = "too few operations for an interval\n"
	for i, tt := range []struct {
		of   rundoc.Threshold
		want string
	}{
		{rundoc.Threshold{Met: true, Value: at(40)}, "met"}, {rundoc.Threshold{Value: at(60)}, "missed"},
		{rundoc.Threshold{Value: at(60), Free: at(55)}, "missed"},
		{rundoc.Threshold{Value: at(60), Free: at(49)}, "cannot be told: 49.0 ms without the generator's own delay"},
		{rundoc.Threshold{Value: at(40), Strict: true, Why: why}, "cannot be told: too few operations for an interval?"},
		{rundoc.Threshold{Value: at(40), Free: at(39), Strict: true, Why: why},
			"cannot be told: too few operations for an interval?"},
		{rundoc.Threshold{Why: "interrupted"}, "cannot be told: interrupted"}, {rundoc.Threshold{}, "cannot be told"},
	} {
		tt.of.Expr, tt.of.Unit, tt.of.Limit = "p99<50ms", "ns", 50e6
		if got := outcome(&tt.of); got != tt.want {
			t.Errorf("%d: %q, want %q", i, got, tt.want)
		}
	}
}
