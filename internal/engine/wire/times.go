package wire

import (
	"io"
	"math"
	"sync/atomic"
	"time"
)

// Times converts the kernel's wall-clock stamps to those of a run.
type Times struct {
	now    func() int64 // of the run's clock
	offset func() int64 // what the wall clock has more than the run's
	to     atomic.Pointer[conversion]
	why    atomic.Pointer[string] // of the first socket that could not be stamped
	held   io.Closer              // keeps the kernel stamping; see hold

	skipped atomic.Int64 // for how long the run's clock stood still

	made   atomic.Uint32 // connections
	counts [shards]counts
}

// conversion is how stamps are converted until the next Sync.
type conversion struct {
	offset int64 // wall clock less run's clock
	from   int64 // an earlier stamp may be of before a step of the wall clock
}

const (
	// step is from which change the wall clock was set, not slewed: a slewed one takes the monotonic clock along.
	step = int64(time.Millisecond)
	// longest bounds how long stamps are refused after the wall clock was set back. One of before that can still
	// pass only if it waited in the kernel for longer than this.
	longest = int64(time.Minute)
	// tries is how often the two clocks are read for one offset. The try that took the shortest counts, since
	// whatever came between its two readings is its error; here it has 0.1 µs.
	tries = 8
	// shards keep connections that are read on several processors from writing to the same memory.
	shards = 16
)

// counts says what became of the reads of some connections.
type counts struct {
	used, missing, refused atomic.Int64
	_                      [40]byte // the rest of a cache line
}

// NewTimes makes the conversion for a run whose clock has this epoch, which must have a monotonic reading.
func NewTimes(epoch time.Time) *Times {
	t := &Times{}
	t.begin(
		func() int64 { return int64(time.Since(epoch)) - t.skipped.Load() },
		func() int64 { return offsetNow(epoch) + t.skipped.Load() },
	)
	t.hold()
	return t
}

// Skip says that the run's clock stood still for so long in all, while nothing was received.
func (t *Times) Skip(held time.Duration) {
	t.skipped.Store(int64(held))
	t.Sync()
}

func newTimes(now, offset func() int64) *Times {
	t := &Times{}
	t.begin(now, offset)
	return t
}

func (t *Times) begin(now, offset func() int64) {
	t.now, t.offset = now, offset
	t.to.Store(&conversion{offset: offset(), from: math.MinInt64})
}

// offsetNow reads what the wall clock has more than the time since the epoch.
func offsetNow(epoch time.Time) (offset int64) {
	shortest := time.Duration(math.MaxInt64)
	for range tries {
		before := time.Since(epoch)
		both := time.Now()
		if took := time.Since(epoch) - before; took < shortest {
			shortest, offset = took, both.UnixNano()-int64(both.Sub(epoch))
		}
	}
	return offset
}

// Now is the stamp of this moment.
func (t *Times) Now() int64 { return t.now() }

// Sync takes the offset of the wall clock anew. Until it is called, stamps of after a step of the wall clock are
// wrong by that step: it should be called each second.
func (t *Times) Sync() {
	last := t.to.Load()
	next := &conversion{offset: t.offset(), from: last.from}
	if moved := next.offset - last.offset; moved > step || moved < -step {
		// What came before the step, and is read from now on, seems to be later by as much as the clock was set back.
		next.from = t.now() + min(max(0, -moved), longest)
	}
	t.to.Store(next)
}

// stamp converts a stamp of the kernel's. False says that it may be of before a step of the clock.
func (t *Times) stamp(wall int64) (stamp int64, ok bool) {
	c := t.to.Load()
	stamp = wall - c.offset
	return stamp, stamp > max(c.from, 0)
}

// Seen says why there are no stamps, or "".
func (t *Times) Seen() (why string) {
	if unseen != "" {
		return unseen
	}
	if why := t.why.Load(); why != nil {
		return *why
	}
	if used, missing, _ := t.Counts(); used == 0 && missing > 0 {
		return "the kernel does not provide them"
	}
	return ""
}

// blind notes that a socket cannot be stamped.
func (t *Times) blind(err error) {
	why := err.Error()
	t.why.CompareAndSwap(nil, &why)
}

// Counts tells how many reads gave a stamp, gave none, and gave one that was refused: the wall clock had been set.
func (t *Times) Counts() (used, missing, refused int64) {
	for i := range t.counts {
		c := &t.counts[i]
		used += c.used.Load()
		missing += c.missing.Load()
		refused += c.refused.Load()
	}
	return used, missing, refused
}

// shard is where the next connection counts.
func (t *Times) shard() *counts { return &t.counts[t.made.Add(1)%shards] }
