package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// A Fact is one line of the answer, the first part of a report.
type Fact struct {
	Key    string
	Value  string
	Strong bool
	Tone   Tone     // colour of the value
	Points []string // sentences below the value
}

// Tone classifies a fact for its colour. The words of the fact say the same.
type Tone int

// The tones.
const (
	Plain Tone = iota
	Good
	Doubtful
	Bad
)

// KeyErrors is the key of the fact that counts failed attempts, retries and reconnects. Kinds add points to it.
const KeyErrors = "Errors"

// The keys of facts that reports treat specially.
const (
	keyVerdict = "Verdict"
	keyGoals   = "Thresholds"
	keyNote    = "Note"
	keyNext    = "Next"
)

// Title returns the kind of the run and its target.
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

// Subtitle returns the load model, the length of the window, labels and the start time.
func (v *View) Subtitle() string {
	parts := []string{v.Model()}
	if n := v.Run.Ledger.Clients; n > 0 && !v.usualClients() {
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

// usualClients reports whether the open model started with the usual number of clients, and needed no more.
func (v *View) usualClients() bool {
	if !v.Run.MayAddClients() || v.Run.ClientsAdded() > 0 || v.kind.Repeat == nil {
		return false
	}
	command := v.kind.Repeat(v.Run)
	return command != "" && !strings.Contains(command, " --clients ")
}

// Model returns the load model.
func (v *View) Model() string {
	if v.Open {
		return "open model"
	}
	return "closed model"
}

// Heading returns a subtitle with these parts, the labels, whether the run ended early, and its start time.
func (v *View) Heading(parts ...string) string {
	parts = slices.Concat(parts, v.labels(), v.early(), []string{units.UTC(v.Run.Started)})
	return strings.Join(parts, " · ")
}

func (v *View) early() []string {
	switch {
	case v.Run.Interrupted:
		return []string{"interrupted"}
	case v.Run.Aborted != "":
		return []string{"ended early"}
	}
	return nil
}

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

// Answer returns throughput, response time, outcomes, errors, the verdict and notes.
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

// NotCarried returns the share of operations that failed or were not sent if it is above the limit, else an empty Fact.
func NotCarried(run *rundoc.Run, kind Kind) Fact { return NewView(run, kind, Options{}).missing() }

// missing returns the share of operations that failed or were not sent, of all operations or of one kind, if it is
// above the limit. These operations have no response time.
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
		f.Value += "; " + v.Run.Rest(o)
	}
	return f
}

// ThroughputAnswer returns the rate of operations with its confidence interval, and the scheduled rate in the open
// model.
func (v *View) ThroughputAnswer() string {
	if v.WindowNS <= 0 {
		return units.Dash + " (the document has no window)"
	}
	s := v.Words.Rate(v.Total.RatePerS)
	if v.interval.Absent == "" {
		s += " (" + v.rateInterval() + ")"
	}
	if v.Open {
		s += " of " + v.scheduled()
	}
	if v.Total.BytesPerS > 0 {
		s += ", " + units.Size(int64(v.Total.BytesPerS)) + "/s"
	}
	return s
}

// scheduled returns the scheduled rate, and the planned one if random arrivals made a visible difference.
func (v *View) scheduled() string {
	const most = 4 // standard deviations; what differs by more is no chance: not each operation counts for the rate
	seconds := float64(v.WindowNS) / 1e9
	n, planned := float64(v.Total.Scheduled), v.Run.RandomRate()
	actual, asked := units.PerSecond(n/seconds), units.PerSecond(planned)
	text := actual + " scheduled"
	const visible = 0.004 // of the planned rate
	if mean := planned * seconds; actual != asked && math.Abs(n-mean) >= visible*mean && mean > 0 &&
		math.Abs(n-mean) <= most*math.Sqrt(mean) {
		text += " (random arrivals at " + asked + "/s)"
	}
	return text
}

// rateInterval returns the confidence interval of the throughput: "95% CI 47,591–48,201".
func (v *View) rateInterval() string {
	rate, half := v.Total.RatePerS, v.interval.Half
	return "95% CI " + units.PerSecond(max(0, rate-half)) + units.Dash + units.PerSecond(rate+half)
}

// GapsNote returns the document's warning about moments in which the generator did not run, if there is one. Reports
// show it beside the longest times.
func (v *View) GapsNote() []string {
	for _, w := range v.Run.Warnings {
		if w.Code == rundoc.WarnGaps {
			return []string{units.Clean(w.Message)}
		}
	}
	return nil
}

// ResponseAnswer returns the percentiles of the response time that the sample supports.
func (v *View) ResponseAnswer() string { return v.responseWords(&v.Total.ResponseTime) }

func (v *View) responseWords(r *rundoc.Summary) string {
	if r.Count == 0 {
		return units.Dash + " (no " + v.Words.One + " succeeded)"
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

// CountsAnswer returns the outcomes of the scheduled operations. Unsent and unfinished operations are left out if there
// are none.
func (v *View) CountsAnswer() Fact {
	t := &v.Total
	f := Fact{Key: units.Capital(v.Words.Many)}
	parts := []string{units.Number(t.OK) + " ok"}
	for _, o := range []struct {
		name   string
		n      int64
		always bool
	}{{"failed", t.Failed, true}, {"unsent", t.Unsent, false}, {"unfinished", t.Unfinished, false}} {
		switch {
		case o.n != 0:
			parts = append(parts, units.Number(o.n)+" "+o.name+" ("+units.Share(float64(o.n), float64(t.Scheduled))+")")
		case o.always:
			parts = append(parts, "0 "+o.name)
		}
	}
	if t.Failed > 0 {
		f.Tone = Bad
	}
	f.Value = strings.Join(parts, between)
	return f
}

// FailuresAnswer returns the number of failed attempts by cause, of retries and of reconnects. It has no value if there
// were none.
func (v *View) FailuresAnswer() Fact {
	t := &v.Total
	var reconnects, attempts int64
	for _, c := range v.Run.Connections.Reconnects {
		reconnects += c.Count
	}
	for _, c := range t.Causes {
		attempts += c.Count
	}
	f := Fact{Key: KeyErrors}
	if t.Failed > 0 {
		f.Tone = Bad
	}
	var parts []string
	switch {
	case len(t.Causes) > 0:
		parts = append(parts, units.Count(attempts, "failed attempt", "failed attempts"))
	case t.Failed > 0:
		parts = append(parts, units.Count(t.Failed, v.Words.One, v.Words.Many)+" failed")
	}
	if t.Retries > 0 {
		parts = append(parts, units.Count(t.Retries, "retry", "retries"))
	}
	if reconnects > 0 {
		parts = append(parts, units.Count(reconnects, "reconnect", "reconnects"))
	}
	f.Value = strings.Join(parts, between)
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
	f.Points = []string{"by cause: " + strings.Join(causes, ", ")}
	return f
}

// ValidityWord returns a verdict for display: "valid (limited checks)" for rundoc.Seen.
func ValidityWord(v rundoc.Validity) string {
	if v == rundoc.Seen {
		return "valid (limited checks)"
	}
	return units.Clean(string(v))
}

// VerdictAnswer returns the verdict with its reasons.
func (v *View) VerdictAnswer() Fact {
	f := Fact{Key: keyVerdict, Strong: true, Value: strings.ToUpper(ValidityWord(v.Verdict.Validity))}
	switch v.Verdict.Validity {
	case rundoc.Valid:
		f.Tone = Good
		f.Value += ": no problem detected with this measurement"
	case rundoc.Seen:
		f.Tone = Doubtful
		f.Value = "VALID (limited checks): no problem detected"
		f.Points = v.unseen()
	case rundoc.Suspect:
		f.Tone = Doubtful
		f.Value += ": use these values with caution"
	case rundoc.Invalid:
		f.Tone = Bad
		f.Value += ": do not use these values"
	}
	for _, reason := range slices.Concat(v.doubts, v.Verdict.Reasons) {
		if v.Verdict.Validity == rundoc.Invalid { // corrected values are not to be used either
			reason = strings.Replace(reason, "Use the corrected values, give", "Give", 1)
		}
		f.Points = append(f.Points, units.Clean(reason))
	}
	return f
}

// unseen returns a sentence with the checks that were not available.
func (v *View) unseen() []string {
	unseen := v.Verdict.Unseen
	if len(unseen) == 0 {
		unseen = v.Run.Generator.Unseen
	}
	if len(unseen) == 0 {
		return nil
	}
	return []string{"not checked: " + unwatched(unseen)}
}

// unwatched lists the checks that were not available, grouped by reason.
func unwatched(unseen []string) string {
	var reasons []string
	of := map[string][]string{}
	for _, u := range unseen {
		name, reason, _ := strings.Cut(u, ": ")
		name = checkName(name)
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

// checkName returns the name of a check for display, from its name in documents.
func checkName(name string) string {
	switch name {
	case "hiccups":
		return "generator pauses"
	case "processors":
		return "load of each CPU"
	case "kernel stamps":
		return "kernel timestamps"
	}
	return name
}

// Notes returns the document's warnings without those of the given codes, which the answer shows elsewhere.
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

// caughtUp returns a note about the largest burst of an open model whose generator did not run for a long time, or "".
func (v *View) caughtUp() string {
	h := v.Run.Generator.Hiccups
	if !v.Open || h == nil || h.LongNS <= 0 || v.WindowNS <= 0 {
		return ""
	}
	longest := longestGap(h)
	waited := int64(float64(v.Total.Scheduled) / float64(v.WindowNS) * float64(longest))
	if waited < 2 {
		return "" // no burst
	}
	sent := "at once"
	if slots := v.Run.Little.Slots; slots > 0 && slots < waited {
		sent = fmt.Sprintf("%s at a time", units.Number(slots))
	}
	return fmt.Sprintf("After its longest pause (%s) the generator sent about %s that had waited, %s. The corrected "+
		"values do not show whether this burst slowed the target.",
		units.Duration(longest), units.Count(waited, v.Words.One, v.Words.Many), sent)
}

// maxHalf is the half-width of the throughput's interval, as a share of the throughput, above which a note is shown.
const maxHalf = 0.2

// unsteady returns a note about a throughput that varied a lot, or "". Stages change it on purpose.
func (v *View) unsteady() string {
	share := v.interval.Half / v.Total.RatePerS
	if v.kind.Mixed || v.interval.Absent != "" || v.Total.RatePerS <= 0 || share <= maxHalf || v.stages {
		return ""
	}
	return "The throughput varied a lot (" + v.rateInterval() + "). Run longer, or look at it over time: --section " +
		"throughput."
}

// Cause returns the name of a cause for display.
func Cause(name string) string {
	if name == "" {
		return "(no cause)"
	}
	return units.Clean(name)
}
