package store

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// Stage is a part of an attempt's time; one begins where the one before it ends.
type Stage int

// The stages, and all of them together.
const (
	StageSetup   Stage = iota // until there was a connection
	StageSend                 // until the request was written
	StageWait                 // until the answer began
	StageReceive              // until its end
	StageWhole
	Stages // how many there are
)

// Times are the times of many attempts.
type Times struct {
	Histogram     *hdrhistogram.Histogram // nil: there are none; an attempt longer than the highest value counts as that
	Min, Max, Sum time.Duration
}

// longestTime is what a histogram tells apart at most: an hour.
const longestTime = time.Hour

func (t *Times) add(took time.Duration) {
	if t.Histogram == nil {
		t.Histogram, t.Min = hdrhistogram.New(1, int64(longestTime), 3), took
	}
	// Within the bounds of the histogram it never fails.
	_ = t.Histogram.RecordValue(int64(min(max(took, 0), longestTime)))
	t.Min, t.Max, t.Sum = min(t.Min, took), max(t.Max, took), t.Sum+took
}

// clone is a copy that does not change.
func (t Times) clone() Times {
	if t.Histogram != nil {
		t.Histogram = hdrhistogram.Import(t.Histogram.Export())
	}
	return t
}
