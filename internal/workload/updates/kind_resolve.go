package updates

import (
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	kvtarget "github.com/plimsoll/plimsoll/internal/server/kv"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// Settings are all of them.
func (c *Command) Settings() *setting.Set {
	return c.Plan.Settings().
		Group("Server", kvtarget.Target().Flag(&c.targetFlags, "server")).
		Group("Output", c.Forms.Settings()...)
}

// Resolve fills in what was not given and checks what was.
func (c *Command) Resolve(args []string, given func(flag string) bool) error {
	if len(args) == 1 {
		if args[0] == "" {
			return fault.New(fault.Usage, "the URL is empty").Hint("leave it out for the embedded server")
		}
		c.Plan.URL = args[0]
	}
	if given("timeout") {
		c.patience = c.Plan.Load.Retry.Timeout
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
	if len(c.targetFlags) > 0 && !c.Plan.EmbeddedServer() {
		return fault.New(fault.Usage, "--target-flag is for the embedded server, and there is none").
			Hint("leave it out, or leave out --kv and --publish-only")
	}
	var err error
	c.serverArgs, err = kvtarget.Target().Args(c.targetFlags)
	return err
}
