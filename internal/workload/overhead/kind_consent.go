package overhead

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/run"
)

// consent has a person agree to what is created on AWS.
func (c *Command) consent(env *run.Env) error {
	p := &c.Plan
	if !p.Real() {
		return nil
	}
	fmt.Fprint(env.Stderr, consequences(p))
	if c.Plan.Yes {
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
func consequences(p *Plan) string {
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
	for _, s := range Catalog() {
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
