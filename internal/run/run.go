package run

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/onlook"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/internal/threshold"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Job is what the life of a run has to know of its kind.
type Job struct {
	Workload   string      // the kind's name in the document
	Operations string      // what its operations are called, in the plural
	Kind       report.Kind // how it is shown
	Forms      Forms
	Files      []File // that are made of the run, besides its document
	Work       Work
}

// Work is what only a kind can do in the life of its run.
type Work interface {
	// Measure makes ready what the run needs, its target among it, has the plan carried out
	// and gives what came of it. What it opens it has r hold. soft is done at the first
	// interrupt, hard at the second.
	Measure(soft, hard context.Context, r *Run) (*Found, error)
	// Conclude says how the run went, as far as its document, which was judged, does not.
	Conclude(doc *rundoc.Run) Conclusion
}

// Found is what came of a run.
type Found struct {
	Doc    *rundoc.Run   // with what was recorded, and the target
	Plan   any           // as it was carried out, without secrets
	Detail rundoc.Detail // what only this kind has to tell
}

// Run is one run.
type Run struct {
	Env  *Env
	ID   string
	View *View

	job       Job
	onlookers *onlook.Show // nil: nobody looks on
	scene     scene
	turn      *engine.Turn   // nil where its load goes on alone
	path      string         // of the document; "" when it is not kept
	held      []func() error // to be ended with the run, the last first
	// spoiled are the files that were written while it went on, and not to their end, with the reason.
	spoiled map[string]error
	unsaved error // why a file that was to be made of it is not there
}

// New begins a run with an id of its own. It touches nothing.
func New(env *Env, job Job) *Run {
	return &Run{Env: env, ID: saved.NewID(time.Now()), View: NewView(env, job.Forms.Quiet, job.Kind), job: job}
}

// Once is the whole life of a run.
func Once(ctx context.Context, env *Env, job Job) error {
	r := New(env, job)
	if err := r.Prepare(); err != nil {
		return err
	}
	return r.Live(ctx)
}

// Prepare makes sure that the results can be written.
func (r *Run) Prepare() error {
	var err error
	if r.path, err = whereToSave(r.Env, &r.job.Forms, r.ID); err != nil {
		return err
	}
	if err := CheckFiles(r.Env, r.files()...); err != nil {
		return err
	}
	release, err := r.job.Forms.Claim()
	if err == nil {
		r.Hold(release)
	}
	return err
}

// files are all files that are made of the run, besides its document.
func (r *Run) files() []File {
	return append(slices.Clone(r.job.Files), r.job.Forms.page(r.job.Kind), r.tests())
}

// Live is the life of a run that was prepared: it measures, and shows what came of it.
func (r *Run) Live(ctx context.Context) error {
	soft, hard, release := Interrupts(ctx, r.Env, r.View.Ending)
	defer release()
	show, end, err := r.job.Forms.LookOn(soft, r.Env, r.View.Note)
	if err != nil {
		return err
	}
	defer end(soft)
	r.onlookers = show
	found, err := r.Measure(soft, hard)
	if err != nil {
		return r.job.Forms.Lost(r.Env, r.job.Workload, err)
	}
	return r.Finish(found)
}

// Measure has the kind measure, ends what the run held, and judges the document. It may be one of
// several runs under the same interrupts.
func (r *Run) Measure(soft, hard context.Context) (*Found, error) {
	leave := r.enter()
	var over *rundoc.Run
	defer func() { leave(over) }()
	ready := r.View.Begin("preparing", nil)
	found, err := r.job.Work.Measure(soft, hard, r)
	ready()
	// The target has served: what it says of its own end cannot change the results.
	ended := r.end()
	if err != nil {
		return nil, err
	}
	if ended != nil {
		r.View.Note(ended.Error())
	}
	if err = r.Judge(found); err == nil {
		over = found.Doc
	}
	return found, err
}

// Unfinished is the file in which a kind may keep what is to be known of a run that was killed; "" when the run is not
// kept. It is removed when the document is there.
func (r *Run) Unfinished() string {
	if r.path == "" {
		return ""
	}
	return filepath.Join(filepath.Dir(r.path), saved.UnfinishedFile)
}

// Hold has the run end something when all was measured, before what it held already.
func (r *Run) Hold(end func() error) { r.held = append(r.held, end) }

// end ends what is held.
func (r *Run) end() error {
	defer r.View.Begin("stopping", nil)()
	var all []error
	for _, end := range slices.Backward(r.held) {
		all = append(all, end())
	}
	r.held = nil
	return errors.Join(all...)
}

// Judge completes the document by what the kind has found, and judges it. It is called once more
// when the detail has changed.
func (r *Run) Judge(f *Found) error {
	doc := f.Doc
	var err error
	if doc.Plan, err = json.Marshal(f.Plan); err != nil {
		return fault.New(fault.RunFailed, "cannot encode the plan: %w", err)
	}
	doc.Detail = f.Detail
	doc.ID, doc.Workload, doc.Tool = r.ID, r.job.Workload, Tool()
	doc.Labels = r.job.Forms.Labels
	doc.Thresholds = threshold.Judge(doc, r.job.Forms.Goals.Thresholds)
	doc.Conclude()
	return nil
}

// Finish saves and shows a run, and says by its error how it went. What was found comes first,
// also for the exit status; that it could not be saved is told, too.
func (r *Run) Finish(f *Found) error {
	c := r.job.Work.Conclude(f.Doc)
	outcome := Outcome(f.Doc, r.job.Operations, c)
	files, unsaved := r.save(f.Doc, outcome)
	c.Show.Files = files
	if c.reasons = r.reasons(files); c.reasons != "" {
		outcome = Outcome(f.Doc, r.job.Operations, c)
	}
	if err := r.show(f.Doc, &c); err != nil {
		if c.Say != "" {
			r.View.Note(c.Say)
		}
		if Graver(outcome, err) {
			return errors.Join(outcome, err, unsaved)
		}
		return errors.Join(err, unsaved)
	}
	if c.answered {
		outcome = Outcome(f.Doc, r.job.Operations, c)
	}
	return errors.Join(outcome, unsaved)
}

// Save is Finish for a run that somebody else shows, such as one of several.
func (r *Run) Save(f *Found) error {
	outcome := Outcome(f.Doc, r.job.Operations, r.job.Work.Conclude(f.Doc))
	_, unsaved := r.save(f.Doc, outcome)
	return errors.Join(outcome, unsaved)
}

// OutputFiles are the files that plan.Output asks for of a run of this kind.
func OutputFiles(out *plan.Output, kind report.Kind) []File {
	return []File{
		{Flag: "samples", What: "samples", Path: out.Samples},
		{Flag: "buckets", What: "buckets", Path: out.Buckets, Make: Buckets(out.Bucket)},
		{Flag: "chart", What: report.ChartFile, Path: out.Chart, Make: Chart(kind, out.Chart)},
	}
}
