package engine

import (
	"time"

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
	way := pacing(e.Load.Pacing, e.Load.PeakRate(), e.meter.CPUs())
	e.run.Pacing = string(way)
	e.pacer, err = wake.NewPacer(wake.Pacing{Spin: way == plan.Spin, Realtime: e.Load.Realtime})
	if err != nil {
		return fault.New(fault.Usage, "--realtime: cannot give the pacing thread real-time priority: %w", err).
			Hint("run as root or with CAP_SYS_NICE, or omit --realtime")
	}
	return nil
}

func (e *runner) stopPacer() {
	if e.pacer != nil && e.Alarms == nil {
		e.pacer.Close()
	}
}

// pacing says whether the pacer watches the clock before each operation. Of itself it does where that takes no
// more than a quarter of the CPUs that it may use, and leaves one for what reads the answers.
func pacing(asked plan.Pacing, rate, cpus float64) plan.Pacing {
	switch {
	case asked == plan.Spin || asked == plan.Sleep:
		return asked
	case cpus >= 2 && rate*wake.Lead.Seconds() <= cpus/4:
		return plan.Spin
	}
	return plan.Sleep
}

// The stages of an operation whose alarm is set. The slot's goroutine arms it; the alarm takes it, and sends it or
// hands it back; the end of the window may take it back before.
const (
	unarmed int32 = iota
	armed
	taken  // by the alarm, which sends it
	begun  // which has sent a part of it and woken the slot for the rest
	handed // back: the slot sends it itself
)

// sentAhead reports whether the alarm has begun the operation for its slot.
func (s *slot) sentAhead() bool {
	stage := s.stage.Load()
	return stage == taken || stage == begun
}

// send is the alarm of a slot whose client can send without waiting: what is due goes out at once, and the slot's
// goroutine wakes when it has been answered. What is overdue the goroutines send, side by side.
func (s *slot) send() {
	if !s.stage.CompareAndSwap(armed, taken) {
		return
	}
	if s.ph.clock.Now()-s.o.Intended >= behind || !s.sender.Reserve(s.within) {
		s.stage.Store(handed)
		s.wake()
		return
	}
	now := s.ph.clock.Now()
	s.o.Start = now
	s.ctl.Intend(s.o.Intended)
	s.ctl.Begin(now)
	s.sender.Send(s.within, &s.ctl.Attempt)
	// An answer may have woken the slot already: then the stage is another operation's, or none.
	if (s.reads || !s.ctl.WasSent()) && s.stage.CompareAndSwap(taken, begun) {
		s.wake()
	}
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
	s.stage.Store(unarmed)
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
	s.alarm.Set(s.ph.clock.Time(stamp))
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
			if s.sender == nil || s.stage.CompareAndSwap(armed, unarmed) {
				return false
			}
			soft = nil // the alarm has it: it ends by its answer, by its timeout or by the end of the run
		}
	}
}
