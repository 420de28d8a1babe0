package chat

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"strconv"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/run"
	chattarget "github.com/plimsoll/plimsoll/internal/server/chat"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/workload"
	"github.com/plimsoll/plimsoll/internal/workload/ws"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Command is one call of the chat command: the plan, and what the plan does not hold because it
// changes nothing of the measurement.
type Command struct {
	Plan        Plan
	targetFlags []string
	usersAlone  bool     // --users was given, and --clients was not
	serverArgs  []string // of the embedded server, made of targetFlags
	run.Forms
}

// Settings are all of them.
func (c *Command) Settings() *setting.Set {
	return c.Plan.Settings().
		Group("Connection", chattarget.Target().Flag(&c.targetFlags)).
		Group("Thresholds", c.Goals.Settings(ReportKind().Known(rundoc.WorkloadChat))...).
		Group("Until", c.Until.Settings(ReportKind().Known(rundoc.WorkloadChat))...).
		Group("Output", c.Forms.Settings()...).
		Often("rate", "clients", "duration", "messages", "header", "timeout", "samples", "threshold", "json", "out")
}

// Resolve fills in what was not given and checks what was.
func (c *Command) Resolve(args []string, given func(flag string) bool) error {
	if len(args) == 1 {
		if args[0] == "" {
			return fault.New(fault.Usage, "the URL is empty").Hint("omit it to run the demo")
		}
		c.Plan.URL = args[0]
	}
	if c.Plan.demo(given) {
		c.Plan.Load.ThinkTime = demoThinkTime
	}
	if err := c.Plan.Resolve(given); err != nil {
		return err
	}
	if err := c.Until.Resolve(&c.Plan.Load, given); err != nil {
		return err
	}
	c.usersAlone = given("users") && !given("clients")
	if !given("seed") {
		c.Plan.Load.Seed = plan.RandomSeed()
	}
	if err := c.Settings().Check(); err != nil {
		return err
	}
	if err := c.Forms.Check(); err != nil {
		return err
	}
	c.Plan.TargetFlags = setting.NamesIn(c.targetFlags)
	var err error
	c.serverArgs, err = chattarget.Target().ArgsFor(c.Plan.URL, c.Plan.Heard.TargetFlags(c.targetFlags))
	c.serverArgs = append(c.serverArgs, c.Plan.Dial.ServerArgs()...)
	return err
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
		Workload: rundoc.WorkloadChat, Operations: "messages", Kind: ReportKind(), Forms: c.Forms,
		Files: run.OutputFiles(&c.Plan.Output, ReportKind()), Work: c,
	}, nil
}

// Measure sends the messages.
func (c *Command) Measure(soft, hard context.Context, r *run.Run) (*run.Found, error) {
	t, err := c.target(soft, r)
	if err != nil {
		return nil, err
	}
	if c.usersAlone { // elsewhere it is how many send
		r.View.Note("--users sets the number of user names in the messages; --clients sets the number of clients, here " +
			strconv.Itoa(c.Plan.Load.Clients))
	}
	protocol, err := c.Plan.Mix.protocol()
	if err != nil {
		return nil, err
	}
	o := ws.Options{
		Seed: c.Plan.Load.Seed, Protocol: protocol, Label: "type", Rooms: c.Plan.Mix.Rooms, Dial: c.Plan.Dial,
	}
	c.Plan.Heard.Join(&o, &c.Plan.Load)
	w, err := ws.New(o, t.URL, randomTag())
	if err != nil {
		return nil, err
	}
	got, err := r.Drive(soft, hard, run.Load{
		Load: c.Plan.Load, Workload: w, Target: t,
		Samples: ws.SamplesOf(&c.Plan.Output, "messageType", messageTypes(w.Kinds())),
	})
	if err != nil {
		return nil, ws.CannotRun(err, t, rundoc.WorkloadChat)
	}
	d, err := detail(got, w)
	if err != nil {
		return nil, err
	}
	return &run.Found{Doc: got.Doc, Plan: c.Plan, Detail: d}, nil
}

// target starts the embedded server, or takes the one that the URL names.
func (c *Command) target(ctx context.Context, r *run.Run) (*run.Target, error) {
	if c.Plan.URL != "" {
		return c.Plan.Dial.Target(ctx, c.Plan.URL), nil
	}
	return r.Embedded(ctx, "chat", c.Plan.Heard.Serve(c.serverArgs), "all further messages will fail")
}

// Conclude has nothing to add to what the document says.
func (c *Command) Conclude(*rundoc.Run) run.Conclusion {
	return run.Conclusion{Show: report.Options{Bucket: c.Plan.Output.Bucket}}
}

// randomTag begins the messageIds of a run: 8 hex digits.
func randomTag() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// messageTypes are the types in the order of the workload's kinds.
func messageTypes(kinds []workload.Kind) []string {
	types := make([]string, len(kinds))
	for i, k := range kinds {
		types[i] = k.Labels["type"]
	}
	return types
}
