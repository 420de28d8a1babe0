package sets

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// BesideSchema names the version of what two runs side by side are as JSON.
const BesideSchema = "plimsoll.beside/v1"

// RunsBeside is two saved runs side by side, for a program. It has no result: two runs prove nothing.
type RunsBeside struct {
	Schema     string           `json:"schema"`
	Comparable bool             `json:"comparable"`       // nothing is known that would make their figures unlike
	Unlike     string           `json:"unlike,omitempty"` // what does, in words
	Noise      *BesideNoise     `json:"noise,omitempty"`  // where they are comparable
	Runs       [2]RunBeside     `json:"runs"`             // A, B
	Figures    []FiguresBeside  `json:"figures"`          // those that a comparison of this kind has
	Plan       []SettingsBeside `json:"settings_differ"`  // settings that are not the same
}

// BesideNoise is by how much kept runs like the first one differ from one to the next.
type BesideNoise struct {
	Runs int `json:"runs"` // that were found
	// Figures are the median changes from one run to the next, as shares, of figures that enough runs have.
	Figures map[string]float64 `json:"figures"`
}

// RunBeside is one of the two.
type RunBeside struct {
	ID         string             `json:"id"`
	Workload   string             `json:"workload"`
	Target     string             `json:"target"` // without secrets; "demo" for an embedded one
	Started    time.Time          `json:"started"`
	Verdict    rundoc.Verdict     `json:"verdict"`
	Totals     *rundoc.Totals     `json:"totals,omitempty"`
	Thresholds []rundoc.Threshold `json:"thresholds,omitempty"`
	Broken     []string           `json:"broken,omitempty"` // what of it does not follow from its own figures
}

// FiguresBeside is a figure of both.
type FiguresBeside struct {
	Figure string   `json:"figure"`
	Unit   string   `json:"unit"`
	A      *float64 `json:"a,omitempty"`
	B      *float64 `json:"b,omitempty"`
	Ratio  *float64 `json:"b_to_a,omitempty"`
	WhyA   string   `json:"why_a,omitempty"` // it has none
	WhyB   string   `json:"why_b,omitempty"`
}

// SettingsBeside is a setting that the two do not share.
type SettingsBeside struct {
	Name string `json:"setting"`
	A    string `json:"a,omitempty"`
	B    string `json:"b,omitempty"`
}

// NoComparisonJSON is what NoComparison shows, for a program: by these figures, as far as the runs have them.
func NoComparisonJSON(a, b Side, specs []figure.Spec, incomparable string, noise *Noise) *RunsBeside {
	all := &RunsBeside{Schema: BesideSchema, Comparable: incomparable == "", Unlike: incomparable,
		Runs: [2]RunBeside{runBeside(a), runBeside(b)}, Figures: []FiguresBeside{}, Plan: []SettingsBeside{}}
	for _, spec := range specs {
		all.Figures = append(all.Figures, figuresBeside(spec, a.Run, b.Run))
	}
	for _, d := range report.Differences(a.Run.Plan, b.Run.Plan) {
		all.Plan = append(all.Plan, SettingsBeside{d.Name, d.A, d.B})
	}
	if noise != nil {
		all.Noise = &BesideNoise{Runs: noise.Runs, Figures: map[string]float64{}}
		for _, spec := range noise.Figures {
			if share, known := noise.of(spec); known {
				all.Noise.Figures[spec.String()] = share
			}
		}
	}
	return all
}

func runBeside(s Side) RunBeside {
	run := *s.Run
	if run.Total == nil { // a document of before they were there
		run.SumUp(nil)
	}
	r := RunBeside{
		ID: run.ID, Workload: run.Workload, Target: redact.URL(run.Target.URL), Started: run.Started.UTC(),
		Verdict: run.Verdict, Totals: run.Total, Thresholds: run.Thresholds, Broken: s.Broken,
	}
	if run.Target.Embedded {
		r.Target = "demo"
	}
	return r
}

func figuresBeside(spec figure.Spec, a, b *rundoc.Run) FiguresBeside {
	x, y := spec.Of(a), spec.Of(b)
	f := FiguresBeside{
		Figure: spec.String(), Unit: string(spec.Unit()), WhyA: units.Clean(x.Why), WhyB: units.Clean(y.Why),
	}
	if x.Why == "" {
		f.A = &x.Raw
	}
	if y.Why == "" {
		f.B = &y.Raw
	}
	if f.A != nil && f.B != nil && x.Raw > 0 {
		f.Ratio = new(y.Raw / x.Raw)
	}
	return f
}
