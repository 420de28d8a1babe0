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
			Use: "chat [URL]", Short: "Measure the response times of a chat server", Long: long,
			Example: example,
			Most:    1, Args: "it takes one URL; quote a URL that contains {room} or &",
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

const long = `Measure a chat server: send JSON messages over WebSocket, wait for the reply to
each, and report throughput, response times and failures by cause. Without a
URL, Plimsoll runs a demo against a server that it starts on this machine.

The server must speak the protocol described in docs/chat-protocol.md; for any
other WebSocket service see 'plimsoll ws'.

With --rate 2000, Plimsoll sends 2,000 messages per second, however fast the
server replies (open model). The response time counts from the scheduled start
of a message, so it includes the time that a message waits for a free client.

Without --rate and --stages, each of --clients sends its next message when the
last one is answered (closed model). A slow server then gets less load, and its
response times look better than users would experience them.

If the URL contains {room}, each client joins one room and sends all messages to
it. Otherwise the room of each message is random.

The demo is: ` + demoWords + `.
A flag that changes the load applies to the demo, too.`

const example = `  # a demo: ten seconds against a local server
  plimsoll chat

  # 2,000 messages per second for a minute, each client in a room of its own
  plimsoll chat 'ws://localhost:8080/chat/{room}' --rate 2000 --duration 1m

  # 128 users who wait for each reply, 500,000 messages in total
  plimsoll chat ws://localhost:8080/chat/1 --clients 128 --messages 500000

  # a row of CSV for each message, and a chart
  plimsoll chat ws://localhost:8080/chat/1 --samples samples.csv --chart run.svg

  # a demo server that is slow and drops connections
  plimsoll chat --target-flag delay=20ms --target-flag drop-rate=1%`
