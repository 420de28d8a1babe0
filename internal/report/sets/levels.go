package sets

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

type level = *setdoc.Level

// all are the levels, in their order.
func (v *View) all() []level {
	list := make([]level, len(v.sweep.Levels))
	for i := range list {
		list[i] = &v.sweep.Levels[i]
	}
	return list
}

// setting is the first column of the tables of levels: the settings, as figures where they are some.
func (v *View) setting() report.Column[level] {
	cell := func(l level) string { return short(l.Values) }
	if len(v.sweep.Vary) == 1 && v.sweep.Vary[0].Numeric {
		return report.Right(v.settings(), cell)
	}
	return report.Left(v.settings(), cell)
}

// scales reports whether there is a prediction to hold the levels against.
func (v *View) scales() bool { return v.sweep.Base != nil }

// levels is the central table.
func (v *View) levels() report.Section {
	s := report.Section{Title: units.Capital(figureName(v.sweep.Figure)) + " at each setting"}
	columns := []report.Column[level]{v.setting()}
	if slices.ContainsFunc(v.all(), func(l level) bool { return l.OfferedPerS != nil }) {
		columns = append(columns, report.Right("offered, /s", func(l level) string {
			if l.OfferedPerS == nil {
				return units.Dash
			}
			return units.PerSecond(*l.OfferedPerS)
		}))
	}
	if windows := v.windows(); windows != nil {
		columns = append(columns, report.Right("window", func(l level) string { return units.Length(windows[l]) }))
	}
	columns = append(columns, report.Right(v.head(), func(l level) string { return v.cell(l.Throughput) }),
		report.Right("95% CI", func(l level) string { return orDash(v.interval(l)) }))
	if v.scales() {
		s.Title = "Scaling"
		columns = append(columns,
			report.Right("predicted (L ÷ W₁)", func(l level) string { return v.cell(l.Predicted) }),
			report.Right("efficiency", func(l level) string { return share(l.Efficiency) }))
	} else {
		columns = append(columns, report.Right("failed",
			missText),
			report.Right("p99", func(l level) string { return units.Optional(l.ResponseP99NS) }))
	}
	columns = append(columns, v.remark())
	if !v.numeric() {
		columns = append(columns, v.bars())
	}
	s.Tables = []report.Table{report.TableOf(v.all(), columns...)}
	if v.scales() {
		s.Notes = append(s.Notes, "L is the number of concurrent operations. "+v.w1()+". The prediction assumes that every "+
			"operation takes W₁ at any concurrency (Little's law). Efficiency is the observed share of the prediction.")
	}
	s.Notes = append(s.Notes, v.intervalNote())
	return s
}

// windows are how long the runs at each setting measured, on average, where that differs between settings: as it does
// where a run ends after so many operations; nil where it does not.
func (v *View) windows() map[level]int64 {
	if !strings.HasPrefix(v.window(), "windows ") {
		return nil
	}
	type sum struct{ us, runs int64 }
	sums := map[string]sum{}
	for i := range v.sweep.Rows {
		r := &v.sweep.Rows[i]
		at := sums[short(r.Values)]
		sums[short(r.Values)] = sum{at.us + r.WindowNS/1000, at.runs + 1}
	}
	of := map[level]int64{}
	for _, l := range v.all() {
		at := sums[short(l.Values)]
		of[l] = 1000 * (at.us / max(1, at.runs))
	}
	return of
}

func orDash(text string) string {
	if text == "" {
		return units.Dash
	}
	return text
}

// numeric reports whether all settings are numbers.
func (v *View) numeric() bool {
	return !slices.ContainsFunc(v.sweep.Vary, func(vary setdoc.Vary) bool { return !vary.Numeric })
}

// remark marks the levels that the answer speaks of, and those that are not to be trusted.
func (v *View) remark() report.Column[level] {
	at := func(l level, i *int) bool { return v.level(i) == l }
	return report.Left("", func(l level) string {
		var marks []string
		if at(l, v.sweep.Best) {
			marks = append(marks, "best")
		}
		if at(l, v.sweep.Peak) && !at(l, v.sweep.Best) {
			marks = append(marks, "highest")
		}
		if at(l, v.sweep.FailsFrom) {
			marks = append(marks, "fails")
		}
		if l.Validity != "" && l.Validity != string(rundoc.Valid) && l.Validity != string(rundoc.Seen) {
			marks = append(marks, units.Clean(l.Validity))
		}
		return units.FirstOf(marks, len(marks))
	})
}

// bars show the figure of each level beside the highest.
func (v *View) bars() report.Column[level] {
	highest := 0.0
	for _, l := range v.all() {
		if l.Throughput != nil {
			highest = max(highest, *l.Throughput)
		}
	}
	return report.Bars(func(l level) float64 {
		if l.Throughput == nil || highest <= 0 {
			return 0
		}
		return *l.Throughput / highest
	})
}

// random reports whether the runs were made in random order.
func (v *View) random() bool {
	var asked struct {
		Random *bool `json:"random_order"`
	}
	if json.Unmarshal(v.Set.Plan, &asked) == nil && asked.Random != nil {
		return *asked.Random
	}
	return !slices.IsSorted(v.sweep.Order)
}

func (v *View) intervalNote() string {
	if slices.ContainsFunc(v.all(), func(l level) bool { return len(l.Interval) == 2 }) {
		note := "95% CI: confidence interval of the mean of the runs at a setting."
		if v.random() {
			note += fmt.Sprintf(" The runs were made in random order (--seed %d).", v.sweep.Seed)
		}
		return note
	}
	return "No confidence intervals: they need at least two runs per setting (--repeat)."
}

// missing says where the efficiency went that a level lacks.
func (v *View) missing() report.Section {
	if !v.scales() {
		return report.Section{}
	}
	states := v.states(func(l level) []string {
		var names []string
		for _, m := range l.Missing {
			names = append(names, m.State)
		}
		return names
	})
	if len(states) == 0 {
		return report.Section{}
	}
	part := func(l level, state string) string {
		i := slices.IndexFunc(l.Missing, func(m setdoc.MissingShare) bool { return m.State == state })
		if i < 0 {
			return units.Dash
		}
		return signedShare(l.Missing[i].Share)
	}
	columns := []report.Column[level]{v.setting(), report.Right("lost", func(l level) string {
		if l.Efficiency == nil {
			return units.Dash
		}
		return signedShare(1 - *l.Efficiency)
	})}
	for _, state := range states {
		columns = append(columns, report.Right(units.Clean(state), func(l level) string { return part(l, state) }))
	}
	s := report.Section{Title: "Lost efficiency by state"}
	s.Tables = []report.Table{report.TableOf(v.all(), columns...)}
	s.Notes = []string{"Additional client time per operation in each state, compared with the base, as a share of all " +
		"client time per operation. The columns add up to the lost efficiency; a negative share means less time than at " +
		"the base."}
	return s
}

// signedShare is a share of 1 that may be below 0.
func signedShare(x float64) string {
	if x < 0 {
		return "−" + units.Percent(-x)
	}
	return units.Percent(x)
}

// states are the ledger's states that any level names, in the order of a report.
func (v *View) states(of func(level) []string) []string {
	named := map[string]bool{}
	for _, l := range v.all() {
		for _, state := range of(l) {
			named[state] = true
		}
	}
	var list []string
	for _, state := range rundoc.States {
		if named[state] {
			list = append(list, state)
			delete(named, state)
		}
	}
	return append(list, slices.Sorted(maps.Keys(named))...)
}

// clientTime is the ledger of each level, in shares.
func (v *View) clientTime() report.Section {
	states := v.states(func(l level) []string { return slices.Collect(maps.Keys(l.Shares)) })
	states = slices.DeleteFunc(states, func(state string) bool {
		return !slices.ContainsFunc(v.all(), func(l level) bool { return l.Shares[state] > 0 })
	})
	if len(states) == 0 {
		return report.Section{}
	}
	columns := []report.Column[level]{v.setting()}
	for _, state := range states {
		columns = append(columns, report.Right(units.Clean(state), func(l level) string {
			return units.Percent(l.Shares[state])
		}))
	}
	return report.Section{Title: "Time breakdown",
		Tables: []report.Table{report.TableOf(v.all(), columns...)}}
}

// outcomes says what became of the operations and the connections at each level.
func (v *View) outcomes() report.Section {
	count := func(head string, n func(level) int64) report.Column[level] {
		return report.Right(head, func(l level) string { return units.Number(n(l)) })
	}
	return report.Section{Title: "Failures, retries and connections", Tables: []report.Table{report.TableOf(v.all(),
		v.setting(),
		count("ok", func(l level) int64 { return l.OK }),
		count("failed", func(l level) int64 { return l.Failed }),
		report.Right("not ok", missText),
		count("retries", func(l level) int64 { return l.Retries }),
		count("reconnects", func(l level) int64 { return l.Reconnects }),
		count("opened", func(l level) int64 { return l.Opened }),
		count("not opened", func(l level) int64 { return l.NotOpened }),
	)}, Notes: []string{"Totals over the runs at each setting. Not ok: failed, unsent and unfinished operations, as a " +
		"share of all scheduled ones. Opened, not opened: connections."}}
}

// causes says why things failed, at the levels where they did.
func (v *View) causes() report.Section {
	var failed []level
	for _, l := range v.all() {
		if len(l.Causes) > 0 {
			failed = append(failed, l)
		}
	}
	return report.Section{Title: "Causes of failures", Tables: []report.Table{report.TableOf(failed, v.setting(),
		report.Left("causes, most frequent first", func(l level) string { return causesOf(l.Causes, 8) }))}}
}

// times are those of the operations at each level.
func (v *View) times() report.Section {
	time := func(head string, ns func(level) *int64) report.Column[level] {
		return report.Right(head, func(l level) string { return units.Optional(ns(l)) })
	}
	if !slices.ContainsFunc(v.all(), func(l level) bool {
		return l.ResponseP50NS != nil || l.ResponseP99NS != nil || l.ServiceMeanNS > 0
	}) {
		return report.Section{}
	}
	return report.Section{Title: "Response and service time", Tables: []report.Table{report.TableOf(v.all(),
		v.setting(),
		time("response p50", func(l level) *int64 { return l.ResponseP50NS }),
		time("p99", func(l level) *int64 { return l.ResponseP99NS }),
		report.Right("service mean", func(l level) string { return units.Nonzero(l.ServiceMeanNS) }),
		time("p50", func(l level) *int64 { return l.ServiceP50NS }),
		time("p99", func(l level) *int64 { return l.ServiceP99NS }),
	)}, Notes: []string{"Each value is the median over the runs at a setting. Response time starts at the intended " +
		"start of " +
		"an operation, service time at its actual start."}}
}

// little compares the number in flight, counted in two ways, at each level.
func (v *View) little() report.Section {
	list := slices.DeleteFunc(v.all(), func(l level) bool { return l.Little == nil })
	if len(list) == 0 {
		return report.Section{}
	}
	s := report.Section{Title: "Little's law at each setting"}
	s.Tables = []report.Table{report.TableOf(list, v.setting(),
		report.Right("in flight, sampled", func(l level) string { return units.Digits3(l.InFlight) }),
		report.Right("throughput × time", func(l level) string { return units.Digits3(l.InFlightPredicted) }),
		report.Right("difference", func(l level) string { return signed(*l.Little) }),
	)}
	s.Notes = []string{"Little's law: operations in flight = throughput × service time. The number in flight was also " +
		"sampled independently during the runs. If the two agree, throughput and times are consistent."}
	return s
}

// seconds holds the highest second of each level against its mean.
func (v *View) seconds() report.Section {
	list := slices.DeleteFunc(v.all(), func(l level) bool {
		return l.PeakSecond == nil || l.Throughput == nil || *l.Throughput <= 0
	})
	if len(list) == 0 {
		return report.Section{}
	}
	s := report.Section{Title: "Highest second and mean"}
	s.Tables = []report.Table{report.TableOf(list, v.setting(),
		report.Right("mean, "+v.head(), func(l level) string { return v.cell(l.Throughput) }),
		report.Right("highest second", func(l level) string { return v.cell(l.PeakSecond) }),
		report.Right("above the mean", func(l level) string { return signed(*l.PeakSecond / *l.Throughput - 1) }),
	)}
	s.Notes = []string{"The best full second of any run at a setting. No run sustained this throughput."}
	return s
}
