package report

import (
	"encoding/json"
	"slices"

	"github.com/plimsoll/plimsoll/internal/stats"
	"github.com/plimsoll/plimsoll/rundoc"
)

// view is a document with what several sections need of it.
type view struct {
	run      *rundoc.Run
	opt      Options
	words    words
	total    rundoc.Operation
	windowNS int64
	verdict  rundoc.Verdict
	open     bool
	stages   bool // the rate was to change
	interval stats.Interval
	chat     *rundoc.ChatDetail // nil for another workload, or without a detail
	// bandwidth is nil for another workload, and empty without a detail that can be read.
	bandwidth *rundoc.BandwidthDetail
	// overhead is likewise.
	overhead *rundoc.OverheadDetail
	updates  *rundoc.UpdatesDetail
}

func newView(run *rundoc.Run, opt Options) *view {
	v := &view{run: run, opt: opt, words: wordsFor(run.Workload), windowNS: windowOf(run), open: run.OpenModel()}
	// A histogram that cannot be read leaves its time empty; the verdict says so.
	v.total, _ = totals(run)
	v.verdict = verdictOf(run)
	var plan struct {
		Load struct {
			Stages []json.RawMessage `json:"stages"`
		} `json:"load"`
	}
	// A plan of another shape has no stages.
	v.stages = json.Unmarshal(run.Plan, &plan) == nil && len(plan.Load.Stages) > 0
	v.interval = stats.MeanRate(fullSeconds(run))
	v.chat = run.Chat()
	if run.Workload == rundoc.WorkloadBandwidth {
		if v.bandwidth = run.Bandwidth(); v.bandwidth == nil {
			v.bandwidth = &rundoc.BandwidthDetail{}
		}
	}
	if run.Workload == rundoc.WorkloadOverhead {
		if v.overhead = run.Overhead(); v.overhead == nil {
			v.overhead = &rundoc.OverheadDetail{}
		}
	}
	if run.Workload == rundoc.WorkloadUpdates {
		if v.updates = run.Updates(); v.updates == nil {
			v.updates = &rundoc.UpdatesDetail{}
		}
	}
	return v
}

// verdictOf is the document's verdict, or a new one where it has none.
func verdictOf(run *rundoc.Run) rundoc.Verdict {
	if run.Verdict.Validity == "" {
		return rundoc.Judge(run)
	}
	return run.Verdict
}

// totals sums up the operations; those of a bandwidth run without their times, because a
// create, a block and a close are no sample of one thing.
func totals(run *rundoc.Run) (rundoc.Operation, error) {
	if run.Workload != rundoc.WorkloadBandwidth {
		return run.Totals()
	}
	counts := rundoc.Run{Operations: slices.Clone(run.Operations)}
	for i := range counts.Operations {
		o := &counts.Operations[i]
		o.ResponseTime, o.ServiceTime, o.SendDelay, o.FirstAttempt = rundoc.Summary{}, rundoc.Summary{}, rundoc.Summary{}, rundoc.Summary{}
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

// fullSeconds are the counts of those seconds of the window that were whole.
func fullSeconds(run *rundoc.Run) []float64 {
	whole := windowOf(run) / 1e9
	var counts []float64
	for _, p := range run.Series {
		if p.Second < whole {
			counts = append(counts, float64(p.OK))
		}
	}
	return counts
}

// clientShare is a share of all the clients' time in the window.
func (v *view) clientShare(ns int64) string {
	return shareOf(float64(ns), float64(v.run.Ledger.Clients)*float64(v.windowNS))
}

// sections are the parts of the report after the answer, in the order of the questions that
// a reader would ask. An empty one is left out.
func (v *view) sections() []section {
	var all []section
	switch {
	case v.bandwidth != nil:
		all = v.bandwidthSections()
	case v.overhead != nil:
		all = v.overheadSections()
	case v.updates != nil:
		all = v.updatesSections()
	default:
		all = v.commonSections()
	}
	return slices.DeleteFunc(all, func(s section) bool {
		return len(s.intro) == 0 && len(s.notes) == 0 && s.drawing == "" && !slices.ContainsFunc(s.tables, func(t table) bool { return len(t.rows) > 0 })
	})
}

func (v *view) commonSections() []section {
	all := []section{v.times(), v.outcomes(), v.failures(), v.replies(), v.connections()}
	all = append(all, v.groups()...)
	return append(all, v.rooms(), v.throughput(), v.ledger(), v.little(), v.instrument(), v.phases(), v.plan(), v.files())
}
