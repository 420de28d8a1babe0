package ws

import (
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/workload/ws/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Kind is what the list of kinds has.
func Kind() run.Kind {
	return run.Kind{
		Name: rundoc.WorkloadWS,
		Help: run.Help{
			Use: "ws [URL]", Short: "Measure any WebSocket service", Long: long,
			Example: example, Most: 2, Args: "it takes one URL; quote a URL that contains {room}, & or ?",
		},
		Offer:  func() []string { return []string{"ws://", "wss://"} },
		New:    func() run.Command { return &Command{Plan: DefaultPlan()} },
		Report: show.Kind(),
		AmongMany: []run.Preset{
			{Setting: "duration", Value: "5s", Unless: []string{"messages", "stages", "until"}},
			{Setting: "warmup-time", Value: "1s", Unless: []string{"warmup-messages", "warmup-clients", "until"}},
			// In the demo, too: clients that pause hide what the server can do.
			{Setting: "think-time", Value: "0s", Unless: []string{"rate", "stages"}},
		},
		SweepBy:  SweepBy,
		BySlices: true,
		InTurn: []run.Preset{
			{Setting: "duration", Value: "1s", Unless: []string{"messages", "stages"}},
			{Setting: "warmup-time", Value: "300ms", Unless: []string{"warmup-messages", "warmup-clients"}},
			{Setting: "think-time", Value: "0s", Unless: []string{"rate", "stages"}},
		},
	}
}

// SweepBy is the rate of deliveries where receivers are varied and clients wait for them: of more receivers that is as
// much work as before, and fewer messages. At a rate that is given it is whether the messages get through.
func SweepBy(value func(name string) string, varied func(name string) bool) string {
	if varied("receivers") && !varied("rate") && value("rate") == "" && value("stages") == "" {
		return "fanout.rate"
	}
	return ""
}

const long = `Measure a WebSocket service: send messages, wait for the replies, and report
throughput, response times and failures by cause. --protocol describes the
messages: a preset such as echo or socketio, or a file. Without a URL: a demo.

A protocol file has ten to twenty lines (docs/ws.md). --protocols lists the
presets; --show-protocol prints one to start a file from. For a service that
replies to each message in order, --message TEXT is enough. --inspect FILE helps
to write a file: it connects once, sends each message once, and shows every
frame and the rule that matches it.

With --rate 2000, Plimsoll sends 2,000 messages per second, however fast the
service replies (open model). The response time counts from the scheduled start
of a message. Without --rate and --stages, each of --clients sends its next
message when the last one is answered (closed model); a slow service then gets
less load, and its response times look better than users would experience them.

With --fanout, a message is complete when all --receivers of its room have it.

The demo, against a local chat server, is:
` + demoWords + `.`

const example = `  # a demo: ten seconds against a local chat server
  plimsoll ws

  # a service that replies to each message in order
  plimsoll ws ws://localhost:8080/ --message '{"op":"ping"}'

  # Socket.IO, 500 messages per second for a minute
  plimsoll ws ws://localhost:3000 --protocol socketio --rate 500 --duration 1m

  # a protocol file that starts from a preset
  plimsoll ws --show-protocol graphql > my.yaml
  plimsoll ws --inspect my.yaml ws://localhost:4000/graphql
  plimsoll ws ws://localhost:4000/graphql --protocol my.yaml --clients 100

  # time until the last of 1,000 receivers has a message
  plimsoll ws ws://localhost:3000 --protocol socketio --fanout --receivers 1000`
