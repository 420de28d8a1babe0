package engine

import (
	"context"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/wake"
	"github.com/plimsoll/plimsoll/rundoc"
)

// inTurn carries two loads out by turns in fake time, in slices of a length, and checks that nothing of one was under way
// while the other had its turn.
func inTurn(t *testing.T, slice time.Duration, loads [2]plan.Load, edit func(side int, l *lab)) (docs [2]*rundoc.Run,
	slices [2][]Slice) {
	t.Helper()
	var turns [2]*Turn
	var under [2]atomic.Int64
	var running sync.WaitGroup
	for side := range loads {
		l := newLab()
		l.stamped = func(uint64, time.Duration) time.Duration { return 0 }
		l.send = time.Millisecond
		edit(side, l)
		service := l.service
		l.service = func(index uint64, at time.Duration) time.Duration {
			if under[1-side].Load() > 0 {
				t.Errorf("side %d sends while the other has its turn", side)
			}
			under[side].Add(1)
			d := service(index, at)
			time.AfterFunc(d-1, func() { under[side].Add(-1) })
			return d
		}
		turns[side] = NewTurn()
		running.Go(func() {
			alarms := wake.NewPortable()
			defer alarms.Close()
			docs[side], _ = runWith(t, Config{Load: loads[side], Workload: l, Alarms: alarms, Turn: turns[side]}, nil)
		})
		<-turns[side].Ready()
	}
	for over := [2]bool{}; !over[0] || !over[1]; {
		for side, turn := range turns {
			if over[side] {
				continue
			}
			s, ok := turn.Slice(t.Context(), slice)
			if over[side] = !ok; ok {
				slices[side] = append(slices[side], s)
			}
		}
	}
	for _, turn := range turns {
		turn.Release()
	}
	running.Wait()
	return docs, slices
}

// The schedule of the open model does not go on while a slice drains: every operation is due in a slice, and is sent
// when it is due.
func TestTurnsInTheOpenModel(t *testing.T) {
	for _, arrivals := range []plan.Arrivals{plan.Constant, plan.Poisson} {
		synctest.Test(t, func(t *testing.T) {
			l := load()
			l.Clients, l.Rate, l.Arrivals = 20, 200, arrivals
			docs, slices := inTurn(t, 50*time.Millisecond, [2]plan.Load{l, l}, func(side int, l *lab) {
				l.service = func(uint64, time.Duration) time.Duration {
					return time.Duration(10*(side+1)) * time.Millisecond
				}
			})
			for side, doc := range docs {
				o := total(t, doc)
				service := int64(10*(side+1))*int64(time.Millisecond) + int64(time.Millisecond)
				if o.SendDelay.MaxNS > 1000 || o.Unsent+o.Unfinished+o.Failed > 0 {
					t.Errorf("%s, side %d: sent up to %v late; %+v", arrivals, side, time.Duration(o.SendDelay.MaxNS), o)
				}
				about(t, "response time", o.ResponseTime.MaxNS, service, 0)
				drains := float64(len(slices[side])-1) * (float64(service) / 1e9)
				if want := 200 * (2 - drains); math.Abs(float64(o.Scheduled)-want) > 5*math.Sqrt(want) {
					t.Errorf("%s, side %d: %d scheduled, want about %v", arrivals, side, o.Scheduled, want)
				}
			}
		})
	}
}

// An interrupt ends both, wherever it comes; so does the end of the one that cannot connect.
func TestTurnsEnd(t *testing.T) {
	for _, slices := range []int{0, 1, 4} {
		synctest.Test(t, func(t *testing.T) {
			stop, turn := make(chan struct{}), NewTurn()
			alarms := wake.NewPortable()
			defer alarms.Close()
			ended := make(chan *record.Run)
			go func() {
				r, _ := Run(t.Context(), stop, Config{Load: load(), Workload: newLab(), Alarms: alarms, Turn: turn})
				ended <- r
			}()
			<-turn.Ready()
			for range slices {
				turn.Slice(t.Context(), 20*time.Millisecond)
				time.Sleep(time.Second)
			}
			close(stop)
			r := <-ended
			if slices > 0 && (r == nil || !r.Interrupted) {
				t.Errorf("after %d slices: %+v", slices, r)
			}
			if _, ok := turn.Slice(t.Context(), time.Second); ok {
				t.Error("there is a slice behind the end")
			}
			<-turn.Over()
		})
	}
	synctest.Test(t, func(t *testing.T) {
		l, turn := newLab(), NewTurn()
		l.refuse = func(int) *op.Failure { return &op.Failure{Cause: "refused"} }
		alarms := wake.NewPortable()
		defer alarms.Close()
		if _, err := Run(t.Context(), nil, Config{Load: load(), Workload: l, Alarms: alarms, Turn: turn}); err == nil {
			t.Error("it ran")
		}
		<-turn.Over()
	})
	synctest.Test(t, func(t *testing.T) { // while a slice goes on
		ctx, cancel := context.WithCancel(t.Context())
		turn, alarms := NewTurn(), wake.NewPortable()
		defer alarms.Close()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = Run(ctx, nil, Config{Load: load(), Workload: newLab(), Alarms: alarms, Turn: turn})
		}()
		<-turn.Ready()
		time.AfterFunc(30*time.Millisecond, cancel)
		if _, ok := turn.Slice(ctx, time.Second); ok {
			t.Log("the slice ended with the run")
		}
		<-ended
	})
}
