package engine

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/wake"
)

// TestWhatIsSentByTheAlarmIsTimedAsWhatTheSlotSends sends each third operation whole by the alarm, in two parts, and by the
// slot. Some fail at first.
func TestWhatIsSentByTheAlarmIsTimedAsWhatTheSlotSends(t *testing.T) {
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

// TestTheEndOfTheWindowTakesBackWhatTheAlarmHasNotSent stops while the alarms of two slots are set, and while an
// operation that an alarm has sent waits for its answer.
func TestTheEndOfTheWindowTakesBackWhatTheAlarmHasNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.sends = func(uint64) sending { return whole }
		stop := make(chan struct{})
		time.AfterFunc(995*time.Millisecond, func() { close(stop) })
		p := load()
		p.Rate = 100
		doc := run(t, l, p, stop)
		counts(t, total(t, doc), 100, 100, 0, 0, 0) // of 0, 10, … 990 ms
	})
}

// TestAnAlarmThatIsLateLeavesTheSendingToTheSlots holds the alarms up: the slots send what is overdue side by side.
func TestAnAlarmThatIsLateLeavesTheSendingToTheSlots(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		alarms := wake.NewPortable()
		defer alarms.Close()
		alarms.At(time.Now().Add(500*time.Millisecond-1), func() { time.Sleep(100 * time.Millisecond) })
		l := newLab()
		l.sends = func(uint64) sending { return whole }
		l.send = time.Millisecond
		p := load()
		p.Clients, p.Rate = 20, 100
		doc, _ := runWith(t, Config{Load: p, Workload: l, Alarms: alarms}, nil)
		sum := total(t, doc)
		counts(t, sum, 200, 200, 0, 0, 0)
		// The first of those that were held up is late by all of it, and no other by more.
		about(t, "latest", sum.SendDelay.MaxNS, 100e6, 0)
		if own := doc.Generator.OwnDelay; own.MaxNS != sum.SendDelay.MaxNS {
			t.Errorf("own delay %v", time.Duration(own.MaxNS))
		}
	})
}
