package show

import (
	"fmt"
	"math"
	"time"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// updatesWidth is how many seconds a row of the course has: what was asked for, or what gives a
// run of any length some 20 rows.
func (v *shown) updatesWidth(last int64) int64 {
	if b := v.Options.BucketWidth(); b != report.DefaultBucket {
		return max(1, int64(b/time.Second))
	}
	for _, width := range []int64{1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1800} {
		if last < 20*width {
			return width
		}
	}
	return 3600
}

// stretch is a row of the course.
type stretch struct {
	from, to                time.Duration
	batches, applied, stale float64
	p50, p99                int64 // of the slowest second
	slowest                 int64 // of all
}

// rate is the updates, applied or stale, per second.
func (r *stretch) rate() float64 {
	return (r.applied + r.stale) / max(r.to-r.from, time.Millisecond).Seconds()
}

// appliedCourse is what the server applied over time, and which columns have anything to show.
type appliedCourse struct {
	rows                     []stretch
	highest                  float64 // rate
	stale, p50, p99, slowest bool
}

// courseOf divides the server's seconds into rows of this width.
func (v *shown) courseOf(seconds []rundoc.UpdateSecond, width int64) *appliedCourse {
	last := seconds[len(seconds)-1].Second
	c := &appliedCourse{rows: make([]stretch, last/width+1)}
	for i := range c.rows {
		from := int64(i) * width
		c.rows[i].from, c.rows[i].to = time.Duration(from)*time.Second, time.Duration(from+width)*time.Second
	}
	// The last one ends with the window, or with the second in which the last batch was applied.
	until := min(time.Duration(v.WindowNS), report.LastSecond*time.Second)
	if last >= int64(math.Ceil(until.Seconds())) {
		until = time.Duration(last+1) * time.Second
	}
	end := &c.rows[len(c.rows)-1]
	end.to = min(end.to, until)
	for _, s := range seconds {
		r := &c.rows[s.Second/width]
		r.batches += float64(s.Batches)
		r.applied += float64(s.Applied)
		r.stale += float64(s.Stale)
		r.p50, r.p99 = max(r.p50, s.E2EP50NS), max(r.p99, s.E2EP99NS)
		r.slowest = max(r.slowest, s.E2EMaxNS)
		c.slowest = c.slowest || s.E2EMaxNS != 0
		c.highest = max(c.highest, r.rate())
		c.stale, c.p50, c.p99 = c.stale || s.Stale != 0, c.p50 || s.E2EP50NS != 0, c.p99 || s.E2EP99NS != 0
	}
	return c
}

// applied is the table of what the server applied over time.
func (v *shown) applied() report.Section {
	seconds := windowSeconds(v.detail)
	if len(seconds) == 0 {
		return report.Section{}
	}
	width := v.updatesWidth(seconds[len(seconds)-1].Second)
	c := v.courseOf(seconds, width)
	s := report.Section{
		Title:  fmt.Sprintf("Applied per %s", units.Setting(width*1e9)),
		Tables: []report.Table{report.Ends(c.rows, report.MaxRows, c.columns()...)},
	}
	note := ""
	if c.p50 {
		note = "p50"
		if c.p99 {
			note += " and p99"
		}
		note += ": from intended start, "
		if width > 1 {
			note += "of the slowest second, "
		}
		note += "if a second has enough batches. "
	}
	if p := v.detail.Proof; p != nil && p.Restarted {
		note += "After the restart, times can be off by up to 0.5 s. "
	}
	s.Notes = []string{note + "Seconds are counted from window start; the last can be after its end."}
	return s
}

// columns are those that have anything to show, so many that they have at most 80 columns of text.
func (c *appliedCourse) columns() []report.Column[stretch] {
	columns := []report.Column[stretch]{
		report.Right("from", func(r stretch) string { return units.Clock(r.from) }),
		report.Right("to", func(r stretch) string { return units.ClockEnd(r.to) }),
		report.Right("batches", func(r stretch) string { return units.Number(int64(r.batches)) }).More(),
		report.Right("updates applied", func(r stretch) string { return units.Number(int64(r.applied)) }).Gap(""),
	}
	add := func(shown bool, head string, cell func(r stretch) string) {
		if shown {
			columns = append(columns, report.Right(head, cell).Gap(""))
		}
	}
	add(c.stale, "stale", func(r stretch) string { return units.Number(int64(r.stale)) })
	add(c.p50, "p50", func(r stretch) string { return units.Nonzero(r.p50) })
	add(c.p99, "p99", func(r stretch) string { return units.Nonzero(r.p99) })
	add(c.slowest && !c.p99, "max", func(r stretch) string { return units.Nonzero(r.slowest) })
	return append(columns, report.Bars(func(r stretch) float64 {
		if c.highest <= 0 {
			return 0
		}
		return r.rate() / c.highest
	}))
}

// windowSeconds are the server's seconds that can be shown, in order.
func windowSeconds(d *rundoc.UpdatesDetail) []rundoc.UpdateSecond {
	var list []rundoc.UpdateSecond
	last := int64(-1)
	for _, s := range d.Series {
		if s.Second <= last || s.Second >= report.LastSecond || min(s.Batches, s.Applied, s.Stale) < 0 {
			continue // a document that makes no sense, or a first second by a clock that is off
		}
		last = s.Second
		list = append(list, s)
	}
	return list
}
