package ws

import (
	"errors"
	"net/url"
	"strings"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/run"
)

// CannotRun words why nothing was measured of a service that is to speak this protocol; "" where each frame was shown.
func CannotRun(err error, t *run.Target, d *Dial, protocol string) error {
	var known *fault.Error
	var why *op.Failure
	if errors.As(err, &known) || !errors.As(err, &why) {
		return err
	}
	shown := redact.URL(t.URL)
	e := fault.New(fault.RunFailed, "cannot connect to %s: %s: %w", shown, why.Cause, reasonOf(why))
	if strings.HasPrefix(reasonOf(why).Error(), why.Cause+": ") { // it names the cause itself
		e = fault.New(fault.RunFailed, "cannot connect to %s: %w", shown, reasonOf(why))
	}
	switch {
	case why.Cause == openTimeout, why.Cause == openRefused:
		e = fault.New(fault.RunFailed, "%s: %w", shown, reasonOf(why))
		if protocol == "" {
			return e.Hint("change the step of open, or what the server is sent: what came is above")
		}
		return e.Hint("see each frame, and which rule takes it: plimsoll ws --check %s %s", protocol, shown)
	case why.Cause == "unresolvable":
		return e.Hint("check the name of the host, and that this machine can look names up")
	case why.Cause == "refused":
		return e.Hint("check the port, and that the server is running")
	case why.Cause == "tls":
		return e.Hint("check that the server speaks TLS there (ws:// is without), and trust its certificate " +
			"with --ca, or any with --insecure")
	case why.Cause == "handshake" && strings.HasPrefix(strings.ToLower(t.URL), "ws:"):
		return e.Hint("check that it is a WebSocket server; if it speaks TLS there, write wss://")
	case strings.HasPrefix(why.Cause, "handshake:4") && len(d.Subprotocol) == 0:
		return e.Hint("%s, and what else the server wants: --subprotocol, --header for tokens and the like, wss:// for TLS",
			checkPath(t.URL))
	case strings.HasPrefix(why.Cause, "handshake:"):
		return e.Hint("%s, and the headers that the server wants", checkPath(t.URL))
	case why.Cause == "connect-timeout", why.Cause == "unreachable":
		return e.Hint("check the address and what filters the way to it, or give more --timeout")
	case why.Cause == "too-many-files":
		return e.Hint("raise the limit of open files (ulimit -n), or use fewer --clients, or --receivers: each takes one")
	}
	return e.Hint("check that the URL is that of a WebSocket server")
}

// checkPath says where the path stands that a server may not know: a URL without one has that of the protocol.
func checkPath(target string) string {
	if u, err := url.Parse(target); err == nil && withoutPath(u) {
		return "check the path: the URL has none, so that it is the protocol's (path), or /"
	}
	return "check the path of the URL"
}

func reasonOf(why *op.Failure) error {
	if why.Err == nil {
		return errors.New("no further reason is known")
	}
	return why.Err
}
