package engine

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/workload"
	"github.com/plimsoll/plimsoll/rundoc"
)

// steps is a workload whose clients have so many operations each, and meet in between.
type steps struct {
	*lab
	each  int
	meet  func(client, step int, over <-chan struct{}) bool
	ended [][]workload.Ended // by client
}

type stepClient struct {
	workload.Client
	number int
	of     *steps
	step   int
}

func (s *steps) NewClient(number, slots int) workload.Client {
	for len(s.ended) <= number {
		s.ended = append(s.ended, nil)
	}
	return &stepClient{Client: s.lab.NewClient(number, slots), number: number, of: s}
}

func (c *stepClient) Next(over <-chan struct{}) bool {
	return c.step < c.of.each && c.of.meet(c.number, c.step, over)
}

func (c *stepClient) Prepare(slot int, _ uint64) workload.Operation {
	c.step++
	return c.Client.Prepare(slot, uint64(c.number*c.of.each+c.step-1))
}

func (c *stepClient) Ended(e workload.Ended) {
	c.of.ended[c.number] = append(c.of.ended[c.number], e)
}

func free(_, _ int, _ <-chan struct{}) bool { return true }

func TestASequenceEndsTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := load()
		l.Duration, l.Clients, l.Retry.Max = 0, 2, 0
		w := &steps{lab: newLab(), each: 3, meet: free}
		w.lab.send = 10 * time.Millisecond
		w.lab.service = func(index uint64, _ time.Duration) time.Duration {
			return time.Duration(index+1) * 100 * time.Millisecond
		}
		w.lab.fail = func(index uint64, _ int) *op.Failure {
			if index == 4 {
				return &op.Failure{Cause: "rejected", Final: true}
			}
			return nil
		}
		doc, _ := runWith(t, Config{Load: l, Workload: w}, nil)
		counts(t, total(t, doc), 6, 5, 1, 0, 0)
		// The second client takes 400 + 500 + 600 ms to be served, and 10 ms to send each.
		about(t, "window", doc.Ledger.WindowNS, int64(1530*time.Millisecond), 0)
		about(t, "idle", doc.Ledger.States[rundoc.StateIdle], int64((1530-630)*time.Millisecond), 0)
		at := time.Duration(0)
		for i, e := range w.ended[1] {
			want := workload.Ended{Start: at, Duration: time.Duration(i+4)*100*time.Millisecond + 10*time.Millisecond,
				Bytes: 100}
			if i == 1 {
				if e.Why == nil || e.Why.Cause != "rejected" {
					t.Errorf("the failed one ended with %v", e.Why)
				}
				want.Bytes, want.Why = 0, e.Why
			}
			if e != want {
				t.Errorf("operation %d ended as %+v, want %+v", i, e, want)
			}
			at += want.Duration
		}
	})
}

func TestInterruptReachesAWaitingSequence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := load()
		l.Duration, l.Clients = 0, 2
		w := &steps{lab: newLab(), each: 3}
		// The first client waits for ever before its second step, as for another that is slow.
		w.meet = func(client, step int, over <-chan struct{}) bool {
			if client == 0 && step == 1 {
				<-over
				return false
			}
			return true
		}
		w.lab.service = func(uint64, time.Duration) time.Duration { return 800 * time.Millisecond }
		stop := make(chan struct{})
		time.AfterFunc(2*time.Second, func() { close(stop) })
		doc, _ := runWith(t, Config{Load: l, Workload: w}, stop)
		if !doc.Interrupted {
			t.Error("not interrupted")
		}
		counts(t, total(t, doc), 4, 4, 0, 0, 0)
		about(t, "waiting", doc.Ledger.States[rundoc.StateWaiting], int64(1200*time.Millisecond), 0)
		if n := len(w.ended[1]); n != 3 || w.ended[1][2].Start+w.ended[1][2].Duration != 2400*time.Millisecond {
			t.Errorf("what was in flight when the window ended was not told: %+v", w.ended[1])
		}
	})
}

// TestWaitingForOthersIsNotPreparing: what a sequence waits for its turn is not what it prepares.
func TestWaitingForOthersIsNotPreparing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := load()
		l.Duration, l.Clients = 0, 1
		w := &steps{lab: newLab(), each: 3}
		w.meet = func(int, int, <-chan struct{}) bool {
			time.Sleep(300 * time.Millisecond)
			return true
		}
		doc, _ := runWith(t, Config{Load: l, Workload: w}, nil)
		about(t, "waiting", doc.Ledger.States[rundoc.StateWaiting], int64(900*time.Millisecond), 0)
		about(t, "preparing", doc.Ledger.States[rundoc.StatePreparing], 0, 0)
	})
}
