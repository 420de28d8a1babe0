package server

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

func TestBound(t *testing.T) {
	b := NewBound(2)
	for i, want := range []bool{true, true, false} {
		if got := b.Enter(); got != want {
			t.Errorf("entry %d into a bound of 2: %v", i+1, got)
		}
	}
	if b.Inside() != 2 {
		t.Errorf("%d are inside a bound of 2", b.Inside())
	}
	b.Leave()
	if !b.Enter() || b.Enter() {
		t.Error("a place that was given back was not there, or twice")
	}
	if one := NewBound(1); !one.Enter() || one.Enter() {
		t.Error("one, and no more, may enter a bound of 1")
	}
	for open := NewBound(0); open.Inside() < 100; {
		if !open.Enter() {
			t.Fatal("no bound, and nobody may enter")
		}
	}
}

func TestConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := NewConnections[int](2)
		var served [4]chan struct{}
		var late [4]bool
		start := func(c int) {
			served[c] = make(chan struct{})
			all.Start(c, func(l bool) { late[c] = l; <-served[c] })
		}
		for c := range 2 {
			if err := all.Reserve(); err != nil {
				t.Fatal(err)
			}
			start(c)
		}
		if err := all.Reserve(); !errors.Is(err, ErrFull) {
			t.Errorf("the third of two got %v", err)
		}
		close(served[0])
		synctest.Wait()
		if err := all.Reserve(); err != nil { // in the handshake while the server ends
			t.Fatal(err)
		}
		var told atomic.Int64
		var ended, cut atomic.Bool
		patience, lose := context.WithCancel(t.Context())
		go func() {
			all.Drain(patience, func(c int) { told.Add(int64(c)) }, func() { cut.Store(true); close(served[1]) })
			ended.Store(true)
		}()
		synctest.Wait()
		if err := all.Reserve(); told.Load() != 1 || !errors.Is(err, ErrEnding) {
			t.Errorf("the open ones sum to %d, and one more got %v", told.Load(), err)
		}
		start(3)
		close(served[3])
		synctest.Wait()
		if ended.Load() || cut.Load() || late[1] || !late[3] || all.Open() != 1 {
			t.Errorf("ended %v, cut %v, late %v, %d open", ended.Load(), cut.Load(), late, all.Open())
		}
		lose()
		synctest.Wait()
		if !ended.Load() || !cut.Load() || all.Open() != 0 {
			t.Errorf("ended %v, cut %v, %d open", ended.Load(), cut.Load(), all.Open())
		}
	})
}

// TestAnnouncedConnectionsAreCutOff: with those that are served, but they are not told to end, which they could not.
func TestAnnouncedConnectionsAreCutOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		all := NewConnections[int](0)
		cut := make(chan struct{})
		for c := range 4 {
			if err := errors.Join(all.Reserve(), all.Announce(c)); err != nil {
				t.Fatal(err)
			}
		}
		all.Start(1, func(bool) { <-cut })
		all.Withdraw(2)
		all.Release()
		go func() {
			<-cut
			all.Start(0, func(late bool) {
				if !late {
					t.Error("what was announced before the end is served as if there were none")
				}
			})
			if err := all.Announce(3); !errors.Is(err, ErrEnding) {
				t.Errorf("announced after the cut: %v", err)
			}
			all.Release()
		}()
		patience, lose := context.WithCancel(t.Context())
		var told, ended []int
		go func() { synctest.Wait(); lose() }()
		all.Drain(patience, func(c int) { told = append(told, c) }, func() {
			all.All(func(c int) { ended = append(ended, c) })
			close(cut)
		})
		slices.Sort(ended)
		if !slices.Equal(told, []int{1}) || !slices.Equal(ended, []int{0, 1, 3}) {
			t.Errorf("%d were told, %d cut off", told, ended)
		}
	})
}
