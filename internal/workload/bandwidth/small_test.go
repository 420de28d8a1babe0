package bandwidth

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

// allocated is how many bytes of memory a run took in all.
func allocated(t *testing.T, p Plan, policy Policy) (total int64) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.create = time.Second
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		o := execute(t, l, p, policy, nil)
		runtime.ReadMemStats(&after)
		if o.Failure != nil || o.Check.Wrong != 0 || o.Check.Bytes != p.Size*int64(p.Repeat) {
			t.Fatalf("%v, %+v", o.Failure, o.Check)
		}
		total = int64(after.TotalAlloc - before.TotalAlloc)
	})
	return total
}

// perFile is how many bytes of memory each further file of a plan takes.
func perFile(t *testing.T, p Plan, policy Policy) int64 {
	const few, many = 5, 25
	p.Repeat = few
	before := allocated(t, p, policy)
	p.Repeat = many
	return (allocated(t, p, policy) - before) / (many - few)
}

// TestSmallFilesAllocateLittle: a file of 4 KiB is not given memory for a block of 8 MiB, however it is read.
func TestSmallFilesAllocateLittle(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector allocates")
	}
	for _, policy := range []Policy{WholeFile, Random, Prefetch, Vector} {
		p := transferOf()
		p.Size, p.Block = 4*kib, 8<<20
		if got := perFile(t, p, policy); got > 2<<20 { // the record of a second, which a file takes here, has one
			t.Errorf("%s: each file of 4 KiB takes %d KiB of memory", policy, got/kib)
		}
	}
}
