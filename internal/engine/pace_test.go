package engine

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/instrument"
	"github.com/plimsoll/plimsoll/internal/plan"
)

// TestAlarmAndSlotSendWithTheSameTiming sends each third operation whole by the alarm, in two parts, and by the
// slot. Some fail at first.
func TestAlarmAndSlotSendWithTheSameTiming(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.sends = func(index uint64) sending { return sending(index % 3) }
		l.fail = func(index uint64, attempt int) *op.Failure {
			if index%10 == 0 && attempt == 1 {
				return &op.Failure{Cause: "busy"}
			}
			return nil
		}
		p := load()
		p.Clients, p.Rate = 20, 100
		doc := run(t, l, p, nil)
		sum := total(t, doc)
		counts(t, sum, 200, 200, 0, 0, 0)
		if sum.Retries != 20 || l.attempts.Load() != 220 {
			t.Errorf("%d retries, %d attempts at the target", sum.Retries, l.attempts.Load())
		}
		about(t, "send delay", sum.SendDelay.MaxNS, 0, 0)
		// The part that had to wait took a millisecond.
		about(t, "fastest", sum.ServiceTime.MinNS, 10e6, 0)
		about(t, "median", *sum.ServiceTime.P50NS, 10e6, .01)
		about(t, "own delay", doc.Generator.OwnTimeNS, 0, 0)
	})
}

// TestPacingSpinsOnlyWithSpareCPU asks for rates on machines and under quotas.
func TestPacingSpinsOnlyWithSpareCPU(t *testing.T) {
	for _, c := range []struct {
		asked      plan.Pacing
		rate, cpus float64
		want       plan.Pacing
	}{
		{plan.Auto, 2000, 2, plan.Spin},
		{plan.Auto, 8000, 2, plan.Spin},
		{plan.Auto, 9000, 2, plan.Sleep}, // 0.54 of a CPU
		{plan.Auto, 9000, 8, plan.Spin},
		{plan.Auto, 500, 1.5, plan.Sleep}, // none is left for who reads the answers
		{plan.Auto, 100, 0.3, plan.Sleep},
		{"", 2000, 2, plan.Spin},
		{plan.Sleep, 100, 8, plan.Sleep},
		{plan.Spin, 100_000, 0.3, plan.Spin},
	} {
		if got := pacing(c.asked, c.rate, c.cpus); got != c.want {
			t.Errorf("%q for %v/s on %v CPUs: %q, want %q", c.asked, c.rate, c.cpus, got, c.want)
		}
	}
}

// TestTimeoutOfAPausedGeneratorIsItsOwn has a generator that does not run from 1 ms to 500 ms.
func TestTimeoutOfAPausedGeneratorIsItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := op.NewClock()
		stopped := false
		// Without CPU time: what the test itself needs in real time would make the gap shorter.
		cpu := func() int64 { return 0 }
		meter := instrument.Start(instrument.Config{Now: clock.Now, Epoch: clock.Epoch(), CPU: cpu, Sleep: func(d time.Duration) {
			if !stopped {
				stopped, d = true, 500*time.Millisecond
			}
			time.Sleep(d)
		}})
		time.Sleep(510 * time.Millisecond)
		s := &slot{ph: &phase{meter: meter, load: &plan.Load{Retry: plan.Retry{Timeout: time.Second}}}}
		const ms = int64(time.Millisecond)
		for _, c := range []struct {
			start, sent, end int64
			missed           bool
		}{
			{600 * ms, 601 * ms, 1600 * ms, false},
			{450 * ms, 451 * ms, 1450 * ms, false}, // for 50 ms of a second
			{480 * ms, 520 * ms, 1480 * ms, true},  // for 20 ms, before it was sent
			{300 * ms, 301 * ms, 1300 * ms, true},  // for 200 ms
		} {
			if got := s.missed(c.start, c.sent, c.end); got != c.missed {
				t.Errorf("from %d ms, sent at %d ms: %v", c.start/ms, c.sent/ms, got)
			}
		}
		meter.Stop()
	})
}
