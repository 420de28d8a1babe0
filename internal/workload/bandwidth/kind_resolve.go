package bandwidth

import (
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	s3target "github.com/plimsoll/plimsoll/internal/server/s3"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// defaultTime is how long a run goes on for which nothing is given: long enough to
// believe its figures.
const defaultTime = 5 * time.Second

// Resolve fills in what was not given and checks what was.
func (c *Command) Resolve(args []string, given func(flag string) bool) error {
	if err := c.arguments(args); err != nil {
		return err
	}
	if c.Plan.URL == "" && !c.Sized && !given("repeat") && !given("duration") {
		c.Plan.Duration = defaultTime
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
	var err error
	c.serverArgs, err = s3target.Target().ArgsFor(c.Plan.URL, c.targetFlags)
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
			return fault.New(fault.Usage, "the size: %w", err).
				Hint("the order is SIZE and URL, as in: plimsoll bandwidth 128m s3://bucket/key")
		}
	}
	if len(args) == 0 {
		return nil
	}
	if args[0] == "" {
		return fault.New(fault.Usage, "the URL is empty").Hint("leave it out to measure the embedded server")
	}
	c.Plan.URL = args[0]
	if len(args) == 1 {
		return nil
	}
	return fault.New(fault.Usage, "%q stands behind the URL", args[1]).
		Hint("the order is SIZE and URL, as in: plimsoll bandwidth 128m s3://bucket/key")
}

// isURL reports whether an argument looks like a URL or a path, and not like a size.
func isURL(s string) bool { return strings.ContainsAny(s, ":/") }
