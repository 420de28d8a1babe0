package overhead

import (
	"fmt"
	"io"
	"slices"
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
			Use: "overhead [SERVICE[/OPERATION]...]", Short: "Measure what a call of the AWS SDK costs on the client's side",
			Long: long, Example: example,
		},
		New:    func() run.Command { return NewCommand() },
		Report: show.Kind(),
		SweepBy: func(value func(name string) string, _ func(name string) bool) string {
			if value("exec") != "" {
				return "sdk.p50" // the one figure of a foreign client
			}
			return ""
		},
		AmongMany: []run.Preset{
			{Setting: "time", Value: "2s", Unless: []string{"calls", "exec"}},
			{Setting: "warmup", Value: "500ms", Unless: []string{"exec"}},
		},
		Compared: []string{"client.geomean", "overhead.geomean", "sdk.geomean", "cpu.geomean", "allocations.geomean",
			"allocated.geomean", "failed"},
		InTurn: []run.Preset{
			{Setting: "time", Value: "500ms", Unless: []string{"calls", "exec"}},
			{Setting: "warmup", Value: "200ms", Unless: []string{"exec"}},
		},
	}
}

const long = `Measure what a call of the AWS SDK for Go costs on the client's side, operation
by operation: S3/PutObject, DynamoDB/GetItem and others, which --list shows.
Without an operation all of them are measured. It is the SDK that this program
was built with; --exec measures any other version of it, and other languages.

Each call is one try. Of each there are these figures:

  call    attempt a conn.   request   first     answer  attempt call
  begins  begins  asked for is sent   byte      is read ends    ends
  |       |       |         |         |         |       |       |
  |<------------------------- the call ------------------------>|
  |#######|#######|#########|         |#########|#######|#######|  client
          |#######|#########|         |#########|#######|          overhead
          |#######|                             |#######|          SDK time
                            |<- wait->|

  client     the call without the wait: all that it costs on the client's side,
             and what the rest of an answer takes after its first byte
  overhead   the attempt without the wait, as the AWS SDK for Kotlin defines it:
             serializing the request comes before it, and is not in it
  call       from the call of the SDK's operation to its return, or to the end
             of reading a streamed answer
  CPU        what this process used of its CPUs for a call, as a mean
  allocs     pieces of memory that a call asks for
  SDK time   the attempt without its whole round trip, in the whole report alone

How long the service takes is in the call alone. But a client that waits runs
slower afterwards: --latency shows by how much.

The report's last row is the same request by Go's net/http alone, without an
SDK: what nobody can do without, and what the measuring costs.

Without --endpoint, --profile and --region a demo server on this machine is
called ('plimsoll serve aws'), which always has the same answer ready: what is
left of the time is the client's. Buckets, topics, tables and what else is
needed are created with random names, and removed again, also after a failure or
an interrupt. --profile or --region calls AWS itself, which costs money: you are
shown what will be created, and asked.

SERVICE alone stands for all of its operations. All means all but Pinpoint: AWS
ended its support for that on 30 October 2026.

Without any argument it is a demo:
` + demoWords + `.
Else a run takes --warmup and --time for each operation: 20 s each, and
5 min 40 s for all of them with --time 15s. All are warmed up first, and then
measured in turns, in up to 15 rounds, so that what the machine does beside is
in all rows alike; --time and --calls are what the turns of one operation come
to together.

--exec measures a program in any language, without touching it: a shell runs the
command with AWS_ENDPOINT_URL and credentials for the demo server in its
environment. What a call costs is the time from an answer of the server to the
next request, less what that is for net/http alone. The program has to do one
call after the other, each operation several times in a row, and whatever it
does between two calls is in the figure. Its output goes to stderr.

Of each figure up to half a million values are kept, and the percentiles are
exact; of more, every second one is dropped. An operation that fails ten times
in a row is given up.`

const example = `  # a demo: all operations, in about 15 s
  plimsoll overhead

  # two services, one of them with one operation
  plimsoll overhead DynamoDB S3/HeadObject

  # a program in any language, seen from the server
  plimsoll overhead --exec 'python3 loop.py'

  # before an upgrade of its SDK, and after it: exit status 3 means slower
  plimsoll overhead --exec 'python3 loop.py' --save-baseline before.json
  plimsoll overhead --exec 'python3 loop.py' --baseline before.json

  # two versions of a program in turn, each 30 times at most
  plimsoll overhead --exec 'python3 new.py' --against 'python3 old.py' \
      --fail-if worse

  # the same for Go: a loop with a go.mod of its own
  plimsoll overhead --exec 'go -C loop run .' --baseline before.json

  # over TLS and HTTP/2, from a service that takes 2 ms
  plimsoll overhead SNS --http2 --latency 2ms

  # another server, and AWS itself
  plimsoll overhead S3 DynamoDB --endpoint http://localhost:5000 --calls 1000
  plimsoll overhead STS/GetCallerIdentity --profile dev --region eu-north-1`

// Resolve fills in what was not given and checks what was.
func (c *Command) Resolve(args []string, given func(flag string) bool) error {
	if c.Plan.List {
		return c.alone(args, given, "list")
	}
	if given("min-effect") && !given("baseline") && !given("against") {
		return fault.New(fault.Usage, "--min-effect needs --baseline or --against").
			Hint("add --baseline with a run or --against with a command, or remove it")
	}
	if err := c.against.resolve(c, given); err != nil {
		return err
	}
	if given("exec") {
		return c.resolveExec(args, given)
	}
	for _, flag := range []string{"exec-timeout", "exec-idle"} {
		if given(flag) {
			return fault.New(fault.Usage, "--%s needs --exec", flag).
				Hint("remove it; --time sets how long each operation is measured")
		}
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
	if c.Plan.demo(args, given) {
		c.Plan.Time, c.Plan.Warmup = demoTime, demoWarmup
	}
	c.Plan.Resolve(given)
	if err := c.Settings().Check(); err != nil {
		return err
	}
	if c.Plan.Yes && !c.Plan.Real() {
		return fault.New(fault.Usage, "--yes applies only to runs that call AWS").
			Hint("remove it, or add --profile or --region")
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
		return fault.New(fault.Usage, "empty service name").Hint("list the names with 'plimsoll overhead --list'")
	}
	what := "service"
	if strings.Contains(name, "/") {
		what = "operation"
	}
	e := fault.New(fault.Usage, "unknown name %q: not %s %s that can be measured", name,
		map[string]string{"service": "a", "operation": "an"}[what], what)
	sort := func(k string) bool { return strings.Contains(k, "/") }
	known := slices.DeleteFunc(operationNames(), func(k string) bool { return sort(k) != sort(name) })
	nearest := fault.Nearest(name, known)
	for _, known := range operationNames() { // an operation without its service
		if _, op, _ := strings.Cut(known, "/"); nearest == "" && strings.EqualFold(op, name) {
			nearest = known
		}
	}
	if nearest == "" {
		return e.Hint("list the names with 'plimsoll overhead --list'")
	}
	return e.Hint("did you mean %s? List all names with 'plimsoll overhead --list'", nearest)
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
	return fault.New(fault.Usage, "--%s cannot be combined with %s", flag, other).
		Hint("remove one of them")
}
