package engine

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/wake"
	"github.com/plimsoll/plimsoll/rundoc"
)

// once makes a lab's failure of one operation's first attempt.
func once(index uint64, why *op.Failure) func(uint64, int) *op.Failure {
	return func(i uint64, attempt int) *op.Failure {
		if i == index && attempt == 1 {
			return why
		}
		return nil
	}
}

func causes(o rundoc.Operation) map[string]int64 {
	m := map[string]int64{}
	for _, c := range o.Causes {
		m[c.Cause] = c.Count
	}
	return m
}

// TestTimedOutFailuresCountAsResponses has operations that fail after two attempts;
// a time that ran out in either puts the operation into the percentiles.
func TestTimedOutFailuresCountAsResponses(t *testing.T) {
	if testing.Short() {
		t.Skip("too slow under the race detector; make test runs it")
	}
	for _, c := range []struct {
		name      string
		attempts  [2]string // how each ends
		responses int64
	}{
		{"refused twice", [2]string{"busy", "busy"}, 9},
		{"a timeout first", [2]string{"timeout", "busy"}, 10},
		{"a timeout last", [2]string{"busy", "timeout"}, 10},
		{"no connection in time first", [2]string{"connect-timeout", "busy"}, 10},
		{"no connection in time last", [2]string{"closed", "connect-timeout"}, 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLab()
				const index = 4
				l.fail = func(i uint64, attempt int) *op.Failure {
					switch {
					case i == index-1 && c.attempts[0] == "connect-timeout": // so that the next has to connect
						return &op.Failure{Cause: "closed", Final: true}
					case i != index:
						return nil
					case c.attempts[attempt-1] == "timeout":
						return op.ErrTimeout
					case c.attempts[0] == "connect-timeout": // an attempt that the lab never saw
						return &op.Failure{Cause: c.attempts[1]}
					}
					return &op.Failure{Cause: c.attempts[attempt-1]}
				}
				l.hang = func(try int) bool { return try == 2 }
				p := load()
				p.Clients, p.Duration, p.Operations, p.Retry.Max = 1, 0, 10, 1
				o := total(t, run(t, l, p, nil))
				want := c.responses
				failed := int64(1)
				if c.attempts[0] == "connect-timeout" {
					want, failed = want-1, 2 // the one before failed too, and is no response
				}
				counts(t, o, 10, 10-failed, failed, 0, 0)
				if o.ResponseTime.Count != want {
					t.Errorf("%d responses, want %d; causes %v", o.ResponseTime.Count, want, o.Causes)
				}
			})
		})
	}
}

// TestEndInterruptsBackoff leaves an operation that had failed and was to be tried again.
func TestEndInterruptsBackoff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.fail = func(uint64, int) *op.Failure { return &op.Failure{Cause: "busy"} }
		p := load()
		p.Clients, p.Duration, p.Drain = 1, 100*time.Millisecond, 200*time.Millisecond
		p.Retry.InitialBackoff, p.Retry.MaxBackoff = time.Second, time.Second
		doc := run(t, l, p, nil)
		o := total(t, doc)
		counts(t, o, 1, 0, 0, 0, 1)
		if o.ServiceTime.MaxNS != 300e6 || len(doc.Retries) != 0 {
			t.Errorf("service time up to %v, retries %v", time.Duration(o.ServiceTime.MaxNS), doc.Retries)
		}
	})
}

// TestRetriesAndReconnectsShareNoTime accounts for what a lost connection costs: one attempt
// and one pause by each cause of a retry, and the connecting by itself.
func TestRetriesAndReconnectsShareNoTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.connect = 40 * time.Millisecond
		l.fail = func(index uint64, attempt int) *op.Failure {
			if index != 5 || attempt > 2 {
				return nil
			}
			return &op.Failure{Cause: []string{"closed", "busy"}[attempt-1]} // busy on the new connection
		}
		l.refuse = func(try int) *op.Failure {
			if try == 2 {
				return &op.Failure{Cause: "refused"}
			}
			return nil
		}
		p := load()
		p.Clients = 1
		doc := run(t, l, p, nil)
		retries := map[string]int64{}
		for _, r := range doc.Retries {
			if r.Count != 1 {
				t.Errorf("retries %+v", doc.Retries)
			}
			retries[r.Cause] = r.TimeNS
		}
		pauses := doc.Ledger.States[rundoc.StateBackingOff]
		if got := retries["closed"] + retries["refused"] + retries["busy"]; got != 20e6+pauses ||
			retries["closed"] < 35e6 || retries["refused"] < 50e6 {
			t.Errorf("retries took %v, and the pauses %v of it", doc.Retries, time.Duration(pauses))
		}
		re := doc.Connections.Reconnects
		if len(re) != 1 || re[0] != (rundoc.CauseTime{Cause: "closed", Count: 1, TimeNS: 80e6}) {
			t.Errorf("reconnects %+v", re)
		}
		if doc.Connections.Failed != 1 || doc.Connections.Opened != 2 {
			t.Errorf("%d connections failed, %d opened", doc.Connections.Failed, doc.Connections.Opened)
		}
	})
}

// TestSlotsShareAConnection has three slots of one client, which all want a connection in
// place of a lost one. It runs in real time: under a fake one a mutex must not be waited for.
func TestSlotsShareAConnection(t *testing.T) {
	refused := &op.Failure{Cause: "refused"}
	for name, c := range map[string]struct {
		why      *op.Failure
		replaced int64
	}{"that is made": {nil, 1}, "that fails": {refused, 0}} {
		t.Run(name, func(t *testing.T) {
			l, p := newLab(), load()
			p.Retry.Timeout = time.Minute
			l.refuse = func(int) *op.Failure { return c.why }
			alarms := wake.NewPortable()
			defer alarms.Close()
			clock := op.NewClock()
			ph := &phase{
				load: &p, clock: clock, connections: record.NewConnections(), alarms: alarms,
				window: record.New(record.Config{Series: true}), meter: unwatched(clock),
			}
			ph.load.Pipeline = 3
			ph.end.Store(never)
			cl := &client{Client: l.NewClient(0, 3)}
			cl.ever.Store(true)
			ph.clients = []*client{cl}
			ph.makeSlots()
			cl.mu.Lock()
			var wanting sync.WaitGroup
			for _, s := range ph.slots {
				wanting.Go(func() {
					if why := s.connect(t.Context(), &op.Failure{Cause: "reset"}); why != c.why {
						t.Errorf("ended with %v, want %v", why, c.why)
					}
				})
			}
			for waiters() < 3 {
				runtime.Gosched()
			}
			cl.mu.Unlock()
			wanting.Wait()
			if cl.tries.Load() != 1 || l.connected.Load() != c.replaced {
				t.Errorf("%d tries, %d connections", cl.tries.Load(), l.connected.Load())
			}
			r := record.Run{Window: ph.window, Clients: 1, Slots: 1, Connections: ph.connections, End: 1e9}
			doc, err := r.Document()
			if err != nil {
				t.Fatal(err)
			}
			if re := doc.Connections.Reconnects; len(re) != 1 || re[0].Count != c.replaced {
				t.Errorf("reconnects %+v", re)
			}
		})
	}
}

// waiters counts the goroutines that wait for a client's lock in connect.
func waiters() (n int) {
	stacks := make([]byte, 1<<20)
	for stack := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
		if strings.Contains(stack, "[sync.Mutex.Lock") && strings.Contains(stack, ".(*client).connect(") {
			n++
		}
	}
	return n
}

// TestEndInterruptsConnecting ends the drain while a connection hangs.
func TestEndInterruptsConnecting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.hang = func(try int) bool { return try > 1 }
		l.fail = once(2, &op.Failure{Cause: "closed"})
		p := load()
		p.Clients, p.Drain, p.Retry.Timeout = 1, time.Second, time.Minute
		doc := run(t, l, p, nil)
		o := total(t, doc)
		counts(t, o, 3, 2, 0, 0, 1)
		if m := causes(o); m["closed"] != 1 || len(m) != 1 || doc.Connections.Failed != 0 {
			t.Errorf("causes %v, %d connections failed", m, doc.Connections.Failed)
		}
	})
}

// TestBackOffIsJitteredAndBounded looks at pauses after more failures than there are bits.
func TestBackOffIsJitteredAndBounded(t *testing.T) {
	for _, r := range []plan.Retry{
		{InitialBackoff: 50 * time.Millisecond, MaxBackoff: time.Second},
		{InitialBackoff: 10 * time.Second, MaxBackoff: 10 * time.Second},
		{InitialBackoff: time.Nanosecond, MaxBackoff: 1<<63 - 1},
	} {
		ph := &phase{load: &plan.Load{Seed: 7, Retry: r}}
		for n := range 71 {
			whole := r.InitialBackoff
			for range n {
				whole = min(r.MaxBackoff-whole, whole) + whole // doubled, up to the maximum
			}
			different := map[time.Duration]bool{}
			for index := range uint64(20) {
				pause := ph.backoff(index, n)
				if pause < whole/2 || pause > whole {
					t.Fatalf("%+v: a pause of %v after %d failures, want %v to %v", r, pause, n+1, whole/2, whole)
				}
				different[pause] = true
			}
			if whole > time.Millisecond && len(different) < 15 {
				t.Errorf("%+v: %d different pauses of 20 clients after %d failures", r, len(different), n+1)
			}
		}
	}
}

// TestContinuedAttemptsShareTheTimeout: an attempt that goes on on other connections has one timeout for all of them.
func TestContinuedAttemptsShareTheTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.service = func(uint64, time.Duration) time.Duration { return 400 * time.Millisecond }
		l.fail = func(_ uint64, attempt int) *op.Failure {
			if attempt > 2 {
				return nil
			}
			return &op.Failure{Cause: "closed", GoesOn: true}
		}
		p := load()
		p.Clients, p.Operations, p.Duration, p.Retry.Max = 1, 3, 0, 0
		doc := run(t, l, p, nil)
		o := total(t, doc)
		counts(t, o, 3, 0, 3, 0, 0)
		if o.Attempts != 3 || len(o.Causes) != 1 || o.Causes[0].Cause != "timeout" {
			t.Errorf("%d attempts: %+v", o.Attempts, o.Causes)
		}
		about(t, "window", doc.Ledger.WindowNS, int64(3*time.Second), 0)
	})
}
