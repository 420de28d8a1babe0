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
			Use: "ws [URL]", Short: "Measure any WebSocket service; a file says what it speaks", Long: long,
			Example: example, Most: 2, Args: "one URL, and flags; quote a URL that holds {room}, & or ?",
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

const long = `Measure a WebSocket service, whatever it speaks: open connections, send
messages, wait for what answers them, and report how many got through, how long
they took, and what failed and why. --protocol says what the service speaks: a
file of ten to twenty lines (docs/ws.md), or a preset, which --protocols lists
and --show-protocol prints, for a file of one's own to begin from. For a service
that answers one message after the other, --message TEXT is enough.

With --check there is no load: it connects once, sends one of each message, and
shows each frame that is sent and received, which rule takes it, and why. That
is the way to write such a file.

With --rate 2000 there are 2000 messages a second, each sent when it is due,
whatever the server does, as users come who know nothing of each other. The
response time counts from the moment when a message was due (open model).
Without --rate and --stages each of the --clients sends its next message when
the last one has been answered (closed model): a slow server gets less to do,
and looks better than it would to users.

With --fanout a message has got through when all --receivers of its room have
it, and the response time is the last one's.

Without a URL it is a demo, against a chat server of its own on this machine:
` + demoWords + `.`

const example = `  # a demo: ten seconds against a chat server of its own
  plimsoll ws

  # a service that answers each message in order
  plimsoll ws ws://localhost:8080/ --message '{"op":"ping"}'

  # Socket.IO, 500 messages a second for a minute
  plimsoll ws ws://localhost:3000 --protocol socketio --rate 500 --duration 1m

  # write a file of one's own, beginning from a preset
  plimsoll ws --show-protocol graphql > my.yaml
  plimsoll ws --check my.yaml ws://localhost:4000/graphql
  plimsoll ws ws://localhost:4000/graphql --protocol my.yaml --clients 100

  # when does the last of 1000 receivers have a message?
  plimsoll ws ws://localhost:3000 --protocol socketio --fanout --receivers 1000`
