package samples

import (
	"cmp"
	"context"
	"io"
	"maps"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/hlog"
)

const (
	// kept is how many intervals of a second are kept at once. Rows are written when their operation has ended, and
	// belong to the second in which it began: one that took longer is counted in the oldest that is kept.
	kept = 120
	// highest is the highest time that can be told from others, in ns: three hours.
	highest = 3 * 3600 * int64(time.Second)
)

// logging makes a log of rows.
type logging struct {
	at struct{ timestamp, operation, time, status, phase int }

	out       io.Writer
	log       *hlog.Writer // nil before the first interval
	began     int64        // when that begins, in s since 1970
	tags      hlog.Tags
	intervals []interval
	left      int64
	all       *hdrhistogram.Histogram // the one that is written
}

// interval is a second, or all of it where rows have no time.
type interval struct {
	second int64 // since 1970
	length time.Duration
	times  map[string]counts // by tag
}

// counts are how many times there are of each value: a histogram takes 280 KB, however few it has.
type counts map[int64]int64

// ToLog writes the response times of a file of samples as HdrHistogram's log: by the name of the operation, an interval
// for each second in which some began. Those are in it that are in a run's response times: of operations that ended ok,
// that were unfinished, and that failed because no answer came in time, of the window alone.
func ToLog(ctx context.Context, r *Reader, file string, out io.Writer) (w Written, err error) {
	l := &logging{out: out, all: hdrhistogram.New(1, highest, 3)}
	l.at.timestamp, l.at.operation = place(r.Columns, timestamp), place(r.Columns, operation)
	l.at.time, l.at.status = place(r.Columns, responseTime), place(r.Columns, status)
	l.at.phase = place(r.Columns, phase)
	if l.at.time < 0 {
		l.at.time = place(r.Columns, duration)
	}
	if l.at.time < 0 || l.at.operation < 0 {
		return Written{}, fault.New(fault.Usage, "%s:1: the column for response times or the one for operations is "+
			"missing", file).
			Hint("use the unmodified CSV file of --samples, or of bandwidth --csv")
	}
	w, err = each(ctx, r, l.add)
	if err != nil {
		return Written{}, err
	}
	for len(l.intervals) > 0 {
		l.write()
	}
	if l.log == nil { // no row is one of the response times
		l.begin(0)
	}
	w.Left = l.left
	return w, l.log.Err()
}

// begin begins the log at the second of its first interval: the rows come in the order in which operations ended, so
// that only then it is known.
func (l *logging) begin(second int64) {
	l.began = second
	l.log = hlog.NewWriter(l.out, time.Unix(second, 0))
	l.log.Comment("Values: response times in ns, by the second in which the operations started")
	l.log.Legend()
}

// responded reports whether an operation that ended so is one of a run's response times.
func responded(status []byte) bool {
	s := string(status)
	return s == "ok" || s == "unfinished" || s == "timeout" || strings.HasSuffix(s, "-timeout")
}

func (l *logging) add(row []Value) error {
	if l.at.status >= 0 && !responded(row[l.at.status].Text) ||
		l.at.phase >= 0 && string(row[l.at.phase].Text) != "window" {
		l.left++
		return nil
	}
	of := l.of(row)
	tag := l.tags.Of(string(row[l.at.operation].Text))
	times := of.times[tag]
	if times == nil {
		times = counts{}
		of.times[tag] = times
	}
	// What no run can have is counted as the highest or the lowest there is.
	times[alike(min(max(row[l.at.time].Number, 0), highest))]++
	if l.log == nil {
		return nil
	}
	return l.log.Err()
}

// alike is the lowest of the values that a histogram of three digits does not tell from this one.
func alike(v int64) int64 {
	const digits = 11 // bits: 2,048 values are told from each other
	shift := max(0, bits.Len64(uint64(v))-digits)
	return v >> shift << shift
}

// of is the interval to which a row belongs, or the oldest that is kept where that was written already.
func (l *logging) of(row []Value) *interval {
	var second int64
	var length time.Duration
	if l.at.timestamp >= 0 {
		second, length = row[l.at.timestamp].Number/1e6, time.Second
	}
	i, found := slices.BinarySearchFunc(l.intervals, second, func(v interval, s int64) int {
		return cmp.Compare(v.second, s)
	})
	if found {
		return &l.intervals[i]
	}
	if i == 0 && len(l.intervals) == kept {
		return &l.intervals[0]
	}
	l.intervals = slices.Insert(l.intervals, i, interval{second, length, map[string]counts{}})
	if len(l.intervals) <= kept {
		return &l.intervals[i]
	}
	l.write()
	return &l.intervals[i-1]
}

// write writes the oldest interval.
func (l *logging) write() {
	oldest := &l.intervals[0]
	if l.log == nil {
		l.begin(oldest.second)
	}
	for _, tag := range slices.Sorted(maps.Keys(oldest.times)) {
		l.all.Reset()
		for value, n := range oldest.times[tag] {
			_ = l.all.RecordValues(value, n) // none is above the highest
		}
		l.log.Histogram(tag, time.Duration(oldest.second-l.began)*time.Second, oldest.length, l.all)
	}
	l.intervals = slices.Delete(l.intervals, 0, 1)
}
