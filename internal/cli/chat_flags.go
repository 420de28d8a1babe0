package cli

import (
	"crypto/rand"
	"encoding/binary"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plimsoll/plimsoll/internal/plan"
)

// chatOptions are the settings of the chat command: the plan, and what the plan does not
// hold because it changes nothing of the measurement.
type chatOptions struct {
	plan        plan.Chat
	targetFlags []string
	forms
}

// checkOutputs makes sure that the files can be written.
func (o *chatOptions) checkOutputs() error {
	out := &o.plan.Output
	return checkFiles(outputFile{"samples", out.Samples}, outputFile{"buckets", out.Buckets}, outputFile{"chart", out.Chart})
}

func addChatFlags(cmd *cobra.Command, o *chatOptions) {
	o.plan = plan.DefaultChat()
	o.plan.Dial.Headers = plan.Headers{}
	addGroup(cmd, "Load", func(set *pflag.FlagSet) { loadFlags(set, &o.plan.Load) })
	addGroup(cmd, "Failures", func(set *pflag.FlagSet) { retryFlags(set, &o.plan.Load) })
	addGroup(cmd, "Messages", func(set *pflag.FlagSet) { mixFlags(set, &o.plan) })
	addGroup(cmd, "Connection", func(set *pflag.FlagSet) { dialFlags(set, o) })
	addGroup(cmd, "Output", func(set *pflag.FlagSet) { outputFlags(set, o) })
}

func loadFlags(set *pflag.FlagSet, l *plan.Load) {
	set.SortFlags = false
	countVar(set, &l.Clients, "clients", "count", "simulated users, each with a connection of its own")
	countVar(set, &l.Operations, "messages", "count", "end after this many messages, those of the warm-up included")
	durationVar(set, &l.Duration, "duration", "length of the measurement window (default 10s, when nothing else ends the run)")
	rateVar(set, &l.Rate, "rate", "open model: messages per second, sent when due whatever the target does")
	set.Var(&value[plan.Arrivals]{&l.Arrivals, "kind",
		func(s string) (plan.Arrivals, error) { return plan.Arrivals(s), nil },
		func(a plan.Arrivals) string { return string(a) },
	}, "arrivals", "spacing of the open model: poisson, constant, or burst for all of a second's at its start")
	stagesVar(set, &l.Stages, "stages", "open model whose rate changes: 10s:2000,30s:2000,10s:0; it starts from --rate if that is given, else from 0")
	durationVar(set, &l.Ramp, "ramp", "bring the load up linearly before the window")
	countVar(set, &l.Pipeline, "pipeline", "count", "messages that a client may have in flight")
	durationVar(set, &l.ThinkTime, "think-time", "pause of a client after each answer")
	countVar(set, &l.WarmupClients, "warmup-clients", "count", "clients of the warm-up; 0 for no warm-up (default 32, at most --clients; more than those only if you say so)")
	countVar(set, &l.WarmupOperations, "warmup-messages", "count", "messages of each of them (default 1000, or 2s if that ends first; with --messages at most a tenth of them)")
	durationVar(set, &l.WarmupTime, "warmup-time", "bound on the length of the warm-up (default 2s)")
	durationVar(set, &l.Drain, "drain", "bound on the wait for what is in flight at the end (default as --timeout)")
	countVar(set, &l.MaxWaiting, "max-waiting", "count", "open model: messages that are due and wait for a client; more are counted unsent (default 10 s of them, at least 10000)")
}

func retryFlags(set *pflag.FlagSet, l *plan.Load) {
	set.SortFlags = false
	r := &l.Retry
	durationVar(set, &r.Timeout, "timeout", "time that an attempt has for its answer")
	countVar(set, &r.Max, "max-retries", "count", "attempts after the first")
	durationVar(set, &r.InitialBackoff, "initial-backoff", "pause before the first retry; each further pause is twice as long")
	durationVar(set, &r.MaxBackoff, "max-backoff", "longest pause before a retry")
}

func mixFlags(set *pflag.FlagSet, p *plan.Chat) {
	set.SortFlags = false
	m := &p.Mix
	countVar(set, &m.Rooms, "rooms", "count", "rooms are 1 to this")
	countVar(set, &m.Users, "users", "count", "user ids are 1 to this")
	countVar(set, &m.Templates, "templates", "count", "different message texts")
	countVar(set, &m.MessageSize, "message-size", "characters", "length of each text, 1 to 500 (default as the templates have it)")
	shareVar(set, &m.TextShare, "text-share", "share of TEXT messages")
	shareVar(set, &m.JoinShare, "join-share", "share of JOIN messages")
	shareVar(set, &m.LeaveShare, "leave-share", "share of LEAVE messages")
	countVar(set, &p.Load.Seed, "seed", "number", "the same seed sends the same messages (default random, shown in the report)")
}

func dialFlags(set *pflag.FlagSet, o *chatOptions) {
	set.SortFlags = false
	d := &o.plan.Dial
	set.Var(each{"'Name: value'", d.Headers.Add}, "header", "header of the handshake; may be given several times")
	stringVar(set, &d.Origin, "origin", "origin", "Origin header of the handshake")
	set.Var(each{"name", func(s string) error {
		d.Subprotocol = append(d.Subprotocol, s)
		return nil
	}}, "subprotocol", "WebSocket subprotocol to offer; may be given several times")
	stringVar(set, &d.CAFile, "ca", "file", "PEM file of the authorities to trust, for wss://")
	set.BoolVar(&d.Insecure, "insecure", false, "accept any certificate, for wss://")
	set.Var(each{"name=value", func(s string) error {
		o.targetFlags = append(o.targetFlags, s)
		return nil
	}}, "target-flag", "flag of 'plimsoll serve chat' for the embedded target, such as delay=20ms; may be given several times")
}

func outputFlags(set *pflag.FlagSet, o *chatOptions) {
	set.SortFlags = false
	f := &o.plan.Output
	stringVar(set, &f.Samples, "samples", "file", "stream one CSV row per message to this file")
	stringVar(set, &f.Buckets, "buckets", "file", "write the throughput per bucket to this CSV file")
	durationVar(set, &f.Bucket, "bucket", "width of a bucket, in whole seconds")
	stringVar(set, &f.Chart, "chart", "file", "draw throughput and response time over time, as .png or .svg")
	o.forms.flags(set)
}

// randomSeed is a seed that a person can copy from a report without error.
func randomSeed() uint64 {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return uint64(binary.BigEndian.Uint32(b[:]))
}
