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

// TestBlocksInOrder: without senders and with one, blocks are put in their order; with several, no
// more than those at a time; and all of them before Land returns.
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

// TestBlocksFail: the first failure ends the others, and is what everyone is told.
func TestBlocksFail(t *testing.T) {
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

// TestBlocksEnd: a context that ends lets nobody wait, and what was not reserved is not written.
func TestBlocksEnd(t *testing.T) {
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
