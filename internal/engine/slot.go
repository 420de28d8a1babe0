package engine

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/backoff"
	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/wake"
	"github.com/plimsoll/plimsoll/internal/workload"
)

// slot performs operations of a client, one after the other. Its goroutine owns it.
type slot struct {
	ph      *phase
	client  *client
	number  int // among all slots
	within  int // among the client's
	ctl     *op.Control
	alarm   *wake.Alarm
	woken   chan struct{}
	samples *record.SampleBuffer // nil when none are kept
	sender  workload.Sender      // the client, when the alarm is to send; else nil
	reads   bool                 // its client reads the answers where it performs attempts
	stage   atomic.Int32         // of the operation that the alarm is to send; see pace.go
	// sequence is the client when it has an order of its own; nil when any operation will do.
	sequence workload.Sequence
	// stepper is the client when its operations come in flows, else nil; flow is the one that goes on.
	stepper workload.Stepper
	flow    record.Flow

	stamps record.Stamps
	ledger record.Ledger
	state  record.State
	since  int64   // when the state began
	begun  []int64 // by kind: operations of the window

	o     record.Operation // the one that goes on
	from  int64            // when its attempt began, connecting left out
	index uint64           // its number
	why   *op.Failure      // how its last attempt ended

	early  bool    // it belongs to the ramp
	theirs int64   // what target and path took of its time so far, and its back-off
	flown  int64   // time that operations were in flight within the window, by clock readings of the control's own
	freed  int64   // when the operation before would have ended without the generator's own delay
	rester *rester // nil where the load has the window to itself

	claimed    turn // the first operation of a slot that was added for it
	hasClaimed bool
	joined     bool // the stages ask for its client
}

func newSlot(ph *phase, c *client, number, within int) *slot {
	s := &slot{
		ph: ph, client: c, number: number, within: within,
		ctl:   op.NewControl(ph.clock, ph.load.Retry.Timeout, c.cutter(within)),
		woken: make(chan struct{}, 1),
		begun: make([]int64, ph.kinds),
		since: ph.clock.Now(), state: record.Waiting,
	}
	s.alarm = ph.alarms.Alarm(s.wake)
	s.sequence, _ = c.Client.(workload.Sequence)
	if _, s.reads = c.Client.(workload.Reader); s.reads {
		s.ctl.Reads()
	}
	if ph.flows != nil {
		s.stepper, _ = c.Client.(workload.Stepper)
	}
	if ph.pacer != nil {
		s.sender, s.alarm = c.Client.(workload.Sender), ph.pacer.Alarm(s.send)
	}
	if ph.samples != nil {
		s.samples = ph.samples.Buffer()
	}
	if ph.turn != nil {
		s.rester = newRester()
	}
	return s
}

// enter charges the time since the last change to the state that it was spent in, and
// enters the next one at this stamp.
func (s *slot) enter(next record.State, stamp int64) {
	s.ledger.Add(s.state, s.since, stamp, s.ph.start, s.ph.windowEnd())
	s.state, s.since = next, stamp
}

// run performs operations until the source has none left or the run is over.
func (s *slot) run(ctx context.Context) {
	defer s.ctl.Stop()
	if s.ph.turn != nil {
		defer s.ph.turn.leave()
	}
	if s.joinRamp(ctx) {
		for s.turn(ctx) && s.think() {
		}
	}
	s.enter(record.Idle, s.ph.clock.Now())
}

// joinRamp waits for the slot's turn in the ramp, and connects there.
func (s *slot) joinRamp(ctx context.Context) bool {
	ramp := s.ph.start - s.ph.loadStart
	if s.ph.load.Open() || ramp == 0 {
		return true
	}
	place := int64(s.number/s.ph.load.Pipeline) * ramp / int64(len(s.ph.clients))
	if !s.sleepUntil(s.ph.loadStart + place) {
		return false
	}
	if down := s.client.Down(); down != nil {
		s.connect(ctx, down)
	}
	return true
}

// turn takes an operation and performs it.
func (s *slot) turn(ctx context.Context) bool {
	// The operation that a slot was added for is scheduled, and must be counted.
	if !s.hasClaimed && (ctx.Err() != nil || !s.joinStage(ctx)) {
		return false
	}
	now := s.ph.clock.Now()
	if s.sequence != nil {
		if !s.sequence.Next(s.ph.soft) {
			return false
		}
		now = s.ph.clock.Now()
	}
	t, now, ok := s.next(now)
	if !ok {
		return false
	}
	if s.stepper != nil {
		s.ph.flowing.begin()
		defer s.ph.flowing.end()
	}
	s.enter(record.Preparing, now)
	prepared := s.client.Prepare(s.within, t.index)
	s.prepare(t, prepared)
	if s.ph.load.Open() {
		s.enter(record.Waiting, s.ph.clock.Now())
		if !s.sleepUntil(t.intended) && t.intended >= s.ph.windowEnd() {
			s.ph.source.giveBack(t)
			return false
		}
	}
	s.perform(ctx, t)
	if s.stepper != nil {
		s.finishFlow(ctx, t)
	}
	return true
}

// next takes an operation, in the slice to which it belongs. It gives the present, too.
func (s *slot) next(now int64) (t turn, present int64, ok bool) {
	switch turns := s.ph.turn; {
	case s.hasClaimed:
		s.hasClaimed = false
		return s.claimed, now, true
	case turns == nil:
		t, ok = s.ph.source.next(now)
		return t, now, ok
	case s.ph.load.Open():
		// Nothing that is due behind the slice is handed out as due: the schedule will be put off.
		if t, ok = s.ph.source.next(min(now, turns.until.Load())); ok {
			t.intended = s.rest(t.intended, true)
		}
	default:
		s.rest(now, false)
		now = s.ph.clock.Now()
		t, ok = s.ph.source.next(now)
		return t, now, ok
	}
	return t, s.ph.clock.Now(), ok
}

// rest waits until what is due at a stamp may begin, and gives when that is: a schedule is put off while the load has
// no turn. In the closed model the slot is idle meanwhile.
func (s *slot) rest(due int64, scheduled bool) int64 {
	if s.ph.turn == nil || s.ph.turn.goes(due) {
		return due
	}
	if s.ph.load.Open() {
		return due + s.ph.turn.rest(s.rester, due, scheduled, s.ph.soft)
	}
	s.enter(record.Idle, s.ph.clock.Now())
	due += s.ph.turn.rest(s.rester, due, scheduled, s.ph.soft)
	s.enter(record.Waiting, s.ph.clock.Now())
	return due
}

// prepare makes ready the record of an operation.
func (s *slot) prepare(t turn, prepared workload.Operation) {
	s.index, s.early, s.theirs = t.index, t.early, 0
	s.o = record.Operation{Kind: prepared.Kind, Group: prepared.Group, Intended: t.intended}
	s.ctl.Measure(s.ph.main && !t.early)
}

// think waits for the client's think time.
func (s *slot) think() bool {
	if s.ph.load.ThinkTime == 0 {
		return true
	}
	s.enter(record.Waiting, s.ph.clock.Now())
	return s.sleepUntil(s.rest(s.o.End+int64(s.ph.load.ThinkTime), false))
}

// stages are those of an attempt that was answered, where its client said when the answer began. A target may answer
// before all of the request is sent: what is sent behind that belongs to the wait for the rest.
func (s *slot) stages(start, sent, end int64, why *op.Failure) record.Stages {
	first := s.ctl.Answered()
	if why != nil || first == 0 {
		return record.Stages{}
	}
	first = min(max(first, start), end)
	sent = min(sent, first)
	return record.Stages{Known: true, Send: sent - start, Wait: first - sent, Body: end - first}
}

// perform performs an operation, with its retries, and records it.
func (s *slot) perform(ctx context.Context, t turn) {
	if !s.sentAhead() {
		s.o.Start = s.ph.clock.Now()
		s.ctl.Enlist()
	}
	s.enter(record.Sending, s.o.Start)
	if s.ph.load.Open() {
		s.o.Ready = max(t.intended, s.freed)
	} else {
		s.o.Intended, s.o.Ready = s.o.Start, s.o.Start
	}
	s.ctl.Intend(s.o.Intended)
	rec := s.ph.recorder(t)
	if !t.early {
		s.begun[s.o.Kind]++
	}
	s.tryUntilOver(ctx, rec)
	s.ctl.Retire()
	s.flown += s.ph.clip(s.ctl.Span())
	s.charge()
	rec.Record(s.number, &s.o)
	s.tellSequence()
	phase := s.ph.name
	if t.early {
		phase = "ramp"
		s.ph.window.Carry(s.number, &s.o)
	}
	if s.samples != nil && (!t.early || s.ph.sampleRamp) {
		s.samples.Add(&record.Sample{Operation: s.o, Began: s.ph.clock.Wall(s.o.Start), Phase: phase})
	}
	if s.ph.picker != nil && !t.early {
		s.ph.picker.Offer(&s.o, s.ph.clock.Wall)
	}
}

// missed reports whether the generator did not run for so long that a timeout says nothing of the target: for a
// hundredth of the time before the request was sent, which the target did not have, or for a tenth in all.
func (s *slot) missed(start, sent, end int64) bool {
	bound := min(int64(s.ph.load.Retry.Timeout), end-start)
	return s.ph.gaps(start, sent) > bound/100 || s.ph.gaps(start, end) > bound/10
}

// targets is how long target and path took of a request: from its start until its answer came to this machine, but
// for the time in which the generator did not run before the request was sent. Where nobody knows when the
// answer came, it came when it was read, but for the time in which the generator did not run until then.
func (s *slot) targets(start, sent, end, came int64) int64 {
	if came == 0 {
		came = end - s.ph.gaps(sent, end)
	}
	return came - start - s.ph.gaps(start, min(sent, came))
}

// charge splits the time of an operation that is over: without the generator's own delay it would have begun when it
// was ready, and have taken what target and path took.
func (s *slot) charge() {
	s.freed = s.o.Ready + s.theirs
	s.o.Own = s.o.End - s.freed
}

// tellSequence tells a sequence how its operation ended.
func (s *slot) tellSequence() {
	if s.sequence != nil {
		s.sequence.Ended(s.ended())
	}
}

// ended is how the slot's operation has ended.
func (s *slot) ended() workload.Ended {
	e := workload.Ended{
		Start: time.Duration(s.o.Start - s.ph.start), Duration: time.Duration(s.o.End - s.o.Start), Bytes: s.o.Bytes,
	}
	if s.o.Outcome != record.OK {
		e.Why = s.why
	}
	return e
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
		rec.Cause(s.o.Kind, why.Cause, s.o.End)
		if why.Final || s.o.Attempts > int64(s.ph.load.Retry.Max) {
			s.o.Outcome = record.Failed
			return
		}
		if !s.backOff(ctx) {
			s.o.Outcome, s.o.End = record.Unfinished, s.since
			return
		}
		rec.Retry(why.Cause, s.ph.clip(s.from, s.since))
	}
}

// mostConnections bounds on how many connections one attempt may go on.
const mostConnections = 100

// attempt makes one attempt, on as many connections as its client says that it has to go on.
func (s *slot) attempt(ctx context.Context) *op.Failure {
	why := s.onOne(ctx)
	for n := 1; why != nil && why.GoesOn && n < mostConnections; n++ {
		s.ctl.GoOn()
		why = s.onOne(ctx)
	}
	s.ctl.Anew()
	return why
}

// onOne makes an attempt, or goes on with one, on a new connection if there is none. It leaves the slot waiting, or
// looking at the answer, since the end of that.
func (s *slot) onOne(ctx context.Context) *op.Failure {
	if s.sentAhead() {
		s.from = s.since
		s.stage.Store(unarmed)
		return s.endAttempt(s.sender.Await(s.within, &s.ctl.Attempt))
	}
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
	return s.endAttempt(s.client.Do(ctx, s.within, &s.ctl.Attempt))
}

// endAttempt ends an attempt, and charges its time.
func (s *slot) endAttempt(why *op.Failure) *op.Failure {
	why = s.ctl.End(why)
	rounds := s.ctl.Rounds()
	for _, r := range rounds {
		s.theirs += s.targets(r.Start, r.Sent, r.End, r.Came)
		s.enter(record.Awaiting, r.Sent)
		s.enter(record.Sending, r.End)
	}
	start, sent, end := s.ctl.Stamps()
	came, refused := s.ctl.Came()
	began, handed := start, sent
	if len(rounds) > 0 {
		began, handed = rounds[0].Start, rounds[0].Sent
	}
	if why != nil && why.Timeout && s.missed(began, handed, end) {
		why = why.Own()
	}
	s.theirs += s.targets(start, sent, end, came)
	s.o.Stages = s.stages(start, sent, end, why)
	if why == nil && !s.early {
		s.stamps.Count(came != 0, refused)
	}
	s.enter(record.Awaiting, sent)
	if s.reads { // and looks at the answer then, which is the generator's work
		s.enter(record.Preparing, end)
	} else {
		s.enter(record.Waiting, end)
	}
	return why
}

// connect connects the slot's client, and charges the time that it takes.
func (s *slot) connect(ctx context.Context, down *op.Failure) *op.Failure {
	from := s.ph.clock.Now()
	again := s.client.ever.Load()
	s.o.Reconnected = s.o.Reconnected || again
	if again {
		s.enter(record.Reconnecting, from)
	} else {
		s.enter(record.Connecting, from)
	}
	why, replaced := s.client.connect(ctx, s.ph)
	to := s.ph.clock.Now()
	s.enter(record.Sending, to)
	s.theirs += to - from - s.ph.gaps(from, to)
	spent, n := s.ph.clip(from, to), int64(0)
	if replaced && s.ph.inside(to) {
		n = 1
	}
	if again && spent+n > 0 {
		s.ph.window.Reconnect(down.Cause, n, spent)
	}
	return why
}

// backOff pauses before a retry; false says that the run is over.
func (s *slot) backOff(ctx context.Context) bool {
	s.ctl.Enlist()
	s.enter(record.BackingOff, s.since)
	pause, from := s.ph.backoff(s.index, int(s.o.Attempts)-1), s.since
	goesOn := backoff.Sleep(ctx, pause)
	s.enter(record.Sending, s.ph.clock.Now())
	s.theirs += min(int64(pause), s.since-from) // a pause that was too long is the generator's doing
	return goesOn
}
