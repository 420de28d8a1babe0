package overhead

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/services"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Kind is what the list of kinds has.
func Kind() run.Kind {
	return run.Kind{
		Name:  rundoc.WorkloadOverhead,
		Offer: operationNames,
		Help: run.Help{
			Use: "overhead [SERVICE[/OPERATION]...]", Short: "Measure what an SDK call costs on the client's side", Long: long, Example: example,
		},
		New:    func() run.Command { return &Command{Plan: DefaultPlan()} },
		Report: show.Kind(),
	}
}

const long = `Measure what a call of the AWS SDK for Go costs on the client's side, operation by operation.

Each call is one attempt; it is not tried again. Of each attempt there are two figures:

     attempt ├───────────────────────────────────────────────────────────┤
  round trip         ├───────────────────────────────────────────┤
        wait                       ├──────────────┤
             │       │             │              │              │       │
           begins  asks for    request        first byte    last byte   ends
                   a connec-   fully          of the        of the
                   tion        sent           answer        answer

  overhead   the attempt without the wait. It has the sending and the receiving in it, and
             connecting. The AWS SDK for Kotlin defines it so.
  SDK time   the attempt without the whole round trip. It has nothing of the time that the
             service and the network take, but a client that waits for them runs slower
             afterwards: --latency shows by how much.

The null client sends the same request as the first operation by net/http, and does nothing
else: what its row shows is the cost of net/http and of the instrument itself.

Without --endpoint, --profile and --region the embedded responder is called, which runs as a
process of its own ('plimsoll serve aws') and always has the same answer ready. Buckets,
topics, tables and what else is needed are created with random names, and removed again, also
after a failure or an interrupt. --profile or --region calls AWS itself, which costs money;
before that it is shown what will be created, and you are asked; each thing is named when it is
created.

SERVICE is a service of the table, all of whose operations are measured; --list shows them.
Without one it is the default table, which is all but Pinpoint: AWS ended its support for that
on 30 October 2026.

A run takes --warmup and --time for each operation and for the null client: the whole table
17 × 20 s = 5 min 40 s. All operations are warmed up first. Then they are measured in turns, in
up to 15 rounds, so that what the machine does beside is in all rows alike; --time and --calls
are what the turns of one operation come to together.

--exec measures a program in any language instead, without touching it: a shell runs the
command with AWS_ENDPOINT_URL and credentials for the embedded responder in its environment.
What a call costs is the time from an answer of the responder to the next request, less what
that is for the null client. The program has to do one call after the other, each operation
several times in a row, and whatever it does between two calls is in the figure. Its output
goes to stderr.

Of each figure up to a million values are kept, and the percentiles are exact; of more, every
second one is dropped. An operation that fails ten times in a row is given up.

The report is text, Markdown (--markdown) or JSON (--json). The tables as CSV are those of a saved
run: 'plimsoll report last --format csv'.`

const example = `  # the whole table, in about a minute
  plimsoll overhead --time 3s --warmup 1s

  # two services, one of them with one operation
  plimsoll overhead DynamoDB S3/HeadObject

  # before an upgrade, and after it
  plimsoll overhead --save-baseline before.json
  plimsoll overhead --baseline before.json

  # over TLS and HTTP/2, from a service that takes 2 ms
  plimsoll overhead SNS --http2 --latency 2ms

  # another server
  plimsoll overhead S3 DynamoDB --endpoint http://localhost:5000 --calls 1000

  # a program in any language, seen from the server
  plimsoll overhead --exec 'python3 loop.py'

  # AWS itself
  plimsoll overhead STS/GetCallerIdentity --profile dev --region eu-north-1`

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
	chosen, unknown, ok := services.Choose(args)
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
	for _, s := range services.Catalog() {
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
	for _, s := range services.Catalog() {
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
