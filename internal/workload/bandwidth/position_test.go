package bandwidth

import (
	"testing"
	"time"
)

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
