package store

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// writeBlocks writes all of a file in blocks of 10 bytes.
func writeBlocks(ctx context.Context, b *Blocks, size int) error {
	for size > 0 {
		n := min(10, size)
		if _, err := b.Reserve(ctx, n); err != nil {
			return err
		}
		if err := b.Write(ctx, n); err != nil {
			return err
		}
		size -= n
	}
	return nil
}

// With at most one sender, blocks are put in order. More senders put at most that many blocks at a time. Land waits for
// all of them.
func TestBlocksInOrder(t *testing.T) {
	for _, plan := range []BlockPlan{{}, {Senders: 1}, {Senders: 1, Queue: 3}, {Senders: 3}} {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			var order []int64
			now, most, sum := 0, 0, 0
			plan.Name, plan.Size, plan.Block = "x", 95, 10
			plan.Put = func(_ context.Context, b []byte, at int64) error {
				mu.Lock()
				order, sum, now = append(order, at), sum+len(b), now+1
				most = max(most, now)
				mu.Unlock()
				time.Sleep(time.Second)
				mu.Lock()
				now--
				mu.Unlock()
				return nil
			}
			b := NewBlocks(t.Context(), plan)
			if err := errors.Join(writeBlocks(t.Context(), b, 95), b.Land(t.Context()), b.Complete()); err != nil {
				t.Fatal(err)
			}
			if sum != 95 || now != 0 || most != max(1, plan.Senders) {
				t.Errorf("%d senders: %d bytes, %d at a time, %d still on their way", plan.Senders, sum, most, now)
			}
			for i, at := range order {
				if plan.Senders < 2 && at != int64(10*i) {
					t.Errorf("%d senders: block %d is at %d", plan.Senders, i, at)
				}
			}
			b.Stop(nil)
		})
	}
}

// The first failure ends the other writes, and every later call returns it.
func TestBlocksReturnFirstFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		b := NewBlocks(t.Context(), BlockPlan{
			Name: "x", Size: 100, Block: 10, Senders: 2,
			Put: func(ctx context.Context, _ []byte, at int64) error {
				if at == 10 {
					return broken
				}
				<-ctx.Done()
				return context.Cause(ctx)
			},
		})
		if err := writeBlocks(t.Context(), b, 100); !errors.Is(err, broken) {
			t.Errorf("write: %v", err)
		}
		if err := b.Land(t.Context()); !errors.Is(err, broken) {
			t.Errorf("land: %v", err)
		}
		b.Stop(nil)
		b.Stop(nil)
		if b.Complete() == nil {
			t.Error("a part of the file is the file")
		}
	})
}

// No call waits longer than its context.
func TestBlocksEndWithContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := NewBlocks(t.Context(), BlockPlan{
			Name: "x", Size: 100, Block: 10, Senders: 1,
			Put: func(ctx context.Context, _ []byte, _ int64) error { <-ctx.Done(); return context.Cause(ctx) },
		})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := writeBlocks(ctx, b, 100); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("write: %v", err)
		}
		late, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := b.Land(late); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("land: %v", err)
		}
		if _, err := b.Reserve(t.Context(), 11); err == nil {
			t.Error("more than a block was reserved")
		}
		b.Stop(nil)
	})
}

// Blocks holds memory for its queue, its senders, one block being written and one being filled.
func TestBlocksBoundMemory(t *testing.T) {
	for _, c := range []struct {
		plan   BlockPlan
		pieces int
		length int
	}{
		{BlockPlan{Size: 1000, Block: 10}, 2, 10}, {BlockPlan{Size: 1000, Block: 10, Senders: 1}, 3, 10},
		{BlockPlan{Size: 1000, Block: 10, Senders: 2, Queue: 3}, 7, 10}, {BlockPlan{Size: 7, Block: 10}, 2, 7},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := NewBlocks(t.Context(), c.plan)
			for range c.pieces {
				pieces, err := b.Reserve(t.Context(), c.length)
				if err != nil || len(pieces) != 1 || len(pieces[0]) != c.length || cap(pieces[0]) != c.length {
					t.Fatalf("%+v: %v, %v", c.plan, pieces, err)
				}
			}
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			if more, err := b.Reserve(ctx, 1); more != nil || err != context.DeadlineExceeded {
				t.Errorf("%+v: %d pieces more, %v", c.plan, len(more), err)
			}
			why := errors.New("given up")
			time.AfterFunc(time.Second, func() { b.Stop(why) })
			if more, err := b.Reserve(t.Context(), 1); more != nil || err != why {
				t.Errorf("%+v: %d pieces of what is given up, %v", c.plan, len(more), err)
			}
			if more, err := b.Reserve(t.Context(), c.length+1); more != nil || CauseOf(err) != Other {
				t.Errorf("%+v: %d pieces that are too long, %v", c.plan, len(more), err)
			}
		})
	}
}

// Memory goes back to the pool when a file ends, and the next file reuses it.
func TestBlocksReusePooledMemory(t *testing.T) {
	pool := &sync.Pool{}
	seen, again := map[*byte]bool{}, false
	for range 50 { // a pool may lose what it has
		b := NewBlocks(t.Context(), BlockPlan{Size: 25, Block: 10, Senders: 1, Pool: pool,
			Put: func(context.Context, []byte, int64) error { return nil }})
		for range 2 {
			pieces, err := b.Reserve(t.Context(), 5)
			if err != nil || len(pieces[0]) != 5 || cap(pieces[0]) != 10 {
				t.Fatalf("%v, %v", pieces, err)
			}
			first := &pieces[0][0]
			again, seen[first] = again || seen[first], true
		}
		if err := b.Write(t.Context(), 5); err != nil { // the other is reserved only
			t.Fatal(err)
		}
		b.Stop(errors.New("given up"))
	}
	if !again {
		t.Error("no memory was used again")
	}
	for range 50 {
		if m, ok := pool.Get().(*[]byte); ok && len(*m) != 10 {
			t.Errorf("%d bytes are given back", len(*m))
		}
	}
}

// A waiting write ends with its own context and with the first block that fails. Bytes that were not reserved, or exceed
// the size of the file, are not written.
//
// synctest: late is called only inside the bubble.
func TestBlocksReportFailedWrites(t *testing.T) {
	broken := errors.New("broken")
	late := func(ctx context.Context, _ []byte, _ int64) error {
		time.Sleep(2 * time.Second)
		return broken
	}
	synctest.Test(t, func(t *testing.T) {
		b := NewBlocks(t.Context(), BlockPlan{Name: "x", Size: 50, Block: 10, Senders: 1, Put: late})
		if err := writeBlocks(t.Context(), b, 10); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := writeBlocks(ctx, b, 10); err != context.DeadlineExceeded {
			t.Errorf("a write whose time is over: %v", err)
		}
		if err := writeBlocks(t.Context(), b, 10); err != broken || b.written != 10 {
			t.Errorf("a write that waits for one which fails: %v, %d bytes", err, b.written)
		}
		if err := b.Write(t.Context(), 10); err != broken {
			t.Errorf("a write behind it: %v", err)
		}
		b.Stop(nil)
	})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	b := NewBlocks(t.Context(), BlockPlan{Name: "x", Size: 15, Block: 10,
		Put: func(context.Context, []byte, int64) error { return nil }})
	if err := b.Land(gone); err != context.Canceled {
		t.Errorf("who has left waits: %v", err)
	}
	if err := b.Write(gone, 10); err != context.Canceled {
		t.Errorf("who has left writes: %v", err)
	}
	if err := writeBlocks(t.Context(), b, 10); err != nil {
		t.Fatal(err)
	}
	want := "x: wrote 10 of the 15 bytes that the file was created with"
	if err := b.Complete(); err == nil || err.Error() != want {
		t.Errorf("a file that is not whole: %v", err)
	}
	for _, c := range []struct{ reserved, written int }{{10, 10}, {5, 4}, {4, 5}} {
		b := NewBlocks(t.Context(), BlockPlan{Name: "x", Size: 15, Block: 10, Put: b.plan.Put})
		if err := writeBlocks(t.Context(), b, 10); err != nil {
			t.Fatal(err)
		}
		if _, err := b.Reserve(t.Context(), c.reserved); err != nil {
			t.Fatal(err)
		}
		if err := b.Write(t.Context(), c.written); CauseOf(err) != Other {
			t.Errorf("%d bytes of %d that are reserved: %v", c.written, c.reserved, err)
		}
		b.Stop(nil)
	}
	b = NewBlocks(t.Context(), BlockPlan{Size: 50, Block: 10,
		Put: func(context.Context, []byte, int64) error { return broken }})
	if err := writeBlocks(t.Context(), b, 10); err != broken {
		t.Errorf("a block that fails in its own write: %v", err)
	}
	b.Stop(nil)
}
