package wire

import (
	"testing"
	"time"
)

const second = int64(time.Second)

// clocks are a run's clock and a wall clock that can be set.
type clocks struct{ run, ahead int64 }

func (c *clocks) wall() int64 { return c.run + c.ahead }

func (c *clocks) times() *Times {
	return newTimes(func() int64 { return c.run }, func() int64 { return c.ahead })
}

func TestStampsUseTheClockOfTheRun(t *testing.T) {
	c := &clocks{run: 5 * second, ahead: 1_700_000_000 * second}
	times := c.times()
	for range 10 {
		c.run += second
		c.ahead += step // as much as may be slewed
		wall := c.wall()
		times.Sync()
		if stamp, ok := times.stamp(wall); stamp != c.run || !ok {
			t.Fatalf("a segment that came at %d has the stamp %d, %v", c.run, stamp, ok)
		}
	}
	if stamp, ok := times.stamp(c.wall() - c.run); ok {
		t.Errorf("one that came at the epoch has the stamp %d", stamp)
	}
}

// TestStampsBeforeAClockStepAreRefused receives segments before and after the wall clock was set, and reads all of them
// after the next Sync.
func TestStampsBeforeAClockStepAreRefused(t *testing.T) {
	for name, set := range map[string]int64{
		"a little ahead": 2e6, "ahead": 3600 * second, "a little back": -2e6, "back": -7 * second,
		"far back": -3600 * second,
	} {
		t.Run(name, func(t *testing.T) {
			c := &clocks{run: second, ahead: 1_700_000_000 * second}
			times := c.times()
			var before []int64
			for range 1000 {
				c.run += 1e6
				before = append(before, c.wall())
			}
			c.ahead += set
			c.run += second / 2
			times.Sync()
			synced := c.run
			c.run += 10 * second // they are read late
			for _, wall := range before {
				if stamp, ok := times.stamp(wall); ok && stamp <= c.run {
					t.Fatalf("%d ns before the read, %d after Sync", c.run-stamp, stamp-synced)
				}
			}
			c.run = synced + min(max(0, -set), longest)
			if _, ok := times.stamp(c.wall()); ok {
				t.Error("the last doubtful stamp passes")
			}
			c.run++
			if stamp, ok := times.stamp(c.wall()); stamp != c.run || !ok {
				t.Errorf("what surely came after the step, at %d, has the stamp %d, %v", c.run, stamp, ok)
			}
			times.Sync() // the clock was not set again
			if stamp, ok := times.stamp(c.wall()); stamp != c.run || !ok {
				t.Errorf("after another Sync, %d has the stamp %d, %v", c.run, stamp, ok)
			}
		})
	}
}

func TestReasonForMissingStamps(t *testing.T) {
	times := new(clocks).times()
	if why := times.Seen(); why != unseen {
		t.Errorf("before anything was read: %q", why)
	}
	times.shard().missing.Add(3)
	if why := times.Seen(); why == "" {
		t.Error("no read gave a stamp, and nothing is said of it")
	}
	times.shard().used.Add(2)
	times.shard().refused.Add(1)
	if why := times.Seen(); why != unseen {
		t.Errorf("some reads gave a stamp: %q", why)
	}
	if used, missing, refused := times.Counts(); used != 2 || missing != 3 || refused != 1 {
		t.Errorf("%d used, %d missing, %d refused", used, missing, refused)
	}
}
