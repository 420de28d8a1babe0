package proof

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/rundoc"
)

// TestSettle waits, in fake time, for servers that are slow, that lose, and that are away.
//
// synctest: it sleeps only inside a bubble.
func TestSettle(t *testing.T) {
	// receives is a server that has received so many batches after a while.
	receives := func(at func(time.Duration) uint64) func(time.Duration) (*kvapi.Run, error) {
		return func(d time.Duration) (*kvapi.Run, error) {
			n := at(d)
			return &kvapi.Run{Publishers: []kvapi.Received{{Next: n, Batches: int64(n)}}}, nil
		}
	}
	for _, c := range []struct {
		name     string
		atLeast  bool
		unsure   []uint64
		server   func(time.Duration) (*kvapi.Run, error)
		want     uint64 // received at the end
		from, to time.Duration
		err      bool
	}{
		{"all is there", true, nil, receives(func(time.Duration) uint64 { return 100 }), 100, 0, 0, false},
		{"it comes", true, nil,
			receives(func(d time.Duration) uint64 { return min(100, uint64(d/(100*time.Millisecond))) }),
			100, 10 * time.Second, 10*time.Second + maxPause, false},
		{"it comes slower than the bound, but it comes", true, nil,
			receives(func(d time.Duration) uint64 { return min(100, uint64(d/(4*time.Second))) }),
			100, 400 * time.Second, 400*time.Second + maxPause, false},
		{"the last is acknowledged late", true, nil, func(d time.Duration) (*kvapi.Run, error) {
			run := &kvapi.Run{Publishers: []kvapi.Received{{Next: 100, Batches: 100}}}
			if d < time.Second {
				run.Unacked = 3
			}
			return run, nil
		}, 100, time.Second, time.Second + maxPause, false},
		{"another's messages are never acknowledged", true, nil, func(time.Duration) (*kvapi.Run, error) {
			return &kvapi.Run{Publishers: []kvapi.Received{{Next: 100, Batches: 100}}, Unacked: 1}, nil
		}, 100, 2 * time.Second, 2*time.Second + maxPause, false},
		{"it is no key/value server", true, nil, func(time.Duration) (*kvapi.Run, error) {
			return nil,
				&kvapi.StatusError{Status: 404}
		},
			0, 0, 0, true},
		{"one never comes", true, nil,
			receives(func(d time.Duration) uint64 { return min(99, 90+uint64(d/time.Second)) }),
			99, 9*time.Second + 5*time.Second, 9*time.Second + 5*time.Second + 2*maxPause, false},
		{"one never comes, and nobody delivers again", false, nil,
			receives(func(d time.Duration) uint64 { return min(99, 90+uint64(d/time.Second)) }),
			99, 11 * time.Second, 11*time.Second + 2*maxPause, false},
		{"nobody delivers again, and messages are on their way", false, nil, func(d time.Duration) (*kvapi.Run, error) {
			run := &kvapi.Run{Publishers: []kvapi.Received{{Next: 99, Batches: 99}}, Backlog: 1}
			if d > 4*time.Second {
				run.Publishers[0].Next = 100
			}
			return run, nil
		}, 100, 4 * time.Second, 4*time.Second + maxPause, false},
		{"one was never acknowledged, and is being delivered", true, []uint64{99},
			func(d time.Duration) (*kvapi.Run, error) {
				run := &kvapi.Run{Publishers: []kvapi.Received{{Next: 99, Batches: 99}}, Unacked: 1}
				if d > 4*time.Second {
					run.Publishers[0].Next, run.Publishers[0].Batches, run.Unacked = 100, 100, 0
				}
				return run, nil
			}, 100, 4 * time.Second, 4*time.Second + maxPause, false},
		{"nobody delivers again, and the server cannot ask the broker for a while", false, nil,
			func(d time.Duration) (*kvapi.Run, error) {
				run := &kvapi.Run{Publishers: []kvapi.Received{{Next: 90, Batches: 90}}, Backlog: -1}
				if d > 4500*time.Millisecond {
					run.Publishers[0].Next, run.Publishers[0].Batches, run.Backlog = 100, 100, 0
				}
				return run, nil
			}, 100, 4500 * time.Millisecond, 4500*time.Millisecond + maxPause, false},
		{"nobody delivers again, and the broker is never asked", false, nil, func(time.Duration) (*kvapi.Run, error) {
			return &kvapi.Run{Publishers: []kvapi.Received{{Next: 99, Batches: 99}}, Backlog: -1}, nil
		}, 99, 5 * time.Second, 5*time.Second + maxPause, false},
		{"nobody delivers again, and the server stands still", false, nil, func(d time.Duration) (*kvapi.Run, error) {
			run := &kvapi.Run{Publishers: []kvapi.Received{{Next: 99, Batches: 99}}}
			if d > time.Second && d < 3*time.Second {
				time.Sleep(3*time.Second - d)
			} else if d > 4*time.Second { // it has not taken it up at once
				run.Publishers[0].Next, run.Publishers[0].Batches = 100, 100
			}
			return run, nil
		}, 100, 4 * time.Second, 4*time.Second + maxPause, false},
		{"nobody delivers again, and questions fail now and then", false, nil,
			func(d time.Duration) (*kvapi.Run, error) {
				if d > 1500*time.Millisecond && d < 1800*time.Millisecond {
					return nil, errors.New("refused")
				}
				return &kvapi.Run{Publishers: []kvapi.Received{{Next: 99, Batches: 99}}}, nil
			}, 99, 1800*time.Millisecond + quiet, 1800*time.Millisecond + quiet + 2*maxPause, false},
		{"the server's memory is full", true, nil, func(time.Duration) (*kvapi.Run, error) {
			return &kvapi.Run{Publishers: []kvapi.Received{{Next: 99, Batches: 99}}, Unacked: 1, Full: true}, nil
		}, 99, 2 * time.Second, 2*time.Second + maxPause, false},
		{"the server's memory is full, and yet all is there", true, nil, func(time.Duration) (*kvapi.Run, error) {
			return &kvapi.Run{Publishers: []kvapi.Received{{Next: 100, Batches: 100}}, Full: true}, nil
		}, 100, 0, 0, false},
		{"one was never acknowledged, and came", true, []uint64{99},
			receives(func(time.Duration) uint64 { return 100 }), 100, 0, 0, false},
		{"one was never acknowledged, and did not come", true, []uint64{99},
			receives(func(time.Duration) uint64 { return 99 }),
			99, 2 * time.Second, 2*time.Second + maxPause, false},
		{"one was never acknowledged, and comes late", true, []uint64{99}, receives(func(d time.Duration) uint64 {
			if d > time.Second {
				return 100
			}
			return 99
		}), 100, time.Second, time.Second + maxPause, false},
		{"the server is started again", true, nil, func(d time.Duration) (*kvapi.Run, error) {
			if d < 3*time.Second {
				return nil, errors.New("refused")
			}
			return &kvapi.Run{Publishers: []kvapi.Received{{Next: 100, Batches: 100}}}, nil
		}, 100, 3 * time.Second, 3*time.Second + maxPause, false},
		{"the server has gone", true, nil, func(time.Duration) (*kvapi.Run, error) {
			return nil, errors.New("refused")
		},
			0, 5 * time.Second, 5*time.Second + maxPause, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				s := Settling{Bound: 5 * time.Second, AtLeastOnce: c.atLeast,
					Ask: func(context.Context) (*kvapi.Run, error) {
						return c.server(time.Since(began))
					}}
				run, err := Settle(t.Context(), s, []rundoc.Published{{Next: 100, Unsure: c.unsure}})
				took := time.Since(began)
				if (err != nil) != c.err || err == nil && run.Publishers[0].Next != c.want {
					t.Errorf("%+v, %v", run, err)
				}
				if took < c.from || took > c.to {
					t.Errorf("it took %v, want %v to %v", took, c.from, c.to)
				}
			})
		})
	}
}

// TestSettleTimesOut has one that takes every question and answers none.
func TestSettleTimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		s := Settling{Bound: 3 * time.Second, AtLeastOnce: true, Ask: func(ctx context.Context) (*kvapi.Run, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}}
		_, err := Settle(t.Context(), s, []rundoc.Published{{Next: 1}})
		if err == nil || err.Error() != "no response within 3s" || time.Since(began) > 5*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// TestSettleReturnsLastResponseWithError: with an error stands the last answer.
func TestSettleReturnsLastResponseWithError(t *testing.T) {
	for name, end := range map[string]error{"refused as no server of ours": &kvapi.StatusError{Status: 404}, "stopped": nil} {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			asked := 0
			run, err := Settle(ctx, Settling{Bound: time.Hour, Ask: func(context.Context) (*kvapi.Run, error) {
				if asked++; asked == 1 {
					return &kvapi.Run{Backlog: 7}, nil
				}
				if end == nil {
					cancel()
					return nil, ctx.Err()
				}
				return nil, end
			}}, []rundoc.Published{{Next: 1}})
			if run == nil || run.Backlog != 7 || err == nil {
				t.Errorf("%s: %+v, %v", name, run, err)
			}
		})
	}
}

func TestSettleEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		s := Settling{Bound: time.Hour,
			Ask: func(ctx context.Context) (*kvapi.Run, error) { return &kvapi.Run{Backlog: 1}, nil }}
		run, err := Settle(ctx, s, []rundoc.Published{{Next: 1}})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != time.Second || run == nil {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// A server that nobody has met, and that nobody listens for, is not waited for. One that was met may come back.
func TestSettleGivesUpOnRefusedServer(t *testing.T) {
	for _, unmet := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			run, err := Settle(t.Context(), Settling{Bound: 5 * time.Second, Unmet: unmet,
				Ask: func(context.Context) (*kvapi.Run, error) { return nil, syscall.ECONNREFUSED }}, nil)
			if took := time.Since(began); run != nil || err == nil || (took == 0) != unmet {
				t.Errorf("unmet %v: %v, %v after %v", unmet, run, err, took)
			}
		})
	}
}
