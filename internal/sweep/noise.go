package sweep

import (
	"math"

	"github.com/plimsoll/plimsoll/internal/stats"
)

// noise is how runs of one level differ, over all levels together: the repeats of one level alone are too few to tell
// two levels apart. It is a share of the throughput.
type noise struct {
	deviation float64 // of log throughput
	freedom   float64 // 0: there are no repeats
}

func noiseOf(levels []level) (n noise) {
	squares := 0.0
	for i := range levels {
		if !levels[i].usable {
			continue
		}
		logs := levels[i].logs()
		m := mean(logs)
		for _, v := range logs {
			squares += (v - m) * (v - m)
		}
		n.freedom += float64(len(logs) - 1)
	}
	if n.freedom > 0 {
		n.deviation = math.Sqrt(squares / n.freedom)
	}
	return n
}

func (v *level) logs() []float64 {
	list := v.throughputs()
	for i := range list {
		list[i] = math.Log(list[i])
	}
	return list
}

// apart reports whether two levels are told apart, one of so many pairs that are compared (Bonferroni): one or more.
// There must be repeats.
func (n noise) apart(x, y *level, pairs int) bool {
	a, b := x.logs(), y.logs()
	diff := math.Abs(mean(a) - mean(b))
	spread := n.deviation * math.Sqrt(1/float64(len(a))+1/float64(len(b)))
	if spread == 0 {
		return diff > 0
	}
	return stats.StudentP(diff/spread, n.freedom) < stats.Alpha/float64(pairs)
}
