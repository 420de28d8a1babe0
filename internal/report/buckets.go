package report

import (
	"io"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/rundoc"
)

// maxBuckets bounds what a document can make a report allocate: 12 days of seconds.
const maxBuckets = 1 << 20

// Bucket is a part of the window and the operations that ended ok in it.
type Bucket struct {
	Start, End time.Time
	Messages   int64
	PerSecond  float64 // Messages ÷ the true length
}

// Buckets divides the window into buckets of this width, in whole seconds (rounded up, at
// least one; wider where there would be more than a million of them). The last is shorter if
// the window is no multiple of the width, and its rate is for its true length; an end shorter
// than a hundredth of the width belongs to the bucket before it, because hardly anything
// happens in it and its rate would say nothing. A document without a window has no buckets.
func Buckets(run *rundoc.Run, width time.Duration) []Bucket {
	window := time.Duration(windowOf(run))
	if window <= 0 {
		return nil
	}
	width = max(1, (width+time.Second-1)/time.Second) * time.Second
	if window/width >= maxBuckets {
		width = (window / maxBuckets).Truncate(time.Second) + time.Second
	}
	count := int64(window / width)
	if rest := window % width; rest >= width/100 || count == 0 {
		count++
	}
	list := make([]Bucket, count)
	start := windowStart(run)
	for i := range list {
		list[i].Start = start.Add(time.Duration(i) * width)
		list[i].End = list[i].Start.Add(width)
	}
	list[count-1].End = start.Add(window)
	for _, p := range run.Series {
		i := time.Duration(p.Second) / (width / time.Second)
		list[max(0, min(int64(i), count-1))].Messages += p.OK
	}
	for i := range list {
		b := &list[i]
		b.PerSecond = float64(b.Messages) / b.End.Sub(b.Start).Seconds()
	}
	return list
}

func windowStart(run *rundoc.Run) time.Time {
	if p := phaseOf(run, rundoc.PhaseWindow); p != nil && !p.Started.IsZero() {
		return p.Started.UTC()
	}
	return run.Started.UTC()
}

// bucketTime is ISO-8601 in UTC with microseconds, as in the samples, always of the same length.
const bucketTime = "2006-01-02T15:04:05.000000Z"

// WriteBuckets writes the buckets as CSV: startTime, endTime (ISO-8601, UTC, the end not
// included), messageCount, messagesPerSecond (three decimals).
func WriteBuckets(w io.Writer, run *rundoc.Run, width time.Duration) error {
	return WriteCSV(w, Buckets(run, width),
		Left("startTime", func(b Bucket) string { return b.Start.Format(bucketTime) }),
		Left("endTime", func(b Bucket) string { return b.End.Format(bucketTime) }),
		Left("messageCount", func(b Bucket) string { return strconv.FormatInt(b.Messages, 10) }),
		Left("messagesPerSecond", func(b Bucket) string { return strconv.FormatFloat(b.PerSecond, 'f', 3, 64) }),
	)
}
