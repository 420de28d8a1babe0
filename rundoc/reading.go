package rundoc

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/docfile"
	"github.com/plimsoll/plimsoll/internal/units"
)

// MaxBytes bounds the size of a document that Read accepts. Its series and slices have less than 4 MB, however
// long the run was; before points covered more than a second, a run of a week had 80 MB.
const MaxBytes = 128 << 20

// ErrSchema is in the chain of the error for a document of another schema or version.
var ErrSchema = errors.New("not a document of the schema " + Schema)

func file() docfile.Kind {
	return docfile.Kind{Schema: Schema, What: "run document", MaxBytes: MaxBytes, Wrong: ErrSchema}
}

// Read reads a run document. Fields that it does not know are left out, so that documents of
// a later program can be read; another schema or version is an ErrSchema. What a document
// says is not checked for truth: that is for Judge.
func Read(r io.Reader) (*Run, error) {
	var run Run
	if err := file().Read(r, "", run.decode); err != nil {
		return nil, err
	}
	return &run, nil
}

// ReadFile reads the run document in a file. Errors name the file, and the line if they can.
func ReadFile(path string) (*Run, error) {
	var run Run
	if err := file().ReadFile(path, run.decode); err != nil {
		return nil, err
	}
	return &run, nil
}

func (r *Run) decode(data []byte) (schema string, err error) {
	err = r.UnmarshalJSON(data)
	return r.Schema, err
}

// Write writes the document as indented JSON that ends in a newline. The schema is filled
// in, times are put into UTC, and empty lists are written as [] rather than null.
func Write(w io.Writer, run *Run) error { return docfile.Write(w, normal(run)) }

// WriteFile writes the document to a file, whole or not at all: it writes a temporary file in
// the same directory, waits until the disk has it, and renames it. A file that was there is
// replaced; after an error it is as it was. A link is followed, and what is no file, such as a
// device or a pipe, is written to and stays what it is.
func WriteFile(path string, run *Run) error { return docfile.WriteFile(path, normal(run)) }

// normal is a copy of the document in the form that is written.
func normal(run *Run) *Run {
	c := *run
	c.Schema = Schema
	c.Started, c.Ended = c.Started.UTC(), c.Ended.UTC()
	c.Phases = append([]Phase{}, c.Phases...)
	for i := range c.Phases {
		c.Phases[i].Started = c.Phases[i].Started.UTC()
	}
	c.Operations = orEmpty(c.Operations)
	c.Connections.Reconnects = orEmpty(c.Connections.Reconnects)
	c.Retries = orEmpty(c.Retries)
	c.Series = orEmpty(c.Series)
	c.Verdict.Reasons = orEmpty(c.Verdict.Reasons)
	c.Warnings = orEmpty(c.Warnings)
	return &c
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return slices.Clip(s)
}

// Reading is what is found when a document is judged again: whether it still says what its own
// figures do.
type Reading struct {
	// Verdict is the one to show: the document's own, or that of its figures where the two disagree.
	Verdict Verdict
	// Broken is set where the figures break a law. The document was changed after it was judged, or it
	// was written wrongly.
	Broken bool
	// Notes are sentences on how far the document's own verdict is to be believed.
	Notes []string
}

// Reread judges a document again, by the present rules and from its own figures. Of a document that was
// judged by older rules only the laws are held against it, on the fields that it has. One of later rules keeps
// its verdict, since the laws may be others then; that its figures break one of these is said.
func Reread(run *Run) Reading {
	own := run.Verdict
	again, whose := judge(run)
	broken := whose != ""
	if own.Rules > Rules {
		r := Reading{Verdict: own, Notes: []string{
			fmt.Sprintf("The verdict is by newer rules (version %d) than this program has (version %d).", own.Rules, Rules),
		}}
		if broken && !own.Broken() {
			r.Notes = append(r.Notes, "By the rules of this program its values contradict each other: "+again.Reasons[0])
		}
		return r
	}
	r := Reading{Verdict: own, Broken: broken}
	switch {
	case own.Validity == "": // nobody has judged it yet
		r.Verdict = again
	case broken && !own.Broken():
		r.Verdict = again
		r.Notes = append(r.Notes, fmt.Sprintf("The document says %.20s, but its values contradict each other. It was "+
			"modified after the run, or is corrupt.", own.Validity))
	case own.Rules < Rules:
	case own.Validity != again.Validity || len(own.Reasons) != len(again.Reasons):
		r.Verdict = again
		r.Notes = append(r.Notes,
			fmt.Sprintf("The document says %.20s with %s, but its values lead to this verdict. It was modified after the run.",
				own.Validity, countOf(int64(len(own.Reasons)), "reason")))
	}
	if own.Validity != "" && own.Rules < Rules {
		r.Notes = append(r.Notes, "The verdict is by older rules.")
	}
	return r
}

func countOf(n int64, what string) string {
	switch n {
	case 0:
		return "no " + what
	case 1:
		return "one " + what
	}
	return units.Number(n) + " " + what + "s"
}

// Conclude sets what follows from all the rest of a document: its totals, its verdict and its warnings,
// and by which definitions this program has measured it.
func (r *Run) Conclude() {
	r.SumUp(r.Total)
	r.Definitions = definitions()
	r.Verdict = Judge(r)
	r.Warnings = Warnings(r)
}

// The figures that are held against those of other runs, by the names that Definitions has for them.
const (
	FigureClientTime = "client_time"
	FigureOverhead   = "overhead"
	FigureSDKTime    = "sdk_time"
	// FigureOwnStart is own_delay_p99_ns and own_late: how late operations started for the generator's own reasons.
	// 1 counted what each had waited at last, so that of a whole freeze only one operation of each client knew; 2
	// counts from when its client would have been free without any own delay, and whatever became of the operation; 3
	// leaves out of own_late the operations that waited longer for the target than for the generator.
	FigureOwnStart = "own_start"
)

// definitions are the numbers of the figures whose meaning has changed, as this program measures them. A
// figure that has kept its first meaning has the number 1 and is not named. Whoever changes what a figure
// means raises its number here, in the same commit.
func definitions() map[string]int { return map[string]int{FigureOwnStart: 3} }

// Definition is the number of what this program means by a figure.
func Definition(figure string) int { return numberOf(definitions(), figure) }

// Definition is the number of what a figure of this document means. Figures of different numbers say
// nothing of each other.
func (r *Run) Definition(figure string) int { return numberOf(r.Definitions, figure) }

func numberOf(of map[string]int, figure string) int {
	if n, named := of[figure]; named {
		return n
	}
	return 1
}

// OpenModel reports whether the run's plan is an open model: its load has a rate or stages.
func (r *Run) OpenModel() bool { return r.load().open() }

// planLoad is what must be known of the plan here: every workload's plan has its load.
type planLoad struct {
	Arrivals string  `json:"arrivals"`
	RatePerS float64 `json:"rate_per_s"`
	Clients  int     `json:"clients"`
	// MaxClients is the number of clients that the open model was allowed; 0 where the number is fixed.
	MaxClients   int `json:"max_clients"`
	StartClients int `json:"start_clients"`
	ClientStages []struct {
		DurationNS int64 `json:"duration_ns"`
		Clients    int   `json:"clients"`
	} `json:"client_stages"`
	Stages []struct {
		DurationNS int64   `json:"duration_ns"`
		RatePerS   float64 `json:"rate_per_s"`
	} `json:"stages"`
}

func (r *Run) load() planLoad {
	var plan struct {
		Load planLoad `json:"load"`
	}
	// A plan that cannot be read has no rate: it is judged as a closed model.
	_ = json.Unmarshal(r.Plan, &plan)
	return plan.Load
}

func (l planLoad) open() bool { return l.RatePerS > 0 || len(l.Stages) > 0 }

// recorded reports whether operations are due when they once came: any number at once, whatever the rate is.
func (l planLoad) recorded() bool { return l.Arrivals == "recorded" }

// peak is the highest rate that the plan asks for.
func (l planLoad) peak() float64 {
	peak := l.RatePerS
	for _, s := range l.Stages {
		peak = max(peak, s.RatePerS)
	}
	return peak
}

// stagesRate is the rate of the stages so many seconds after the start of the window: each
// moves it linearly to its own.
func (l planLoad) stagesRate(at float64) float64 {
	rate := l.RatePerS
	for _, s := range l.Stages {
		length := seconds(s.DurationNS)
		if at < length {
			return rate + (s.RatePerS-rate)*at/length
		}
		rate, at = s.RatePerS, at-length
	}
	return rate
}

// stagesClients returns the number of clients that the stages ask for so many seconds after the start of the window.
func (l planLoad) stagesClients(at float64) float64 {
	clients := float64(l.StartClients)
	for _, s := range l.ClientStages {
		length, next := seconds(s.DurationNS), float64(s.Clients)
		if at < length {
			return clients + (next-clients)*at/length
		}
		clients, at = next, at-length
	}
	return clients
}

// lostShare is the share of the clients' time that they spent backing off or without a
// connection; 0 when the ledger does not say.
func (l Ledger) lostShare() float64 {
	all := float64(l.Clients) * float64(l.WindowNS)
	if all <= 0 {
		return 0
	}
	return float64(l.States[StateBackingOff]+l.States[StateReconnecting]+l.States[StateConnecting]) / all
}

// OthersShare is the share of the machine's CPUs, 0 to 1, that neither the generator nor the
// target used within the window, and whether the document tells. It does when it has the
// machine's share, and either the CPU of the target or a target on another machine. The
// kernel's own work on the network is often in nobody's account but the machine's, and so it
// is in here.
func (r *Run) OthersShare() (share float64, known bool) {
	g, t := &r.Generator, &r.Target
	all := float64(r.Host.CPUs) * float64(r.window())
	if g.MachineShare <= 0 || all <= 0 || t.SameHost && t.CPUUserNS+t.CPUSystemNS == 0 {
		return 0, false
	}
	used := g.CPUUserNS + g.CPUSystemNS
	if t.SameHost {
		used += t.CPUUserNS + t.CPUSystemNS
	}
	return max(0, g.MachineShare-float64(used)/all), true
}

// MachineShare is how busy the machine of the generator was, and whether the window was long enough
// for that to be known.
func (r *Run) MachineShare() (share float64, known bool) {
	window := r.window()
	return r.Generator.MachineShare, r.Generator.MachineShare > 0 && (window == 0 || window >= MinMachineWindowNS)
}

// forgetZeros makes unknown what documents of before the rules had a number may have written as 0
// because it was not known. Other fields of theirs have no pointer, and are read as 0 either way.
func (r *Run) forgetZeros() {
	g := &r.Generator
	if g.ThrottledNS != nil && *g.ThrottledNS == 0 {
		g.ThrottledNS = nil
	}
	if !r.OpenModel() {
		g.OwnLate = nil
	}
	for i := range r.Series {
		if p := &r.Series[i]; p.InFlight != nil && *p.InFlight == 0 {
			p.InFlight = nil
		}
	}
}

// forgetUnsupported leaves out percentiles that documents of before they were left out have of too few operations. How
// many ended is the most that there can be of times.
func (r *Run) forgetUnsupported() {
	for i := range r.Series {
		p := &r.Series[i]
		forgetFew(p.OK+p.Failed, 500, &p.P50NS)
		forgetFew(p.OK+p.Failed, 990, &p.P99NS, &p.OwnP99NS)
	}
	var started int64
	for i := range r.Operations {
		started += r.Operations[i].Scheduled - r.Operations[i].Unsent
	}
	forgetFew(started, 990, &r.Generator.SendDelayP99NS, &r.Generator.OwnDelayP99NS)
}

func forgetFew(count, permille int64, figures ...*int64) {
	for _, f := range figures {
		if !Supports(count, permille) {
			*f = 0
		}
	}
}

// ownLate is OwnLate, or 0 where it is not known.
func (g *Generator) ownLate() int64 {
	if g.OwnLate == nil {
		return 0
	}
	return *g.OwnLate
}

// lateBy returns the p99 of the start delay as part of a sentence, or "" if it is unknown.
func (g *Generator) lateBy() string {
	if g.OwnDelayP99NS == 0 {
		return ""
	}
	return ", with a p99 start delay of " + units.Duration(g.OwnDelayP99NS)
}

// busyShare is the share of the clients' time that was spent on operations and connections,
// and whether the ledger says so.
func (l Ledger) busyShare() (share float64, known bool) {
	all := float64(l.Clients) * float64(l.WindowNS)
	if all <= 0 {
		return 0, false
	}
	idle := float64(l.States[StateWaiting]) + float64(l.States[StateIdle])
	return 1 - idle/all, true
}

// arrivals is how many operations the schedule gave: of flows the first ones.
func (r *Run) arrivals(total *Operation) int64 {
	if len(r.Flows) == 0 {
		return total.Scheduled
	}
	return r.started() + total.Unsent
}

// started is how many flows began.
func (r *Run) started() (n int64) {
	for i := range r.Flows {
		n += r.Flows[i].Started
	}
	return n
}

// window is the length of the measurement window: the ledger's, or the window phase's if
// there is no ledger, or 0.
func (r *Run) window() int64 {
	if r.Ledger.WindowNS > 0 {
		return r.Ledger.WindowNS
	}
	if p := r.phase(PhaseWindow); p != nil {
		return p.DurationNS
	}
	return 0
}

func (r *Run) phase(name string) *Phase {
	if i := slices.IndexFunc(r.Phases, func(p Phase) bool { return p.Name == name }); i >= 0 {
		return &r.Phases[i]
	}
	return nil
}

// String is the operation's name and labels: "send type=TEXT".
func (o *Operation) String() string {
	var b strings.Builder
	b.WriteString(o.Name)
	for _, k := range slices.Sorted(maps.Keys(o.Labels)) {
		b.WriteString(" " + k + "=" + o.Labels[k])
	}
	return b.String()
}

func seconds(ns int64) float64 { return float64(ns) / 1e9 }

func orAbsent(ns *int64) string {
	if ns == nil {
		return "absent"
	}
	return units.Duration(*ns)
}
