package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Fact is one line of the answer, which a reader sees first.
type Fact struct {
	Key    string
	Value  string
	Strong bool
	Tone   Tone     // what its value says in words, as a colour
	Points []string // sentences below the value
}

// Tone is whether a fact is a good one. It shows in colours, and says nothing that words do not.
type Tone int

// The tones.
const (
	Plain Tone = iota
	Good
	Doubtful
	Bad
)

// The keys of facts that a report gives room to in its own way.
const (
	keyVerdict  = "Verdict"
	keyFailures = "Failures"
	keyGoals    = "Thresholds"
	keyNote     = "Note"
)

// Title says what was run, and against what.
func (v *View) Title() string {
	title := "Plimsoll " + units.Clean(v.Run.Workload)
	if v.Run.Workload == "" {
		title = "Plimsoll run"
	}
	if what := v.against(); what != "" {
		title += " · " + what
	}
	return title
}

// Subtitle says how it was run.
func (v *View) Subtitle() string {
	parts := []string{v.Model()}
	if n := v.Run.Ledger.Clients; n > 0 {
		clients := units.Count(int64(n), "client", "clients")
		if v.Run.ClientsAdded() > 0 {
			clients = "up to " + clients
		}
		parts = []string{clients, v.Model()}
	}
	if v.WindowNS > 0 {
		parts = append(parts, "window "+units.Length(v.WindowNS))
	}
	return v.Heading(parts...)
}

// Model is the model of the load.
func (v *View) Model() string {
	if v.Open {
		return "open model"
	}
	return "closed model"
}

// Heading is a subtitle of these parts, what the user calls the run, whether it was interrupted, and when it began.
func (v *View) Heading(parts ...string) string {
	parts = slices.Concat(parts, v.labels(), v.early(), []string{units.UTC(v.Run.Started)})
	return strings.Join(parts, " · ")
}

// early says, for a subtitle, that the window ended before its time.
func (v *View) early() []string {
	switch {
	case v.Run.Interrupted:
		return []string{"interrupted"}
	case v.Run.Aborted != "":
		return []string{"ended early"}
	}
	return nil
}

// labels are what the user calls the run, for a subtitle.
func (v *View) labels() []string {
	if len(v.Run.Labels) == 0 {
		return nil
	}
	var labels []string
	for _, l := range v.Run.Labels {
		labels = append(labels, units.Clean(l))
	}
	return []string{"label " + strings.Join(labels, ", ")}
}

// Answer says how fast, how slow was the slow end, what failed and why, and whether it can
// be believed.
func (v *View) Answer() []Fact {
	return []Fact{
		{Key: "Throughput", Value: v.ThroughputAnswer(), Strong: true},
		{Key: "Response time", Value: v.ResponseAnswer(), Strong: true, Points: v.GapsNote()},
		v.CountsAnswer(),
		v.FailuresAnswer(),
		v.VerdictAnswer(),
		v.Notes(rundoc.WarnGaps),
		v.DemoAnswer(""),
	}
}

// NotCarried is what failed and what was not sent in a run of this kind, if that is much; else it is empty.
func NotCarried(run *rundoc.Run, kind Kind) Fact { return NewView(run, kind, Options{}).missing() }

// missing is what failed and what was not sent, if that is much of all, or of one kind of operation: of how many the
// times below it are not.
func (v *View) missing() Fact {
	o := v.Run.Missing(&v.Total)
	if o == nil {
		return Fact{}
	}
	f := Fact{Key: "Failed, unsent", Strong: true, Tone: Bad}
	switch {
	case o.Unsent <= 0:
		f.Key = "Failed"
	case o.Failed <= 0:
		f.Key = "Unsent"
	}
	f.Value = units.Percent(o.Missing()) + " of "
	if o == &v.Total {
		f.Value += units.Count(o.Scheduled, v.Words.One, v.Words.Many)
	} else {
		f.Value += units.Count(o.Scheduled, "operation", "operations") + " (" + units.Clean(o.Name) + ")"
	}
	if v.Total.OK > 0 {
		f.Value += ": " + v.Run.Rest(o)
	}
	return f
}

// ThroughputAnswer is the rate of operations, with its margin, of what was scheduled.
func (v *View) ThroughputAnswer() string {
	if v.WindowNS <= 0 {
		return units.Dash + " (the document has no window)"
	}
	s := v.Words.Rate(v.Total.RatePerS)
	if v.interval.Absent == "" {
		s += " ± " + units.PerSecond(v.interval.Half)
	}
	if v.Open {
		s += ", of " + v.Words.Rate(float64(v.Total.Scheduled)/(float64(v.WindowNS)/1e9)) + " scheduled"
	}
	if v.Total.BytesPerS > 0 {
		s += ", " + units.Size(int64(v.Total.BytesPerS)) + "/s"
	}
	return s
}

// GapsNote is the document's warning of moments in which the generator did not run, which stands beside the longest
// times, if there is one.
func (v *View) GapsNote() []string {
	for _, w := range v.Run.Warnings {
		if w.Code == rundoc.WarnGaps {
			return []string{units.Clean(w.Message)}
		}
	}
	return nil
}

// ResponseAnswer is the response time's percentiles, as far as there are any.
func (v *View) ResponseAnswer() string { return v.responseWords(&v.Total.ResponseTime) }

func (v *View) responseWords(r *rundoc.Summary) string {
	if r.Count == 0 {
		return units.Dash + " (no " + v.Words.One + " was answered with success)"
	}
	var w SpanWords
	if r.P50NS == nil {
		w.AddMin(r)
		w.AddMean(r)
	} else {
		w.AddPercentiles(r)
	}
	w.AddMax(r)
	return w.String()
}

// CountsAnswer is what became of the operations.
func (v *View) CountsAnswer() Fact {
	t := &v.Total
	return Fact{Key: units.Capital(v.Words.Many), Value: fmt.Sprintf("%s ok · %s failed · %s unsent · %s unfinished",
		units.Number(t.OK), units.Number(t.Failed), units.Number(t.Unsent), units.Number(t.Unfinished))}
}

// FailuresAnswer says what failed and why.
func (v *View) FailuresAnswer() Fact {
	t := &v.Total
	var reconnects int64
	for _, c := range v.Run.Connections.Reconnects {
		reconnects += c.Count
	}
	f := Fact{Key: keyFailures, Value: "none, and no retries"}
	if t.Failed > 0 {
		f.Tone = Bad
	}
	if t.Failed+t.Retries+reconnects+int64(len(t.Causes)) == 0 {
		return f
	}
	f.Value = fmt.Sprintf("%s failed · %s · %s", units.Share(float64(t.Failed), float64(t.Scheduled)),
		units.Count(t.Retries, "retry", "retries"), units.Count(reconnects, "reconnect", "reconnects"))
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
		causes = append(causes, Cause(c.Cause)+" "+units.Number(c.Count))
	}
	f.Points = []string{"failed attempts by cause: " + strings.Join(causes, ", ")}
	return f
}

// VerdictAnswer says whether the figures can be believed.
func (v *View) VerdictAnswer() Fact {
	f := Fact{Key: keyVerdict, Strong: true, Value: strings.ToUpper(units.Clean(string(v.Verdict.Validity)))}
	switch v.Verdict.Validity {
	case rundoc.Valid:
		f.Tone = Good
		f.Value += ": no problem detected with this measurement"
	case rundoc.Seen:
		f.Tone = Doubtful
		f.Value = "VALID as far as observed: no problem detected, but some checks were not possible"
		f.Points = v.unseen()
	case rundoc.Suspect:
		f.Tone = Doubtful
		f.Value += ": believe these figures with care"
	case rundoc.Invalid:
		f.Tone = Bad
		f.Value += ": do not use these figures"
	}
	for _, reason := range slices.Concat(v.doubts, v.Verdict.Reasons) {
		f.Points = append(f.Points, units.Clean(reason))
	}
	return f
}

// unseen says what a verdict that is valid as far as seen does not know of.
func (v *View) unseen() []string {
	unseen := v.Verdict.Unseen
	if len(unseen) == 0 {
		unseen = v.Run.Generator.Unseen
	}
	if len(unseen) == 0 {
		return nil
	}
	return []string{"not watched: " + unwatched(unseen)}
}

// unwatched are the watches that were not to be had, those with one reason together.
func unwatched(unseen []string) string {
	var reasons []string
	of := map[string][]string{}
	for _, u := range unseen {
		name, reason, _ := strings.Cut(u, ": ")
		if of[reason] == nil {
			reasons = append(reasons, reason)
		}
		of[reason] = append(of[reason], name)
	}
	var parts []string
	for _, reason := range reasons {
		part := strings.Join(of[reason], ", ")
		if reason != "" {
			part += ": " + reason
		}
		parts = append(parts, part)
	}
	return units.Clean(strings.Join(parts, "; "))
}

// Notes are the document's warnings, but for those of these codes, which the answer says already.
func (v *View) Notes(said ...string) Fact {
	f := Fact{Key: keyNote}
	for _, w := range v.Run.Warnings {
		if !slices.Contains(said, w.Code) {
			f.Points = append(f.Points, units.Clean(w.Message))
		}
	}
	for _, note := range []string{v.caughtUp(), v.unsteady()} {
		if note != "" {
			f.Points = append(f.Points, note)
		}
	}
	return f
}

// caughtUp is a note on what the figures cannot tell of an open model whose generator stood still for long, or "".
// After many gaps there were as many bursts: the largest is told.
func (v *View) caughtUp() string {
	h := v.Run.Generator.Hiccups
	if !v.Open || h == nil || h.LongNS <= 0 || v.WindowNS <= 0 {
		return ""
	}
	longest := longestGap(h)
	waited := int64(float64(v.Total.Scheduled) / float64(v.WindowNS) * float64(longest))
	if waited < 2 {
		return "" // one by one, as ever
	}
	came := "came at once"
	if slots := v.Run.Little.Slots; slots > 0 && slots < waited {
		came = fmt.Sprintf("came as soon as they could, %s at the same time", units.Number(slots))
	}
	return fmt.Sprintf("After the longest time in which the generator did not run, %s, about %s that had waited %s. "+
		"Whether the target was slow then because of that, the figures without the generator's own delay cannot tell.",
		units.Duration(longest), units.Count(waited, v.Words.One, v.Words.Many), came)
}

// maxHalf is how wide the throughput's interval may be, to either side, as a share of it.
const maxHalf = 0.2

// unsteady is a note on a throughput that hardly says anything, or "". Stages change it on
// purpose.
func (v *View) unsteady() string {
	share := v.interval.Half / v.Total.RatePerS
	if v.kind.Mixed || v.interval.Absent != "" || v.Total.RatePerS <= 0 || share <= maxHalf || v.stages {
		return ""
	}
	return fmt.Sprintf("The throughput varied so much that its mean is known to ±%.0f%% only: run longer, or look "+
		"at its course.", 100*share)
}

// Cause is the name of a cause; one that is missing is said to be.
func Cause(name string) string {
	if name == "" {
		return "(no cause)"
	}
	return units.Clean(name)
}
