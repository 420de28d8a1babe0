package show

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
)

// compared are the places in a plan where a run's baselines are.
type compared struct {
	Baseline     string `json:"baseline"`
	SaveBaseline string `json:"save_baseline"`
}

// comparedBy is what a run was compared with, and kept for.
func comparedBy(run *rundoc.Run) (c compared) {
	if json.Unmarshal(run.Plan, &c) != nil {
		return compared{} // of another shape
	}
	return c
}

// demo reports whether a run whose server Plimsoll started was nobody's measurement: neither one of somebody's own
// program, nor of operations that were named, nor one side of a comparison.
func demo(run *rundoc.Run) bool {
	d := run.Overhead()
	return (d == nil || d.Mode != rundoc.OverheadExec) && comparedBy(run) == compared{} && !named(run)
}

// named reports whether somebody said which operations to measure.
func named(run *rundoc.Run) bool {
	var plan struct {
		Operations []string `json:"operations"`
	}
	return json.Unmarshal(run.Plan, &plan) == nil && !defaultTable(plan.Operations)
}

// lessLoad is the command with fewer clients.
func lessLoad(run *rundoc.Run, share float64) string {
	d := run.Overhead()
	clients := 0
	if d != nil && d.Mode != rundoc.OverheadExec && run.Target.Embedded {
		clients = d.Environment.Concurrency
	}
	if clients < 2 {
		return ""
	}
	flags := append([]report.PlanFlag{{At: "concurrency"}, {At: "min_effect"}}, planFlags...)
	return report.WithWord(again(run, d, flags), "--clients", strconv.Itoa(max(1, int(share*float64(clients)))))
}

// next is the command that measures the same once more, beside this run; "" where a document does not say how.
func next(run *rundoc.Run) string {
	d := run.Overhead()
	if d == nil || !run.Target.Embedded {
		return ""
	}
	before := "last"
	if file := comparedBy(run).SaveBaseline; file != "" {
		before = file
	}
	flags := append([]report.PlanFlag{
		{At: "concurrency", Flag: "--clients", Default: "1"},
		{At: "min_effect", Flag: "--min-effect", Default: "0.03"},
	}, planFlags...)
	return report.WithWord(again(run, d, flags), "--baseline", before)
}

// again is the command that calls the same once more, with these flags; "" where it cannot say all that the run was
// told.
func again(run *rundoc.Run, d *rundoc.OverheadDetail, flags []report.PlanFlag) string {
	var p struct {
		Operations []string `json:"operations"`
		TimeNS     int64    `json:"time_ns"`
	}
	if json.Unmarshal(run.Plan, &p) != nil {
		return ""
	}
	command := "plimsoll overhead"
	if d.Mode == rundoc.OverheadExec {
		command = report.WithWord(command, "--exec", d.Command)
	} else {
		command = withOperations(command, p.Operations)
	}
	if t := time.Duration(p.TimeNS); t > 0 && t != usualTime {
		command = report.WithWord(command, "--duration", t.String())
	}
	return report.Again(command, run, flags)
}

// What a run measures for which nothing was given: so many operations, each for so long.
const (
	allOperations = 16
	usualTime     = 15 * time.Second
)

// withOperations is a command with the operations of a run. Those of the default table need not be named; of others,
// many are more than somebody would copy.
func withOperations(command string, operations []string) string {
	const few = 6
	switch {
	case defaultTable(operations):
		return command
	case len(operations) <= few:
		return report.WithWord(command, operations...)
	}
	return ""
}

// defaultTable reports whether these operations are those that are measured when none are named; a plan may leave them
// out, or list them.
func defaultTable(operations []string) bool {
	extra := func(name string) bool { return strings.HasPrefix(name, "Pinpoint/") }
	return len(operations) == 0 || len(operations) == allOperations && !slices.ContainsFunc(operations, extra)
}

// planFlags are what a command repeats beside what is measured and by how many clients.
var planFlags = []report.PlanFlag{
	{At: "load"},
	{At: "operations"},
	{At: "exec"},
	{At: "exec_timeout_ns", Flag: "--exec-timeout", Default: "10m0s"},
	{At: "exec_idle_ns", Flag: "--exec-idle", Default: "2m0s"},
	{At: "warmup_ns", Flag: "--warmup-time", Default: "5s"},
	{At: "time_ns"},
	{At: "calls", Flag: "--calls"},
	{At: "timeout_ns", Flag: "--timeout", Default: "10s"},
	{At: "tls", Flag: "--tls"},
	{At: "http2", Flag: "--http2"},
	{At: "latency_ns", Flag: "--delay"},
	{At: "baseline"},
	{At: "save_baseline"},
	{At: "output"},
}
