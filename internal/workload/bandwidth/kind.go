package bandwidth

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/run"
	s3target "github.com/plimsoll/plimsoll/internal/server/s3"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/store/flow"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/internal/workload/bandwidth/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Command is one call of the bandwidth command: the plan, and what the plan does not hold because
// it is secret or changes nothing of the measurement.
type Command struct {
	Plan        Plan
	Sized       bool // the size was given
	targetFlags []string
	serverArgs  []string // of the embedded server, made of targetFlags
	run.Forms
}

// Settings are all of them.
func (c *Command) Settings() *setting.Set {
	return c.Plan.Settings().
		Group("Store", s3target.Target().Flag(&c.targetFlags)).
		Group("Thresholds", c.Goals.Settings(show.Kind().Known(rundoc.WorkloadBandwidth))...).
		Group("Output", c.Forms.Settings()...).
		Often("streams", "block", "iterations", "duration", "only", "policy", "endpoint", "csv", "threshold", "json")
}

// Run makes the run.
func (c *Command) Run(ctx context.Context, env *run.Env) error {
	job, err := c.Job(env)
	if err != nil {
		return err
	}
	return run.Once(ctx, env, job)
}

// Job is the run.
func (c *Command) Job(*run.Env) (run.Job, error) {
	r := &oneRun{c: c}
	if err := r.prepare(); err != nil {
		return run.Job{}, err
	}
	return run.Job{
		Workload: rundoc.WorkloadBandwidth, Operations: "operations", Kind: show.Kind(), Forms: c.Forms, Work: r,
		Files: []run.File{
			{Flag: "csv", What: "blocks", Path: c.Plan.CSV},
			{Flag: "chart", What: report.ChartFile, Path: c.Plan.Chart, Make: run.Chart(show.Kind(), c.Plan.Chart)},
		},
	}, nil
}

// oneRun is a run of the command.
type oneRun struct {
	c  *Command
	id string // names a file that the user has not named

	policy   Policy
	ahead    int      // ranges at the same time that a Hadoop setting asks for; 0: none does
	notes    []string // of what was decided before the run
	place    *place
	objects  []store.Object       // to be read, where the URL is that of a directory; else none
	found    *rundoc.ObjectsFound // what they were chosen of
	work     *Bandwidth
	requests store.Requests
	flow     flow.Counter
	course   *flow.Course // when the run has ended
}

// prepare checks what can be checked without the store.
func (r *oneRun) prepare() error {
	p := &r.c.Plan
	if err := r.choosePolicy(p.Policy); err != nil {
		return fault.New(fault.Usage, "--policy: %w", err).
			Hint("use whole-file, sequential, random, vector or prefetch; of a list, the first known policy is used")
	}
	if p.Insecure {
		r.notes = append(r.notes, "The server's certificate was not verified (--insecure).")
	}
	if p.Block > p.Size && p.Size > 0 && p.Only != OnlyDownload {
		r.notes = append(r.notes,
			fmt.Sprintf("The block size of %d bytes exceeds the file size: each file is one block of %d bytes.",
				p.Block, p.Size))
	}
	return nil
}

// choosePolicy takes the first of a list that is known.
func (r *oneRun) choosePolicy(list string) error {
	policy, unknown, err := ChoosePolicy(list)
	if err != nil {
		return err
	}
	if len(unknown) > 0 {
		r.notes = append(r.notes,
			fmt.Sprintf("Ignored unknown read policies: %s.", strings.Join(unknown, ", ")))
	}
	r.policy = policy
	return nil
}

// keptInMemory is how much data the embedded target holds; of more it keeps nothing.
const keptInMemory = 4 << 30

// target starts the embedded target, or takes the store that the URL names.
func (r *oneRun) target(ctx context.Context, life *run.Run) (*run.Target, error) {
	p := &r.c.Plan
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
	args := r.c.serverArgs
	if p.Size*int64(p.Streams) > keptInMemory && !slices.ContainsFunc(r.c.targetFlags, aboutMoreThanSpeed) {
		args = append(args, "--discard")
		r.c.targetFlags = append(r.c.targetFlags, "discard=true")
	}
	return life.Embedded(ctx, "s3", args, "all further requests will fail")
}

// aboutMoreThanSpeed reports whether a --target-flag is about what the demo's store does with what it gets.
func aboutMoreThanSpeed(flag string) bool {
	return !strings.HasPrefix(strings.TrimLeft(flag, "-"), "bandwidth=")
}

// Measure moves the files.
func (r *oneRun) Measure(soft, hard context.Context, life *run.Run) (*run.Found, error) {
	r.id = life.ID
	t, err := r.target(soft, life)
	if err != nil {
		return nil, err
	}
	asked := life.View.Begin("preparing the store", r.asking)
	defer asked()
	if r.place, err = openPlace(soft, r, t); err != nil {
		return nil, stoppedOr(soft, err)
	}
	if err := r.readAsHadoop(); err != nil {
		_ = r.place.store.Close()
		return nil, err
	}
	life.Hold(func() error {
		_ = r.place.store.Close() // all that it was to do is done
		return nil
	})
	if err := r.ready(soft, hard, t); err != nil {
		return nil, stoppedOr(soft, err)
	}
	asked()
	r.work.MakeAhead()
	columns := report.RowColumns{Iteration: r.c.Plan.CSVIteration, Stream: r.c.Plan.CSVStream}
	rows, err := openRows(life.Env.Files, r.c.Plan.CSV, columns, func(err error) {
		life.View.Note("--csv: " + err.Error() + "; the run continues without the file")
	})
	if err != nil {
		return nil, err
	}
	r.work.Row = rows.add
	r.requests.Start()
	r.flow.Start()
	life.View.Position = r.position
	r.work.Begin()
	got, err := life.Drive(soft, hard, run.Load{Load: r.c.Plan.Load, Workload: r.work, Target: t})
	r.course = r.flow.Stop()
	file, spoiled := rows.close(r.c.Plan.CSV)
	if spoiled != nil {
		life.Spoiled(file, spoiled)
	}
	if err != nil {
		return nil, err
	}
	got.Doc.Target.URL = r.place.shown(r.place.path)
	detail := r.detail(got.Doc)
	detail.CSV = file
	detail.Blocks, detail.BlocksOmitted = rows.kept()
	return &run.Found{Doc: got.Doc, Plan: r.c.Plan, Detail: detail}, nil
}

// position is how far the transfers are.
func (r *oneRun) position() run.Live {
	p := r.work.Position()
	l := run.Live{
		Phase: p.Phase, Count: units.Size(p.Moved), Done: p.Done, Left: p.Left, About: true, Apart: true, Measured: true,
	}
	if p.Of > 1 { // until a moment, each stream has its own file in turn
		l.Phase += fmt.Sprintf(" %d/%d", p.Iteration, p.Of)
	}
	if p.Whole > 0 {
		l.Count += " of " + units.Size(p.Whole)
	}
	l.Count += r.still()
	return l
}

// stillAfter is from when on a time without a byte is told.
const stillAfter = 5 * time.Second

// still says how long nothing has moved; "" while something does.
func (r *oneRun) still() string {
	still := r.flow.Still()
	if still < stillAfter {
		return ""
	}
	return fmt.Sprintf(", no data for %d s", int64(still.Seconds()))
}

// asking is how far what goes before the run is.
func (r *oneRun) asking() run.Live {
	return run.Live{Phase: "preparing the store" + r.still(), Done: -1, Left: -1}
}

// stoppedOr words the end of what goes before a run.
func stoppedOr(soft context.Context, err error) error {
	if soft.Err() != nil {
		return fault.New(fault.Interrupted, "interrupted before the first byte; nothing was measured")
	}
	return err
}

// ready makes the workload, and makes sure that the store would take the files.
func (r *oneRun) ready(soft, hard context.Context, t *run.Target) error {
	p := &r.c.Plan
	discards := t.Embedded && r.place.discards
	if discards {
		r.notes = append(r.notes, "The demo server discards uploaded data so that memory speed is not measured; "+
			"downloaded data is not verified.")
	}
	active := p.ActiveBlocks
	if active == 0 {
		active = r.ahead
	}
	if active == 0 {
		active = max(r.place.store.Describe().ActiveParts, defaultActive)
	}
	if r.place.below {
		if err := r.sample(soft); err != nil {
			return err
		}
	} else if p.Only == OnlyDownload && !r.c.Sized {
		p.Size = 0
	}
	r.work = New(Config{
		Plan: *p, Store: r.place.store, Path: r.place.path, Policy: r.policy, Active: active, Objects: r.objects,
		Compare: p.Checksum != ChecksumNone && !discards, Hard: hard,
	})
	if r.place.below {
		return nil
	}
	if p.Only == OnlyDownload {
		if err := r.work.Inspect(soft); err != nil {
			return r.place.wrong(err)
		}
		p.Size = r.work.Size()
		return nil
	}
	if err := r.place.store.Check(soft, r.place.path, p.Size); err != nil {
		return r.place.wrong(err)
	}
	if err := r.unoccupied(soft); err != nil {
		return err
	}
	return nil
}

// sample chooses the files to read of those below the URL.
func (r *oneRun) sample(ctx context.Context) error {
	p := &r.c.Plan
	w, ok := r.place.store.(store.Walker)
	if !ok {
		return fault.New(fault.Usage, "%s: stores cannot list files, but %s is a directory", r.place.driver.Name,
			r.place.shown(r.place.path)).Hint("name an existing file; create one with --only upload --keep")
	}
	var err error
	r.objects, r.found, err = sample(ctx, w, r.place.path, p.Size, p.Load.Seed)
	if err != nil {
		return r.place.wrong(err)
	}
	if n := len(r.objects); n < p.Streams {
		r.notes = append(r.notes, fmt.Sprintf("Fewer files than --streams: %d streams read one file each.", n))
		p.Streams, p.Load.Clients = n, n
	}
	r.notes = append(r.notes, "The data was not verified: the expected content of existing files is unknown.")
	return nil
}

// defaultActive is how many ranges are read in parallel when nothing says how many.
const defaultActive = 8

// unoccupied refuses to replace a file that is there.
func (r *oneRun) unoccupied(ctx context.Context) error {
	if r.c.Plan.Overwrite || r.place.own {
		return nil
	}
	for _, path := range Paths(&r.c.Plan, r.place.path) {
		there, err := r.place.store.Exists(ctx, path)
		if err != nil {
			return r.place.wrong(err)
		}
		if there {
			return fault.New(fault.Usage, "%s already exists: the run would replace and then delete it",
				r.place.shown(path)).
				Hint("use another name, use a directory (ending with /), or add --overwrite")
		}
	}
	return nil
}

// Conclude says what went wrong with the files.
func (r *oneRun) Conclude(doc *rundoc.Run) run.Conclusion {
	end := run.Conclusion{Show: report.Options{Verbose: r.c.Plan.Verbose}}
	if r.c.Plan.Verbose {
		end.Beside = func(w io.Writer, opt report.Options) error { return show.Verbose(w, doc, opt) }
	}
	result := r.work.Result()
	total, _ := doc.Totals() // its counts are right even with an error, which Judge has told
	switch {
	case result.Check.Mismatch(r.c.Plan.Block, "") != "":
		end.Failed = fault.New(fault.RunFailed, "verification failed: %s",
			r.mismatch(&result)).
			Hint("do not rely on this store, or the network path to it, before you know the reason")
	case result.Failure != nil:
		e := fault.New(fault.RunFailed, "%s failed: %w", result.FailedAt, result.Failure)
		if hint := hintOf(result.Failure); hint != "" {
			e = e.Hint("%s", hint)
		}
		end.Failed = e
	case total.Failed > 0:
		end.Failed = fault.New(fault.RunFailed, "%d of %d operations failed", total.Failed, total.Scheduled)
	}
	return end
}
