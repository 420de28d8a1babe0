package saved

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/threshold"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// KindRun is the kind of an entry that is a single run; that of a set is the set's.
const KindRun = "run"

// Entry is what the list says of a saved run or set. What it says in words is made to be shown.
type Entry struct {
	ID       string          `json:"id"` // the name of its folder, whatever the document says
	Kind     string          `json:"kind,omitempty"`
	Workload string          `json:"workload,omitempty"` // of a set that of its members, "" when they have several
	Load     string          `json:"load,omitempty"`     // load and plan in words
	Started  time.Time       `json:"started,omitzero"`
	Target   string          `json:"target,omitempty"`
	Shown    string          `json:"shown,omitempty"` // of the target, to a person
	Rate     string          `json:"rate,omitempty"`
	RatePerS *float64        `json:"rate_per_s,omitempty"`
	P99NS    *int64          `json:"p99_ns,omitempty"`
	OwnName  string          `json:"own,omitempty"` // a field that its kind alone has
	Own      json.RawMessage `json:"own_value,omitempty"`
	Verdict  string          `json:"verdict,omitempty"`
	Remark   string          `json:"remark,omitempty"` // shown after the verdict
	Labels   []string        `json:"labels,omitempty"`
	Missed   []string        `json:"missed,omitempty"` // thresholds
	Exit     int             `json:"exit,omitempty"`   // the status that its command ended with
	Open     bool            `json:"open,omitempty"`   // a set of which more members were planned
	Error    string          `json:"error,omitempty"`

	// Of the document of which this was made.
	File    string `json:"file,omitempty"`
	Size    int64  `json:"size,omitempty"`
	Changed int64  `json:"changed,omitempty"` // ns since 1970
	Inode   int64  `json:"inode,omitempty"`   // when its inode changed, in ns since 1970; 0: not known on this system
}

// What is the kind of traffic, and of a set also what it is: "chat", "sweep chat".
func (e *Entry) What() string {
	if e.Kind == KindRun {
		return e.Workload
	}
	return strings.TrimSpace(e.Kind + " " + e.Workload)
}

// bIsWorse is what the list shows of a comparison in which B got worse.
const bIsWorse = "B is worse"

// Failed reports whether the entry did not reach what was asked of it, whatever its verdict: a threshold was missed, B
// is worse than A, or the command ended with an error of another kind than an interrupt.
func (e *Entry) Failed() bool {
	asked := e.Exit != int(fault.OK) && e.Exit != int(fault.Interrupted) && e.Exit != int(fault.Untrusted)
	return e.Error != "" || len(e.Missed) > 0 || asked || e.Kind == setdoc.KindCompare && e.Rate == bIsWorse
}

// Heads are what stands above the cells of an entry.
func Heads() []string {
	return []string{"id", "workload", "load", "started", "target", "rate", "p99", "labels", "verdict"}
}

// Cells are an entry as a list shows it, one for each of Heads, harmless to whatever shows them. That of a document
// which cannot be read has its id, and why.
func (e *Entry) Cells() []string {
	cells := []string{e.ID, "unreadable: " + fault.OneLine(e.Error)}
	if e.Error == "" || !e.Started.IsZero() {
		verdict := cmp.Or(report.ValidityWord(rundoc.Validity(e.Verdict)), units.Dash) + e.Remark
		if len(e.Missed) > 0 {
			const few = 3
			verdict += ", missed " + units.FirstOf(e.Missed, few)
		}
		if e.Kind == setdoc.KindCompare && e.Rate == bIsWorse {
			verdict += ", " + bIsWorse
		}
		cells = []string{
			e.ID, e.What(), e.Load, e.Started.Local().Format("2006-01-02 15:04:05"), e.Shown, e.Rate,
			units.Optional(e.P99NS), strings.Join(e.Labels, ", "), verdict,
		}
	}
	for i := range cells {
		cells[i] = units.Clean(cells[i])
	}
	return cells
}

// Kinds finds how runs of a workload are shown.
type Kinds func(workload string) report.Kind

// Describe is the entry of a document.
func (found *Saved) Describe(kinds Kinds) Entry {
	if found.Set != nil {
		return describeSet(found.Set)
	}
	return describeRun(found.Run, kinds(found.Run.Workload))
}

func describeRun(run *rundoc.Run, kind report.Kind) Entry {
	e := Entry{
		Kind: KindRun, Workload: run.Workload, Started: run.Started, Target: run.Target.URL, Shown: run.Target.URL,
		Verdict: string(run.Verdict.Validity), Labels: run.Labels, Missed: missed(run.Thresholds), Exit: run.Exit,
	}
	if run.Target.Embedded {
		e.Target = "embedded"
	}
	if kind.IsDemo(run) {
		e.Shown = "demo"
	}
	listing, err := kind.ListingOf(run)
	if err != nil {
		e.Error = err.Error()
	}
	e.Load, e.Rate, e.RatePerS, e.P99NS = listing.Load, listing.Rate, finite(listing.RatePerS), listing.P99NS
	switch {
	case e.Rate == "" && e.RatePerS != nil:
		e.Rate = units.PerSecond(*e.RatePerS) + "/s"
	case e.Rate == "":
		e.Rate = units.Dash
	}
	e.Remark = listing.Verdict
	if listing.Own != nil {
		if value, err := json.Marshal(listing.Own.Value); err == nil {
			e.OwnName, e.Own = listing.Own.Name, value
		}
	}
	return e
}

// finite is a figure that JSON can have.
func finite(v *float64) *float64 {
	if v == nil || math.IsNaN(*v) || math.IsInf(*v, 0) {
		return nil
	}
	return v
}

// missed are the goals that were missed, and not only by the generator's own delay.
func missed(thresholds []rundoc.Threshold) []string {
	var list []string
	for i := range thresholds {
		if t := &thresholds[i]; threshold.Of(t) == threshold.Missed {
			list = append(list, t.Expr)
		}
	}
	return list
}

func describeSet(set *setdoc.Set) Entry {
	e := Entry{
		Kind: set.Kind, Started: set.Started, Verdict: string(set.Verdict.Validity), Labels: set.Labels,
		Exit: set.Exit, Open: len(set.Members) < set.Planned && !set.Interrupted,
		Load: units.Count(int64(set.Planned), "run", "runs"),
	}
	var kinds, targets []string
	for i := range set.Members {
		m := &set.Members[i]
		kinds, targets = with(kinds, m.Workload), with(targets, m.Target)
		for _, expr := range missed(m.Thresholds) {
			if !slices.Contains(e.Missed, expr) {
				e.Missed = append(e.Missed, expr)
			}
		}
	}
	e.Workload, e.Target = agreed(kinds), agreed(targets)
	e.Shown = e.Target
	if made := len(set.Members); made < set.Planned {
		e.Remark = fmt.Sprintf(", %s of %s runs completed", units.Number(int64(made)), units.Number(int64(set.Planned)))
	}
	if s := set.Sweep; s != nil {
		e.Workload = s.Workload
		e.Load = describeVary(s)
		e.Rate, e.RatePerS = bestOf(s)
	}
	if c := set.Comparison; c != nil {
		describeComparison(&e, c)
	}
	if l := set.Loadline; l != nil {
		describeLine(&e, l)
		if made := len(set.Members); made < set.Planned || set.Interrupted {
			e.Remark = fmt.Sprintf(", stopped after %s", units.Count(int64(made), "probe", "probes"))
		}
	}
	return e
}

// describeComparison is what was compared, and in a word what came of it.
func describeComparison(e *Entry, c *setdoc.Comparison) {
	e.Workload = c.Workload
	e.Load = units.Count(int64(len(c.Launches)), "launch", "launches") + " of " + c.Sides[0].Name + " and " +
		c.Sides[1].Name
	worse, better, none := 0, 0, 0
	for i := range c.Rows {
		switch r := &c.Rows[i]; {
		case r.Outcome == setdoc.Worse:
			worse++
		case r.Outcome == setdoc.Better:
			better++
		case r.Outcome == setdoc.NoneShown && r.Absent != setdoc.NoneOnEither:
			none++
		}
	}
	switch {
	case worse > 0:
		e.Rate = bIsWorse
	case better > 0:
		e.Rate = "B is better"
	case none > 0:
		e.Rate = setdoc.NoneShown
	default:
		e.Rate = "not known"
	}
}

// describeLine is the SLO of a load line, and the load that it found.
func describeLine(e *Entry, l *setdoc.Loadline) {
	var goals []string
	for _, g := range l.SLO {
		goals = append(goals, g.Expr)
	}
	e.Workload, e.Missed = l.Workload, nil // that probes miss the SLO is what they are for
	e.Load, e.Rate = strings.Join(goals, ", "), units.Dash
	amount := func(load float64) string {
		return strings.TrimSpace(units.PerSecond(load) + " " + l.Unit)
	}
	switch {
	case l.Ending == setdoc.LineBelow:
		e.Rate = "below " + amount(l.Lowest)
	case l.Ending == setdoc.LineAbove:
		e.Rate = "above " + amount(l.Highest)
	case l.Load != nil:
		e.Rate = amount(*l.Load)
		if strings.HasSuffix(l.Unit, "/s") {
			e.RatePerS = finite(l.Load)
		}
	}
}

// with is a list with one more, unless it has that already. A member that came to nothing has neither kind nor target.
func with(list []string, one string) []string {
	if one == "" || slices.Contains(list, one) {
		return list
	}
	return append(list, one)
}

// agreed is the only one of a list; "" when they differ.
func agreed(list []string) string {
	if len(list) != 1 {
		return ""
	}
	return list[0]
}

// describeVary is what a sweep varies: "clients 1…64 × 3".
func describeVary(s *setdoc.Sweep) string {
	const fewNames = 3
	var parts []string
	for _, v := range s.Vary {
		values := units.FirstOf(v.Values, fewNames)
		if n := len(v.Values); v.Numeric && n > 1 {
			values = v.Values[0] + "…" + v.Values[n-1]
		}
		parts = append(parts, v.Setting+" "+values)
	}
	text := strings.Join(parts, ", ")
	if s.Repeats > 1 {
		text += fmt.Sprintf(" × %d", s.Repeats)
	}
	return text
}

// bestOf is the throughput at the best level of a sweep, and in words also which that is.
func bestOf(s *setdoc.Sweep) (rate string, perS *float64) {
	at := s.Best
	if at == nil {
		at = s.Peak
	}
	if at == nil || *at < 0 || *at >= len(s.Levels) || s.Levels[*at].Throughput == nil {
		return units.Dash, nil
	}
	level := &s.Levels[*at]
	unit := figure.Unit(s.Figure.Unit)
	if unit == figure.PerSecond {
		perS = finite(level.Throughput)
	}
	return unit.Text(*level.Throughput) + " at " + strings.Join(level.Values, ", "), perS
}
