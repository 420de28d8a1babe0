package backoff

import (
	"context"
	"math/rand/v2"
	"time"
)

// Between are pauses that double from First on, up to Last.
type Between struct{ First, Last time.Duration }

// Longest is the longest pause after the n-th failure in a row, n from 0.
func (b Between) Longest(n int) time.Duration {
	if b.First <= b.Last>>n {
		return b.First << n
	}
	return b.Last
}

// Pause is that of the n-th failure: between half of the longest and all of it, as int64N says,
// which gives numbers from 0 to below its argument.
func (b Between) Pause(n int, int64N func(int64) int64) time.Duration {
	longest := b.Longest(n)
	return longest/2 + time.Duration(int64N(int64(longest/2)+1))
}

// Wait pauses after the n-th failure; false says that ctx ended.
func (b Between) Wait(ctx context.Context, n int) bool { return Sleep(ctx, b.Pause(n, rand.Int64N)) }

// Sleep pauses; false says that ctx ended.
func Sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
