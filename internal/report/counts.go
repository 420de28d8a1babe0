package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Outcomes returns the table of scheduled operations by outcome.
func (v *View) Outcomes() Section {
	o := &v.Total
	type outcome struct {
		name string
		n    int64
	}
	s := Section{Title: units.Capital(v.Words.Many), Tables: []Table{TableOf(
		[]outcome{{"scheduled", o.Scheduled}, {"ok", o.OK}, {"failed", o.Failed}, {"unsent", o.Unsent},
			{"unfinished", o.Unfinished}},
		Left("", func(r outcome) string { return r.name }),
		Right(v.Words.Many, func(r outcome) string { return units.Number(r.n) }),
		Right("share", func(r outcome) string { return units.Share(float64(r.n), float64(o.Scheduled)) }),
	)}}
	s.Notes = append(s.Notes, units.Count(o.Attempts, "attempt", "attempts")+", including "+
		units.Count(o.Retries, "retry", "retries")+".")
	if o.Carried > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("%s started in the ramp and ended in the window. They count in the "+
			"throughput, not above.", units.Count(o.Carried, v.Words.One, v.Words.Many)))
	}
	return s
}

// Failures returns the table of failed attempts by cause.
func (v *View) Failures() Section {
	return Section{Title: "Failed attempts by cause", Tables: []Table{TableOf(v.Total.Causes,
		Left("cause", func(c rundoc.Cause) string { return Cause(c.Cause) }),
		Right("attempts", func(c rundoc.Cause) string { return units.Number(c.Count) }),
		Right("share of all attempts", func(c rundoc.Cause) string {
			return units.Share(float64(c.Count), float64(v.Total.Attempts))
		}),
	)}}
}

// Connections returns the counts of connections, and the cost of retries and reconnects by cause.
func (v *View) Connections() Section {
	c := &v.Run.Connections
	s := Section{Title: "Connections, reconnects and retries"}
	if c.Opened+c.Failed > 0 {
		line := fmt.Sprintf("%s opened", units.Count(c.Opened, "connection", "connections"))
		if c.Failed > 0 {
			line += fmt.Sprintf(", %s failed", units.Count(c.Failed, "attempt", "attempts"))
		}
		if t := &c.ConnectTime; t.Count > 0 {
			line += "; time to connect: " + Spread(t)
		}
		s.Intro = []string{line + "."}
	}
	type again struct {
		what string
		rundoc.CauseTime
	}
	var all []again
	for _, t := range c.Reconnects {
		all = append(all, again{"reconnect", t})
	}
	for _, t := range v.Run.Retries {
		all = append(all, again{"retry", t})
	}
	if len(all) == 0 {
		return s
	}
	s.Tables = []Table{TableOf(all,
		Left("", func(r again) string { return r.what }),
		Left("cause", func(r again) string { return Cause(r.Cause) }),
		Right("count", func(r again) string { return units.Number(r.Count) }),
		Right("client time", func(r again) string { return units.Duration(r.TimeNS) }),
		Right("share", func(r again) string { return units.Share(float64(r.TimeNS), v.clientTime()) }),
	)}
	s.Notes = []string{"Share: of the time of all clients in the window."}
	return s
}

// clientTime returns the time of all clients in the window, in ns.
func (v *View) clientTime() float64 { return float64(v.Run.Ledger.Clients) * float64(v.WindowNS) }

// Spread returns the percentiles of a time, or its mean, and its maximum: "p50 1.00 ms, p99 4.00 ms, max 5.00 ms".
func Spread(s *rundoc.Summary) string {
	var parts []string
	for _, p := range Percentiles(Narrow) {
		if ns := p.Of(s); ns != nil {
			parts = append(parts, p.Name+" "+units.Duration(*ns)+ConfidenceInterval(s, p.Permille, *ns))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, "mean "+units.Duration(s.MeanNS))
	}
	return strings.Join(append(parts, "max "+units.Duration(s.MaxNS)), ", ")
}

// Groups returns tables of the operations by name, if there are several, and by each label.
func (v *View) Groups() []Section {
	var list []Section
	names := map[string]bool{}
	labels := map[string]bool{}
	var order []string
	for _, o := range v.Run.Operations {
		names[o.Name] = true
		for label := range o.Labels {
			if !labels[label] {
				labels[label] = true
				order = append(order, label)
			}
		}
	}
	slices.Sort(order)
	if len(names) > 1 {
		list = append(list, v.groupBy("operation", func(o *rundoc.Operation) string { return o.Name }))
	}
	for _, label := range order {
		title, named := v.kind.GroupTitles[label]
		if !named {
			title = units.Clean(label)
		}
		list = append(list, v.groupBy(title, func(o *rundoc.Operation) string { return o.Labels[label] }))
	}
	return list
}

// groupBy returns a table with a row for each group of operations.
func (v *View) groupBy(title string, key func(*rundoc.Operation) string) Section {
	groups := map[string]*rundoc.Run{}
	var order []string
	for i := range v.Run.Operations {
		o := &v.Run.Operations[i]
		k := key(o)
		if groups[k] == nil {
			groups[k] = &rundoc.Run{}
			order = append(order, k)
		}
		groups[k].Operations = append(groups[k].Operations, *o)
	}
	totals := make([]*rundoc.Operation, len(order))
	for i, k := range order {
		// What cannot be read stays empty here as in the totals.
		o, _ := groups[k].Figures()
		o.Name = cmp.Or(units.Clean(k), units.Dash)
		totals[i] = &o
	}
	corrected := freeP99(v, totals, responseTime)
	section := Section{Title: "By " + title, Tables: []Table{TableOf(totals, slices.Concat([]Column[*rundoc.Operation]{
		Left(title, func(o *rundoc.Operation) string { return o.Name }),
		Right("ok", func(o *rundoc.Operation) string { return units.Number(o.OK) }),
		Right("failed", func(o *rundoc.Operation) string { return units.Number(o.Failed) }),
		Right(v.Words.Short+"/s", func(o *rundoc.Operation) string { return units.PerSecond(o.RatePerS) }),
		Right("mean", func(o *rundoc.Operation) string { return IfAny(&o.ResponseTime, o.ResponseTime.MeanNS) }),
	}, PercentileColumnsWithin(Narrow, responseTime), corrected,
		[]Column[*rundoc.Operation]{
			Right("max", func(o *rundoc.Operation) string { return IfAny(&o.ResponseTime, o.ResponseTime.MaxNS) }),
		})...)}}
	if len(corrected) > 0 {
		section.Notes = []string{correctedP99 + ": p99 without the generator delay."}
	}
	return section
}

func responseTime(o *rundoc.Operation) *rundoc.Summary { return &o.ResponseTime }

// IfAny formats a time of a summary, or returns a dash if the summary is empty.
func IfAny(s *rundoc.Summary, ns int64) string {
	if s.Count == 0 {
		return units.Dash
	}
	return units.Duration(ns)
}

// A Tally sums counts by name.
type Tally map[string]int64

// Add adds the counts of causes.
func (t Tally) Add(causes []rundoc.Cause) {
	for _, c := range causes {
		t[c.Cause] += c.Count
	}
}

// Text lists the largest counts, at most five.
func (t Tally) Text() string {
	const most = 5
	var names []string
	for name, n := range t {
		if n != 0 {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(t[b], t[a]), cmp.Compare(a, b)) })
	var parts []string
	for i, name := range names {
		if i == most {
			parts = append(parts, fmt.Sprintf("%d more", len(names)-most))
			break
		}
		parts = append(parts, Cause(name)+" "+units.Number(t[name]))
	}
	return strings.Join(parts, ", ")
}

// ByCount lists names by their counts, the largest first and at most six: "ok 12, paced 3".
func ByCount(counts map[string]int64) string {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(counts)), func(name string) bool { return counts[name] == 0 })
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
	const most = 6
	var parts []string
	for i, name := range names {
		if i == most {
			parts = append(parts, fmt.Sprintf("%d more", len(names)-most))
			break
		}
		parts = append(parts, units.Clean(strings.ReplaceAll(name, "_", " "))+" "+units.Number(counts[name]))
	}
	return strings.Join(parts, ", ")
}

// FlowTotals returns the sums over the flows of a run, with FailedAt sorted by count.
func FlowTotals(run *rundoc.Run) rundoc.FlowFigures {
	var all rundoc.FlowFigures
	for i := range run.Flows {
		f := &run.Flows[i]
		all.Started += f.Started
		all.Completed += f.Completed
		all.Failed += f.Failed
		all.Cut += f.Cut
		for _, at := range f.FailedAt {
			same := func(other rundoc.FlowFailure) bool { return other.Operation == at.Operation }
			if j := slices.IndexFunc(all.FailedAt, same); j >= 0 {
				all.FailedAt[j].Count += at.Count
			} else {
				all.FailedAt = append(all.FailedAt, at)
			}
		}
	}
	slices.SortStableFunc(all.FailedAt, func(a, b rundoc.FlowFailure) int { return cmp.Compare(b.Count, a.Count) })
	return all
}
