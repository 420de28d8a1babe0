package report

import (
	"fmt"
	"time"
)

// maxRows is how many buckets a report lists; of more, it shows the first and last half.
const maxRows = 40

// throughput is the course of the throughput.
func (v *view) throughput() section {
	s := section{title: "Throughput per " + setting(int64(v.opt.bucket()))}
	list := Buckets(v.run, v.opt.bucket())
	if len(list) == 0 || len(v.run.Series) == 0 {
		return section{}
	}
	t := table{columns: columnsOf("from", "to", v.words.many, v.words.short+"/s", "|")}
	highest := 0.0
	for _, b := range list {
		highest = max(highest, b.PerSecond)
	}
	start := list[0].Start
	for i, b := range list {
		if len(list) > maxRows && i == maxRows/2 {
			t.add("…", "…", fmt.Sprintf("(%d more)", len(list)-maxRows), "…", "")
		}
		if len(list) > maxRows && i >= maxRows/2 && i < len(list)-maxRows/2 {
			continue
		}
		share := 0.0
		if highest > 0 {
			share = b.PerSecond / highest
		}
		t.add(clock(b.Start.Sub(start)), end(b.End.Sub(start)), number(b.Messages), perSecond(b.PerSecond), bar(share))
	}
	s.tables = []table{t}
	if v.interval.Absent != "" {
		s.notes = []string{"No ± is given for the throughput: " + v.interval.Absent + "."}
	} else {
		s.notes = []string{fmt.Sprintf("%s ± %s is the 95 %% confidence interval of the mean from %d full seconds, "+
			"worth %s independent ones.", v.words.rate(v.total.RatePerS), perSecond(v.interval.Half),
			v.interval.Seconds, digits3(v.interval.Effective))}
	}
	return s
}

// end is a clock time that shows parts of a second if there are any.
func end(d time.Duration) string {
	whole := d.Truncate(time.Second)
	if part := (d - whole).Round(10 * time.Millisecond); part > 0 && part < time.Second {
		return clock(whole) + fmt.Sprintf("%.2f", part.Seconds())[1:]
	}
	return clock(d)
}
