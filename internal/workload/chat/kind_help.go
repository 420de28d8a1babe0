package chat

import (
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/workload/ws"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Kind is what the list of kinds has.
func Kind() run.Kind {
	return run.Kind{
		Name: rundoc.WorkloadChat,
		Help: run.Help{
			Use: "chat [URL]", Short: "Measure how long a chat server takes to answer, over WebSocket", Long: long,
			Example: example,
			Most:    1, Args: "one URL, and flags; quote a URL that holds {room} or &",
		},
		Offer:  func() []string { return []string{"ws://", "wss://"} },
		New:    func() run.Command { return &Command{Plan: DefaultPlan()} },
		Report: ReportKind(),
		AmongMany: []run.Preset{
			{Setting: "duration", Value: "5s", Unless: []string{"messages", "stages", "until"}},
			{Setting: "warmup-time", Value: "1s", Unless: []string{"warmup-messages", "warmup-clients", "until"}},
			// In the demo, too: clients that pause hide what the server can do.
			{Setting: "think-time", Value: "0s", Unless: []string{"rate", "stages"}},
		},
		SweepBy:  ws.SweepBy,
		BySlices: true,
		InTurn: []run.Preset{
			{Setting: "duration", Value: "1s", Unless: []string{"messages", "stages"}},
			{Setting: "warmup-time", Value: "300ms", Unless: []string{"warmup-messages", "warmup-clients"}},
			{Setting: "think-time", Value: "0s", Unless: []string{"rate", "stages"}},
		},
	}
}

const long = `Measure a chat server: send JSON messages over WebSocket, wait for the answer to
each, and report how many got through, how long they took, and what failed and
why. docs/chat-protocol.md says what the server has to speak.

With --rate 2000 there are 2000 messages a second, each sent when it is due,
whatever the server does, as users come who know nothing of each other. The
response time counts from the moment when a message was due (open model).

Without --rate and --stages each of the --clients sends its next message when
the last one has been answered (closed model): a slow server gets less to do,
and looks better than it would to users.

Without a URL it is a demo, against a server of its own on this machine:
` + demoWords + `.
With a flag that says how much load to make, that server gets this load.

A URL may hold {room}: then each client joins one room, and its messages carry
that room. Without it each message draws a room.`

const example = `  # a demo: ten seconds against a server of its own
  plimsoll chat

  # 2000 messages a second for a minute, each client in a room of its own
  plimsoll chat 'ws://localhost:8080/chat/{room}' --rate 2000 --duration 1m

  # 128 users who wait for each answer, and half a million messages in all
  plimsoll chat ws://localhost:8080/chat/1 --clients 128 --messages 500000

  # a line of CSV for each message, and a chart
  plimsoll chat ws://localhost:8080/chat/1 --samples samples.csv --chart run.svg

  # a demo server that is slow and loses connections
  plimsoll chat --target-flag delay=20ms --target-flag drop-rate=1%`
