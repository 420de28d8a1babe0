package rundoc

import "testing"

func TestAFewLateOperationsOfFewMayBeChance(t *testing.T) {
	for _, c := range []struct {
		late, scheduled int64
		few             bool
	}{{1, 61, true}, {9, 100, true}, {9, 90, false}, {10, 101, false}, {5, 5, false}, {11, 1000, false}} {
		j := judgement{total: Operation{Scheduled: c.scheduled}}
		if got := j.few(c.late); got != c.few {
			t.Errorf("%d of %d: %v", c.late, c.scheduled, got)
		}
	}
}
