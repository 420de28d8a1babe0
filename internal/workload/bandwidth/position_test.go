package bandwidth

import (
	"testing"
	"time"
)

// How far a run is follows from the bytes where it has a number of iterations, from the time where that ends it, and
// is not made up when neither does.
func TestFar(t *testing.T) {
	const gone = 4 * time.Second
	for name, tt := range map[string]struct {
		plan  Plan
		moved int64
		done  float64
		left  time.Duration
	}{
		"nothing yet":       {Plan{Size: 1000, Streams: 2, Repeat: 1}, 0, -1, -1},
		"by bytes":          {Plan{Size: 1000, Streams: 2, Repeat: 2}, 2000, 0.25, 12 * time.Second},
		"one way":           {Plan{Size: 1000, Streams: 2, Repeat: 2, Only: OnlyDownload}, 2000, 0.5, 4 * time.Second},
		"all":               {Plan{Size: 1000, Streams: 1, Repeat: 1}, 2000, 1, 0},
		"by time":           {Plan{Size: 1000, Streams: 1, Duration: 10 * time.Second}, 700, 0.4, 6 * time.Second},
		"time is over":      {Plan{Size: 1000, Streams: 1, Duration: 3 * time.Second}, 3200, -1, -1},
		"and nothing moved": {Plan{Size: 1000, Streams: 1, Duration: 3 * time.Second}, 0, -1, -1},
		"by what is nearer": {Plan{Size: 1000, Streams: 1, Repeat: 1, Duration: 10 * time.Second}, 1600, 0.8, time.Second},
	} {
		b := &Bandwidth{Config: Config{Plan: tt.plan}, whole: eachOf(&tt.plan) * float64(tt.plan.Repeat)}
		b.moved.Store(tt.moved)
		if done, left := b.far(gone); done != tt.done || left.Round(time.Millisecond) != tt.left && left != tt.left {
			t.Errorf("%s: %v done, %v left, want %v and %v", name, done, left, tt.done, tt.left)
		}
	}
}

// The progress line has the phase, the bytes that were moved, and those of the whole where that is known.
func TestPositionHasBytes(t *testing.T) {
	for name, tt := range map[string]struct {
		plan         Plan
		phase, count string
	}{
		"one iteration":  {Plan{Size: 1 << 30, Streams: 2, Repeat: 1}, "download", "1.50 GiB of 4.00 GiB"},
		"several":        {Plan{Size: 1 << 30, Streams: 2, Repeat: 3}, "download 1/3", "1.50 GiB of 12.0 GiB"},
		"until a moment": {Plan{Size: 1 << 30, Streams: 2, Duration: time.Hour}, "download", "1.50 GiB"},
	} {
		r := &oneRun{work: &Bandwidth{Config: Config{Plan: tt.plan}}}
		r.work.Begin()
		r.work.moved.Store(3 << 29)
		r.work.at.Store(int32(read))
		if l := r.position(); l.Phase != tt.phase || l.Count != tt.count {
			t.Errorf("%s: %q, %q, want %q, %q", name, l.Phase, l.Count, tt.phase, tt.count)
		}
	}
}

func TestEachStepHasAPhase(t *testing.T) {
	if len(phases) != len(kinds) {
		t.Fatalf("%d phases of %d steps", len(phases), len(kinds))
	}
	for i, p := range phases {
		if p == "" {
			t.Errorf("%s is in no phase", kinds[i])
		}
	}
}
