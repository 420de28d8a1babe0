package engine

import (
	"runtime"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/wake"
	"github.com/plimsoll/plimsoll/internal/workload"
)

// paced gives a phase of the open model the pacer, which sends what is due, if its clients can send without waiting.
func (e *runner) paced(ph *phase) error {
	if _, can := ph.clients[0].Client.(workload.Sender); !can || !ph.load.Open() {
		return nil
	}
	if e.pacer == nil {
		if err := e.startPacer(); err != nil {
			return err
		}
	}
	ph.pacer = e.pacer
	return nil
}

func (e *runner) startPacer() (err error) {
	if e.Alarms != nil {
		e.pacer = e.Alarms
		return nil
	}
	pacing := e.pacing()
	e.run.Pacing = string(pacing)
	e.pacer, err = wake.NewPacer(wake.Pacing{Spin: pacing == plan.Spin, Realtime: e.Load.Realtime})
	if err != nil {
		return fault.New(fault.Usage, "--realtime: the system gives the pacing thread no real-time priority: %w", err).
			Hint("run it as root or with CAP_SYS_NICE, or leave --realtime out")
	}
	return nil
}

func (e *runner) stopPacer() {
	if e.pacer != nil && e.Alarms == nil {
		e.pacer.Close()
	}
}

// pacing says whether the pacer watches the clock before each operation. Of itself it does where that takes no
// more than a quarter of the CPUs, and leaves one for what reads the answers.
func (e *runner) pacing() plan.Pacing {
	cpus := float64(runtime.GOMAXPROCS(0))
	switch watching := e.Load.PeakRate() * wake.Lead.Seconds(); {
	case e.Load.Pacing != plan.Auto && e.Load.Pacing != "":
		return e.Load.Pacing
	case cpus >= 2 && watching <= cpus/4:
		return plan.Spin
	}
	return plan.Sleep
}

// The stages of an operation whose alarm is set. The slot's goroutine arms it; the alarm takes it, sends it if the
// client can do that without waiting, or hands it back; the end of the window may cancel it before it is taken.
const (
	unset int32 = iota
	armed
	taken // by the alarm, which is sending it, or has sent it
	partly
	handed // back: the slot sends it itself
)

// sentAhead reports whether the alarm has begun the operation for its slot.
func (s *slot) sentAhead() bool {
	stage := s.stage.Load()
	return stage == taken || stage == partly
}

// send is the alarm of a slot whose client can send without waiting: what is due goes out at once, and the slot's
// goroutine wakes when it has been answered. Alarms that come late share the work with the goroutines.
func (s *slot) send() {
	if !s.stage.CompareAndSwap(armed, taken) {
		return
	}
	now := s.ph.clock.Now()
	if now-s.o.Intended < behind && s.client.Down() == nil {
		s.o.Start = now
		s.ctl.Intend(s.o.Intended)
		s.ctl.Begin(now)
		if s.sender.Try(s.within, &s.ctl.Attempt) {
			if !s.ctl.WasSent() && s.stage.CompareAndSwap(taken, partly) {
				s.wake()
			}
			return
		}
		s.ctl.End(op.ErrUnfinished) // nobody has it: the slot begins it anew
	}
	s.stage.Store(handed)
	s.wake()
}

// behind is how late an alarm may be to send by itself.
const behind = int64(200 * time.Microsecond)

// wake ends the slot's sleep. The alarms call it, and it must not hold them up: a slot that
// has been woken by the end of the window leaves its token behind.
func (s *slot) wake() {
	select {
	case s.woken <- struct{}{}:
	default:
	}
}

// sleepUntil waits for a stamp, and, where the alarm sends, for the end of what it has sent; false says that the
// window ended before.
func (s *slot) sleepUntil(stamp int64) bool {
	s.stage.Store(unset)
	if stamp <= s.ph.clock.Now() {
		return true
	}
	select {
	case <-s.woken: // of an earlier sleep
	default:
	}
	soft := s.ph.soft
	if s.sender != nil {
		s.stage.Store(armed)
	}
	s.alarm.Set(s.ph.clock.Epoch().Add(time.Duration(stamp)))
	for {
		select {
		case <-s.woken:
			if stage := s.stage.Load(); stage != armed && stage != taken {
				return true
			}
		case <-s.ctl.Ended():
			s.ctl.Took()
			return true
		case <-soft:
			if s.sender == nil || s.stage.CompareAndSwap(armed, unset) {
				return false
			}
			soft = nil // the alarm has it: it ends by its answer, by its timeout or by the end of the run
		}
	}
}
