package kv

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/delta"
	"github.com/plimsoll/plimsoll/internal/kvapi"
)

// Whoever makes up runs does not make the server forget what a real one measures, nor is a new
// run turned away for the sake of old ones.
func TestInventedRunsDoNotEvictRealOnes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRegistry(func(delta.Publisher) uint32 { return 0 })
		live := delta.Publisher{Run: 1 << 60}
		publish := func(id delta.Publisher, n int) {
			for range n {
				r.release(r.use(id))
			}
		}
		for range 3 { // its batches alone show that it goes on
			publish(live, 1)
			time.Sleep(lively - time.Second)
		}
		for i := range uint64(2 * maxRuns) {
			r.register(i, kvapi.Registration{})
		}
		for i := range uint64(2 * keptTimes) {
			publish(delta.Publisher{Run: 1<<50 + i}, 1)
		}
		if n, publishers, times := r.find(live.Run); n == nil || len(publishers) != 1 || times == nil {
			t.Errorf("forgotten: %v, %d publishers, times %v", n, len(publishers), times)
		}
		// One that only asks, because it waits for what is missing, goes on.
		time.Sleep(lively - time.Second)
		r.find(live.Run)
		time.Sleep(2 * time.Second)
		for i := range uint64(2 * keptTimes) {
			r.register(1<<51+i, kvapi.Registration{})
		}
		if _, _, times := r.find(live.Run); times == nil {
			t.Error("a run that waits has lost its times")
		}
		// Runs that are over make room, however large they were.
		time.Sleep(lively + time.Second)
		for i := range uint64(keptTimes) {
			publish(delta.Publisher{Run: 1<<40 + i}, 10)
			time.Sleep(lively + time.Second)
			if _, _, times := r.find(1<<40 + i); times == nil {
				t.Errorf("run %d has no times", i)
			}
		}
		if _, _, times := r.find(live.Run); times != nil {
			t.Error("an old run holds times")
		}
	})
}
