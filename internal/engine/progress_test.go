package engine

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/plan"
)

// told carries out a load and gives what was told of it, in a word each; the same twice in a row is once.
func told(t *testing.T, l *lab, p plan.Load, word func(Progress) string) []string {
	t.Helper()
	var mu sync.Mutex
	var all []string
	runWith(t, Config{Load: p, Workload: l, Progress: func(p Progress) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, word(p))
	}}, nil)
	mu.Lock()
	defer mu.Unlock()
	return slices.Compact(all)
}

// Those who watch know in which phase a run is, from connecting to the drain.
func TestProgressReportsThePhase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.connect = 600 * time.Millisecond
		l.service = func(uint64, time.Duration) time.Duration { return 800 * time.Millisecond }
		p := load()
		p.Clients, p.Ramp, p.WarmupClients, p.WarmupTime = 3, 2*time.Second, 2, 2*time.Second
		got := told(t, l, p, func(p Progress) string { return p.Phase })
		want := []string{"connect", "warm-up", "drain", "ending", "connect", "ramp", "window", "drain", "ending"}
		// The news that are late give way to later ones, such as those of an end that follows at once.
		got = slices.DeleteFunc(got, func(s string) bool { return s == "ending" })
		want = slices.DeleteFunc(want, func(s string) bool { return s == "ending" })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// Without a length in time it follows from the number of operations: 12.5 a second of each of two clients, of 200. Half
// of them fail, and are over as well. A warm-up, of 25 here, is not a part of a whole whose length is not known.
func TestProgressByOperations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.service = func(uint64, time.Duration) time.Duration { return 80 * time.Millisecond }
		l.fail = func(index uint64, _ int) *op.Failure {
			if index%2 == 0 {
				return nil
			}
			return &op.Failure{Cause: "rejected"}
		}
		p := load()
		p.Duration, p.Operations, p.Retry.Max = 0, 225, 0
		p.WarmupClients, p.WarmupTime = 1, 2*time.Second
		got := told(t, l, p, func(p Progress) string {
			if p.Phase != "window" {
				return ""
			}
			return fmt.Sprintf("%.0f%% %v %v", 100*p.Done, p.Left.Round(100*time.Millisecond), p.About)
		})
		got = slices.DeleteFunc(got, func(s string) bool { return s == "" })
		want := []string{"-100% 0s false", "15% 7.1s true", "28% 5.8s true", "40% 4.9s true", "53% 3.8s true",
			"65% 2.8s true", "78% 1.8s true", "90% 800ms true"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// Clients that connect are counted.
func TestProgressOfConnecting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLab()
		l.connect = 1100 * time.Millisecond
		p := load()
		p.Clients, p.Duration = 100, time.Second
		got := told(t, l, p, func(p Progress) string {
			if p.Clients == 0 {
				return ""
			}
			return fmt.Sprintf("%d of %d, %.2f", p.Connected, p.Clients, p.Done)
		})
		got = slices.DeleteFunc(got, func(s string) bool { return s == "" })
		want := []string{"0 of 100, -1.00", "1 of 100, 0.01", "65 of 100, 0.65"} // one goes ahead, and then 64 at once
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}
