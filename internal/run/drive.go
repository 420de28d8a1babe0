package run

import (
	"context"

	"github.com/plimsoll/plimsoll/internal/engine"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/workload"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Load is what the engine carries out.
type Load struct {
	Load     plan.Load
	Workload workload.Workload
	Target   *Target
	Samples  Samples // no file without a path
}

// Recorded is what a load came to.
type Recorded struct {
	*record.Run
	Doc     *rundoc.Run
	Samples *rundoc.SamplesFile // nil without a file
}

// Drive has the engine carry a load out. Its errors are those of the engine, which the kind words.
func (r *Run) Drive(soft, hard context.Context, l Load) (*Recorded, error) {
	rows, err := r.openSamples(&l.Samples)
	if err != nil {
		return nil, err
	}
	config := engine.Config{Load: l.Load, Workload: l.Workload, Samples: rows,
		AllSamples: l.Samples.All, TargetCPU: l.Target.CPU, Turn: r.turn}
	r.scene.plan = openPlan(&l.Load)
	r.scene.target = rundoc.Target{URL: redact.URL(l.Target.URL), Embedded: l.Target.Embedded, SameHost: l.Target.SameHost}
	out := r.lookOut(&l)
	if out != nil {
		config.Live = out.look
	}
	watched := r.job.Forms.Until.watch()
	if watched != nil {
		config.Enough = watched.enough
		if watched.warms {
			config.Steady = watched.steady
		}
	}
	tell, end := r.View.Engine()
	config.Progress = tell
	if r.onlookers != nil {
		config.Showing, config.Picker = r.scene.open, r.scene.picker
	}
	result, err := engine.Run(hard, soft.Done(), config)
	end()
	r.finish()
	defer r.View.Begin("computing the results", nil)()
	file := r.closeSamples(hard, rows, &l.Samples)
	if err != nil {
		return nil, err
	}
	doc, err := Document(result, l.Target)
	if err == nil && result.Aborted {
		doc.Aborted = out.missed
	}
	if err == nil && watched != nil {
		doc.Until = watched.document(doc)
	}
	return &Recorded{Run: result, Doc: doc, Samples: file}, err
}

// Document makes the document of what was recorded of a target.
func Document(result *record.Run, t *Target) (*rundoc.Run, error) {
	doc, err := result.Document()
	if err != nil {
		return nil, fault.New(fault.RunFailed, "cannot create the run document: %w", err)
	}
	doc.Target.URL = redact.URL(t.URL)
	doc.Target.Embedded, doc.Target.SameHost = t.Embedded, t.SameHost
	return doc, nil
}
