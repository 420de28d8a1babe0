package report

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/rundoc"
)

// fact is one line of the answer, which a reader sees first.
type fact struct {
	key    string
	value  string
	strong bool
	points []string // sentences below the value
}

// heading says what was run: against what, and how.
func (v *view) heading() (title, subtitle string) {
	title = "Plimsoll " + clean(v.run.Workload)
	if v.run.Workload == "" {
		title = "Plimsoll run"
	}
	if url := clean(v.run.Target.URL); url != "" {
		title += " · " + url
	}
	if v.run.Target.Embedded {
		title += " (embedded target)"
	}
	switch {
	case v.bandwidth != nil:
		return title, v.bandwidthHeading()
	case v.overhead != nil:
		return title, v.overheadHeading()
	case v.updates != nil:
		return title, v.updatesHeading()
	}
	model := "closed model"
	if v.open {
		model = "open model"
	}
	parts := []string{model}
	if n := v.run.Ledger.Clients; n > 0 {
		parts = []string{some(int64(n), "client", "clients"), model}
	}
	if v.windowNS > 0 {
		parts = append(parts, "window "+length(v.windowNS))
	}
	if v.run.Interrupted {
		parts = append(parts, "interrupted")
	}
	return title, strings.Join(append(parts, utc(v.run.Started)), " · ")
}

// answer says how fast, how slow was the slow end, what failed and why, and whether it can
// be believed.
func (v *view) answer() []fact {
	switch {
	case v.bandwidth != nil:
		return v.bandwidthAnswer()
	case v.overhead != nil:
		return v.overheadAnswer()
	case v.updates != nil:
		return v.updatesAnswer()
	}
	return []fact{
		{key: "Throughput", value: v.throughputAnswer(), strong: true},
		{key: "Response time", value: v.responseAnswer(), strong: true},
		{key: capital(v.words.many), value: v.countsAnswer()},
		v.failuresAnswer(),
		v.verdictAnswer(),
		v.warningsAnswer(),
	}
}

func (v *view) throughputAnswer() string {
	if v.windowNS <= 0 {
		return dash + " (the document has no window)"
	}
	s := v.words.rate(v.total.RatePerS)
	if v.interval.Absent == "" {
		s += " ± " + perSecond(v.interval.Half)
	}
	if v.open {
		s += ", of " + v.words.rate(float64(v.total.Scheduled)/(float64(v.windowNS)/1e9)) + " scheduled"
	}
	if v.total.BytesPerS > 0 {
		s += ", " + size(int64(v.total.BytesPerS)) + "/s"
	}
	return s
}

func (v *view) responseAnswer() string {
	r := &v.total.ResponseTime
	switch {
	case r.Count == 0:
		return dash + " (no " + v.words.one + " was answered with success)"
	case r.P50NS == nil:
		return fmt.Sprintf("min %s · mean %s · max %s", duration(r.MinNS), duration(r.MeanNS), duration(r.MaxNS))
	}
	parts := []string{"p50 " + duration(*r.P50NS)}
	slow := ""
	for _, p := range percentiles(r) {
		if p.value != nil && (p.name == "p90" || p.name == "p95") {
			slow = p.name + " " + duration(*p.value)
		}
	}
	if r.P99NS != nil {
		slow = "p99 " + duration(*r.P99NS)
	}
	if slow != "" {
		parts = append(parts, slow)
	}
	if r.P999NS != nil {
		parts = append(parts, "p99.9 "+duration(*r.P999NS))
	}
	return strings.Join(append(parts, "max "+duration(r.MaxNS)), " · ")
}

func (v *view) countsAnswer() string {
	t := &v.total
	return fmt.Sprintf("%s ok · %s failed · %s unsent · %s unfinished",
		number(t.OK), number(t.Failed), number(t.Unsent), number(t.Unfinished))
}

func (v *view) failuresAnswer() fact {
	t := &v.total
	var reconnects int64
	for _, c := range v.run.Connections.Reconnects {
		reconnects += c.Count
	}
	f := fact{key: "Failures", value: "none, and no retries"}
	if t.Failed+t.Retries+reconnects+int64(len(t.Causes)) == 0 {
		return f
	}
	f.value = fmt.Sprintf("%s failed · %s · %s", shareOf(float64(t.Failed), float64(t.Scheduled)),
		some(t.Retries, "retry", "retries"), some(reconnects, "reconnect", "reconnects"))
	if len(t.Causes) == 0 {
		return f
	}
	const most = 5
	var causes []string
	for i, c := range t.Causes {
		if i == most {
			causes = append(causes, fmt.Sprintf("%d more causes", len(t.Causes)-most))
			break
		}
		causes = append(causes, cause(c.Cause)+" "+number(c.Count))
	}
	f.points = []string{"failed attempts by cause: " + strings.Join(causes, ", ")}
	return f
}

func (v *view) verdictAnswer() fact {
	f := fact{key: "Verdict", strong: true, value: strings.ToUpper(clean(string(v.verdict.Validity)))}
	switch v.verdict.Validity {
	case rundoc.Valid:
		f.value += ": nothing found that puts these figures in doubt"
	case rundoc.Suspect:
		f.value += ": believe these figures with care"
	case rundoc.Invalid:
		f.value += ": do not use these figures"
	}
	for _, reason := range v.verdict.Reasons {
		f.points = append(f.points, clean(reason))
	}
	return f
}

func (v *view) warningsAnswer() fact {
	f := fact{key: "Note"}
	for _, w := range v.run.Warnings {
		if v.bandwidth != nil && w.Code == rundoc.WarnChecksum {
			continue // the answer says it
		}
		f.points = append(f.points, clean(w.Message))
	}
	if note := v.unsteady(); note != "" {
		f.points = append(f.points, note)
	}
	return f
}

// maxHalf is how wide the throughput's interval may be, to either side, as a share of it.
const maxHalf = 0.2

// unsteady is a note on a throughput that hardly says anything, or "". Stages change it on
// purpose.
func (v *view) unsteady() string {
	share := v.interval.Half / v.total.RatePerS
	if v.bandwidth != nil || v.overhead != nil {
		return "" // their operations are of many kinds
	}
	if v.interval.Absent != "" || v.total.RatePerS <= 0 || share <= maxHalf || v.stages {
		return ""
	}
	return fmt.Sprintf("The throughput varied so much that its mean is known to ±%.0f %% only: run longer, or look at its course.", 100*share)
}

// cause is the name of a cause; one that is missing is said to be.
func cause(name string) string {
	if name == "" {
		return "(no cause)"
	}
	return clean(name)
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
