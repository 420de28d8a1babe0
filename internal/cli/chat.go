package cli

import (
	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/workload/chat"
)

const chatLong = `Measure a chat server: send JSON messages over WebSocket, wait for the answer to each,
and report how many got through, how long they took, and what failed and why.

Without a URL the embedded server is measured, which runs as a process of its own. A URL
may hold {room}; then each client joins one room, and its messages carry that room.
Without it every client uses the URL as it stands, and each message draws a room.

By default 32 clients each send their next message when the last one is answered (closed
model). With --rate or --stages messages are due whatever the target does (open model), and
the response time counts from the moment when a message was due.`

const chatExample = `  # ten seconds against the embedded server
  plimsoll chat

  # half a million messages in all, 32000 of them in the warm-up
  plimsoll chat ws://localhost:8080/chat/1 --messages 500000 --clients 128 --warmup-messages 1000

  # 2000 messages a second for a minute, each client in a room of its own
  plimsoll chat 'ws://localhost:8080/chat/{room}' --rate 2000 --duration 1m --samples samples.csv

  # an embedded server that is slow and loses connections
  plimsoll chat --target-flag delay=20ms --target-flag drop-rate=1%`

func newChat(env *Env) *cobra.Command {
	o := &chat.Command{Plan: chat.DefaultPlan()}
	cmd := &cobra.Command{
		Use:     "chat [URL]",
		Short:   "Measure a chat server over WebSocket",
		Long:    chatLong,
		Example: chatExample,
		Args:    atMost(1, "one URL, and flags; quote a URL that holds {room} or &"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if args[0] == "" {
					return fault.New(fault.Usage, "the URL is empty").Hint("leave it out to measure the embedded server")
				}
				o.Plan.URL = args[0]
			}
			if err := o.Resolve(cmd.Flags().Changed); err != nil {
				return err
			}
			return o.Run(cmd.Context(), env)
		},
	}
	addSettings(cmd, env, o.Settings())
	return cmd
}
