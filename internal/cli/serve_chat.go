package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	chattarget "github.com/plimsoll/plimsoll/internal/server/chat"
)

const serveChatLong = `Serve the chat that 'plimsoll chat' measures.

WebSocket at /chat/{roomId}, and the same under /chat-server/chat/{roomId}. A
message is a JSON object in a text frame:

  userId       1 to 100000, as a number or as a string of digits
  username     3 to 20 letters or digits of ASCII
  message      1 to 500 characters
  timestamp    ISO-8601 with a zone, such as 2025-01-31T12:00:00Z
  messageType  TEXT, JOIN or LEAVE
  messageId    optional, a string or a number; it comes back in the answer

A valid one is answered with messageId, status "success", serverReceiveTime,
serverSendTime and originalMessage; an invalid one with status "error" and
errors, a text for every rule that it breaks. docs/chat-protocol.md of the
sources has it in full. GET /health says that the server is up, GET /metrics
counts what it did, in the Prometheus format.

With --broadcast a valid message goes to all connections of its room, too, its
sender's among them, with status "delivered", messageId and originalMessage.

The server can misbehave on request, so that clients can be tested against
faults that are known and counted. Each message suffers at most one of the
faults with a rate; which one is a function of the seed and of the message's
number. So does each delivery of --broadcast, but for a sender's own copy.

SIGINT or SIGTERM closes all clients with 1001 and ends the server.`

const serveChatExample = `  # for clients on other machines
  plimsoll serve chat --listen 0.0.0.0:8080

  # 20 ms slow, and one connection lost in a hundred messages
  plimsoll serve chat --delay 20ms --drop-rate 1% --seed 1

  # answers nothing for two seconds, ten seconds after the first message
  plimsoll serve chat --stall-after 10s --stall-for 2s

  # messages go to all of their room, and one delivery in a thousand does not
  plimsoll serve chat --broadcast --broadcast-loss 0.1%`

func newServeChat(env *Env) *cobra.Command {
	cfg := chattarget.Default()
	cmd := &cobra.Command{
		Use:     "chat",
		Short:   "Serve the chat that 'plimsoll chat' measures",
		Long:    serveChatLong,
		Example: serveChatExample,
		Args:    command.AtMost(0, "it takes no argument; the address is --listen"),
	}
	command.AddFlags(cmd, cfg.Settings())
	runUntilTold(cmd, env, func(ctx context.Context, child bool) error { return serveChat(ctx, env, cfg, child) })
	return cmd
}

// serveChat serves until ctx is done.
func serveChat(ctx context.Context, env *Env, cfg chattarget.Config, child bool) error {
	s, err := chattarget.New(cfg, serverLog(env))
	if err != nil {
		return err
	}
	return serveUntil(ctx, env, s, child, func() string { return servingAt(s.URL()) })
}

// servingAt names the addresses of a server whose chat is at url.
func servingAt(url string) string {
	root := strings.TrimSuffix(url, "/chat/1")
	web := "http" + strings.TrimPrefix(root, "ws")
	return fmt.Sprintf("serving the chat at %s/chat/{room}\nhealth at %s/health, metrics at %s/metrics", root, web, web)
}
