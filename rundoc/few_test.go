package rundoc

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
)

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

// TestADoubtOfTheOwnDelayNeedsEnoughLateOperations: the p99 of 450 rests on four of them. From a thousand
// on it has ten above it.
func TestADoubtOfTheOwnDelayNeedsEnoughLateOperations(t *testing.T) {
	const p50 = int64(600_000)
	delays := func(n, late, by int64) Summary {
		h, exact := hdrhistogram.New(1, 1<<40, 3), Exact{Min: math.MaxInt64}
		for i := range n {
			v := int64(4000)
			if i < late {
				v = by
			}
			_ = h.RecordValue(v)
			exact.Min, exact.Max, exact.Sum = min(exact.Min, v), max(exact.Max, v), exact.Sum+v
		}
		return Summarize(h, exact)
	}
	for _, c := range []struct {
		n, late, by int64
		own         int64
		doubt       bool
	}{
		{450, 5, 70_000, 70_000, false},
		{450, 9, 70_000, 70_000, false},
		{450, 10, 70_000, 70_000, true},
		{450, 10, 59_000, 59_000, false}, // less than a tenth
		{450, 200, 70_000, 50_000, false},
		{450, 0, 0, 70_000, false}, // no more can be late than have such a send delay
		{50, 5, 70_000, 70_000, true},
		{50, 4, 70_000, 70_000, false},
		{9, 9, 70_000, 70_000, true}, // all of them
		{1000, 5, 70_000, 70_000, true},
		{5000, 40, 70_000, 70_000, true},
		{0, 0, 0, 70_000, true}, // a document that does not have the send delays
	} {
		run := &Run{Plan: json.RawMessage(`{"load":{"rate_per_s":45}}`), Generator: Generator{OwnDelayP99NS: c.own}}
		j := judgement{run: run, total: Operation{Scheduled: c.n}}
		if c.n > 0 {
			j.total.SendDelay = delays(c.n, c.late, c.by)
		}
		p := p50
		if got := j.ownTooLate(&p); got != c.doubt {
			t.Errorf("%d of %d are late by %d ns, with a p99 of %d: %t", c.late, c.n, c.by, c.own, got)
		}
	}
}
