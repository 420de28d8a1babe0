package overhead

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/exec"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/services"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Command is one call of the overhead command: the plan, and what the plan does not hold because it
// changes nothing of the measurement.
type Command struct {
	Plan    Plan
	foreign bool // --exec was given
	warmup  bool // --warmup-time was given
	against against
	run.Forms
}

// NewCommand is the command as it is without a flag.
func NewCommand() *Command {
	return &Command{Plan: DefaultPlan(), against: against{Launches: defaultLaunches, BusyLimit: run.BusySuits}}
}

// Settings are all of them.
func (c *Command) Settings() *setting.Set {
	return c.Plan.Settings().
		Group("Comparison", c.against.settings()...).
		Group("Thresholds", c.Goals.Settings(show.Kind().Known(rundoc.WorkloadOverhead))...).
		Group("Output", c.Forms.Settings()...).
		Often("duration", "warmup-time", "calls", "clients", "exec", "endpoint", "baseline", "save-baseline", "list", "json")
}

// Run makes the run, or lists what can be measured.
func (c *Command) Run(ctx context.Context, env *run.Env) error {
	switch {
	case c.Plan.List:
		return listOperations(env.Stdout)
	case c.foreign:
		return c.runForeign(ctx, env)
	}
	r := &oneRun{c: c}
	life := run.New(env, c.job(r))
	err := life.Prepare()
	if err == nil {
		r.before, err = c.baseline(env)
	}
	if err == nil {
		err = c.consent(env)
	}
	if err != nil {
		return err
	}
	return life.Live(ctx)
}

// Job is the run: of a program with --exec. Whether calls of AWS may be made is asked for one run alone.
func (c *Command) Job(env *run.Env) (run.Job, error) {
	switch {
	case c.Plan.List:
		return run.Job{}, fault.New(fault.Usage, "--list does not make a run").Hint("remove it")
	case c.against.line != "":
		return run.Job{}, fault.New(fault.Usage, "--against makes several runs, but only one is possible here").
			Hint("remove it")
	case c.Plan.Real() && !c.Plan.Yes:
		return run.Job{}, fault.New(fault.Usage, "these runs call AWS, which needs confirmation").
			Hint("add --yes, or remove --profile and --region to use the demo server")
	}
	before, err := c.baseline(env)
	if err != nil {
		return run.Job{}, err
	}
	if c.foreign {
		f := c.newForeign()
		f.before = before
		return c.job(f), nil
	}
	return c.job(&oneRun{c: c, before: before}), nil
}

// oneRun is a run of the command.
type oneRun struct {
	c *Command

	certificate string // the file of the embedded responder's certificate; "" without TLS
	remote      *services.Remote
	work        *Overhead
	result      Result

	before *rundoc.Run // the baseline; nil without one
}

// job is what the life of the run has to know.
func (c *Command) job(w run.Work) run.Job {
	return run.Job{
		Workload: rundoc.WorkloadOverhead, Operations: "calls", Kind: show.Kind(), Forms: c.Forms, Work: w,
		Files: []run.File{{Flag: "save-baseline", What: "baseline", Path: c.Plan.SaveBaseline, Make: rundoc.Write,
			Unfit: noBaseline}},
	}
}

// target starts the embedded responder, or takes the server that the plan names.
func (r *oneRun) target(ctx context.Context, life *run.Run) (*run.Target, error) {
	p := &r.c.Plan
	if !p.Embedded() {
		address := p.Endpoint
		if address == "" {
			address = "https://aws.amazon.com"
		}
		t := run.Elsewhere(ctx, address)
		t.URL = p.Endpoint
		return t, nil
	}
	var args []string
	if p.Latency > 0 {
		args = append(args, "--delay", p.Latency.String())
	}
	if p.TLS {
		dir, err := os.MkdirTemp("", "plimsoll-")
		if err != nil {
			return nil, fault.New(fault.RunFailed, "cannot create a directory for the certificate of the demo server: %w", err)
		}
		life.Hold(func() error { return os.RemoveAll(dir) })
		r.certificate = filepath.Join(dir, "certificate.pem")
		args = append(args, "--tls", "--cert-out", r.certificate)
	}
	return life.Embedded(ctx, "aws", args, exec.Consequence)
}

// Measure makes the calls.
func (r *oneRun) Measure(soft, hard context.Context, life *run.Run) (*run.Found, error) {
	t, err := r.target(soft, life)
	if err != nil {
		return nil, err
	}
	if err := r.connect(soft, hard, life, t); err != nil {
		return nil, err
	}
	life.View.Position = r.position
	got, err := life.Drive(soft, hard, run.Load{Load: r.c.Plan.Load, Workload: r.work, Target: t})
	r.cleanUp(life) // before anything is told, which a terminal may hold up
	r.result = r.work.Result()
	for _, left := range r.result.Left {
		life.View.Note("could not be removed; remove it manually: " + left)
	}
	switch {
	case soft.Err() != nil && len(r.result.Rows) == 0:
		return nil, fault.New(fault.Interrupted,
			"interrupted before the first call was measured; created resources have been removed%s", r.except())
	case r.result.Failure != nil && len(r.result.Rows) == 0:
		return nil, r.wrong(r.result.Failure)
	case err != nil:
		return nil, err
	case soft.Err() != nil && !r.c.Plan.Embedded():
		life.View.Note("interrupted: created resources have been removed" + r.except())
	}
	got.Doc.Target.URL = r.address(t)
	return &run.Found{Doc: got.Doc, Plan: r.c.Plan, Detail: r.detail(t)}, nil
}

// connect makes the workload.
func (r *oneRun) connect(soft, hard context.Context, life *run.Run, t *run.Target) error {
	var certificate []byte
	var err error
	if r.certificate != "" {
		if certificate, err = os.ReadFile(r.certificate); err != nil {
			return fault.New(fault.RunFailed, "cannot read the certificate of the demo server: %w", err)
		}
	}
	if r.remote, err = services.Connect(soft, hard, r.c.Plan.access(t.URL, certificate)); err != nil {
		return r.wrong(err)
	}
	r.work = New(Config{Plan: r.c.Plan, Remote: r.remote, Soft: soft, Hard: hard, Creating: r.creating(life.View)})
	return nil
}

// creating tells a person what is created on AWS, by name, before it is: if all goes wrong, they can
// look for it.
func (r *oneRun) creating(view *run.View) func(what string) {
	if !r.c.Plan.Real() {
		return nil
	}
	return func(what string) { view.Note("creating " + what) }
}

// cleanUp removes what was made on the server.
func (r *oneRun) cleanUp(life *run.Run) {
	defer life.View.Begin("removing resources", nil)()
	r.work.CleanUp()
}

// position is what is measured now, and how far all of it is.
func (r *oneRun) position() run.Live {
	p := r.work.Position()
	at := run.Live{
		Phase: fmt.Sprintf("round %d/%d", p.Round, p.Rounds), What: p.Operation, Done: p.Done, Left: p.Left,
		About: true, Apart: true, Measured: p.Round > 0,
	}
	switch {
	case p.Operation == "":
		at.Phase = "setting up"
	case p.Round == 0:
		at.Phase = "warm-up"
	}
	return at
}

// except counts what could not be removed.
func (r *oneRun) except() string {
	if n := len(r.result.Left); n > 0 {
		return fmt.Sprintf(", except the %d named above", n)
	}
	return ""
}

// wrong words what went wrong before anything was measured.
func (r *oneRun) wrong(err error) error {
	f, ok := errors.AsType[*services.Failure](err)
	if !ok {
		return fault.New(fault.RunFailed, "cannot measure: %w", err)
	}
	return fault.New(fault.RunFailed, "%s%s", f.Error(), r.where()).Hint("%s", f.Hint())
}

// where is the server, in a message.
func (r *oneRun) where() string {
	if e := r.c.Plan.Endpoint; e != "" {
		return " (" + redact.URL(e) + ")"
	}
	return ""
}

// address is the server that was called, for a person.
func (r *oneRun) address(t *run.Target) string {
	if r.c.Plan.Real() {
		return "AWS " + r.remote.Region()
	}
	return redact.URL(t.URL)
}

// empty reports whether a run has no figures.
func empty(d *rundoc.OverheadDetail) bool {
	return d != nil && !slices.ContainsFunc(d.Rows,
		func(r rundoc.OverheadRow) bool { return r.Overhead.N+r.SDKTime.N > 0 })
}

// Conclude says which calls failed, and whether the run is worse than its baseline.
func (r *oneRun) Conclude(doc *rundoc.Run) run.Conclusion {
	failed := r.result.Failure
	if failed == nil {
		failed = r.result.Failed
	}
	if failed != nil {
		return r.c.conclude(doc, r.before, r.wrong(failed))
	}
	return r.c.conclude(doc, r.before, nil)
}

// consent has a person agree to what is created on AWS.
func (c *Command) consent(env *run.Env) error {
	p := &c.Plan
	if !p.Real() {
		return nil
	}
	fmt.Fprint(env.Stderr, consequences(p))
	if c.Plan.Yes {
		return nil
	}
	in, ok := env.Stdin.(io.Writer) // a terminal is a file, which can be both
	if !ok || !env.IsTerminal(in) {
		return fault.New(fault.Usage, "this run calls AWS, which needs confirmation, but there is no terminal").
			Hint("add --yes, or remove --profile and --region to use the demo server")
	}
	fmt.Fprint(env.Stderr, "Continue? [y/N] ")
	answer, err := bufio.NewReader(env.Stdin).ReadString('\n')
	if a := strings.ToLower(strings.TrimSpace(answer)); err == nil && (a == "y" || a == "yes") {
		return nil
	}
	return fault.New(fault.RunFailed, "not confirmed: nothing was created or measured")
}

// consequences says what a run does to an account.
func consequences(p *Plan) string {
	var b strings.Builder
	profile, region := "the credentials of the environment", "the region of the environment"
	if p.Profile != "" {
		profile, region = "the profile "+p.Profile, "its region"
	}
	if p.Region != "" {
		region = p.Region
	}
	often := fmt.Sprintf("for %v", p.Time)
	if p.Calls > 0 {
		often = fmt.Sprintf("%d times", p.Calls)
	}
	fmt.Fprintf(&b, "This run calls AWS with %s, in %s. Calls cost money: each operation is called %s, after %v of "+
		"warm-up, and up to 100 more times to count allocations; the first operation twice as often. It creates",
		profile, region, often, p.Warmup)
	var creates, leaves strings.Builder
	for _, s := range services.Catalog() {
		if !chosen(p.Operations, s.Name) {
			continue
		}
		needed := s.For == "" || slices.Contains(p.Operations, s.Name+"/"+s.For)
		if needed && s.Creates != "" {
			fmt.Fprintf(&creates, "  %s: %s\n", s.Name, s.Creates)
		}
		if needed && s.Leaves != "" {
			fmt.Fprintf(&leaves, "Not removed: %s: %s.\n", s.Name, s.Leaves)
		}
		if s.Note != "" {
			fmt.Fprintf(&leaves, "%s\n", s.Note)
		}
	}
	if creates.Len() == 0 {
		return b.String() + " nothing.\n" + leaves.String()
	}
	return b.String() + " the following resources with random names, and removes them at the " +
		"end:\n" + creates.String() + leaves.String()
}

// chosen reports whether an operation of a service is measured.
func chosen(operations []string, service string) bool {
	for _, o := range operations {
		if s, _, _ := strings.Cut(o, "/"); s == service {
			return true
		}
	}
	return false
}
