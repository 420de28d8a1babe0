package engine

import (
	"context"
	"time"

	"github.com/plimsoll/plimsoll/internal/backoff"
	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/wake"
	"github.com/plimsoll/plimsoll/internal/workload"
)

// slot performs operations of a client, one after the other. Its goroutine owns it.
type slot struct {
	st      *stage
	client  *client
	number  int // among all slots
	within  int // among the client's
	ctl     *op.Control
	alarm   *wake.Alarm
	woken   chan struct{}
	samples *record.SampleBuffer // nil when none are kept
	// sequence is the client when it has an order of its own; nil when any operation will do.
	sequence workload.Sequence

	ledger record.Ledger
	state  record.State
	since  int64   // when the state began
	begun  []int64 // by kind: operations of the window

	o     record.Operation // the one that goes on
	from  int64            // when its attempt began, connecting left out
	index uint64           // its number
	why   *op.Failure      // how its last attempt ended
}

func newSlot(st *stage, c *client, number, within int) *slot {
	s := &slot{
		st: st, client: c, number: number, within: within,
		ctl:   op.NewControl(st.clock, st.load.Retry.Timeout, c.Cut),
		woken: make(chan struct{}, 1),
		begun: make([]int64, st.kinds),
		since: st.clock.Now(), state: record.Waiting,
	}
	s.alarm = st.alarms.Alarm(s.wake)
	s.sequence, _ = c.Client.(workload.Sequence)
	if st.samples != nil {
		s.samples = st.samples.Buffer()
	}
	return s
}

// enter charges the time since the last change to the state that it was spent in, and
// enters the next one at this stamp.
func (s *slot) enter(next record.State, stamp int64) {
	s.ledger.Add(s.state, s.since, stamp, s.st.start, s.st.end.Load())
	s.state, s.since = next, stamp
}

// run performs operations until the source has none left or the run is over.
func (s *slot) run(ctx context.Context) {
	defer s.ctl.Stop()
	if s.begin(ctx) {
		for s.turn(ctx) && s.think() {
		}
	}
	s.enter(record.Idle, s.st.clock.Now())
}

// begin waits for the slot's place in the ramp, and connects there.
func (s *slot) begin(ctx context.Context) bool {
	ramp := s.st.start - s.st.begin
	if s.st.load.Open() || ramp == 0 {
		return true
	}
	place := int64(s.number/s.st.load.Pipeline) * ramp / int64(len(s.st.clients))
	if !s.sleepUntil(s.st.begin + place) {
		return false
	}
	if down := s.client.Down(); down != nil {
		s.connect(ctx, down)
	}
	return true
}

// turn takes an operation and performs it.
func (s *slot) turn(ctx context.Context) bool {
	free, now := s.since, s.st.clock.Now() // whatever lies between is the generator's doing
	if ctx.Err() != nil {
		return false
	}
	if s.sequence != nil {
		if !s.sequence.Next(s.st.soft) {
			return false
		}
		now = s.st.clock.Now()
	}
	t, ok := s.st.source.next(now)
	if !ok {
		return false
	}
	s.enter(record.Preparing, now)
	prepared := s.client.Prepare(s.within, t.index)
	if s.st.load.Open() {
		s.enter(record.Waiting, s.st.clock.Now())
		if !s.sleepUntil(t.intended) && t.intended >= s.st.end.Load() {
			s.st.source.giveBack(t)
			return false
		}
	}
	s.perform(ctx, t, free, prepared)
	return true
}

// wake ends the slot's sleep. The alarms call it, and it must not hold them up: a slot that
// has been woken by the end of the window leaves its token behind.
func (s *slot) wake() {
	select {
	case s.woken <- struct{}{}:
	default:
	}
}

// sleepUntil waits for a stamp; false says that the window ended before.
func (s *slot) sleepUntil(stamp int64) bool {
	if stamp <= s.st.clock.Now() {
		return true
	}
	select {
	case <-s.woken: // of an earlier sleep
	default:
	}
	s.alarm.Set(s.st.clock.Epoch().Add(time.Duration(stamp)))
	select {
	case <-s.woken:
		return true
	case <-s.st.soft:
		return false
	}
}

// think waits for the client's think time.
func (s *slot) think() bool {
	if s.st.load.ThinkTime == 0 {
		return true
	}
	return s.sleepUntil(s.o.End + int64(s.st.load.ThinkTime))
}

// perform performs an operation, with its retries, and records it.
func (s *slot) perform(ctx context.Context, t turn, free int64, prepared workload.Operation) {
	start := s.st.clock.Now()
	s.enter(record.Sending, start)
	s.index = t.index
	s.o = record.Operation{
		Kind: prepared.Kind, Group: prepared.Group,
		Intended: start, Ready: start, Start: start,
	}
	if s.st.load.Open() {
		s.o.Intended, s.o.Ready = t.intended, free
	}
	s.ctl.Intend(s.o.Intended)
	rec := s.st.recorder(t)
	if !t.early {
		s.begun[prepared.Kind]++
	}
	s.tryUntilOver(ctx, rec)
	s.ctl.Retire()
	rec.Record(s.number, &s.o)
	s.tell()
	if t.early {
		s.st.window.Carry(s.number, &s.o)
	} else if s.samples != nil {
		s.samples.Add(&record.Sample{Operation: s.o, Began: s.st.clock.Wall(s.o.Start)})
	}
}

// tell tells a sequence how its operation ended.
func (s *slot) tell() {
	if s.sequence == nil {
		return
	}
	e := workload.Ended{
		Start: time.Duration(s.o.Start - s.st.start), Duration: time.Duration(s.o.End - s.o.Start), Bytes: s.o.Bytes,
	}
	if s.o.Outcome != record.OK {
		e.Why = s.why
	}
	s.sequence.Ended(e)
}

// tryUntilOver makes attempts until one succeeds or no other may follow.
func (s *slot) tryUntilOver(ctx context.Context, rec *record.Recorder) {
	for {
		why := s.attempt(ctx)
		s.why = why
		s.o.Attempts++
		if s.o.Attempts == 1 {
			s.o.FirstEnd = s.since
			s.o.FirstKept = why == nil || why.Timeout || why == op.ErrUnfinished
		}
		s.o.End = s.since
		switch {
		case why == nil:
			s.o.Outcome, s.o.Bytes = record.OK, s.ctl.Payload()
			return
		case why == op.ErrUnfinished:
			s.o.Outcome = record.Unfinished
			return
		}
		s.o.Cause = why.Cause
		s.o.Unanswered = s.o.Unanswered || why.Timeout
		rec.Cause(s.o.Kind, why.Cause)
		if why.Final || s.o.Attempts > int64(s.st.load.Retry.Max) {
			s.o.Outcome = record.Failed
			return
		}
		if !s.backOff(ctx) {
			s.o.Outcome, s.o.End = record.Unfinished, s.since
			return
		}
		rec.Retry(why.Cause, s.st.clip(s.from, s.since))
	}
}

// attempt makes one attempt, on a new connection if there is none. It leaves the slot
// waiting, since the attempt's end.
func (s *slot) attempt(ctx context.Context) *op.Failure {
	if down := s.client.Down(); down != nil {
		s.ctl.Enlist()
		if why := s.connect(ctx, down); why != nil {
			s.from = s.since
			s.enter(record.Waiting, s.since)
			return why
		}
	}
	s.from = s.since
	if ctx.Err() != nil {
		return op.ErrUnfinished
	}
	s.ctl.Begin(s.since)
	why := s.ctl.End(s.client.Do(ctx, s.within, &s.ctl.Attempt))
	_, sent, end := s.ctl.Stamps()
	s.enter(record.Awaiting, sent)
	s.enter(record.Waiting, end)
	return why
}

// connect connects the slot's client, and charges the time that it takes.
func (s *slot) connect(ctx context.Context, down *op.Failure) *op.Failure {
	from := s.st.clock.Now()
	again := s.client.ever.Load()
	if again {
		s.enter(record.Reconnecting, from)
	} else {
		s.enter(record.Connecting, from)
	}
	why, replaced := s.client.connect(ctx, s.st)
	to := s.st.clock.Now()
	s.enter(record.Sending, to)
	spent, n := s.st.clip(from, to), int64(0)
	if replaced && s.st.inside(to) {
		n = 1
	}
	if again && spent+n > 0 {
		s.st.window.Reconnect(down.Cause, n, spent)
	}
	return why
}

// backOff pauses before a retry; false says that the run is over.
func (s *slot) backOff(ctx context.Context) bool {
	s.enter(record.BackingOff, s.since)
	goesOn := backoff.Sleep(ctx, s.st.backoff(s.index, int(s.o.Attempts)-1))
	s.enter(record.Sending, s.st.clock.Now())
	return goesOn
}
