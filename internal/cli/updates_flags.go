package cli

import (
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/run"
)

// updatesOptions are the settings of the updates command: the plan, and what the plan does not
// hold.
type updatesOptions struct {
	plan        plan.Updates
	check       string        // a run whose manifest is checked; nothing is published then
	patience    time.Duration // --timeout, where it was given; else 0
	targetFlags []string
	serverArgs  []string // of the embedded server, made of targetFlags
	run.Forms
}

func addUpdatesFlags(cmd *cobra.Command, o *updatesOptions) {
	o.plan = plan.DefaultUpdates()
	p := &o.plan
	addGroup(cmd, "Load", func(set *pflag.FlagSet) { updatesLoadFlags(set, p) })
	addGroup(cmd, "Failures", func(set *pflag.FlagSet) {
		set.SortFlags = false
		timeout := "time that an attempt to publish has for the broker's acknowledgement, and the server for an answer; " +
			"for its last one it has --settle, 5s to 45s, if this is not given"
		for _, one := range p.Load.Settings().Failures(timeout) {
			set.Var(one, one.Name, one.Help)
		}
	})
	addGroup(cmd, "Data", func(set *pflag.FlagSet) { updatesDataFlags(set, p) })
	addGroup(cmd, "Server", func(set *pflag.FlagSet) { updatesServerFlags(set, o) })
	addGroup(cmd, "Several runs", func(set *pflag.FlagSet) {
		set.SortFlags = false
		set.BoolVar(&p.Grid, "grid", false, "make the eight runs of the reference's table: 45 batches of 1000 a second to 420 of 125, with 1 listener and with 4")
		set.BoolVar(&p.Max, "max", false, "search for the largest rate that the server keeps up with, from --rate on, and measure that")
	})
	addGroup(cmd, "Output", func(set *pflag.FlagSet) {
		set.SortFlags = false
		f := &p.Output
		stringVar(set, &f.Samples, "samples", "file", "stream one CSV row per batch to this file")
		stringVar(set, &f.Buckets, "buckets", "file", "write the throughput per bucket to this CSV file")
		durationVar(set, &f.Bucket, "bucket", "width of a bucket, in whole seconds")
		stringVar(set, &f.Chart, "chart", "file", "draw throughput and response time over time, as .png or .svg")
		formFlags(set, &o.Forms)
	})
}

func updatesLoadFlags(set *pflag.FlagSet, p *plan.Updates) {
	set.SortFlags = false
	l := &p.Load
	rateVar(set, &l.Rate, "rate", "batches per second, published when due whatever broker and server do")
	countVar(set, &p.Batch, "batch", "count", "updates in a batch, which is one message")
	durationVar(set, &l.Duration, "duration", "length of the measurement window (default 10s; with --from until all is published)")
	durationVar(set, &l.WarmupTime, "warmup-time", "length of the warm-up, at the same rate; 0 for none (default 2s)")
	set.Var(&value[plan.Arrivals]{&l.Arrivals, "kind",
		func(s string) (plan.Arrivals, error) { return plan.Arrivals(s), nil },
		func(a plan.Arrivals) string { return string(a) },
	}, "arrivals", "spacing of the batches: constant, burst for all of a second's at its start, or poisson")
	countVar(set, &l.Clients, "publishers", "count", "publishers, each with a connection of its own")
	countVar(set, &l.Pipeline, "in-flight", "count", "batches that a publisher may have on their way to the broker")
	durationVar(set, &l.Drain, "drain", "bound on the wait for the broker's acknowledgements at the end (default as --timeout)")
}

func updatesDataFlags(set *pflag.FlagSet, p *plan.Updates) {
	set.SortFlags = false
	countVar(set, &p.KeyLength, "key-length", "bytes", "length of each key")
	countVar(set, &p.ValueLength, "value-length", "bytes", "length of each value, or of a set's elements together")
	countVar(set, &p.HotKeys, "hot-keys", "count", "spread the updates over so many keys; 0: each has a key of its own")
	shareVar(set, &p.Deletes, "deletes", "share of the updates that delete their key")
	shareVar(set, &p.Sets, "sets", "share of the values that are sets of strings")
	countVar(set, &p.Load.Seed, "seed", "number", "the same seed publishes the same keys and values (default random, shown in the report)")
	stringVar(set, &p.Codec, "codec", "name", "of the messages: compact, json or avro")
	stringVar(set, &p.From, "from", "directory", "publish the delta files of this directory, each cut into batches, instead of generated data")
}

func updatesServerFlags(set *pflag.FlagSet, o *updatesOptions) {
	set.SortFlags = false
	p := &o.plan
	countVar(set, &p.Listeners, "listeners", "count", "goroutines of the embedded server that receive and apply")
	countVar(set, &p.Receive, "receive-batch", "count", "messages that one of its receive calls returns at most")
	stringVar(set, &p.KV, "kv", "url", "measure the key/value server at this URL, instead of one that is started")
	set.BoolVar(&p.PublishOnly, "publish-only", false, "publish, and ask no server; the run's manifest is for --check")
	stringVar(set, &o.check, "check", "run", "publish nothing: check that the server of --kv has all that this run published")
	durationVar(set, &p.Settle, "settle", "bound on the wait for updates that have not arrived, since the last that did")
	set.Var(each{"name=value", func(s string) error {
		o.targetFlags = append(o.targetFlags, s)
		return nil
	}}, "target-flag", "flag of 'plimsoll serve kv' for the embedded server, such as skip-ack=40; may be given several times")
}

func kvTarget() *targetFlags {
	return &targetFlags{
		kind: "kv", example: "skip-ack=40", set: newServeKV(&Env{}).Flags(), check: func() error { return nil },
		chosen: []string{"listen", "listeners", "receive-batch", "subscription", "ephemeral", "child", "help"},
	}
}
