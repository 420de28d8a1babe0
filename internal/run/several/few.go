package several

import (
	"fmt"
	"math"
	"time"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// TooFew returns how long a run must be for a percentile that it has too few operations for. It returns "" if the run
// has enough, or if --duration does not make it longer. The sentence is the same for each launch.
func TooFew(spec figure.Spec, doc *rundoc.Run, longer bool) string {
	if doc == nil || !longer {
		return ""
	}
	times, needs, window := spec.Count(doc), spec.Needs(), time.Duration(doc.Ledger.WindowNS)
	if times <= 0 || times >= needs || window <= 0 {
		return ""
	}
	const room = 1.2 // no two windows have as many
	long := roundUp(time.Duration(room * float64(window) * float64(needs) / float64(times)))
	return fmt.Sprintf("too few operations in %v for %s, which needs %s: --duration %v would be enough",
		window.Round(100*time.Millisecond), spec.Name(), units.Number(needs), long)
}

// roundUp is the next length that people use: 1, 2, 3 or 5 of something.
func roundUp(d time.Duration) time.Duration {
	for unit := 100 * time.Millisecond; ; unit *= 10 {
		for _, n := range []time.Duration{1, 2, 3, 5} {
			if next := n * unit; d <= next || next > math.MaxInt64/20 {
				return next
			}
		}
	}
}
