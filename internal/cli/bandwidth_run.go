package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/workload/bandwidth"
	"github.com/plimsoll/plimsoll/rundoc"
)

// bandwidthRun is one run of the bandwidth command.
type bandwidthRun struct {
	env    *Env
	o      *bandwidthOptions
	id     string
	saving saving
	view   *liveView

	policy   bandwidth.Policy
	notes    []string // of what was decided before the run
	place    *place
	work     *bandwidth.Bandwidth
	requests store.Requests
}

// run makes sure that the results can be written, measures, and shows what came of it.
func (r *bandwidthRun) run(ctx context.Context) (err error) {
	if err := r.prepare(); err != nil {
		return err
	}
	extra, err := s3Target().args(r.o.targetFlags)
	if err != nil {
		return err
	}
	soft, hard, release := interrupts(ctx, r.env)
	defer release()
	t, err := r.target(soft, extra)
	if err != nil {
		return err
	}
	r.view = newLiveView(r.env, r.o.quiet, "bandwidth")
	unwatch := watchTarget(t, r.view, "every request fails from here on")
	doc, err := r.measure(soft, hard, t)
	unwatch()
	r.view.close()
	stopErr := t.stop()
	if err != nil {
		return err
	}
	if stopErr != nil {
		r.view.note(oneLine(stopErr.Error()))
	}
	return r.finish(doc)
}

// prepare checks what can be checked without the store.
func (r *bandwidthRun) prepare() (err error) {
	p := &r.o.plan
	var unknown []string
	if r.policy, unknown, err = bandwidth.ChoosePolicy(p.Policy); err != nil {
		return fault.New(fault.Usage, "--policy: %w", err).
			Hint("give whole-file, sequential, random, vector or prefetch; of several, the first that is known is taken")
	}
	if len(unknown) > 0 {
		r.notes = append(r.notes, fmt.Sprintf("Read policies that are not known here were passed over: %s.", strings.Join(unknown, ", ")))
	}
	if p.Block > p.Size && p.Size > 0 && p.Only != plan.OnlyDownload {
		r.notes = append(r.notes, fmt.Sprintf("The block of %d bytes is larger than the file: it has one block, of %d bytes.", p.Block, p.Size))
	}
	if r.saving, err = prepareSaving(r.env, &r.o.forms, r.id); err != nil {
		return err
	}
	return checkFiles(outputFile{"csv", p.CSV}, outputFile{"chart", p.Chart})
}

// keptInMemory is how much data the embedded target holds; of more it keeps nothing.
const keptInMemory = 4 << 30

// target starts the embedded target, or takes the store that the URL names.
func (r *bandwidthRun) target(ctx context.Context, extra []string) (*measured, error) {
	p := &r.o.plan
	if p.URL != "" {
		address := p.URL
		if p.Endpoint != "" {
			address = p.Endpoint
		}
		t := elsewhere(ctx, address)
		t.sameHost = t.sameHost || strings.HasPrefix(p.URL, "file:") || strings.HasPrefix(p.URL, "mem:")
		t.url = p.URL
		return t, nil
	}
	if p.Size*int64(p.Streams) > keptInMemory && len(extra) == 0 {
		extra = []string{"--discard"}
		r.o.targetFlags = []string{"discard=true"}
	}
	return embedded(ctx, r.env, "s3", extra)
}

// measure has the engine carry the plan out and makes the run document.
func (r *bandwidthRun) measure(soft, hard context.Context, t *measured) (*rundoc.Run, error) {
	var err error
	if r.place, err = openPlace(soft, r.o, &r.requests, t, r.id); err != nil {
		return nil, stoppedOr(soft, err)
	}
	defer r.place.store.Close()
	if err := r.ready(soft, hard, t); err != nil {
		return nil, stoppedOr(soft, err)
	}
	rows, err := openRows(r.o.plan.CSV, r.o.plan.CSVIteration, func(err error) {
		r.view.note("--csv: " + oneLine(err.Error()) + "; the run goes on without the file")
	})
	if err != nil {
		return nil, err
	}
	r.work.Row = rows.add
	r.requests.Start()
	r.work.Begin()
	result, err := engine.Run(hard, soft.Done(), engine.Config{
		Load:      r.o.plan.Load,
		Workload:  r.work,
		Progress:  r.view.progress,
		TargetCPU: t.cpu,
	})
	file := rows.close(r.o.plan.CSV)
	if err != nil {
		return nil, err
	}
	doc, err := result.Document()
	if err != nil {
		return nil, fault.New(fault.RunFailed, "cannot make the run document: %w", err)
	}
	return doc, r.describe(doc, t, rows, file)
}

// stoppedOr words the end of what goes before a run.
func stoppedOr(soft context.Context, err error) error {
	if soft.Err() != nil {
		return fault.New(fault.Interrupted, "interrupted before the first byte: nothing was measured")
	}
	return err
}

// ready makes the workload, and makes sure that the store would take the files.
func (r *bandwidthRun) ready(soft, hard context.Context, t *measured) error {
	p := &r.o.plan
	discards := t.embedded && r.place.discards
	if discards {
		r.notes = append(r.notes, "The embedded target discards what it gets, so that it is not memory that is measured; what is read is not compared.")
	}
	active := p.ActiveBlocks
	if active == 0 {
		active = max(r.place.store.Describe().ActiveParts, defaultActive)
	}
	if p.Only == plan.OnlyDownload && !r.o.sized {
		p.Size = 0
	}
	r.work = bandwidth.New(bandwidth.Config{
		Plan: *p, Store: r.place.store, Path: r.place.path, Policy: r.policy, Active: active,
		Compare: p.Checksum != plan.ChecksumNone && !discards, Hard: hard,
	})
	if p.Only == plan.OnlyDownload {
		if err := r.work.Inspect(soft); err != nil {
			return r.place.wrong(err)
		}
		p.Size = r.work.Size()
		return nil
	}
	if err := r.place.store.Check(soft, r.place.path, p.Size); err != nil {
		return r.place.wrong(err)
	}
	return r.unoccupied(soft)
}

// defaultActive is how many ranges are read in parallel when nothing says how many.
const defaultActive = 8

// unoccupied refuses to replace a file that is there.
func (r *bandwidthRun) unoccupied(ctx context.Context) error {
	if r.o.plan.Overwrite || r.place.own {
		return nil
	}
	for _, path := range bandwidth.Paths(&r.o.plan, r.place.path) {
		there, err := r.place.store.Exists(ctx, path)
		if err != nil {
			return r.place.wrong(err)
		}
		if there {
			return fault.New(fault.Usage, "%s is there already: it would be replaced, and then deleted", r.place.shown(path)).
				Hint("name another file, or one's directory with a / at the end, or say --overwrite")
		}
	}
	return nil
}

// describe adds to the document what only the command line knows, and the judgement.
func (r *bandwidthRun) describe(doc *rundoc.Run, t *measured, rows *rows, file *rundoc.SamplesFile) error {
	var err error
	r.o.plan.URL = plan.RedactURL(r.o.plan.URL)
	r.o.plan.Endpoint = plan.RedactURL(r.o.plan.Endpoint)
	if doc.Plan, err = json.Marshal(r.o.plan); err != nil {
		return fault.New(fault.RunFailed, "cannot write the plan down: %w", err)
	}
	detail := r.detail(doc)
	detail.CSV = file
	detail.Blocks, detail.BlocksOmitted = rows.kept()
	doc.Detail = detail
	doc.ID, doc.Workload, doc.Tool = r.id, rundoc.WorkloadBandwidth, tool()
	doc.Target.URL = r.place.shown(r.place.path)
	doc.Target.Embedded, doc.Target.SameHost = t.embedded, t.sameHost
	doc.Verdict = rundoc.Judge(doc)
	doc.Warnings = append(doc.Warnings, rundoc.Warnings(doc)...)
	return nil
}

// finish saves and shows a run, and says by its error how it went.
func (r *bandwidthRun) finish(doc *rundoc.Run) error {
	files, saveErr := r.save(doc)
	opt := report.Options{Files: files, Verbose: r.o.plan.Verbose}
	if err := renderWith(r.env, doc, r.o.form(), opt); err != nil {
		return errors.Join(err, saveErr)
	}
	if saveErr != nil {
		return saveErr
	}
	return r.outcome(doc)
}

// outcome is nil for a run that went as it should.
func (r *bandwidthRun) outcome(doc *rundoc.Run) error {
	result := r.work.Result()
	switch {
	case doc.Interrupted:
		return fault.New(fault.Interrupted, "interrupted: the report covers the %v of the window until then",
			time.Duration(doc.Ledger.WindowNS).Round(10*time.Millisecond))
	case doc.Verdict.Validity == rundoc.Invalid:
		return untrusted(doc.Verdict.Reasons)
	case result.Check.Mismatch != "":
		return fault.New(fault.RunFailed, "what was read is not what was written: %s", result.Check.Mismatch).
			Hint("do not trust this store, or the way to it, with data before you know why")
	case result.Failure != nil:
		e := fault.New(fault.RunFailed, "%s failed: %w", result.FailedAt, result.Failure)
		if hint := hintOf(result.Failure); hint != "" {
			return e.Hint("%s", hint)
		}
		return e
	}
	total, _ := doc.Totals() // its counts are right even with an error, which Judge has told
	if total.Failed > 0 {
		return fault.New(fault.RunFailed, "%d of %d operations failed", total.Failed, total.Scheduled)
	}
	return nil
}

// save writes the document and the files that are made of it.
func (r *bandwidthRun) save(doc *rundoc.Run) ([]report.File, error) {
	var files []report.File
	var failed error
	if path := r.saving.path; path != "" {
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = rundoc.WriteFile(path, doc)
		}
		if err != nil {
			failed = fault.New(fault.RunFailed, "cannot write the run document: %w", err)
		} else {
			files = append(files, report.File{What: "run document", Path: path})
		}
	}
	if path := r.o.plan.CSV; path != "" {
		files = append(files, report.File{What: "blocks", Path: path})
	}
	if path := r.o.plan.Chart; path != "" {
		if err := writeChart(path, doc); err != nil {
			failed = errors.Join(failed, fault.New(fault.RunFailed, "cannot draw the chart: %w", err))
		} else {
			files = append(files, report.File{What: "chart", Path: path})
		}
	}
	return files, failed
}
