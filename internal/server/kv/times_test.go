package kv

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/delta"
	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/internal/topic"
	"github.com/plimsoll/plimsoll/rundoc"
)

func TestSecondsOfLateBatches(t *testing.T) {
	tm := newTimes()
	at := func(ms int64) { tm.batch(ms*1e6, &timing{}, true, 1, 0) }
	at(1000) // from here on they are counted
	at(1500)
	at(2100)
	at(1999) // late, and still in its second
	at(3000)
	at(1001) // too late: it counts in the oldest that is open
	at(-1)   // the clock may begin anywhere
	var got []int64
	var batches []int64
	for _, s := range tm.sum().Series {
		got, batches = append(got, s.StartNS/1e9), append(batches, s.Batches)
	}
	if diff := cmp.Diff([][]int64{{1, 2, 3}, {3, 3, 1}}, [][]int64{got, batches}); diff != "" {
		t.Error(diff)
	}
}

// TestALateBatchOfTheFirstSecond comes before there is any second that is older.
func TestALateBatchOfTheFirstSecond(t *testing.T) {
	tm := newTimes()
	for _, at := range []int64{2_000e6, 1_999e6} {
		tm.batch(at, &timing{}, true, 1, 0)
	}
	series := tm.sum().Series
	if len(series) != 1 || series[0].Batches != 2 {
		t.Errorf("%+v", series)
	}
}

// TestSecondsBeginWithTheWindow has a first batch that was due a while before it was applied.
func TestSecondsBeginWithTheWindow(t *testing.T) {
	tm := newTimes()
	first := timing{}
	first[stageE2EScheduled] = 30e6
	tm.batch(10_430e6, &first, true, 1, 0) // due at 10.4 s
	tm.batch(11_399e6, &timing{}, true, 1, 0)
	tm.batch(11_400e6, &timing{}, true, 1, 0)
	var got []int64
	for _, s := range tm.sum().Series {
		got = append(got, s.StartNS/1e6, s.Batches)
	}
	if diff := cmp.Diff([]int64{10_400, 2, 11_400, 1}, got); diff != "" {
		t.Error(diff)
	}
}

// stamped is a batch that was sent at a moment, by a publisher on the server's clock.
func (s *Server) stamped(t *testing.T, sequence uint64, scheduled, sent time.Time) []byte {
	h := from(9, 0, sequence)
	h.Clock, h.Scheduled, h.Sent = s.clock.ID(), s.clock.At(scheduled), s.clock.At(sent)
	return message(t, h, update("k", "v", int64(sequence)))
}

func TestStages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		m.broker = true
		s := inMemory(t, m, func(c *Config) { c.Listeners = 1 })
		if s.clock.ID() == 0 {
			t.Skip("the clock is not known here")
		}
		l := &listener{s: s}
		began := time.Now()
		time.Sleep(30 * time.Millisecond) // nothing is there
		scheduled := time.Now()
		time.Sleep(2 * time.Millisecond)
		sent := time.Now()
		first := topic.Message{Payload: s.stamped(t, 0, scheduled, sent), Handle: 0,
			BrokerTime: sent.Add(time.Millisecond).Round(0)}
		time.Sleep(5 * time.Millisecond)
		r := topic.Received{Began: began, Ended: time.Now(), Messages: []topic.Message{first}}
		time.Sleep(3 * time.Millisecond) // it waits for the listener
		l.handle(t.Context(), m, &r)

		got := runState(t, s, 9).Times
		want := map[string]time.Duration{
			rundoc.StageReading: 37, rundoc.StageReceiveIdle: 32, rundoc.StageReceiveBusy: 5, rundoc.StageTransit: 5,
			rundoc.StageQueued: 3, rundoc.StageApply: 0, rundoc.StageProcessing: 3, rundoc.StageAcknowledge: 0,
			rundoc.StageE2ESent: 8, rundoc.StageE2EScheduled: 10, rundoc.StageE2EBroker: 7,
		}
		for name, d := range want {
			stage, ok := got.Stages[name]
			if !ok || stage.Summary.Count != 1 || stage.Summary.MaxNS != int64(d*time.Millisecond) {
				t.Errorf("%s: %+v, want one of %v ms", name, stage, int64(d))
			}
		}
		if len(got.Stages) != len(want) || got.Receives != 1 || got.Messages != 1 || got.NoClock != 0 {
			t.Errorf("%+v", got)
		}

		// Sent before the receive call began: all of that was busy.
		began = time.Now()
		sent = began.Add(-time.Second)
		time.Sleep(4 * time.Millisecond)
		r = topic.Received{Began: began, Ended: time.Now(),
			Messages: []topic.Message{{Payload: s.stamped(t, 1, sent, sent), Handle: 1}}}
		l.handle(t.Context(), m, &r)
		got = runState(t, s, 9).Times
		if stage := got.Stages[rundoc.StageReceiveIdle]; stage.Summary.MinNS != 0 || stage.Summary.Count != 2 {
			t.Errorf("idle: %+v", stage)
		}
		if stage := got.Stages[rundoc.StageReceiveBusy]; stage.Summary.MinNS != int64(4*time.Millisecond) {
			t.Errorf("busy: %+v", stage)
		}
	})
}

// TestMomentsOfABatch has a batch for which each of its moments is another.
func TestMomentsOfABatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := inMemory(t, newMemory(), nil)
		if s.clock.ID() == 0 {
			t.Skip("the clock is not known here")
		}
		at := func(ms int) time.Time { return time.Now().Add(time.Duration(ms) * time.Millisecond) }
		w := &work{
			p:       s.registry.use(delta.Publisher{Run: 9}),
			h:       delta.Header{Clock: s.clock.ID(), Scheduled: s.clock.At(at(0)), Sent: s.clock.At(at(1))},
			message: topic.Message{BrokerTime: at(3).Round(0)}, arrived: at(7), taken: at(15), ready: at(31),
		}
		defer s.registry.release(w.p)
		s.timeBatch(w)
		s.timeAcknowledge(w, at(63))
		got := make(map[string]int64)
		for name, stage := range runState(t, s, 9).Times.Stages {
			got[name] = stage.Summary.MaxNS / 1e6
		}
		if diff := cmp.Diff(map[string]int64{
			rundoc.StageTransit: 6, rundoc.StageQueued: 8, rundoc.StageApply: 16, rundoc.StageProcessing: 24,
			rundoc.StageAcknowledge: 32,
			rundoc.StageE2ESent:     30, rundoc.StageE2EScheduled: 31, rundoc.StageE2EBroker: 28,
		}, got); diff != "" {
			t.Error(diff)
		}
	})
}

// TestTimesToAcknowledge: there are some where something is acknowledged or a journal is written, and
// none of the warm-up.
func TestTimesToAcknowledge(t *testing.T) {
	for _, c := range []struct {
		name          string
		core, journal bool
		want          int64
	}{
		{"at least once", false, false, 3},
		{"at least once, with a journal", false, true, 3},
		{"at most once", true, false, 0},
		{"at most once, with a journal", true, true, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				m := newMemory()
				m.core = c.core
				s := inMemory(t, m, func(cfg *Config) {
					if c.journal {
						cfg.Journal = dir
					}
				})
				for n := range uint64(5) {
					h := from(9, 0, n)
					h.Warmup = n < 2
					m.publish(message(t, h, update("k", "v", int64(n))))
				}
				synctest.Wait()
				if got := runState(t, s, 9).Times.Stages[rundoc.StageAcknowledge].Summary.Count; got != c.want {
					t.Errorf("%d batches have a time to acknowledge, want %d", got, c.want)
				}
				if noted := len(s.notes) == 1; noted != (c.core && c.journal) {
					t.Errorf("%q", s.notes)
				}
			})
		})
	}
}

func TestStagesOfOtherClocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMemory()
		s := inMemory(t, m, func(c *Config) { c.Listeners = 1 })
		const ahead = 1000 * time.Hour // the server's clock, of the publisher's
		send := func(run, sequence uint64, sent int64, warmup bool) {
			h := from(run, 0, sequence)
			h.Clock, h.Sent, h.Scheduled, h.Warmup = 12345, sent, sent, warmup
			m.publish(message(t, h, update("k", "v", 1)))
			synctest.Wait()
		}
		now := s.clock.Now() - int64(ahead)
		send(1, 0, now, false) // not registered
		s.registry.register(2, kvapi.Registration{OffsetNS: int64(ahead), BoundNS: 100})
		send(2, 0, now-7, false)
		send(2, 1, now+5, false) // from the future, within what the clocks may differ
		send(2, 2, now, true)    // of the warm-up
		send(2, 3, 1<<62, false) // nonsense

		got := runState(t, s, 1).Times
		if got.NoClock != 1 || got.Stages[rundoc.StageE2ESent].Summary.Count != 0 ||
			got.Stages[rundoc.StageApply].Summary.Count != 1 {
			t.Errorf("a run with another clock: %+v", got)
		}
		got = runState(t, s, 2).Times
		e2e := got.Stages[rundoc.StageE2ESent]
		if e2e.Summary.Count != 1 || e2e.Summary.MaxNS != 7 || e2e.Negative != 1 || e2e.NegativeMin != -5 ||
			got.NoClock != 1 {
			t.Errorf("a run that is registered: %+v, no clock %d", e2e, got.NoClock)
		}
		// The call that brought one from the future cannot be divided, and neither can that of nonsense.
		if reading, idle := got.Stages[rundoc.StageReading].Summary.Count,
			got.Stages[rundoc.StageReceiveIdle].Summary.Count; reading != 3 || idle != 1 {
			t.Errorf("%d receive calls, %d of them divided in idle and busy", reading, idle)
		}
		if got.Stages[rundoc.StageApply].Summary.Count != 3 {
			t.Errorf("the warm-up is in the figures: %+v", got)
		}
		if batches := runState(t, s, 2).Publishers[0].Batches; batches != 4 {
			t.Errorf("%d batches", batches)
		}
	})
}

// TestTheLastIsTheLatest: listeners that finish in another order do not turn a time back.
func TestTheLastIsTheLatest(t *testing.T) {
	var at atomic.Int64
	for _, step := range []struct{ now, want int64 }{{5, 5}, {3, 5}, {5, 5}, {9, 9}} {
		if atLeast(&at, step.now); at.Load() != step.want {
			t.Errorf("after %d it is %d, want %d", step.now, at.Load(), step.want)
		}
	}
}

func TestSinceOfHostileStamps(t *testing.T) {
	for _, stamp := range []int64{-1 << 63, 1<<63 - 1, 0} {
		for _, offset := range []int64{-1 << 63, 1<<63 - 1, 0} {
			for _, moment := range []int64{-1 << 62, 1 << 62, 0, 5} {
				if d, ok := since(stamp, offset, moment); ok && (d > plausible || d < -plausible) {
					t.Errorf("%d, %d, %d: %d", stamp, offset, moment, d)
				}
			}
		}
	}
	if d, ok := since(10, 100, 150); d != 40 || !ok {
		t.Errorf("%d, %v", d, ok)
	}
}
