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
			Use: "overhead [SERVICE[/OPERATION]...]", Short: "Measure the client-side cost of AWS SDK calls",
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
			{Setting: "duration", Value: "2s", Unless: []string{"calls", "exec"}},
			{Setting: "warmup-time", Value: "500ms", Unless: []string{"exec"}},
		},
		Compared: []string{"client.geomean", "overhead.geomean", "sdk.geomean", "cpu.geomean", "allocations.geomean",
			"allocated.geomean", "failed"},
		InTurn: []run.Preset{
			{Setting: "duration", Value: "500ms", Unless: []string{"calls", "exec"}},
			{Setting: "warmup-time", Value: "200ms", Unless: []string{"exec"}},
		},
	}
}

const long = `Measure what a call of the AWS SDK for Go costs on the client, per operation:
time, CPU and allocations. Without arguments: a demo. --exec measures a program
in any language.

Operations are named SERVICE/OPERATION, such as S3/PutObject; --list shows them
all. A service without an operation means all of its operations. The default is
all operations but those of Pinpoint, which AWS supports only until 30 October
2026. The SDK is the version that Plimsoll was built with; use --exec for other
versions.

Each call is one attempt. The report has these times:

  call    attempt conn.     request   first     response attempt call
  begins  begins  requested is sent   byte      is read  ends    ends
  |       |       |         |         |         |        |       |
  |<------------------------ the call ------------------------->|
  |#######|#######|#########|         |#########|########|######|  client
          |#######|#########|         |#########|########|         overhead
          |#######|                             |########|         SDK time
                            |<- wait->|

  client     the call without the wait for the service; it includes the transfer
             of the response after its first byte
  overhead   the attempt without the wait, as the AWS SDK for Kotlin defines it;
             it excludes serialization, which happens before the attempt
  call       from the call of the SDK to its return, or to the end of a streamed
             response
  CPU        CPU time of this process per call, mean
  allocs     heap allocations per call
  SDK time   the attempt without the round trip; in the full report only

Only the call includes the time of the service. A client that waits also runs
slower afterwards: --delay shows by how much. The last row of the report is
the same request sent with Go's net/http, without an SDK, as a reference.

Without --endpoint, --profile and --region, Plimsoll calls a local demo server
('plimsoll serve aws') that sends prepared responses. Buckets, topics and tables
are created with random names and removed at the end, also after a failure or an
interrupt. --profile or --region calls AWS itself, which costs money: Plimsoll
lists what it will create and asks first.

The demo is: ` + demoWords + `.
Other runs take --warmup-time and --duration for each operation: 5 and 15 s by
default, which is 5 min 40 s for all operations. All operations are warmed up
first and then measured in turns, in up to 15 rounds, so that disturbances
affect all of them alike. --duration and --calls are totals over all rounds of
an operation.

--exec runs a shell command with AWS_ENDPOINT_URL and credentials of the demo
server in its environment. The cost of a call is the time between a response of
the server and the next request, minus that time for net/http alone. The program
must make one call at a time, each operation several times in a row; whatever it
does between calls is included. Its output goes to stderr.

Percentiles are exact for up to 500,000 values; beyond that, every second value
is dropped. An operation that fails ten times in a row is abandoned.`

const example = `  # a demo: all operations, in about 15 s
  plimsoll overhead

  # all operations of one service, and one of another
  plimsoll overhead DynamoDB S3/HeadObject

  # a program in any language, before and after an upgrade of its SDK
  plimsoll overhead --exec 'python3 loop.py' --save-baseline before.json
  plimsoll overhead --exec 'python3 loop.py' --baseline before.json

  # two versions of a program in turn; exit status 3 if the first is slower
  plimsoll overhead --exec 'python3 new.py' --against 'python3 old.py' \
      --fail-if worse

  # a Go program in a module of its own
  plimsoll overhead --exec 'go -C loop run .' --baseline before.json

  # TLS and HTTP/2, and a service that takes 2 ms
  plimsoll overhead SNS --http2 --delay 2ms

  # another server, and AWS itself
  plimsoll overhead S3 DynamoDB --endpoint http://localhost:5000 --calls 1000
  plimsoll overhead STS/GetCallerIdentity --profile dev --region eu-north-1`

// Resolve fills in what was not given and checks what was.
func (c *Command) Resolve(args []string, given func(flag string) bool) error {
	if c.Plan.List {
		return c.alone(args, given, "list")
	}
	if given("min-effect") && !given("baseline") && !given("against") {
		return fault.New(fault.Usage, "--min-effect needs a comparison").
			Hint("add --baseline RUN or --against COMMAND, or remove it")
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
				Hint("remove it; --duration sets how long each operation is measured")
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
		return fault.New(fault.Usage, "--yes has an effect only when calling AWS itself").
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
		return fault.New(fault.Usage, "the name of a service is empty").Hint("'plimsoll overhead --list' lists " +
			"all names")
	}
	what := "service"
	if strings.Contains(name, "/") {
		what = "operation"
	}
	e := fault.New(fault.Usage, "unknown %s %q", what, name)
	sort := func(k string) bool { return strings.Contains(k, "/") }
	known := slices.DeleteFunc(operationNames(), func(k string) bool { return sort(k) != sort(name) })
	nearest := fault.Nearest(name, known)
	for _, known := range operationNames() { // an operation without its service
		if _, op, _ := strings.Cut(known, "/"); nearest == "" && strings.EqualFold(op, name) {
			nearest = known
		}
	}
	if nearest == "" {
		return e.Hint("'plimsoll overhead --list' lists all names")
	}
	return e.Hint("did you mean %s? 'plimsoll overhead --list' lists all names", nearest)
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
