package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/workload/bandwidth"
	"github.com/plimsoll/plimsoll/rundoc"
)

// bandwidthRun is one run of the bandwidth command.
type bandwidthRun struct {
	o  *bandwidthOptions
	id string // names a file that the user has not named

	policy   bandwidth.Policy
	notes    []string // of what was decided before the run
	place    *place
	work     *bandwidth.Bandwidth
	requests store.Requests
}

// runBandwidth makes the run.
func runBandwidth(ctx context.Context, env *Env, o *bandwidthOptions) error {
	r := &bandwidthRun{o: o}
	if err := r.prepare(); err != nil {
		return err
	}
	return run.Once(ctx, env, run.Job{
		Workload: rundoc.WorkloadBandwidth, Operations: "operations", Forms: o.Forms, Work: r,
		Files: []run.File{
			{Flag: "csv", What: "blocks", Path: o.plan.CSV},
			{Flag: "chart", What: "chart", Path: o.plan.Chart, Make: run.WriteChart},
		},
	})
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
	return nil
}

// keptInMemory is how much data the embedded target holds; of more it keeps nothing.
const keptInMemory = 4 << 30

// target starts the embedded target, or takes the store that the URL names.
func (r *bandwidthRun) target(ctx context.Context, life *run.Run) (*run.Target, error) {
	p := &r.o.plan
	if p.URL != "" {
		address := p.URL
		if p.Endpoint != "" {
			address = p.Endpoint
		}
		t := run.Elsewhere(ctx, address)
		t.SameHost = t.SameHost || strings.HasPrefix(p.URL, "file:") || strings.HasPrefix(p.URL, "mem:")
		t.URL = p.URL
		return t, nil
	}
	args := r.o.serverArgs
	if p.Size*int64(p.Streams) > keptInMemory && len(args) == 0 {
		args = []string{"--discard"}
		r.o.targetFlags = []string{"discard=true"}
	}
	return life.Embedded(ctx, "s3", args, "every request fails from here on")
}

// Measure moves the files.
func (r *bandwidthRun) Measure(soft, hard context.Context, life *run.Run) (*run.Found, error) {
	r.id = life.ID
	t, err := r.target(soft, life)
	if err != nil {
		return nil, err
	}
	if r.place, err = openPlace(soft, r.o, &r.requests, t, r.id); err != nil {
		return nil, stoppedOr(soft, err)
	}
	life.Hold(func() error {
		_ = r.place.store.Close() // all that it was to do is done
		return nil
	})
	if err := r.ready(soft, hard, t); err != nil {
		return nil, stoppedOr(soft, err)
	}
	rows, err := openRows(r.o.plan.CSV, r.o.plan.CSVIteration, func(err error) {
		life.View.Note("--csv: " + err.Error() + "; the run goes on without the file")
	})
	if err != nil {
		return nil, err
	}
	r.work.Row = rows.add
	r.requests.Start()
	r.work.Begin()
	got, err := life.Drive(soft, hard, run.Load{Load: r.o.plan.Load, Workload: r.work, Target: t})
	file := rows.close(r.o.plan.CSV)
	if err != nil {
		return nil, err
	}
	got.Doc.Target.URL = r.place.shown(r.place.path)
	detail := r.detail(got.Doc)
	detail.CSV = file
	detail.Blocks, detail.BlocksOmitted = rows.kept()
	r.o.plan.URL = plan.RedactURL(r.o.plan.URL)
	r.o.plan.Endpoint = plan.RedactURL(r.o.plan.Endpoint)
	return &run.Found{Doc: got.Doc, Plan: r.o.plan, Detail: detail}, nil
}

// stoppedOr words the end of what goes before a run.
func stoppedOr(soft context.Context, err error) error {
	if soft.Err() != nil {
		return fault.New(fault.Interrupted, "interrupted before the first byte: nothing was measured")
	}
	return err
}

// ready makes the workload, and makes sure that the store would take the files.
func (r *bandwidthRun) ready(soft, hard context.Context, t *run.Target) error {
	p := &r.o.plan
	discards := t.Embedded && r.place.discards
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

// Conclude says what went wrong with the files.
func (r *bandwidthRun) Conclude(doc *rundoc.Run) run.Conclusion {
	c := run.Conclusion{Show: report.Options{Verbose: r.o.plan.Verbose}}
	result := r.work.Result()
	total, _ := doc.Totals() // its counts are right even with an error, which Judge has told
	switch {
	case result.Check.Mismatch != "":
		c.Failed = fault.New(fault.RunFailed, "what was read is not what was written: %s", result.Check.Mismatch).
			Hint("do not trust this store, or the way to it, with data before you know why")
	case result.Failure != nil:
		e := fault.New(fault.RunFailed, "%s failed: %w", result.FailedAt, result.Failure)
		if hint := hintOf(result.Failure); hint != "" {
			e = e.Hint("%s", hint)
		}
		c.Failed = e
	case total.Failed > 0:
		c.Failed = fault.New(fault.RunFailed, "%d of %d operations failed", total.Failed, total.Scheduled)
	}
	return c
}
