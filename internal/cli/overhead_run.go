package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/workload/overhead"
	"github.com/plimsoll/plimsoll/rundoc"
)

// overheadRun is one run of the overhead command.
type overheadRun struct {
	env    *Env
	o      *overheadOptions
	id     string
	saving saving
	view   *liveView

	certificate string // the file of the embedded responder's certificate; "" without TLS
	remote      *overhead.Remote
	work        *overhead.Overhead
	result      overhead.Result

	before     *rundoc.Run // the baseline; nil without one
	comparison *report.OverheadComparison
	ended      error // how a foreign command ended, when not well
}

// run makes sure that the results can be written, measures, and shows what came of it.
func (r *overheadRun) run(ctx context.Context) (err error) {
	if r.saving, err = prepareSaving(r.env, &r.o.forms, r.id); err != nil {
		return err
	}
	if err := r.baseline(); err != nil {
		return err
	}
	if err := r.consent(); err != nil {
		return err
	}
	soft, hard, release := interrupts(ctx, r.env)
	defer release()
	t, err := r.target(soft)
	if r.certificate != "" {
		defer os.RemoveAll(filepath.Dir(r.certificate))
	}
	if err != nil {
		return err
	}
	r.view = newLiveView(r.env, r.o.quiet, "overhead")
	unwatch := watchTarget(t, r.view, "every call fails from here on")
	doc, err := r.measure(soft, hard, t)
	unwatch()
	r.view.close()
	stopErr := t.stop()
	for _, left := range r.result.Left {
		r.view.note("could not be removed, remove it yourself: " + oneLine(left))
	}
	if err != nil {
		return err
	}
	if stopErr != nil {
		r.view.note(oneLine(stopErr.Error()))
	}
	return r.finish(doc)
}

// baseline reads the run to compare with, and makes sure that this one can become one.
func (r *overheadRun) baseline() error {
	p := &r.o.plan
	if err := checkFiles(outputFile{"save-baseline", p.SaveBaseline}); err != nil || p.Baseline == "" {
		return err
	}
	s, err := openRuns(r.env)
	if err != nil {
		return err
	}
	if r.before, err = s.load(p.Baseline); err != nil {
		return err
	}
	if sameFile(p.Baseline, p.SaveBaseline) {
		return fault.New(fault.Usage, "--baseline and --save-baseline are both %s: what got worse once would be the measure of the next run", p.SaveBaseline).
			Hint("save the new baseline under another name, and replace the old one when you agree to it")
	}
	// What is no run of this command is refused before anything is measured.
	_, err = report.CompareOverhead(r.before, r.before, p.MinEffect)
	return err
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
func (r *overheadRun) consent() error {
	p := &r.o.plan
	if !p.Real() {
		return nil
	}
	fmt.Fprint(r.env.Stderr, consequences(p))
	if r.o.yes {
		return nil
	}
	in, ok := r.env.Stdin.(io.Writer) // a terminal is a file, which can be both
	if !ok || !r.env.IsTerminal(in) {
		return fault.New(fault.Usage, "this run calls AWS, and nobody can be asked whether it may").
			Hint("say --yes, or leave --profile and --region out to measure the embedded responder")
	}
	fmt.Fprint(r.env.Stderr, "Go on? [y/N] ")
	answer, err := bufio.NewReader(r.env.Stdin).ReadString('\n')
	if a := strings.ToLower(strings.TrimSpace(answer)); err == nil && (a == "y" || a == "yes") {
		return nil
	}
	return fault.New(fault.RunFailed, "not agreed to: nothing was created and nothing measured")
}

// consequences says what a run does to an account.
func consequences(p *plan.Overhead) string {
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
func (r *overheadRun) target(ctx context.Context) (*measured, error) {
	p := &r.o.plan
	if !p.Embedded() {
		address := p.Endpoint
		if address == "" {
			address = "https://aws.amazon.com"
		}
		t := elsewhere(ctx, address)
		t.url = p.Endpoint
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
		r.certificate = filepath.Join(dir, "certificate.pem")
		args = append(args, "--tls", "--certificate", r.certificate)
	}
	return embedded(ctx, r.env, "aws", args)
}

// measure has the engine carry the plan out and makes the run document.
func (r *overheadRun) measure(soft, hard context.Context, t *measured) (*rundoc.Run, error) {
	var certificate []byte
	var err error
	if r.certificate != "" {
		if certificate, err = os.ReadFile(r.certificate); err != nil {
			return nil, fault.New(fault.RunFailed, "cannot read the embedded responder's certificate: %w", err)
		}
	}
	if r.remote, err = overhead.Connect(soft, hard, &r.o.plan, t.url, certificate); err != nil {
		return nil, r.wrong(err)
	}
	r.work = overhead.New(overhead.Config{Plan: r.o.plan, Remote: r.remote, Soft: soft, Hard: hard, Creating: r.creating()})
	r.view.doing = r.doing
	result, err := engine.Run(hard, soft.Done(), engine.Config{
		Load: r.o.plan.Load, Workload: r.work, Progress: r.view.progress, TargetCPU: t.cpu,
	})
	if soft.Err() != nil && !r.o.plan.Embedded() {
		r.view.note("interrupted: removing what was created on the server")
	}
	r.work.CleanUp()
	r.result = r.work.Result()
	switch {
	case soft.Err() != nil && len(r.result.Rows) == 0:
		return nil, fault.New(fault.Interrupted, "interrupted before the first call was measured; what was created has been removed%s", r.except())
	case r.result.Failure != nil && len(r.result.Rows) == 0:
		return nil, r.wrong(r.result.Failure)
	case err != nil:
		return nil, err
	}
	doc, err := result.Document()
	if err != nil {
		return nil, fault.New(fault.RunFailed, "cannot make the run document: %w", err)
	}
	return doc, r.describe(doc, t)
}

// creating tells a person what is created on AWS, by name, before it is: if all goes wrong, they can
// look for it.
func (r *overheadRun) creating() func(what string) {
	if !r.o.plan.Real() {
		return nil
	}
	return func(what string) { r.view.note("creating " + what) }
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

// describe adds to the document what only the command line knows, and the judgement.
func (r *overheadRun) describe(doc *rundoc.Run, t *measured) error {
	var err error
	r.o.plan.Endpoint = plan.RedactURL(r.o.plan.Endpoint)
	if doc.Plan, err = json.Marshal(r.o.plan); err != nil {
		return fault.New(fault.RunFailed, "cannot write the plan down: %w", err)
	}
	doc.Detail = r.detail(t)
	doc.ID, doc.Workload, doc.Tool = r.id, rundoc.WorkloadOverhead, tool()
	doc.Target.URL = r.address(t)
	doc.Target.Embedded, doc.Target.SameHost = t.embedded, t.sameHost
	doc.Verdict = rundoc.Judge(doc)
	doc.Warnings = append(doc.Warnings, rundoc.Warnings(doc)...)
	return nil
}

// address is the server that was called, for a person.
func (r *overheadRun) address(t *measured) string {
	if r.o.plan.Real() {
		return "AWS " + r.remote.Region()
	}
	return plan.RedactURL(t.url)
}

// finish saves and shows a run, and says by its error how it went.
func (r *overheadRun) finish(doc *rundoc.Run) error {
	var files []report.File
	var failed error
	if path := r.saving.path; path != "" {
		if failed = writeDocument(path, doc); failed == nil {
			files = append(files, report.File{What: "run document", Path: path})
		}
	}
	if r.before != nil {
		var err error
		if r.comparison, err = report.CompareOverhead(doc, r.before, r.o.plan.MinEffect); err != nil {
			return err
		}
	}
	outcome := r.outcome(doc)
	if path := r.o.plan.SaveBaseline; path != "" {
		// Of a run that is worse than its own baseline, too: that one is in another file.
		if outcome != nil && fault.CodeOf(outcome) != fault.Missed {
			r.view.note("the run is no baseline: nothing was written to " + path)
		} else if err := writeDocument(path, doc); err != nil {
			failed = errors.Join(failed, err)
		} else {
			files = append(files, report.File{What: "baseline", Path: path})
		}
	}
	if err := renderWith(r.env, doc, r.o.form(), report.Options{Files: files, Comparison: r.comparison}); err != nil {
		return errors.Join(err, failed)
	}
	if failed != nil {
		return failed
	}
	return outcome
}

func writeDocument(path string, doc *rundoc.Run) error {
	err := os.MkdirAll(filepath.Dir(path), 0o755)
	if err == nil {
		err = rundoc.WriteFile(path, doc)
	}
	if err != nil {
		return fault.New(fault.RunFailed, "cannot write the run document: %w", err)
	}
	return nil
}

// empty reports whether a run has no figures.
func empty(d *rundoc.OverheadDetail) bool {
	return d != nil && !slices.ContainsFunc(d.Rows, func(r rundoc.OverheadRow) bool { return r.Overhead.N+r.SDKTime.N > 0 })
}

// outcome is nil for a run that went as it should.
func (r *overheadRun) outcome(doc *rundoc.Run) error {
	switch {
	case doc.Interrupted:
		return fault.New(fault.Interrupted, "interrupted: the report covers the %v of the window until then",
			time.Duration(doc.Ledger.WindowNS).Round(10*time.Millisecond))
	case r.result.Failure != nil:
		return r.wrong(r.result.Failure)
	case r.result.Failed != nil:
		return r.wrong(r.result.Failed)
	case r.ended != nil:
		return r.ended
	case doc.Verdict.Validity == rundoc.Invalid:
		return untrusted(doc.Verdict.Reasons)
	case empty(doc.Overhead()):
		return fault.New(fault.RunFailed, "not one call was measured").Hint("measure for longer, with --time or --calls; the report says what there was")
	case r.comparison == nil:
		return nil
	case r.comparison.Worse():
		return fault.New(fault.Missed, "%s", r.comparison.Summary())
	case r.comparison.Judged() == 0:
		return fault.New(fault.Untrusted, "the comparison says nothing: no figure of this run could be held against the baseline").
			Hint("the report says why; make a baseline of the same operations and settings with --save-baseline")
	}
	return nil
}
