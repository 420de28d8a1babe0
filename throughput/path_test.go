package throughput

import (
	"testing"
	"testing/synctest"
	"time"
)

// What a connection said of its path counts for five minutes.
func TestLeastRTTCountsForAWhile(t *testing.T) {
	for after, want := range map[time.Duration]time.Duration{5 * time.Minute: 6 * milli, 5*time.Minute + 1: 9 * milli} {
		synctest.Test(t, func(t *testing.T) {
			var all paths
			one, other := &watch{}, &watch{}
			one.path, one.port = all.of(remote{from: ":1", to: "192.0.2.1:80"})
			other.path, other.port = all.of(remote{from: ":2", to: "192.0.2.1:80"})
			one.leastRTT(3 * milli)
			time.Sleep(after)
			if got, off := other.leastRTT(9 * milli); got != want || off != 9*milli-want {
				t.Errorf("after %v: %v ± %v instead of %v", after, got, off, want)
			}
		})
	}
}

// What two connections have seen stays known when one of them says it again, down to the least time.
func TestLeastRTTSaidAgain(t *testing.T) {
	type said struct {
		from      string
		own       time.Duration
		want, off time.Duration
	}
	for i, all := range [][]said{
		{{":1", 3 * milli, 3 * milli, 0}, {":2", 5 * milli, 4 * milli, milli}, {":1", 3 * milli, 3 * milli, 0},
			{":3", 9 * milli, 4 * milli, milli}},
		{{":1", 3 * milli, 3 * milli, 0}, {":2", 5 * milli, 4 * milli, milli}, {":1", 9 * milli, 7 * milli, 2 * milli},
			{":3", 9 * milli, 7 * milli, 2 * milli}},
		{{":1", 1, 1, 0}, {":2", 1, 1, 0}, {":3", 5, 1, 0}},
		// Of as many as say the same, the first two count.
		{{":1", 3, 3, 0}, {":2", 3, 3, 0}, {":3", 3, 3, 0}, {":1", 9, 6, 3}, {":2", 9, 9, 0}},
	} {
		var known paths
		for j, c := range all {
			w := &watch{}
			w.path, w.port = known.of(remote{from: c.from, to: "192.0.2.1:80"})
			if got, off := w.leastRTT(c.own); got != c.want || off != c.off {
				t.Errorf("%d, %d: %v ± %v instead of %v ± %v", i, j, got, off, c.want, c.off)
			}
		}
	}
}
