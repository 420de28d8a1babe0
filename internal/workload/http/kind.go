package http

import (
	"cmp"
	"context"
	"errors"
	"os"
	"strings"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/run"
	httptarget "github.com/plimsoll/plimsoll/internal/server/http"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/table"
	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/workload/http/script"
	"github.com/plimsoll/plimsoll/internal/workload/reach"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Command is one call of the http command: the plan, and what the plan does not hold because it changes nothing of the
// measurement.
type Command struct {
	Plan        Plan
	targetFlags []string
	serverArgs  []string // of the embedded server, made of targetFlags
	run.Forms
}

// Settings are all of them.
func (c *Command) Settings() *setting.Set {
	return c.Plan.Settings().
		Group("Connection", httptarget.Target().Flag(&c.targetFlags)).
		Group("Thresholds", c.Goals.Settings(ReportKind().Known(rundoc.WorkloadHTTP))...).
		Group("Until", c.Until.Settings(ReportKind().Known(rundoc.WorkloadHTTP))...).
		Group("Output", c.Forms.Settings()...).
		Often("rate", "clients", "duration", "method", "header", "body", "check", "timeout", "threshold", "json")
}

// Resolve fills in what was not given and checks what was.
func (c *Command) Resolve(args []string, given func(flag string) bool) error {
	if len(args) == 1 {
		if args[0] == "" {
			return fault.New(fault.Usage, "the URL is empty").Hint("omit it to run the demo")
		}
		c.Plan.URL = args[0]
	}
	if err := c.Plan.addressed(); err != nil {
		return err
	}
	if c.Plan.demo(given) {
		c.Plan.Load.ThinkTime = demoThinkTime
	}
	if err := c.recorded(given); err != nil {
		return err
	}
	if err := c.Plan.Resolve(given); err != nil {
		return err
	}
	if err := c.Until.Resolve(&c.Plan.Load, given); err != nil {
		return err
	}
	if !given("seed") {
		c.Plan.Load.Seed = plan.RandomSeed()
	}
	if err := c.Settings().Check(); err != nil {
		return err
	}
	if err := c.Forms.Check(); err != nil {
		return err
	}
	if _, err := c.Plan.script(unnamed); err != nil {
		return err
	}
	c.Plan.TargetFlags = setting.NamesIn(c.targetFlags)
	var err error
	c.serverArgs, err = httptarget.Target().ArgsFor(c.Plan.URL, c.targetFlags)
	return err
}

// script is what the clients do; target is the URL where none was given.
func (p *Plan) script(target string) (*script.Script, error) {
	r := p.Request
	if r.File != "" {
		return p.fromFile(target)
	}
	names := &template.Known{Env: os.LookupEnv}
	s := &script.Script{}
	if r.Table != "" {
		f, err := p.inputs.Open(r.Table)
		if err != nil {
			return nil, usage("--data-file: %w", err).
				Hint("%s", cmp.Or(fault.HintOf(err), "give the name of a readable CSV file"))
		}
		defer func() { _ = f.Close() }()
		if s.Columns, s.Rows, err = table.Read(r.Table, f); err != nil {
			return nil, err
		}
		names.Columns = s.Columns
	}
	one := script.Request{Name: r.Name, Method: r.Method, URL: p.URL, Headers: r.Headers, Body: r.Body,
		HasBody: r.Body != "", Checks: r.Checks}
	if one.URL == "" {
		one.URL = target
	}
	if file, is := strings.CutPrefix(r.Body, "@"); is {
		one.Body = ""
		if err := one.TakeFile(file, p.inputs.Open); err != nil {
			return nil, usage("--body: %w", err).
				Hint("%s", cmp.Or(fault.HintOf(err), "give the name of a readable file after @, or the text without @"))
		}
	}
	step, service, err := one.Compile(names)
	if err != nil {
		return nil, err
	}
	if step.Name == "" {
		step.Name = step.Method + " " + script.PathOf(one.URL)
	}
	s.Service, s.Flows = service, []script.Flow{{Name: step.Name, Weight: 1, Steps: []script.Step{step}}}
	if r.Table != "" && !s.Columned() {
		return nil, usage("--data-file: the request uses no column of %s", r.Table).
			Hint("insert a column with ${csv.%s}, or remove --data-file", s.Columns[0])
	}
	return s, nil
}

// fromFile reads the file of requests.
func (p *Plan) fromFile(target string) (*script.Script, error) {
	f, err := p.inputs.Open(p.Request.File)
	if err != nil {
		return nil, usage("--requests: %w", err).Hint("%s",
			cmp.Or(fault.HintOf(err), "give the name of a requests file, an access log or a HAR file"))
	}
	defer func() { _ = f.Close() }()
	base := p.URL
	if base == "" {
		base = target
	}
	s, err := script.Load(p.Request.File, f, script.Options{
		Base: base, Env: os.LookupEnv, Open: p.inputs.Open, Pauses: p.Request.Recorded,
	})
	if err == nil && p.Request.Recorded {
		err = p.keepTimes(s)
	}
	if err != nil {
		return nil, err
	}
	if p.URL != "" && s.Named != "" && !s.Service.Is(p.URL) {
		return nil, usage("the requests in %s go to %s, but the URL is %s", p.Request.File, s.Named, redact.URL(p.URL)).
			Hint("remove the URL, or remove base: and the hosts in url: from the file")
	}
	return s, nil
}

// unnamed stands for the demo server as long as it has no address.
const unnamed = "http://demo.invalid/"

// addressed takes the URL from a file of requests that says where they go, so that it is measured and reported, and not
// the demo. What was recorded needs one: the demo answers whatever it is asked, and the service that was recorded is
// not sent load to because its name stands in a file.
func (p *Plan) addressed() error {
	if p.URL != "" || p.Request.File == "" {
		return nil
	}
	s, err := p.script(unnamed)
	switch {
	case err != nil:
		return err
	case s.Origin != "":
		return usage("no URL given: %s was recorded at %s, which is not contacted unless you name "+
			"it", p.Request.File, redact.URL(s.Origin)).
			Hint("to measure that service, run: plimsoll http %s --requests %s", redact.URL(s.Origin), p.Request.File)
	case s.Order != nil:
		return usage("no URL given: the log %s contains only paths", p.Request.File).
			Hint("run: plimsoll http http://HOST:PORT --requests %s", p.Request.File)
	}
	p.URL = s.Named
	return nil
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
	return run.Job{
		Workload: rundoc.WorkloadHTTP, Operations: "requests", Kind: ReportKind(), Forms: c.Forms,
		Files: run.OutputFiles(&c.Plan.Output, ReportKind()), Work: c,
	}, nil
}

// Measure sends the requests.
func (c *Command) Measure(soft, hard context.Context, r *run.Run) (*run.Found, error) {
	t, err := c.target(soft, r)
	if err != nil {
		return nil, err
	}
	s, err := c.Plan.script(t.URL)
	if err != nil {
		return nil, err
	}
	w, err := New(c.Plan, s)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	end, err := w.Begin(soft)
	switch {
	case err != nil && soft.Err() != nil:
		return nil, fault.New(fault.Interrupted, "interrupted before the clients connected; nothing was measured")
	case err != nil:
		return nil, err
	}
	defer end()
	got, err := r.Drive(soft, hard, run.Load{
		Load: c.Plan.Load, Workload: w, Target: t, Samples: w.samples(&c.Plan.Output),
	})
	if err != nil {
		return nil, cannotRun(err, t)
	}
	detail, err := w.detail(got)
	if err != nil {
		return nil, err
	}
	return &run.Found{Doc: got.Doc, Plan: c.Plan, Detail: detail}, nil
}

// target starts the embedded server, or takes the one that the URL names.
func (c *Command) target(ctx context.Context, r *run.Run) (*run.Target, error) {
	if c.Plan.URL != "" {
		return c.Plan.Dial.Target(ctx, c.Plan.URL), nil
	}
	return r.Embedded(ctx, "http", c.serverArgs, "all further requests will fail")
}

// Conclude has nothing to add to what the document says.
func (c *Command) Conclude(*rundoc.Run) run.Conclusion {
	return run.Conclusion{Show: report.Options{Bucket: c.Plan.Output.Bucket}}
}

// cannotRun words why nothing was measured.
func cannotRun(err error, t *run.Target) error {
	var known *fault.Error
	var why *op.Failure
	if errors.As(err, &known) || !errors.As(err, &why) {
		return err
	}
	reason := why.Err
	if reason == nil {
		reason = errors.New("unknown error")
	}
	e := fault.New(fault.RunFailed, "cannot connect to %s: %s: %w", redact.URL(t.URL), why.Cause, reason)
	switch hint := reach.HintOf(reason); {
	case why.Cause == reach.HTTP2Only:
		return e.Hint("add --http2")
	case hint != "":
		return e.Hint("%s", hint)
	case why.Cause == noHTTP2:
		return e.Hint("remove --http2; the server does not offer HTTP/2 at this address")
	}
	return e.Hint("check that an HTTP server listens at this URL")
}
