package cli

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
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/workload/overhead"
	"github.com/plimsoll/plimsoll/rundoc"
)

// overheadRun is one run of the overhead command.
type overheadRun struct {
	o *overheadOptions

	certificate string // the file of the embedded responder's certificate; "" without TLS
	remote      *overhead.Remote
	work        *overhead.Overhead
	result      overhead.Result

	before *rundoc.Run // the baseline; nil without one
}

// runOverhead makes the run.
func runOverhead(ctx context.Context, env *Env, o *overheadOptions) error {
	r := &overheadRun{o: o}
	life := run.New(env, o.job(r))
	err := life.Prepare()
	if err == nil {
		r.before, err = o.baseline(env)
	}
	if err == nil {
		err = o.consent(env)
	}
	if err != nil {
		return err
	}
	return life.Live(ctx)
}

// job is what the life of the run has to know.
func (o *overheadOptions) job(w run.Work) run.Job {
	return run.Job{
		Workload: rundoc.WorkloadOverhead, Operations: "calls", Kind: report.Overhead(), Forms: o.Forms, Work: w,
		Files: []run.File{{Flag: "save-baseline", What: "baseline", Path: o.plan.SaveBaseline, Make: run.WriteDocument, Unfit: noBaseline}},
	}
}

// noBaseline says why a run cannot be a baseline. One that is worse than its own can: that one is in
// another file.
func noBaseline(outcome error) string {
	if outcome == nil || fault.CodeOf(outcome) == fault.Missed {
		return ""
	}
	return "the run is no baseline"
}

// baseline reads the run to compare with, if there is to be one.
func (o *overheadOptions) baseline(env *Env) (*rundoc.Run, error) {
	p := &o.plan
	if p.Baseline == "" {
		return nil, nil
	}
	s, err := run.OpenRuns(env)
	if err != nil {
		return nil, err
	}
	before, err := s.Load(p.Baseline)
	if err != nil {
		return nil, err
	}
	if sameFile(p.Baseline, p.SaveBaseline) {
		return nil, fault.New(fault.Usage, "--baseline and --save-baseline are both %s: what got worse once would be the measure of the next run", p.SaveBaseline).
			Hint("save the new baseline under another name, and replace the old one when you agree to it")
	}
	// What is no run of this command is refused before anything is measured.
	_, err = report.CompareOverhead(before, before, p.MinEffect)
	return before, err
}

// sameFile reports whether two paths name one file.
func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}

// consent has a person agree to what is created on AWS.
func (o *overheadOptions) consent(env *Env) error {
	p := &o.plan
	if !p.Real() {
		return nil
	}
	fmt.Fprint(env.Stderr, consequences(p))
	if o.plan.Yes {
		return nil
	}
	in, ok := env.Stdin.(io.Writer) // a terminal is a file, which can be both
	if !ok || !env.IsTerminal(in) {
		return fault.New(fault.Usage, "this run calls AWS, and nobody can be asked whether it may").
			Hint("say --yes, or leave --profile and --region out to measure the embedded responder")
	}
	fmt.Fprint(env.Stderr, "Go on? [y/N] ")
	answer, err := bufio.NewReader(env.Stdin).ReadString('\n')
	if a := strings.ToLower(strings.TrimSpace(answer)); err == nil && (a == "y" || a == "yes") {
		return nil
	}
	return fault.New(fault.RunFailed, "not agreed to: nothing was created and nothing measured")
}

// consequences says what a run does to an account.
func consequences(p *overhead.Plan) string {
	var b strings.Builder
	profile, region := "the environment's credentials", "the region of the environment"
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
	fmt.Fprintf(&b, "This calls AWS with %s, in %s. Calls cost money: each operation is called %s, for %v before that to warm it up, "+
		"and up to 100 times to count allocations; the first one twice as often. It creates", profile, region, often, p.Warmup)
	var creates, leaves strings.Builder
	for _, s := range overhead.Catalog() {
		if !chosen(p.Operations, s.Name) {
			continue
		}
		needed := s.For == "" || slices.Contains(p.Operations, s.Name+"/"+s.For)
		if needed && s.Creates != "" {
			fmt.Fprintf(&creates, "  %s: %s\n", s.Name, s.Creates)
		}
		if needed && s.Leaves != "" {
			fmt.Fprintf(&leaves, "What stays: %s: %s.\n", s.Name, s.Leaves)
		}
		if s.Note != "" {
			fmt.Fprintf(&leaves, "%s\n", s.Note)
		}
	}
	if creates.Len() == 0 {
		return b.String() + " nothing.\n" + leaves.String()
	}
	return b.String() + ", with random names, and removes again:\n" + creates.String() + leaves.String()
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

// target starts the embedded responder, or takes the server that the plan names.
func (r *overheadRun) target(ctx context.Context, life *run.Run) (*run.Target, error) {
	p := &r.o.plan
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
		args = append(args, "--latency", p.Latency.String())
	}
	if p.TLS {
		dir, err := os.MkdirTemp("", "plimsoll-")
		if err != nil {
			return nil, fault.New(fault.RunFailed, "cannot make a directory for the responder's certificate: %w", err)
		}
		life.Hold(func() error { return os.RemoveAll(dir) })
		r.certificate = filepath.Join(dir, "certificate.pem")
		args = append(args, "--tls", "--certificate", r.certificate)
	}
	return life.Embedded(ctx, "aws", args, callsFail)
}

// callsFail is what follows from the end of the responder.
const callsFail = "every call fails from here on"

// Measure makes the calls.
func (r *overheadRun) Measure(soft, hard context.Context, life *run.Run) (*run.Found, error) {
	t, err := r.target(soft, life)
	if err != nil {
		return nil, err
	}
	if err := r.connect(soft, hard, life, t); err != nil {
		return nil, err
	}
	life.View.Doing = r.doing
	got, err := life.Drive(soft, hard, run.Load{Load: r.o.plan.Load, Workload: r.work, Target: t})
	if soft.Err() != nil && !r.o.plan.Embedded() {
		life.View.Note("interrupted: removing what was created on the server")
	}
	r.work.CleanUp()
	r.result = r.work.Result()
	for _, left := range r.result.Left {
		life.View.Note("could not be removed, remove it yourself: " + left)
	}
	switch {
	case soft.Err() != nil && len(r.result.Rows) == 0:
		return nil, fault.New(fault.Interrupted, "interrupted before the first call was measured; what was created has been removed%s", r.except())
	case r.result.Failure != nil && len(r.result.Rows) == 0:
		return nil, r.wrong(r.result.Failure)
	case err != nil:
		return nil, err
	}
	got.Doc.Target.URL = r.address(t)
	return &run.Found{Doc: got.Doc, Plan: r.o.plan, Detail: r.detail(t)}, nil
}

// connect makes the workload.
func (r *overheadRun) connect(soft, hard context.Context, life *run.Run, t *run.Target) error {
	var certificate []byte
	var err error
	if r.certificate != "" {
		if certificate, err = os.ReadFile(r.certificate); err != nil {
			return fault.New(fault.RunFailed, "cannot read the embedded responder's certificate: %w", err)
		}
	}
	if r.remote, err = overhead.Connect(soft, hard, &r.o.plan, t.URL, certificate); err != nil {
		return r.wrong(err)
	}
	r.work = overhead.New(overhead.Config{Plan: r.o.plan, Remote: r.remote, Soft: soft, Hard: hard, Creating: r.creating(life.View)})
	return nil
}

// creating tells a person what is created on AWS, by name, before it is: if all goes wrong, they can
// look for it.
func (r *overheadRun) creating(view *run.View) func(what string) {
	if !r.o.plan.Real() {
		return nil
	}
	return func(what string) { view.Note("creating " + what) }
}

// doing is what is measured now, and how long the rest takes; negative when that is not known.
func (r *overheadRun) doing() (what string, left time.Duration) {
	p := r.work.Place()
	switch {
	case p.Operation == "":
		return "setting up", -1
	case p.Round == 0:
		return "warm-up of " + p.Operation, p.Left
	}
	return fmt.Sprintf("%s, round %d of %d", p.Operation, p.Round, p.Rounds), p.Left
}

// except counts what could not be removed.
func (r *overheadRun) except() string {
	if n := len(r.result.Left); n > 0 {
		return fmt.Sprintf(", except for the %d that are named above", n)
	}
	return ""
}

// wrong words what went wrong before anything was measured.
func (r *overheadRun) wrong(err error) error {
	f, ok := errors.AsType[*overhead.Failure](err)
	if !ok {
		return fault.New(fault.RunFailed, "cannot measure: %w", err)
	}
	return fault.New(fault.RunFailed, "%s%s", f.Error(), r.where()).Hint("%s", f.Hint())
}

// where is the server, in a message.
func (r *overheadRun) where() string {
	if e := r.o.plan.Endpoint; e != "" {
		return " (" + plan.RedactURL(e) + ")"
	}
	return ""
}

// address is the server that was called, for a person.
func (r *overheadRun) address(t *run.Target) string {
	if r.o.plan.Real() {
		return "AWS " + r.remote.Region()
	}
	return plan.RedactURL(t.URL)
}

// empty reports whether a run has no figures.
func empty(d *rundoc.OverheadDetail) bool {
	return d != nil && !slices.ContainsFunc(d.Rows, func(r rundoc.OverheadRow) bool { return r.Overhead.N+r.SDKTime.N > 0 })
}

// Conclude says which calls failed, and whether the run is worse than its baseline.
func (r *overheadRun) Conclude(doc *rundoc.Run) run.Conclusion {
	failed := r.result.Failure
	if failed == nil {
		failed = r.result.Failed
	}
	if failed != nil {
		return r.o.conclude(doc, r.before, r.wrong(failed))
	}
	return r.o.conclude(doc, r.before, nil)
}

// conclude compares a run with its baseline, if there is one. failed is what else went wrong.
func (o *overheadOptions) conclude(doc, before *rundoc.Run, failed error) run.Conclusion {
	c := run.Conclusion{Failed: failed}
	if c.Failed == nil && empty(doc.Overhead()) {
		c.Failed = fault.New(fault.RunFailed, "not one call was measured").Hint("measure for longer, with --time or --calls; the report says what there was")
	}
	if before == nil {
		return c
	}
	compared, err := report.CompareOverhead(doc, before, o.plan.MinEffect)
	if err != nil {
		c.Worse = err
		return c
	}
	beside := report.OverheadBeside(compared)
	c.Kind, c.Worse = &beside, worse(compared)
	return c
}

// worse is the error of a run that is worse than its baseline, or that says nothing of it.
func worse(c *report.OverheadComparison) error {
	switch {
	case c.Worse():
		return fault.New(fault.Missed, "%s", c.Summary())
	case c.Judged() == 0:
		return fault.New(fault.Untrusted, "the comparison says nothing: no figure of this run could be held against the baseline").
			Hint("the report says why; make a baseline of the same operations and settings with --save-baseline")
	}
	return nil
}
