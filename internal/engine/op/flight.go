package op

import "sync/atomic"

// flight measures how long a slot has operations in flight. It reads the clock when one begins and when it ends and
// does not use the stamps of attempts, so that the times recorded from those can be checked against it.
type flight struct {
	clock *Clock
	// sum is the time in flight so far, in ns. While an operation is in flight, it is reduced by airborne and by the
	// stamp at which the operation began.
	sum    atomic.Int64
	began  int64 // stamp of the last operation
	before int64 // sum when it began
}

// airborne is more than any time or stamp.
const airborne = 1 << 62

func inFlight(sum int64) bool { return sum < -airborne/2 }

// enter begins an operation. If resume is true, it continues the last one: the time since leave counts.
func (f *flight) enter(resume bool) {
	sum := f.sum.Load()
	if inFlight(sum) {
		return
	}
	from := f.began + sum - f.before
	if !resume {
		from = f.clock.Now()
		f.began, f.before = from, sum
	}
	f.sum.Store(sum - from - airborne)
}

// leave ends the operation that is in flight, if there is one. Any goroutine may call it.
func (f *flight) leave() {
	if sum := f.sum.Load(); inFlight(sum) {
		f.sum.CompareAndSwap(sum, sum+airborne+f.clock.Now()) // if that fails, another call has just ended it
	}
}

// until returns the time in flight up to the stamp now.
func (f *flight) until(now int64) int64 {
	sum := f.sum.Load()
	if inFlight(sum) {
		sum += airborne + now
	}
	return sum
}

// span returns when the last operation, which must have ended, began and ended.
func (f *flight) span() (from, to int64) { return f.began, f.began + f.sum.Load() - f.before }
