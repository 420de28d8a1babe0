package rundoc

import "testing"

func TestAFewLateOperationsOfFewMayBeChance(t *testing.T) {
	for _, c := range []struct {
		late, scheduled, unsent int64
		few                     bool
	}{
		{1, 61, 0, true}, {9, 100, 0, true}, {9, 90, 0, false}, {10, 101, 0, false}, {5, 5, 0, false},
		{11, 1000, 0, false}, {9, 180, 89, true}, {9, 180, 90, false},
	} {
		j := judgement{total: Operation{Scheduled: c.scheduled, Unsent: c.unsent}}
		if got := j.few(c.late); got != c.few {
			t.Errorf("%d of %d less %d: %v", c.late, c.scheduled, c.unsent, got)
		}
	}
}
