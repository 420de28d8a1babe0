package hlog

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/rundoc"
)

// OverTime is the tag of the intervals that are slices of the window. Their times are within 3 %.
const OverTime = "over-time"

// ErrNothing says that a document has no response time.
var ErrNothing = errors.New("the run has no response times")

// Document writes the response times of a run's window as a log: without a tag those of all operations together, where
// they are samples of one thing; by each operation's name those of the operation; and with the tag OverTime an interval
// for each slice of the window, where the document has them and there are some without a tag.
func Document(out io.Writer, doc *rundoc.Run) error {
	began, length := window(doc)
	w := NewWriter(out, began)
	w.Comment("Run: " + doc.ID + ", " + doc.Workload)
	w.Comment("Values: response times in ns, in the measurement window")
	w.Legend()
	total, err := doc.Totals()
	if err != nil {
		return fmt.Errorf("cannot decode a histogram: %w", err)
	}
	if total.ResponseTime.Count == 0 {
		return ErrNothing
	}
	alike := doc.Total != nil && doc.Total.ResponseTime != nil
	if alike {
		w.Interval("", 0, length, total.ResponseTime.MaxNS, total.ResponseTime.HDR)
	}
	var tags Tags
	tags.Of(OverTime) // no operation has it
	for i := range doc.Operations {
		if o := &doc.Operations[i]; o.ResponseTime.Count > 0 {
			w.Interval(tags.Of(nameOf(o)), 0, length, o.ResponseTime.MaxNS, o.ResponseTime.HDR)
		}
	}
	for i := range doc.Slices {
		if !alike {
			break // a percentile of all of them would be of nothing
		}
		s := &doc.Slices[i]
		h, err := s.ResponseTime.Histogram()
		if err != nil {
			return fmt.Errorf("slice %d: %w", i+1, err)
		}
		if h != nil {
			w.Interval(OverTime, seconds(s.FromS), seconds(s.Seconds), h.Max(), s.ResponseTime.HDR)
		}
	}
	return w.Err()
}

func seconds(n int64) time.Duration { return time.Duration(n) * time.Second }

// window is when the measurement window began, and how long it was.
func window(doc *rundoc.Run) (began time.Time, length time.Duration) {
	for i := range doc.Phases {
		if p := &doc.Phases[i]; p.Name == rundoc.PhaseWindow {
			return p.Started, time.Duration(p.DurationNS)
		}
	}
	return doc.Started, max(0, doc.Ended.Sub(doc.Started))
}

// nameOf is an operation with its labels: read{service=S3}.
func nameOf(o *rundoc.Operation) string {
	if len(o.Labels) == 0 {
		return o.Name
	}
	var labels []string
	for _, key := range slices.Sorted(maps.Keys(o.Labels)) {
		labels = append(labels, key+"="+o.Labels[key])
	}
	return o.Name + "{" + strings.Join(labels, ";") + "}"
}
