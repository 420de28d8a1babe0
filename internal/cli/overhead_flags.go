package cli

import (
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/run"
)

// overheadOptions are the settings of the overhead command.
type overheadOptions struct {
	plan plan.Overhead
	list bool
	yes  bool
	run.Forms
}

func addOverheadFlags(cmd *cobra.Command, o *overheadOptions) {
	o.plan = plan.DefaultOverhead()
	p := &o.plan
	addGroup(cmd, "Measurement", func(set *pflag.FlagSet) {
		set.SortFlags = false
		durationVar(set, &p.Warmup, "warmup", "call each operation for this long first, and at least once")
		durationVar(set, &p.Time, "time", "measure each operation for this long")
		countVar(set, &p.Calls, "calls", "count", "measure so many calls of each operation, instead of --time")
		countVar(set, &p.Concurrency, "concurrency", "count", "clients that call at the same time")
		durationVar(set, &p.Timeout, "timeout", "time that one call may take")
		stringVar(set, &p.Exec, "exec", "command", "run this command in a shell and measure its calls, which must come one after the other")
		set.BoolVar(&o.list, "list", false, "list what can be measured, and do nothing else")
	})
	addGroup(cmd, "Server", func(set *pflag.FlagSet) {
		set.SortFlags = false
		stringVar(set, &p.Endpoint, "endpoint", "url", "call this server instead of the embedded responder")
		stringVar(set, &p.Profile, "profile", "name", "call AWS with the credentials of this profile; with --endpoint, sign with them")
		stringVar(set, &p.Region, "region", "name", "call AWS in this region; with --endpoint, sign for it")
		set.BoolVar(&o.yes, "yes", false, "do not ask before something is created on AWS")
		set.BoolVar(&p.TLS, "tls", false, "embedded responder: over TLS")
		set.BoolVar(&p.HTTP2, "http2", false, "speak HTTP/2, which needs TLS, instead of HTTP/1.1")
		durationVar(set, &p.Latency, "latency", "embedded responder: how long it takes for an answer")
	})
	addGroup(cmd, "Comparison", func(set *pflag.FlagSet) {
		set.SortFlags = false
		stringVar(set, &p.Baseline, "baseline", "run", "compare the medians with those of this run, and exit with 3 when one got worse: a path, an id, the beginning of one, last or last~1")
		shareVar(set, &p.MinEffect, "min-effect", "with --baseline: the smallest difference that matters")
		stringVar(set, &p.SaveBaseline, "save-baseline", "file", "write the run document to this file, too, for a later --baseline")
	})
	addGroup(cmd, "Output", func(set *pflag.FlagSet) {
		set.SortFlags = false
		formFlags(set, &o.Forms)
	})
}
