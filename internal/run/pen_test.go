package run

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// A terminal that takes something again, when what went on is over, lets go one who asks; the next stage has another.
func TestViewAsksAStageOnce(t *testing.T) {
	for range 20 { // which of two things goes on that can is chance
		synctest.Test(t, func(t *testing.T) {
			v, s := terminal(60)
			s.held = make(chan struct{})
			end := v.Begin("before", nil)
			sleep(1300 * time.Millisecond)
			end()
			var asking atomic.Int32
			end = v.Begin("after", func() Live {
				if asking.Add(1) > 1 {
					t.Error("two ask a stage at the same time")
				}
				time.Sleep(10 * time.Millisecond)
				asking.Add(-1)
				return Live{Done: -1, Left: -1}
			})
			sleep(1300 * time.Millisecond)
			s.release()
			sleep(time.Second)
			end()
			sleep(time.Second)
		})
	}
}
