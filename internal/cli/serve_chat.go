package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	chattarget "github.com/plimsoll/plimsoll/internal/server/chat"
)

const serveChatLong = `Serve the chat server that 'plimsoll chat' measures in its demo: WebSocket with
JSON messages, optional faults, and Prometheus metrics.

WebSocket clients connect to /chat/{roomId} or /chat-server/chat/{roomId}. A
message is a JSON object in a text frame:

  userId       1 to 100000, as a number or as a string of digits
  username     3 to 20 ASCII letters or digits
  message      1 to 500 characters
  timestamp    ISO 8601 with a time zone, such as 2025-01-31T12:00:00Z
  messageType  TEXT, JOIN or LEAVE
  messageId    optional, a string or a number; returned in the reply

The reply to a valid message has messageId, status "success", serverReceiveTime,
serverSendTime and originalMessage. The reply to an invalid one has status
"error" and errors, a text for each broken rule. docs/chat-protocol.md has the
details. GET /health is a health check, GET /metrics returns Prometheus metrics.

With --broadcast, a valid message also goes to all connections of its room,
including its sender's, with status "delivered", messageId and originalMessage.

Faults have known rates and are counted. Each message suffers at most one of
them; which one depends only on --seed and the number of the message. The same
holds for each delivery of --broadcast, except the sender's own copy.

SIGINT or SIGTERM closes all connections with code 1001 and stops the server.`

const serveChatExample = `  # for clients on other machines
  plimsoll serve chat --listen 0.0.0.0:8080

  # 20 ms delay, and one lost connection per hundred messages
  plimsoll serve chat --delay 20ms --drop-rate 1% --seed 1

  # no replies for two seconds, starting ten seconds after the first message
  plimsoll serve chat --stall-after 10s --stall-for 2s

  # broadcast to rooms, and lose one delivery in a thousand
  plimsoll serve chat --broadcast --broadcast-loss 0.1%`

func newServeChat(env *Env) *cobra.Command {
	cfg := chattarget.Default()
	cmd := &cobra.Command{
		Use:     "chat",
		Short:   "Serve the demo server of 'plimsoll chat'",
		Long:    serveChatLong,
		Example: serveChatExample,
		Args:    command.AtMost(0, "it takes no arguments; set the address with --listen"),
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
	return fmt.Sprintf(`serving the chat at %s/chat/{room}
health at %s/health, metrics at %s/metrics`, root, web, web)
}
