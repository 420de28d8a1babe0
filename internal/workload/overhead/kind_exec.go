package overhead

import (
	"context"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/exec"
	"github.com/plimsoll/plimsoll/rundoc"
)

// resolveExec checks the settings of a run with --exec. It refuses what has no meaning for a
// foreign client, or what that decides itself.
func (c *Command) resolveExec(args []string, given func(flag string) bool) error {
	p := &c.Plan
	if strings.TrimSpace(p.Exec) == "" {
		return fault.New(fault.Usage, "--exec is empty").Hint("for example --exec 'python3 loop.py'")
	}
	if len(args) > 0 {
		return fault.New(fault.Usage, "--exec cannot be combined with operations: the command decides what it calls").
			Hint("remove the operations")
	}
	for _, flag := range []string{"duration", "calls", "clients", "timeout", "endpoint", "profile", "region", "yes",
		"http2", "list", "abort-on-miss"} {
		if given(flag) {
			return fault.New(fault.Usage, "--%s has no effect on the command of --exec", flag).
				Hint("remove it and configure the command instead; --tls and --delay apply to the demo server")
		}
	}
	if p.Latency > time.Second {
		return fault.New(fault.Usage, "--delay %v is out of range: with --exec it must be at most 1s", p.Latency).
			Hint("lower --delay")
	}
	c.foreign, c.warmup = true, given("warmup-time")
	p.Resolve(given)
	if err := c.Settings().Check(); err != nil {
		return err
	}
	return c.Check()
}

// runForeign runs the command of the plan against the embedded responder and shows what its calls
// cost it.
func (c *Command) runForeign(ctx context.Context, env *run.Env) error {
	f := c.newForeign()
	life := run.New(env, c.job(f))
	err := life.Prepare()
	if err == nil {
		f.before, err = c.baseline(env)
	}
	if err != nil {
		return err
	}
	return life.Live(ctx)
}

// foreignRun is a run of a program.
type foreignRun struct {
	exec.Program
	c      *Command
	before *rundoc.Run // the baseline; nil without one
}

func (c *Command) newForeign() *foreignRun {
	p := &c.Plan
	return &foreignRun{c: c, Program: exec.Program{Config: exec.Config{
		Command: p.Exec, Warmup: p.Warmup, AtMost: !c.warmup, Latency: p.Latency, TLS: p.TLS,
		Timeout: p.ExecTimeout, Idle: p.ExecIdle,
	}}}
}

// Measure runs the program.
func (f *foreignRun) Measure(soft, hard context.Context, life *run.Run) (*run.Found, error) {
	found, err := f.Program.Measure(soft, hard, life)
	if err != nil {
		return nil, err
	}
	p := f.c.Plan
	p.Exec, p.Time = f.Shown(), 0 // the command decides its length
	found.Plan = p
	return found, nil
}

// Conclude says how the program ended, and whether the run is worse than its baseline.
func (f *foreignRun) Conclude(doc *rundoc.Run) run.Conclusion {
	return f.c.conclude(doc, f.before, f.Failed())
}
