package throughput

import (
	"net"
	"slices"
	"testing"
	"testing/synctest"
	"time"
)

// sentAttempt is an attempt whose body of 1,000 bytes was taken from the first to the second millisecond; the prober
// finds so much of it in the queue, one after the other, and then the last.
func sentAttempt(queues ...int64) *attempt {
	asked := 0
	a := attemptOf(probeFunc(func() (look, error) {
		asked++
		q := queues[min(asked, len(queues))-1]
		if q == broke {
			return look{}, errBroken
		}
		return look{queue: q, acked: -1}, nil
	}))
	a.conn = remote{}
	a.sent.first.set(ms(1))
	a.sent.last.set(ms(2))
	a.sent.bytes.Store(1000)
	a.timeline.RequestWritten = ms(2)
	return a
}

// broke is in the queue of a connection that cannot say what is.
const broke = -77

// A request that was written in a millisecond waits for its first look with others; one that took longer is looked at
// at once, and its queue is told. What has no body, or an answer, or nobody to ask, is not looked at.
func TestPollBegins(t *testing.T) {
	for _, c := range []struct {
		name   string
		queue  int64
		edit   func(*attempt)
		want   looking
		looked bool
		queued Size
	}{
		{"in a millisecond", 500, func(*attempt) {}, polled, true, SizeOf(500)},
		{"in less", 500, func(a *attempt) { a.timeline.RequestWritten-- }, awaited, false, 0},
		{"the queue is empty", 0, func(*attempt) {}, notAtAll, true, 0},
		{"the connection is gone", broke, func(*attempt) {}, notAtAll, true, 0},
		{"the queue is not known", -1, func(*attempt) {}, notAtAll, true, 0},
		{"a byte is in the queue", 1, func(*attempt) {}, polled, true, SizeOf(1)},
		{"no first piece", 500, func(a *attempt) { a.sent.first.set(0) }, notAtAll, false, 0},
		{"no last piece", 500, func(a *attempt) { a.sent.last.set(0) }, notAtAll, false, 0},
		{"no connection", 500, func(a *attempt) { a.conn = nil }, notAtAll, false, 0},
		{"given up", 500, func(a *attempt) { a.gaveUp = true }, notAtAll, false, 0},
		{"answered", 500, func(a *attempt) { a.timeline.FirstResponseByte = ms(2) }, notAtAll, false, 0},
		{"a copy", 500, func(a *attempt) { a.exchange.retries.taken.Store(1000) }, notAtAll, false, 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			a := sentAttempt(c.queue)
			time.Sleep(2 * milli)
			c.edit(a)
			a.follow()
			if a.looking != c.want || (a.watch != nil) != c.looked || a.timeline.Queued != c.queued {
				t.Errorf("%s: %d, %+v", c.name, a.looking, a.timeline)
			}
			if waiting := a.exchange.transport.first.waiting; (len(waiting) == 1) != (c.want == awaited) {
				t.Errorf("%s: %v wait", c.name, waiting)
			}
			a.stopped = true
		})
	}
}

// The first look is a millisecond after the request was written, or five if the request before was answered before its
// look; one timer is for all, and fires no later than the first of them is due.
func TestPollAwaitsFirstLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var f firstLooks
		at := func(ms time.Duration) time.Time { return start.Add(ms * milli) }
		for i, c := range []struct {
			quick bool
			at    time.Duration
			due   time.Duration
			fires time.Duration
		}{
			{false, 0, 1, 1}, {true, 0, 5, 1}, {false, 0, 1, 1},
			{true, 1, 6, 6}, // the timer should have fired
			{false, 2, 3, 3}, {false, 1, 2, 2}, {true, 1, 6, 2},
		} {
			f.quick.Store(c.quick)
			f.add(&attempt{delivered: true}, at(c.at))
			f.mu.Lock()
			if got := f.waiting[i]; !got.due.Equal(at(c.due)) || !f.fires.Equal(at(c.fires)) {
				t.Errorf("%d: due after %v, the timer fires after %v", i, got.due.Sub(start), f.fires.Sub(start))
			}
			f.mu.Unlock()
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if len(f.waiting) != 0 {
			t.Errorf("%d wait still", len(f.waiting))
		}
	})
}

// When the timer fires, those that are due are looked at, the others wait on for the next of them, and those that were
// answered are forgotten.
func TestPollLooksAtThoseThatAreDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := time.Now()
		var f firstLooks
		waits := func(due time.Duration) *attempt {
			a := attemptOf(nil)
			a.looking = awaited
			f.waiting = append(f.waiting, firstLook{a, now.Add(due)})
			return a
		}
		late, later, soon, due, over := waits(9*milli), waits(7*milli), waits(1), waits(0), waits(-milli)
		answered, delivered := waits(9*milli), waits(3*milli)
		answered.looking, delivered.delivered = notAtAll, true
		over.exchange.transport.first.quick.Store(true)
		f.fire()
		f.mu.Lock()
		if !f.fires.Equal(now.Add(1)) {
			t.Errorf("the timer fires after %v", f.fires.Sub(now))
		}
		f.mu.Unlock()
		synctest.Wait()
		if due.looking == awaited || over.looking == awaited || over.exchange.transport.first.quick.Load() {
			t.Errorf("%d, %d: those that are due are not looked at", due.looking, over.looking)
		}
		var left []*attempt
		f.mu.Lock()
		for _, l := range f.waiting {
			left = append(left, l.attempt)
		}
		if !slices.Equal(left, []*attempt{late, later, soon}) {
			t.Errorf("%d wait on", len(left))
		}
		f.mu.Unlock()
		for _, a := range left {
			a.mu.Lock()
			a.looking = notAtAll
			a.mu.Unlock()
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if len(f.waiting) != 0 {
			t.Errorf("%d wait still", len(f.waiting))
		}
	})
}

// Who was answered in less than a millisecond lets the next one wait for longer.
func TestPollOfQuickAnswers(t *testing.T) {
	for after, want := range map[time.Duration]bool{milli: false, milli - 1: true, 0: true, time.Second: false} {
		for _, before := range []bool{false, true} {
			var f firstLooks
			f.quick.Store(before)
			if f.answered(after); f.quick.Load() != want {
				t.Errorf("answered after %v: quick is %t", after, !want)
			}
		}
	}
}

// A wait of more than two milliseconds is a timer's, and the last millisecond of it the kernel's.
func TestPollWaitsInTheKernel(t *testing.T) {
	for wait, want := range map[time.Duration]time.Duration{2 * milli: 0, 2*milli + 1: milli, 9 * milli: milli} {
		synctest.Test(t, func(t *testing.T) {
			a := sentAttempt(500, 0)
			var naps []time.Duration
			a.exchange.transport.system.nap = func(d time.Duration) { naps = append(naps, d); time.Sleep(d) }
			time.Sleep(2 * milli)
			for range 2 { // the second time the timer is there
				naps = nil
				a.mu.Lock()
				a.stopped = false
				a.openWatch()
				a.lookIn(wait)
				due, _ := a.now().Offset()
				if due += wait; a.watch.due != due {
					t.Errorf("due at %v, not %v", a.watch.due, due)
				}
				a.mu.Unlock()
				time.Sleep(time.Second)
				synctest.Wait()
				if want > 0 && (len(naps) == 0 || naps[0] != want) || want == 0 && len(naps) > 0 && naps[0] == wait-milli {
					t.Errorf("a wait of %v: naps of %v", wait, naps)
				}
			}
			if !a.timeline.Drained.Happened() || a.looking != notAtAll {
				t.Errorf("%d: %+v", a.looking, a.timeline)
			}
		})
	}
}

// Who polls naps for up to two milliseconds until the next look, and leaves a longer wait to a timer. This look is a
// millisecond after the body began, and the next is due after a round trip and a half.
func TestPollNaps(t *testing.T) {
	for minRTT, want := range map[time.Duration]time.Duration{2 * milli: 2 * milli, 2*milli + 2: 0} {
		synctest.Test(t, func(t *testing.T) {
			a := sentAttempt()
			w := &watch{probe: probeFunc(func() (look, error) { return look{queue: 1000, minRTT: minRTT}, nil })}
			a.watch, a.looking = w, polled
			var napped time.Duration
			a.exchange.transport.system.nap = func(d time.Duration) { napped, a.stopped = d, true }
			time.Sleep(2 * milli)
			a.poll()
			if napped != want || (w.timer == nil) != (want > 0) || w.due != minRTT*3/2+milli {
				t.Errorf("a nap of %v; due at %v", napped, w.due)
			}
			a.mu.Lock()
			a.stopped = true
			a.mu.Unlock()
		})
	}
}

// A look says when it was asked, how late that is, what the round trip is, and how many there were.
func TestPollLooks(t *testing.T) {
	for _, c := range []struct {
		name          string
		due           time.Duration // the look is at 5 ms
		minRTT        time.Duration
		late, wantRTT time.Duration
	}{
		{"in time", 5 * milli, milli, 0, milli},
		{"late", 3 * milli, milli, 2 * milli, milli},
		{"early", 6 * milli, milli, 0, milli},
		{"not due", 0, milli, 0, milli},
		{"due from the beginning", 1, milli, 5*milli - 1, milli},
		{"no round trip", 5 * milli, 0, 0, 9},
		{"the least round trip", 5 * milli, 1, 0, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			a := sentAttempt(500)
			w := &watch{probe: probeFunc(func() (look, error) { return look{queue: 500, minRTT: c.minRTT}, nil }), due: c.due}
			a.watch, a.timeline.MinRTT = w, 9
			time.Sleep(5 * milli)
			if _, more := a.lookAgain(); !more || w.drain.looked != 5*milli || w.drain.late != c.late {
				t.Errorf("%s: %t, looked at %v, %v late", c.name, more, w.drain.looked, w.drain.late)
			}
			if a.timeline.MinRTT != c.wantRTT || w.drain.polls != 1 || w.drain.bytes != 1000 || w.drain.first != milli ||
				a.timeline.Polls != 1 {
				t.Errorf("%s: %+v, %+v", c.name, a.timeline, w.drain)
			}
			a.stopped = true
			if wait, more := a.lookAgain(); wait != 0 || more || w.drain.polls != 1 {
				t.Errorf("%s: it was stopped, and is looked at after %v, %t", c.name, wait, more)
			}
		})
	}
}

// How long a source was waited for counts no more than the time between the first piece and the last.
func TestPollKnowsTheSource(t *testing.T) {
	for within, want := range map[time.Duration]time.Duration{milli / 2: milli / 2, 3 * milli: milli} {
		a := sentAttempt(500)
		a.sent.within.Store(int64(within))
		a.lookAgain()
		if got := a.watch.drain.waited; got != want {
			t.Errorf("%v: %v", within, got)
		}
	}
}

// When the answer begins, the queue is looked at for the last time, if it was before.
func TestPollEndsWithTheAnswer(t *testing.T) {
	for _, c := range []struct {
		name    string
		edit    func(*attempt)
		looks   int
		looking looking
		quick   bool
	}{
		{"never looked at", func(*attempt) {}, 0, notAtAll, false},
		{"looked at", func(a *attempt) { a.lookAgain() }, 2, notAtAll, false},
		{"stopped", func(a *attempt) { a.lookAgain(); a.stopped = true }, 1, notAtAll, false},
		{"a connection that was asked before", func(a *attempt) { a.openWatch() }, 0, notAtAll, false},
		{"awaited, and quick", func(a *attempt) { a.looking, a.timeline.FirstResponseByte = awaited, ms(3)-1 },
			0, notAtAll, true},
		{"awaited", func(a *attempt) { a.looking, a.timeline.FirstResponseByte = awaited, ms(3) }, 0, notAtAll, false},
		{"a goroutine looks", func(a *attempt) { a.looking = polled }, 0, polled, false},
		{"a timer is set", func(a *attempt) { a.looking = polled; a.openWatch(); a.lookIn(milli) }, 0, notAtAll, false},
		{"a timer has fired", func(a *attempt) {
			a.looking = polled
			a.openWatch()
			a.lookIn(milli)
			a.watch.timer.Stop()
		}, 0, polled, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			a := sentAttempt(500)
			c.edit(a)
			was := a.looking
			a.lastLook()
			looks := 0
			if a.watch != nil {
				looks = a.watch.drain.polls
			}
			if looks != c.looks || a.looking != c.looking || a.exchange.transport.first.quick.Load() != c.quick {
				t.Errorf("%s: %d looks, %d, quick %t", c.name, looks, a.looking, a.exchange.transport.first.quick.Load())
			}
			if was != notAtAll && !a.stopped {
				t.Errorf("%s: it goes on", c.name)
			}
		})
	}
}

// After an answer that was not the final one the looks go on, if there is still something to see.
func TestPollGoesOn(t *testing.T) {
	for _, c := range []struct {
		name    string
		edit    func(*attempt)
		looking looking
		stopped bool
	}{
		{"looked at", func(a *attempt) { a.lookAgain() }, polled, false},
		{"not yet looked at", func(*attempt) {}, polled, false},
		{"asked before", func(a *attempt) { a.openWatch() }, polled, false},
		{"all has arrived", func(a *attempt) { a.lookAgain(); a.timeline.Drained = 5 }, notAtAll, true},
		{"not written", func(a *attempt) { a.lookAgain(); a.timeline.RequestWritten = 0 }, notAtAll, false},
		{"still looks", func(a *attempt) { a.lookAgain(); a.looking = awaited }, awaited, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			a := sentAttempt(500)
			c.edit(a)
			a.stopped = true
			a.lookOn()
			if a.looking != c.looking || a.stopped != c.stopped || a.watch.drain.polls != 1 {
				t.Errorf("%s: %d, stopped %t, %d looks", c.name, a.looking, a.stopped, a.watch.drain.polls)
			}
			a.stopped = true
		})
	}
	synctest.Test(t, func(t *testing.T) {
		a := sentAttempt(500, 0)
		a.exchange.transport.system.nap = time.Sleep
		a.lookAgain()
		a.lookOn()
		time.Sleep(100 * micro)
		synctest.Wait()
		if !a.timeline.Drained.Happened() || a.timeline.Polls != 2 {
			t.Errorf("the next look is not after 100 µs: %+v", a.timeline)
		}
	})
}

// The queue was empty when all of the body was acknowledged, if the connection says what was; what went over it is
// told with it.
func TestPollFindsNothing(t *testing.T) {
	for _, c := range []struct {
		name        string
		base, acked int64
		began       look
		drained     bool
		wire        Size
		sending     bool
	}{
		{"all", 0, 1000, look{}, true, SizeOf(1000), false},
		{"all but a byte", 0, 999, look{}, false, 0, false},
		{"none", 0, 0, look{}, false, 0, false},
		{"all, after others", 50, 1050, look{}, true, SizeOf(1000), false},
		{"all but a byte, after others", 50, 1049, look{}, false, 0, false},
		{"with a head", 50, 1070, look{}, true, SizeOf(1020), false},
		{"nobody asked before", -1, 20, look{}, true, 0, false},
		{"it cannot say", 50, -1, look{}, true, 0, false},
		{"it says less", 50, 49, look{}, true, 0, false},
		{"it counts", 0, 1000, look{counted: true}, true, SizeOf(1000), true},
	} {
		a := sentAttempt(0)
		w := a.openWatch()
		w.base, w.began = c.base, c.began
		w.drain.start(milli, 2*milli, 0, 1000)
		a.drained(look{asked: 4 * milli, told: 4 * milli, acked: c.acked, counted: c.began.counted})
		got := a.timeline
		if got.Drained.Happened() != c.drained || got.WireBytes != c.wire || (got.Sending != nil) != c.sending || !a.stopped {
			t.Errorf("%s: %+v", c.name, got)
		}
		if c.drained && (got.Drained != ms(3) || got.DrainedError != milli || got.Polls != 1) {
			t.Errorf("%s: %v ± %v after %d looks", c.name, got.Drained, got.DrainedError, got.Polls)
		}
	}
	for _, counted := range [][2]bool{{false, true}, {true, false}} { // only once
		a := sentAttempt(0)
		a.openWatch().began.counted = counted[0]
		if a.drained(look{counted: counted[1]}); a.timeline.Sending != nil {
			t.Errorf("%v: %+v", counted, a.timeline.Sending)
		}
	}
}

// A connection that cannot be asked is not asked again.
func TestPollOfWhatCannotBeAsked(t *testing.T) {
	asked := 0
	a := attemptOf(nil)
	a.exchange.transport.system.prober = func(net.Conn) prober { asked++; return nil }
	a.conn = remote{}
	for range 2 {
		if wait, more := a.lookAgain(); wait != 0 || more || a.conn != nil || asked != 1 {
			t.Errorf("%v, %t, asked %d times", wait, more, asked)
		}
	}
}
