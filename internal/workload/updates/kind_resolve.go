package updates

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	kvtarget "github.com/plimsoll/plimsoll/internal/server/kv"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/workload/updates/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Settings are all of them.
func (c *Command) Settings() *setting.Set {
	return c.Plan.Settings().
		Group("Server", kvtarget.Target().Flag(&c.targetFlags)).
		Group("Thresholds", c.Goals.Settings(show.Kind().Known(rundoc.WorkloadUpdates))...).
		Group("Output", c.Forms.Settings()...).
		Often("rate", "batch", "duration", "publishers", "kv", "from", "max", "threshold", "json", "out")
}

// Resolve fills in what was not given and checks what was.
func (c *Command) Resolve(args []string, given func(flag string) bool) error {
	if len(args) == 1 {
		if args[0] == "" {
			return fault.New(fault.Usage, "the URL is empty").Hint("omit it to run the demo")
		}
		c.Plan.URL = args[0]
	}
	if given("timeout") {
		c.patience = c.Plan.Load.Retry.Timeout
	}
	if given("duration") {
		c.length = c.Plan.Load.Duration
	}
	if c.Plan.Check != "" {
		return c.resolveCheck(given)
	}
	return c.resolve(given)
}

// resolve fills in what was not given and checks what was.
func (c *Command) resolve(given func(flag string) bool) error {
	if err := c.Plan.CheckGiven(given); err != nil {
		return err
	}
	if given("max-publishers") && c.Plan.Load.MaxClients == 0 {
		return usage("--max-publishers must be at least 1").
			Hint("to keep the number fixed, set it to the value of --publishers")
	}
	c.Plan.Resolve(given)
	if !given("seed") {
		c.Plan.Load.Seed = plan.RandomSeed()
	}
	c.Plan.CommitBase = time.Now().UnixNano()
	if err := c.Settings().Check(); err != nil {
		return err
	}
	if err := c.Check(); err != nil {
		return err
	}
	if c.Goals.AbortOnMiss && c.Plan.Max {
		return fault.New(fault.Usage, "--abort-on-miss and --max cannot be combined").
			Hint("remove one of them; with --max, thresholds are conditions of a sustained rate")
	}
	if len(c.targetFlags) > 0 && !c.Plan.EmbeddedServer() {
		return fault.New(fault.Usage, "--target-flag needs a demo server, but this run starts none").
			Hint("remove it, or remove --kv and --publish-only")
	}
	var err error
	c.serverArgs, err = kvtarget.Target().Args(c.targetFlags)
	return err
}
