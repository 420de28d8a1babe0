package overhead

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// Resolve fills in what was not given and checks what was.
func (c *Command) Resolve(args []string, given func(flag string) bool) error {
	if c.Plan.List {
		return c.alone(args, given, "list")
	}
	if given("min-effect") && !given("baseline") {
		return fault.New(fault.Usage, "--min-effect is about a comparison, and there is none").
			Hint("name the run to compare with by --baseline, or leave it out")
	}
	if given("exec") {
		return c.resolveExec(args, given)
	}
	return c.resolveOwn(args, given)
}

// resolveOwn fills in what was not given and checks what was.
func (c *Command) resolveOwn(args []string, given func(flag string) bool) error {
	chosen, unknown, ok := Choose(args)
	if !ok {
		return unknownOperation(unknown)
	}
	c.Plan.Operations = chosen
	c.Plan.Resolve(given)
	if err := c.Settings().Check(); err != nil {
		return err
	}
	if c.Plan.Yes && !c.Plan.Real() {
		return fault.New(fault.Usage, "--yes answers a question that is only asked for AWS itself").
			Hint("leave it out, or name a --profile or a --region")
	}
	return c.Check()
}

// operationNames are the services and their operations, as arguments.
func operationNames() []string {
	var names []string
	for _, s := range Catalog() {
		names = append(names, s.Name)
		for _, op := range s.Operations {
			names = append(names, s.Name+"/"+op)
		}
	}
	return names
}

// unknownOperation finds the operation that was meant.
func unknownOperation(name string) error {
	if name == "" {
		return fault.New(fault.Usage, "the name of a service is empty").Hint("run 'plimsoll overhead --list' for the names")
	}
	what := "service"
	if strings.Contains(name, "/") {
		what = "operation"
	}
	e := fault.New(fault.Usage, "%q is not %s %s that can be measured", name, map[string]string{"service": "a", "operation": "an"}[what], what)
	best, nearest := max(2, len(name)/3)+1, ""
	for _, known := range operationNames() {
		if strings.Contains(known, "/") != strings.Contains(name, "/") {
			continue
		}
		if d := fault.EditDistance(strings.ToLower(name), strings.ToLower(known)); d < best {
			best, nearest = d, known
		}
	}
	for _, known := range operationNames() { // an operation without its service
		if _, op, _ := strings.Cut(known, "/"); nearest == "" && strings.EqualFold(op, name) {
			nearest = known
		}
	}
	if nearest == "" {
		return e.Hint("run 'plimsoll overhead --list' for the names")
	}
	return e.Hint("did you mean %s? run 'plimsoll overhead --list' for all names", nearest)
}

// listOperations shows what can be measured.
func listOperations(w io.Writer) error {
	var b strings.Builder
	for _, s := range Catalog() {
		for i, op := range s.Operations {
			line := s.Name + "/" + op
			if s.Extra {
				line = fmt.Sprintf("%-36s not in the default table", line)
			}
			if why, _, _ := strings.Cut(s.Note, ": "); i == 0 && s.Note != "" {
				line += ": " + why
			}
			b.WriteString(line + "\n")
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fault.New(fault.RunFailed, "cannot write the list: %w", err)
	}
	return nil
}

// alone refuses what is given beside a flag that does nothing else.
func (c *Command) alone(args []string, given func(flag string) bool, flag string) error {
	other := ""
	for _, one := range c.Settings().All() {
		if one.Name != "" && one.Name != flag && given(one.Name) {
			other = "--" + one.Name
		}
	}
	if len(args) > 0 {
		other = strconv.Quote(args[0])
	}
	if other == "" {
		return nil
	}
	return fault.New(fault.Usage, "--%s does nothing else, and %s is given, too", flag, other).Hint("leave one of them out")
}
