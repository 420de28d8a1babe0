package ws

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/run"
	chattarget "github.com/plimsoll/plimsoll/internal/server/chat"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/workload/reach"
	"github.com/plimsoll/plimsoll/internal/workload/ws/show"
	"github.com/plimsoll/plimsoll/internal/wsproto"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Command is one call of the ws command: the plan, and what the plan does not hold because it changes nothing of the
// measurement.
type Command struct {
	Plan        Plan
	ask         ask
	protocol    *wsproto.Protocol
	targetFlags []string
	serverArgs  []string // of the embedded server, made of targetFlags
	run.Forms
}

// Settings are all of them.
func (c *Command) Settings() *setting.Set {
	return c.Plan.Settings().
		Group("Protocol", c.ask.settings()...).
		Group("Connection", chattarget.Target().Flag(&c.targetFlags)).
		Group("Thresholds", c.Goals.Settings(show.Kind().Known(rundoc.WorkloadWS))...).
		Group("Until", c.Until.Settings(show.Kind().Known(rundoc.WorkloadWS))...).
		Group("Output", c.Forms.Settings()...).
		Often("protocol", "inspect", "message", "rate", "clients", "duration", "fanout", "header", "timeout", "threshold")
}

// Resolve fills in what was not given and checks what was.
func (c *Command) Resolve(args []string, given func(flag string) bool) error {
	if err := c.ask.alone(); err != nil || c.ask.prints() {
		return err
	}
	if err := c.named(args); err != nil {
		return err
	}
	p := &c.Plan
	if p.demo(given) {
		p.Load.ThinkTime = demoThinkTime
	}
	if err := p.Resolve(given); err != nil {
		return err
	}
	if err := c.Until.Resolve(&p.Load, given); err != nil {
		return err
	}
	if !given("seed") {
		p.Load.Seed = plan.RandomSeed()
	}
	if err := c.Settings().Check(); err != nil {
		return err
	}
	if err := c.Forms.Check(); err != nil {
		return err
	}
	if c.ask.Check && p.URL == "" {
		return usage("--inspect needs the URL of a server").
			Hint("run: plimsoll ws --inspect %s ws://HOST:PORT/PATH", p.Speech.spoken())
	}
	var err error
	if c.protocol, err = p.Speech.load(); err != nil {
		return err
	}
	if err := c.complete(); err != nil {
		return err
	}
	p.TargetFlags = setting.NamesIn(c.targetFlags)
	c.serverArgs, err = chattarget.Target().ArgsFor(p.URL, p.Heard.TargetFlags(c.targetFlags))
	c.serverArgs = append(c.serverArgs, p.Dial.ServerArgs()...)
	return err
}

// named takes the URL from the arguments, and with --inspect the protocol, in whatever order they are.
func (c *Command) named(args []string) error {
	isURL := func(arg string) bool { return strings.Contains(arg, "://") }
	for _, arg := range args {
		switch {
		case arg == "":
			return usage("an argument is empty").Hint("omit it to run the demo")
		case c.ask.Check && !isURL(arg) && (len(args) > 1 || known(arg)):
			if c.Plan.Speech.Protocol != "" {
				return usage("two protocols given: %s and %s", c.Plan.Speech.Protocol, arg).Hint("remove one of them")
			}
			c.Plan.Speech.Protocol = arg
		case c.Plan.URL != "":
			return usage("two URLs given: %s and %s", redact.URL(c.Plan.URL), redact.URL(arg)).
				Hint("give one URL; to set the protocol, use --protocol")
		case !isURL(arg) && known(arg):
			return usage("%s is a protocol, not a URL", arg).Hint("write plimsoll ws URL --protocol %s", arg)
		default:
			c.Plan.URL = arg
		}
	}
	return nil
}

// complete refuses a protocol of which nothing could be measured.
func (c *Command) complete() error {
	p := &c.Plan
	if err := enoughIDs(c.protocol, p.Load.Pipeline); err != nil {
		return err
	}
	if !p.Heard.Fanout {
		err := c.protocol.NeedsAnswer()
		if c.ask.Check && err != nil && c.protocol.NeedsDelivery() == nil {
			return nil // who writes a file for fan-out checks it without receivers
		}
		return err
	}
	own := strings.Contains(p.URL, plan.Room) || connectionsHaveRooms(c.protocol)
	if err := p.Heard.CheckRooms(p.Speech.Rooms, own); err != nil {
		return err
	}
	return c.protocol.NeedsDelivery()
}

// known reports whether a protocol is called so, or a file.
func known(name string) bool {
	if slices.Contains(presetNames(), name) {
		return true
	}
	_, err := os.Stat(name)
	return err == nil
}

// Run makes the run, or does what was asked for instead.
func (c *Command) Run(ctx context.Context, env *run.Env) error {
	if c.ask.prints() {
		return c.ask.print(env.Stdout)
	}
	if c.ask.Check {
		return c.check(ctx, env)
	}
	job, err := c.Job(env)
	if err != nil {
		return err
	}
	return run.Once(ctx, env, job)
}

// Job is the run.
func (c *Command) Job(*run.Env) (run.Job, error) {
	if c.ask.prints() || c.ask.Check {
		return run.Job{}, usage("--inspect, --protocols and --show-protocol are not allowed here").
			Hint("use them with plimsoll ws")
	}
	return run.Job{
		Workload: rundoc.WorkloadWS, Operations: "messages", Kind: show.Kind(), Forms: c.Forms,
		Files: run.OutputFiles(&c.Plan.Output, show.Kind()), Work: c,
	}, nil
}

// Measure sends the messages.
func (c *Command) Measure(soft, hard context.Context, r *run.Run) (*run.Found, error) {
	t, err := c.target(soft, r)
	if err != nil {
		return nil, err
	}
	w, err := New(c.options(), t.URL, randomTag())
	if err != nil {
		return nil, err
	}
	got, err := r.Drive(soft, hard, run.Load{
		Load: c.Plan.Load, Workload: w, Target: t, Samples: SamplesOf(&c.Plan.Output, "message", w.names()),
	})
	if err != nil {
		return nil, CannotRun(err, t, c.Plan.Speech.name())
	}
	d, err := w.detail(got, &c.Plan.Speech)
	if err != nil {
		return nil, err
	}
	return &run.Found{Doc: got.Doc, Plan: c.Plan, Detail: d}, nil
}

// options are what the clients do.
func (c *Command) options() Options {
	p := &c.Plan
	o := Options{Seed: p.Load.Seed, Protocol: c.protocol, Label: "message", Rooms: p.Speech.Rooms, Dial: p.Dial}
	p.Heard.Join(&o, &p.Load)
	return o
}

// target starts the embedded server, or takes the one that the URL names.
func (c *Command) target(ctx context.Context, r *run.Run) (*run.Target, error) {
	if c.Plan.URL != "" {
		return c.Plan.Dial.Target(ctx, c.Plan.URL), nil
	}
	args := c.serverArgs
	if c.Plan.Speech.echoed() && !slices.Contains(args, "--echo") {
		args = append(slices.Clone(args), "--echo")
	}
	return r.Embedded(ctx, "chat", c.Plan.Heard.Serve(args), "all further messages will fail")
}

// Conclude has nothing to add to what the document says.
func (c *Command) Conclude(*rundoc.Run) run.Conclusion {
	return run.Conclusion{Show: report.Options{Bucket: c.Plan.Output.Bucket}}
}

// randomTag begins the marks of a run: 8 hex digits.
func randomTag() string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// CannotRun words why nothing was measured of a service that is to speak this protocol; "" where each frame was shown.
func CannotRun(err error, t *run.Target, protocol string) error {
	var known *fault.Error
	var why *op.Failure
	if errors.As(err, &known) || !errors.As(err, &why) {
		return err
	}
	reason := why.Err
	if reason == nil {
		reason = errors.New("unknown error")
	}
	shown := redact.URL(t.URL)
	if why.Cause == openTimeout || why.Cause == openRefused {
		e := fault.New(fault.RunFailed, "%s: %w", shown, reason)
		if protocol == "" {
			return e.Hint("compare the step of open with the messages shown above")
		}
		return e.Hint("to see each frame and the rule that matches it, run: plimsoll ws --inspect %s %s", protocol, shown)
	}
	return explained(fault.New(fault.RunFailed, "cannot connect to %s: %s: %w", shown, why.Cause, reason), why)
}

// explained adds to an error of a connection what to do about it.
func explained(e *fault.Error, why *op.Failure) error {
	switch hint := reach.HintOf(why); {
	case why.Cause == reach.HTTP2Only:
		return e.Hint("WebSocket needs HTTP/1.1; use an address where the server speaks it")
	case hint != "":
		return e.Hint("%s", hint)
	}
	return e.Hint("check that the URL is that of a WebSocket server")
}
