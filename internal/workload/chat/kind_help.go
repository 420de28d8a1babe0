package chat

import (
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Kind is what the list of kinds has.
func Kind() run.Kind {
	return run.Kind{
		Name: rundoc.WorkloadChat,
		Help: run.Help{
			Use: "chat [URL]", Short: "Measure a chat server over WebSocket", Long: long, Example: example,
			Most: 1, Args: "one URL, and flags; quote a URL that holds {room} or &",
		},
		New:    func() run.Command { return &Command{Plan: DefaultPlan()} },
		Report: ReportKind(),
	}
}

const long = `Measure a chat server: send JSON messages over WebSocket, wait for the answer to each,
and report how many got through, how long they took, and what failed and why.

Without a URL the embedded server is measured, which runs as a process of its own. A URL
may hold {room}; then each client joins one room, and its messages carry that room.
Without it every client uses the URL as it stands, and each message draws a room.

By default 32 clients each send their next message when the last one is answered (closed
model). With --rate or --stages messages are due whatever the target does (open model), and
the response time counts from the moment when a message was due.`

const example = `  # ten seconds against the embedded server
  plimsoll chat

  # half a million messages in all, 32000 of them in the warm-up
  plimsoll chat ws://localhost:8080/chat/1 --messages 500000 --clients 128 --warmup-messages 1000

  # 2000 messages a second for a minute, each client in a room of its own
  plimsoll chat 'ws://localhost:8080/chat/{room}' --rate 2000 --duration 1m --samples samples.csv

  # an embedded server that is slow and loses connections
  plimsoll chat --target-flag delay=20ms --target-flag drop-rate=1%`
