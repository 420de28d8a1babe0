package bandwidth

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	s3target "github.com/plimsoll/plimsoll/internal/server/s3"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// What the demo does, and in words. Its store has a limit, so that neither it nor the client on the same machine needs
// all of that: what is shown is then the limit, and the same on every machine. What the two could do without it
// is a matter of how they share the processors, and the verdict has to doubt it.
const (
	demoSize  = 256 << 20 // also for a machine with little memory
	demoTime  = 8 * time.Second
	demoLimit = "250MB"
	demoWords = "256 MiB to a local server and back, repeated for 8s;\nthe server is limited to 250 MB/s"
)

// Resolve fills in what was not given and checks what was.
func (c *Command) Resolve(args []string, given func(flag string) bool) error {
	if err := c.arguments(args); err != nil {
		return err
	}
	if c.Plan.URL == "" && !c.Sized {
		c.Plan.Size = demoSize
		if !given("iterations") && !given("duration") {
			c.Plan.Duration = demoTime
		}
	}
	c.Plan.Resolve(given)
	if !given("seed") {
		c.Plan.Load.Seed = plan.RandomSeed()
	}
	if err := c.Plan.CheckGiven(given); err != nil {
		return err
	}
	if err := c.Settings().Check(); err != nil {
		return err
	}
	if err := c.Check(); err != nil {
		return err
	}
	if err := c.checkMeaning(given); err != nil {
		return err
	}
	return c.resolveServer()
}

// resolveServer says with which flags the demo's store is started: those of --target-flag, and its limit, unless that
// is among them.
func (c *Command) resolveServer() error {
	store := s3target.Target()
	limit := store.Set.Lookup("bandwidth")
	if err := limit.Set(demoLimit); err != nil {
		return err
	}
	args, err := store.ArgsFor(c.Plan.URL, c.targetFlags)
	if err != nil || c.Plan.URL != "" {
		return err
	}
	isLimit := func(name string) bool { return name == "bandwidth" }
	c.Plan.TargetFlags = slices.DeleteFunc(setting.NamesIn(c.targetFlags), isLimit)
	text := cmp.Or(limit.String(), "0")
	c.serverArgs = append(args, "--bandwidth="+text)
	c.Plan.StoreLimit, err = setting.ParseSize(text)
	return err
}

// arguments reads the size and the URL. Each may be missing.
func (c *Command) arguments(args []string) error {
	if len(args) > 0 {
		size, err := setting.ParseSize(args[0])
		switch {
		case err == nil:
			c.Plan.Size, c.Sized = size, true
			args = args[1:]
		case !isURL(args[0]):
			return fault.New(fault.Usage, "%w", err).
				Hint("give SIZE first, then URL: plimsoll bandwidth 128m s3://bucket/key")
		}
	}
	if len(args) == 0 {
		return nil
	}
	if args[0] == "" {
		return fault.New(fault.Usage, "the URL is empty").Hint("omit it to run the demo")
	}
	c.Plan.URL = args[0]
	if len(args) == 1 {
		return nil
	}
	return fault.New(fault.Usage, "unexpected argument %q after the URL", args[1]).
		Hint("give SIZE first, then URL: plimsoll bandwidth 128m s3://bucket/key")
}

// isURL reports whether an argument looks like a URL or a path, and not like a size.
func isURL(s string) bool { return strings.ContainsAny(s, ":/") }
