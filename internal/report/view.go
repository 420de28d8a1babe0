package report

import (
	"encoding/json"
	"slices"

	"github.com/plimsoll/plimsoll/internal/stats"
	"github.com/plimsoll/plimsoll/rundoc"
)

// View is a document with what several sections need of it. Its methods are the sections and the
// lines of the answer that any kind may have.
type View struct {
	Run      *rundoc.Run
	Options  Options
	Words    Words
	Total    rundoc.Operation // of all operations; without times where those are of unlike kinds
	WindowNS int64
	Verdict  rundoc.Verdict
	Open     bool // the open model

	doubts   []string // how far the document's own verdict is to be believed
	kind     Kind
	stages   bool // the rate was to change
	interval stats.Interval

	thresholds []ThresholdRow
	counting   bool // the run continues: nothing is judged, and how much was scheduled is unknown
}

// NewView looks at a run of this kind.
func NewView(run *rundoc.Run, kind Kind, opt Options) *View {
	v := &View{
		Run: run, Options: opt, Words: kind.Words.orOperations(), WindowNS: windowOf(run),
		Open: run.OpenModel(), kind: kind,
	}
	// A histogram that cannot be read leaves its time empty; the verdict says so.
	v.Total, _ = totals(run, kind)
	reading := rundoc.Reread(run)
	v.Verdict, v.doubts = reading.Verdict, reading.Notes
	var plan struct {
		Load struct {
			Stages       []json.RawMessage `json:"stages"`
			ClientStages []json.RawMessage `json:"client_stages"`
		} `json:"load"`
	}
	// A plan of another shape has no stages.
	v.stages = json.Unmarshal(run.Plan, &plan) == nil && len(plan.Load.Stages)+len(plan.Load.ClientStages) > 0
	v.interval = stats.MeanRate(run.FullSeconds())
	return v
}

// NewCount looks at what was counted of a run of this kind that goes on. There is no verdict, and nothing is judged:
// the totals are those that the document has, without their histograms. It may be made every second.
func NewCount(run *rundoc.Run, kind Kind) *View {
	v := &View{
		Run: run, Words: kind.Words.orOperations(), WindowNS: windowOf(run), Open: run.OpenModel(), kind: kind,
		counting: true,
	}
	t := run.Total
	if t == nil {
		return v
	}
	v.Total = rundoc.Operation{
		Scheduled: t.Scheduled, OK: t.OK, Failed: t.Failed, Unsent: t.Unsent, Unfinished: t.Unfinished,
		Attempts: t.Attempts, Retries: t.Retries, Bytes: t.Bytes, Carried: t.Carried, RatePerS: t.RatePerS,
		BytesPerS: t.BytesPerS, Causes: t.Causes,
	}
	for _, times := range []struct {
		from *rundoc.Summary
		into *rundoc.Summary
	}{
		{t.ResponseTime, &v.Total.ResponseTime}, {t.ServiceTime, &v.Total.ServiceTime},
		{t.SendDelay, &v.Total.SendDelay}, {t.FirstAttempt, &v.Total.FirstAttempt},
	} {
		if times.from != nil && !kind.Mixed {
			*times.into = *times.from
		}
	}
	return v
}

// NotCarried is what failed and what was not sent, if that is much; else it is empty.
func (v *View) NotCarried() Fact { return v.missing() }

// show is the report of a run.
func show(run *rundoc.Run, kind Kind, opt Options) (*View, Shown) {
	v := NewView(run, kind, opt)
	if kind.Show == nil {
		return v, v
	}
	return v, kind.Show(v)
}

// Page is a report before it is rendered: that of a run, or of what several runs have in common.
type Page struct {
	Shown
	Title  string
	Before Fact   // before all the rest, where there is such a thing: what makes figures those of a part alone
	Next   string // the command to try next; "": none
	// Folded is what the sections are in a word, which Markdown has folded up, with the lead before the answer. "": they
	// are the whole report, and the answer comes first.
	Folded string
	// Open says that the first table is what one wants to see: Markdown has it open where it is short.
	Open bool

	view *View // of a run; nil: the report is of several
}

// PageOf is the report of a run of this kind.
func PageOf(run *rundoc.Run, kind Kind, opt Options) Page { return pageOf(run, kind, opt) }

// pageOf is the report of a run.
func pageOf(run *rundoc.Run, kind Kind, opt Options) Page {
	v, shown := show(run, kind, opt)
	shown = withGoals(v, shown)
	if g, has := shown.(*goals); has {
		v.thresholds = g.rows()
	}
	return Page{
		Shown: withUntil(v, shown), Title: v.Title(), Before: v.missing(), Next: nextOf(run, kind, opt), view: v,
	}
}

// totals sums up the operations; those of unlike kinds without their times, because they are no
// sample of one thing.
func totals(run *rundoc.Run, kind Kind) (rundoc.Operation, error) {
	if !kind.Mixed {
		return run.Totals()
	}
	counts := rundoc.Run{Operations: slices.Clone(run.Operations)}
	for i := range counts.Operations {
		o := &counts.Operations[i]
		for _, times := range []*rundoc.Summary{&o.ResponseTime, &o.ServiceTime, &o.SendDelay, &o.FirstAttempt} {
			*times = rundoc.Summary{}
		}
	}
	return counts.Totals()
}

// windowOf is the length of the measurement window, or 0 when the document does not say.
func windowOf(run *rundoc.Run) int64 {
	if run.Ledger.WindowNS > 0 {
		return run.Ledger.WindowNS
	}
	if p := phaseOf(run, rundoc.PhaseWindow); p != nil {
		return max(0, p.DurationNS)
	}
	return 0
}

func phaseOf(run *rundoc.Run, name string) *rundoc.Phase {
	i := slices.IndexFunc(run.Phases, func(p rundoc.Phase) bool { return p.Name == name })
	if i < 0 {
		return nil
	}
	return &run.Phases[i]
}

// Sections are those of a run that has nothing but the common part.
func (v *View) Sections() []Section {
	return slices.Concat([]Section{v.Times(), v.Outcomes(), v.Failures(), v.Connections()}, v.Groups(), v.Ending())
}

// Ending are the sections on how the run went, which come last, with what the kind adds to the files.
func (v *View) Ending(own ...FileRow) []Section {
	return []Section{
		v.Throughput(), v.Ledger(), v.Little(), v.Instrument(), v.Phases(), v.Plan(PlanShape{}), v.Files(own...),
	}
}

// Lead is no table.
func (v *View) Lead(int) Table { return Table{} }

// shownSections are the sections that have something below their titles.
func shownSections(s Shown) []Section {
	return slices.DeleteFunc(s.Sections(), func(s Section) bool { return s.empty() })
}
