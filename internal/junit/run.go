package junit

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/threshold"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// The names of the cases that each run has.
const (
	caseRun     = "run"
	caseVerdict = "verdict"
)

// made is a run as its own document has it, or the set that it is a member of.
type made struct {
	name, id, workload, target, tool string
	started                          time.Time
	length                           time.Duration
	exit                             fault.Code
	said                             string
	verdict                          rundoc.Verdict
	goals                            []rundoc.Threshold
	aborted                          string
}

// OfRun is the report of a run. goals are its thresholds as they were judged when it was read.
func OfRun(run *rundoc.Run, verdict rundoc.Verdict, goals []rundoc.Threshold) *Report {
	m := made{
		name: NameOf(run), id: run.ID, workload: run.Workload, target: run.Target.URL, tool: run.Tool.Version,
		started: run.Started, length: run.Ended.Sub(run.Started), exit: fault.Code(run.Exit), said: run.Error,
		verdict: verdict, goals: goals, aborted: run.Aborted,
	}
	if run.Target.Embedded {
		m.target = "demo"
	}
	return &Report{Name: "plimsoll", Suites: []Suite{m.suite(nil)}}
}

// OfFailure is the report of a command of which nothing was measured.
func OfFailure(name string, exit fault.Code, said string) *Report {
	return &Report{Name: "plimsoll", Suites: []Suite{{
		Name: units.Clean(name), Cases: []Case{ending(caseRun, exit, units.Clean(said), counts{})},
	}}}
}

// NameOf is what a run is called that nobody has named: its kind and its load, which are the same each time.
func NameOf(run *rundoc.Run) string {
	var plan struct {
		Load struct {
			RatePerS float64 `json:"rate_per_s"`
			Stages   []any   `json:"stages"`
		} `json:"load"`
	}
	parts := []string{units.Clean(run.Workload)}
	if run.Workload == "" {
		parts[0] = "run"
	}
	switch json.Unmarshal(run.Plan, &plan) { // a plan of another shape says nothing of the load
	case nil:
		switch {
		case len(plan.Load.Stages) > 0:
			parts = append(parts, "in stages")
		case plan.Load.RatePerS > 0:
			parts = append(parts, fmt.Sprintf("%g/s", plan.Load.RatePerS))
		case run.Ledger.Clients > 0:
			parts = append(parts, units.Count(int64(run.Ledger.Clients), "client", "clients"))
		}
	}
	return strings.Join(parts, " ")
}

// suite is the run with its cases. uncounted says of those that may be bad without it counting why, or "".
func (m *made) suite(uncounted func(name string) string) Suite {
	s := Suite{Name: units.Clean(m.name), Started: m.started, Length: m.length}
	for _, p := range []Property{
		{"id", m.id}, {"kind", m.workload}, {"verdict", string(m.verdict.Validity)}, {"target", redact.URL(m.target)},
		{"version", m.tool},
	} {
		if p.Value = units.Clean(p.Value); p.Value != "" {
			s.Properties = append(s.Properties, p)
		}
	}
	var cases []Case
	if m.verdict.Validity != "" {
		cases = append(cases, verdictCase(&m.verdict))
	}
	for i := range m.goals {
		cases = append(cases, goalCase(&m.goals[i], m.aborted))
	}
	others := (&Suite{Cases: cases}).counts()
	cases = slices.Insert(cases, 0, ending(caseRun, m.exit, units.Clean(m.said), others))
	if uncounted != nil {
		for i := range cases {
			if why := uncounted(cases[i].Name); why != "" {
				skip(cases[i:i+1], why)
			}
		}
	}
	s.Cases = cases
	return s
}

// verdictCase is whether the figures can be believed: with care is no error.
func verdictCase(v *rundoc.Verdict) Case {
	c := Case{Name: caseVerdict}
	for _, reason := range slices.Concat(v.Reasons, v.Unseen) {
		c.Lines = append(c.Lines, units.Clean(reason))
	}
	if v.Validity == rundoc.Invalid {
		c.Result, c.Message = Errored, "the measurement cannot be trusted"
		if len(c.Lines) > 0 {
			c.Message += ": " + c.Lines[0]
		}
		return c
	}
	c.Lines = slices.Insert(c.Lines, 0, units.Clean(string(v.Validity)))
	return c
}

// goalCase is what became of a threshold, with what was measured.
func goalCase(t *rundoc.Threshold, aborted string) Case {
	c := Case{Name: units.Clean(t.Expr), Message: threshold.Sentence(t)}
	if t.Strict {
		c.Name += " (strict)"
	}
	switch threshold.In(t, aborted) {
	case threshold.Met:
		c.Lines, c.Message = []string{c.Message}, ""
	case threshold.Missed:
		c.Result = Failed
	case threshold.Then:
		c.Result, c.Message = Failed, units.Clean(t.Expr)+" was missed, so the run was stopped early"
	case threshold.Untold:
		c.Result = Errored
	}
	return c
}
