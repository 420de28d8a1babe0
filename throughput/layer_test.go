package throughput

import (
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// The queue of a socket below a layer that has a queue of its own says nothing while less was acknowledged than
// the body has.
func TestQueueAboveTheSocket(t *testing.T) {
	for acked, want := range map[int64]bool{300_100: true, 299_900: false} {
		synctest.Test(t, func(t *testing.T) {
			got := carried(t, 300_000, func(n int64) look {
				if n == 1 {
					return look{acked: 1000, minRTT: time.Microsecond}
				}
				return look{queue: max(50_000-n*10_000, 0), acked: 1000 + acked, minRTT: time.Microsecond}
			}, func(body io.Reader) io.Reader { return body })
			if got.Drained.Happened() != want {
				t.Errorf("%d acknowledged: %s %+v", acked, got.WriteQuality(), got)
			}
		})
	}
}
