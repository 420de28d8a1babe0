package report

import (
	"io"
	"slices"
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
	Offered    int64   // operations that were due in it
}

// Buckets divides the window into buckets of this width, in whole seconds (rounded up, at
// least one; wider where there would be more than a million of them, or where the document has
// points of several seconds). The last is shorter if
// the window is no multiple of the width, and its rate is for its true length; an end shorter
// than a hundredth of the width belongs to the bucket before it, because hardly anything
// happens in it and its rate would say nothing. A document without a window has no buckets.
func Buckets(run *rundoc.Run, width time.Duration) []Bucket {
	window := time.Duration(windowOf(run))
	if window <= 0 {
		return nil
	}
	width = bucketWidth(run, width)
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
		b := &list[max(0, min(int64(i), count-1))]
		b.Messages += p.OK
		if p.Offered != nil {
			b.Offered += *p.Offered
		}
	}
	for i := range list {
		b := &list[i]
		b.PerSecond = float64(b.Messages) / b.End.Sub(b.Start).Seconds()
	}
	return list
}

// bucketWidth is the width that buckets of a run have when this one is asked for.
func bucketWidth(run *rundoc.Run, width time.Duration) time.Duration {
	window := windowOf(run)
	width = max(1, (width+time.Second-1)/time.Second) * time.Second
	if time.Duration(window)/width >= maxBuckets {
		width = (time.Duration(window) / maxBuckets).Truncate(time.Second) + time.Second
	}
	points := time.Duration(min(rundoc.PointSeconds(run.Series), window/1e9+1)) * time.Second
	return (width + points - 1) / points * points
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
// included), messageCount, messagesPerSecond (three decimals), and offered, which are the operations
// that were due in the bucket: an empty cell where the document does not tell.
func WriteBuckets(w io.Writer, run *rundoc.Run, width time.Duration) error {
	told := len(run.Series) > 0 && !slices.ContainsFunc(run.Series, func(p rundoc.Point) bool { return p.Offered == nil })
	return WriteCSV(w, Buckets(run, width),
		Left("startTime", func(b Bucket) string { return b.Start.Format(bucketTime) }),
		Left("endTime", func(b Bucket) string { return b.End.Format(bucketTime) }),
		Left("messageCount", func(b Bucket) string { return strconv.FormatInt(b.Messages, 10) }),
		Left("messagesPerSecond", func(b Bucket) string { return strconv.FormatFloat(b.PerSecond, 'f', 3, 64) }),
		Left("offered", func(b Bucket) string {
			if !told {
				return ""
			}
			return strconv.FormatInt(b.Offered, 10)
		}),
	)
}
