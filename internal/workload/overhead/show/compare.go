package show

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/stats"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// DefaultMinEffect is the smallest difference that matters, as a share, unless it is set.
const DefaultMinEffect = 0.03

// The outcomes of a row that only one of the two runs has.
const (
	OnlyNow    stats.Outcome = "only now"
	OnlyBefore stats.Outcome = "only before"
)

// The figures of an overhead run, as reports call them.
const (
	FigureClientTime = "client time"
	FigureOverhead   = "overhead"
	FigureCall       = "call"
	FigureSDKTime    = "SDK time"
)

// Comparison is an overhead run beside one from before.
type Comparison struct {
	Before    string // which run the baseline is: its id and its start
	MinEffect float64
	Rows      []ComparedRow // first all of the first of the figures that are judged, then all of the next one
	// Unlike is what differs between the runs so that a difference of their figures says
	// nothing of the SDK; no row is then better, worse or the same.
	Unlike []string
	Notes  []string // what else a reader must know

	beside []besides    // what else both runs know of an operation
	null   *ComparedRow // the null clients, where both runs have one of the same request
}

// ComparedRow is one figure of one operation in both runs.
type ComparedRow struct {
	Service, Operation, Figure string
	Shift                      stats.Shift // in ns
	P                          float64     // Shift.P after Holm's correction over all rows
	Outcome                    stats.Outcome
	Why                        string // why it cannot be told, where the interval does not say it
}

// Worse reports whether any row got worse.
func (c *Comparison) Worse() bool { return c.count(stats.Worse) > 0 }

// Judged counts the figures of this run that could be held against the baseline at all,
// whatever came of it.
func (c *Comparison) Judged() (n int) {
	if len(c.Unlike) > 0 {
		return 0
	}
	for i := range c.Rows {
		if r := &c.Rows[i]; r.Outcome != OnlyNow && r.Outcome != OnlyBefore && r.Shift.Absent == "" {
			n++
		}
	}
	return n
}

// Remedy says what to do about a comparison in which nothing was Judged.
func (c *Comparison) Remedy() string {
	var unsaved, few bool
	for i := range c.Rows {
		switch c.Rows[i].Shift.Absent {
		case "":
		case noValues, noValuesNow:
			unsaved = true
		default:
			few = true
		}
	}
	switch {
	case len(c.Unlike) > 0 || !unsaved && !few:
		return "record a baseline with the same operations and settings with --save-baseline"
	case few:
		return "make more calls in this run and in a new baseline"
	}
	return "record the baseline again with --save-baseline, which keeps all values"
}

// Why samples without their single values cannot be compared.
const (
	noValues    = "the baseline was saved without individual values"
	noValuesNow = "the run has no individual values"
)

// Summary says in one line what got worse, for an error message.
func (c *Comparison) Summary() string {
	var worse []string
	for i := range c.Rows {
		if r := &c.Rows[i]; r.Outcome == stats.Worse {
			worse = append(worse, fmt.Sprintf("%s %s %s", r.name(), r.Figure, signedPercent(r.share(r.Shift.Diff))))
		}
	}
	if len(worse) == 0 {
		return "no regression against baseline " + c.Before
	}
	return fmt.Sprintf("%s worse than in baseline %s: %s", units.Count(int64(len(worse)), "metric", "metrics"),
		c.Before, units.FirstOf(worse, 4))
}

func (c *Comparison) count(o stats.Outcome) (n int) {
	for i := range c.Rows {
		if c.Rows[i].Outcome == o {
			n++
		}
	}
	return n
}

func (r *ComparedRow) name() string {
	return units.Clean((&rundoc.OverheadRow{Service: r.Service, Operation: r.Operation}).Name())
}

// share is a difference as a share of the median before.
func (r *ComparedRow) share(diff float64) float64 { return diff / r.Shift.Before }

// Compare compares an overhead run with one from before, by the median client time of
// each operation or, where one of them does not know that, of its overhead and its SDK time. minEffect is the
// smallest difference that matters, as a share of the median before. The error is for a run of another workload, or
// without a detail.
func Compare(now, before *rundoc.Run, minEffect float64) (*Comparison, error) {
	a, err := overheadOf(before, "the baseline")
	if err != nil {
		return nil, err
	}
	b, err := overheadOf(now, "the run")
	if err != nil {
		return nil, err
	}
	if !(minEffect >= 0 && minEffect < 1e6) {
		return nil, fault.New(fault.Usage, "the minimum effect %g is out of range: it must be 0 or "+
			"more", minEffect).
			Hint("set --min-effect to a share, for example 3%% or 0.03")
	}
	c := &Comparison{Before: runName(before), MinEffect: minEffect}
	c.unlike(now, before, b, a)
	figures := c.judgedBy(b, a)
	for _, figure := range figures {
		c.rows(b, a, figure)
	}
	c.beside = besidesOf(b, a)
	c.null = c.nullShift(b, a, figures[0])
	c.judge(c.null)
	return c, nil
}

func overheadOf(run *rundoc.Run, what string) (*rundoc.OverheadDetail, error) {
	if run.Workload != rundoc.WorkloadOverhead {
		return nil, fault.New(fault.Usage, "%s is a %.40q run; only overhead runs can be compared", what,
			run.Workload).
			Hint("use a run of plimsoll overhead; list runs with plimsoll runs")
	}
	d := run.Overhead()
	if d == nil {
		return nil, fault.New(fault.Usage, "%s has no call data: its detail is missing or unreadable", what).
			Hint("record it again with this version of Plimsoll")
	}
	for _, figure := range []string{rundoc.FigureClientTime, rundoc.FigureOverhead, rundoc.FigureSDKTime} {
		if its, ours := run.Definition(figure), rundoc.Definition(figure); its != ours {
			return nil, fault.New(fault.Usage,
				"%s uses another definition of %s: version %d instead of %d",
				what, figure, its, ours).
				Hint("record it again with this version of Plimsoll")
		}
	}
	return d, nil
}

func runName(run *rundoc.Run) string {
	if run.ID == "" {
		return "of " + units.UTC(run.Started)
	}
	return units.Clean(run.ID) + " of " + units.UTC(run.Started)
}

// judgedBy are the figures that rows are called better or worse by. The client time has all that a call costs in it;
// where only one of the runs knows that, it is the two that both have.
func (c *Comparison) judgedBy(now, before *rundoc.OverheadDetail) []string {
	b, a := knowsCalls(now), knowsCalls(before)
	if a && b {
		return []string{FigureClientTime}
	}
	if one := "The baseline does"; a != b && now.Mode == before.Mode {
		if a {
			one = "This run does"
		}
		c.Notes = append(c.Notes, one+" not include the client time of whole calls, because another version recorded it. "+
			"Overhead and SDK time are compared instead.")
	}
	return []string{FigureOverhead, FigureSDKTime}
}

// key is what a row is found by.
type key struct{ service, operation string }

func keyed(d *rundoc.OverheadDetail) map[key]*rundoc.OverheadRow {
	rows := map[key]*rundoc.OverheadRow{}
	for i := range d.Rows {
		k := key{d.Rows[i].Service, d.Rows[i].Operation}
		if rows[k] == nil {
			rows[k] = &d.Rows[i]
		}
	}
	return rows
}

func sampleOf(r *rundoc.OverheadRow, figure string) *rundoc.Sample {
	switch figure {
	case FigureClientTime:
		return &r.ClientTime
	case FigureCall:
		return &r.Call
	case FigureSDKTime:
		return &r.SDKTime
	}
	return &r.Overhead
}

// rows adds a row for each operation of either run, in the order of the table, those that
// only the baseline has last.
func (c *Comparison) rows(now, before *rundoc.OverheadDetail, figure string) {
	old, current := keyed(before), keyed(now)
	done := map[key]bool{}
	for _, d := range []*rundoc.OverheadDetail{now, before} {
		for i := range d.Rows {
			k := key{d.Rows[i].Service, d.Rows[i].Operation}
			if done[k] {
				continue
			}
			done[k] = true
			c.row(k, current[k], old[k], figure)
		}
	}
}

func (c *Comparison) row(k key, now, before *rundoc.OverheadRow, figure string) {
	r := ComparedRow{Service: k.service, Operation: k.operation, Figure: figure, Outcome: stats.CannotTell, P: 1}
	switch {
	case now == nil:
		r.Outcome = OnlyBefore
	case before == nil:
		r.Outcome = OnlyNow
	default:
		b, a := sampleOf(now, figure), sampleOf(before, figure)
		if a.N == 0 && b.N == 0 {
			return // a figure that this mode does not have
		}
		r.Shift = compareSamples(a, b)
		r.Why = r.Shift.Absent
	}
	if now == nil && sampleOf(before, figure).N == 0 || before == nil && sampleOf(now, figure).N == 0 {
		return
	}
	c.Rows = append(c.Rows, r)
}

// compareSamples compares two samples by their single values. Without them, their medians
// are shown, and nothing can be told.
func compareSamples(before, now *rundoc.Sample) stats.Shift {
	s := stats.CompareMedians(stats.Series{Values: before.Values, Rounds: before.Rounds},
		stats.Series{Values: now.Values, Rounds: now.Rounds})
	if s.Absent == "" {
		return s
	}
	s.Before, s.Now, s.Diff = before.MedNS, now.MedNS, now.MedNS-before.MedNS
	switch {
	case before.N == 0 || now.N == 0:
		s.Absent = "one of the runs has no value"
	case len(before.Values) == 0 && before.N >= stats.MinValues:
		s.Absent = noValues
	case len(now.Values) == 0 && now.N >= stats.MinValues:
		s.Absent = noValuesNow
	}
	return s
}

// nullShift compares the null clients, which have nothing of the SDK: where they differ, the
// machine or the responder does. It is nil when there is nothing to be compared.
func (c *Comparison) nullShift(now, before *rundoc.OverheadDetail, figure string) *ComparedRow {
	if now.Null == nil || before.Null == nil {
		return nil
	}
	if a, b := before.Null.Name(), now.Null.Name(); !sameRequest(before.Null.Operation, now.Null.Operation) {
		c.Notes = append(c.Notes, fmt.Sprintf("The null client used the request of %s before and of %s now, so it cannot "+
			"show whether the machine changed.",
			units.OrNone(units.Clean(a)), units.OrNone(units.Clean(b))))
		return nil
	}
	if sampleOf(now.Null, figure).N == 0 && sampleOf(before.Null, figure).N == 0 {
		figure = FigureSDKTime // the only one of a foreign client
	}
	r := &ComparedRow{Service: "null client", Figure: figure, Outcome: stats.CannotTell}
	r.Shift = compareSamples(sampleOf(before.Null, figure), sampleOf(now.Null, figure))
	if r.Why = r.Shift.Absent; r.Why == "" {
		r.P, r.Outcome = r.Shift.P, r.Shift.Outcome(r.Shift.P, c.MinEffect)
	}
	return r
}

// sameRequest reports whether two null clients sent the request of one operation, as far as is known: an
// older document leaves its service out.
func sameRequest(a, b string) bool {
	return a == b || strings.HasSuffix(a, " "+b) || strings.HasSuffix(b, " "+a)
}

// whyUnlike stands once below the table, not at each row.
const whyUnlike = "the runs are not comparable"

// judge corrects the p values and gives each row its outcome. A row that changed by hardly
// more than the null client did cannot be told.
func (c *Comparison) judge(null *ComparedRow) {
	var p []float64
	var of []*ComparedRow
	for i := range c.Rows {
		r := &c.Rows[i]
		if r.Outcome == stats.CannotTell && r.Shift.Absent == "" {
			p, of = append(p, r.Shift.P), append(of, r)
		}
	}
	drift := c.drift(null)
	for i, adjusted := range stats.Holm(p) {
		r := of[i]
		r.P = adjusted
		if len(c.Unlike) > 0 {
			r.Why = whyUnlike
			continue
		}
		r.Outcome = r.Shift.Outcome(adjusted, c.MinEffect)
		switch share := r.share(r.Shift.Diff); {
		case r.Outcome == stats.Worse && drift > 0 && share < drift+c.MinEffect,
			r.Outcome == stats.Better && drift < 0 && share > drift-c.MinEffect:
			r.Outcome, r.Why = stats.CannotTell, "the null client changed as well"
		}
	}
}

// drift is by what share the null client's cost changed, or 0 where that may be chance or
// does not matter.
func (c *Comparison) drift(null *ComparedRow) float64 {
	if !null.changed() {
		return 0
	}
	share := null.share(null.Shift.Diff)
	c.Notes = append(c.Notes, fmt.Sprintf("The median of the null client, which uses no SDK, also changed by %s: the "+
		"machine or the service changed. Rows with a similar change in the same direction are inconclusive.",
		signedPercent(share)))
	return share
}

// unlike collects what differs between the runs.
func (c *Comparison) unlike(now, before *rundoc.Run, b, a *rundoc.OverheadDetail) {
	unlike := func(what, old, current string) {
		if old != current {
			c.Unlike = append(c.Unlike, fmt.Sprintf("%s: %s before, %s now", what, units.OrNone(old),
				units.OrNone(current)))
		}
	}
	e, f := &a.Environment, &b.Environment
	unlike("mode", a.Mode, b.Mode)
	unlike("CPU", cpuOf(before), cpuOf(now))
	unlike("operating system", before.Host.OS, now.Host.OS)
	unlike("protocol", e.Protocol, f.Protocol)
	unlike("TLS", onOff(e.TLS), onOff(f.TLS))
	unlike("service latency", units.Setting(e.LatencyNS), units.Setting(f.LatencyNS))
	unlike("concurrent clients", units.Number(int64(e.Concurrency)), units.Number(int64(f.Concurrency)))
	unlike("responder", responder(e), responder(f))
	if a.Mode == rundoc.OverheadExec {
		c.note("command", a.Command, b.Command)
	}
	for _, r := range []struct {
		run  *rundoc.Run
		name string
	}{{before, "The baseline"}, {now, "This run"}} {
		if crowded(r.run) {
			c.Unlike = append(c.Unlike, r.name+" shared a busy machine with other programs, whose load varies")
		}
		if r.run.Interrupted {
			c.Notes = append(c.Notes, r.name+" was interrupted and has fewer values or operations.")
		} else if r.run.Aborted != "" {
			c.Notes = append(c.Notes, r.name+" was ended early by a threshold and has fewer values or operations.")
		}
		switch rundoc.Reread(r.run).Verdict.Validity {
		case rundoc.Valid, rundoc.Seen:
		case rundoc.Invalid:
			c.Unlike = append(c.Unlike, r.name+" is invalid")
		default:
			c.Notes = append(c.Notes, r.name+" is suspect; see its report.")
		}
	}
	c.versions(now, before, b, a)
}

// crowded reports whether other programs had a part in a machine that was busy. No interval knows of
// that, as it differs between the runs rather than within: of runs of one program on two CPUs, the first
// at a load of 7 and the last at one of 16, half of the rows were called better or worse.
func crowded(run *rundoc.Run) bool {
	busy, enough := run.MachineShare()
	others, known := run.OthersShare()
	return enough && known && busy > rundoc.MaxMachineShare && others/busy > rundoc.MaxOthersShare
}

// versions notes what is compared rather than in the way of it.
func (c *Comparison) versions(now, before *rundoc.Run, b, a *rundoc.OverheadDetail) {
	e, f := &a.Environment, &b.Environment
	c.note("SDK", e.SDK, f.SDK)
	changed := differing(e.Modules, f.Modules)
	if len(changed) > 0 {
		c.Notes = append(c.Notes, "Modules that differ: "+units.FirstOf(changed, 8)+".")
	}
	c.note("Go", before.Tool.Go, now.Tool.Go)
	c.note("Plimsoll", before.Tool.Version, now.Tool.Version)
	c.note("kernel", before.Host.Kernel, now.Host.Kernel)
	c.note("warm-up", units.Setting(e.WarmupNS), units.Setting(f.WarmupNS))
	if left := subsampled(b, a); len(left) > 0 {
		c.Notes = append(c.Notes, "Compared using "+units.Number(rundoc.MaxValues)+" evenly spaced values (of more) of: "+
			""+units.FirstOf(left, 4)+".")
	}
}

// subsampled names the operations of which not all values are kept.
func subsampled(details ...*rundoc.OverheadDetail) []string {
	var names []string
	for _, d := range details {
		for i := range d.Rows {
			r := &d.Rows[i]
			if s := firstFigure(r); len(s.Values) > 0 && int64(len(s.Values)) < s.N &&
				!slices.Contains(names, units.Clean(r.Name())) {
				names = append(names, units.Clean(r.Name()))
			}
		}
	}
	return names
}

func (c *Comparison) note(what, old, current string) {
	if old != current {
		c.Notes = append(c.Notes, fmt.Sprintf("%s: %s before, %s now.", units.Capital(what), units.OrNone(old),
			units.OrNone(current)))
	}
}

// differing are the entries of either list that the other does not have.
func differing(a, b []string) []string {
	var list []string
	for _, m := range a {
		if !slices.Contains(b, m) {
			list = append(list, "before "+units.Clean(m))
		}
	}
	for _, m := range b {
		if !slices.Contains(a, m) {
			list = append(list, "now "+units.Clean(m))
		}
	}
	return list
}

func cpuOf(run *rundoc.Run) string {
	return fmt.Sprintf("%s × %s %s", units.Number(int64(run.Host.CPUs)), cmp.Or(run.Host.CPU, "(no name)"),
		run.Host.Arch)
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// responder is what answered: the embedded one, wherever it listened, or a server.
func responder(e *rundoc.OverheadEnvironment) string {
	if e.Embedded {
		return "the demo server"
	}
	return e.Endpoint
}

// signedPercent is a share with its sign: "+3.2%".
func signedPercent(share float64) string { return signed(share) + "%" }
