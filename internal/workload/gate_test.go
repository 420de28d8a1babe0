package workload

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// Nobody passes the gate before all have come, and the last one's function was run; nobody stays when
// the run is over.
func TestGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g, over := NewGate(3), make(chan struct{})
		var passed, left, run atomic.Int64
		come := func(number int64) {
			if !g.Pass(over, func() { run.Add(number) }) {
				left.Add(1)
			} else if run.Load() == 0 {
				t.Error("passed before the last one's function was run")
			} else {
				passed.Add(1)
			}
		}
		for round := range int64(2) { // it closes again
			for number := range int64(3) {
				if passed.Load() != 3*round || run.Load() != 2*round {
					t.Fatalf("round %d: %d passed before the last one of three came; functions %d",
						round, passed.Load(), run.Load())
				}
				go come(number)
				synctest.Wait()
			}
		}
		go come(1)
		synctest.Wait()
		close(over)
		synctest.Wait()
		if passed.Load() != 6 || left.Load() != 1 || run.Load() != 4 {
			t.Errorf("%d passed, %d left; functions %d", passed.Load(), left.Load(), run.Load())
		}
	})
}
