package export

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// loopback is where something listens whose address has no host: what a run shows is nobody else's, unless its user
// says so.
const loopback = "127.0.0.1"

// Address completes an address to listen on: a port alone, with or without a colon, is one of the loopback.
func Address(text string) (string, error) {
	given := text
	text = strings.TrimSpace(text)
	if !strings.Contains(text, ":") {
		text = ":" + text
	}
	host, port, err := net.SplitHostPort(text)
	if err == nil {
		if _, no := strconv.ParseUint(port, 10, 16); no != nil {
			err = errors.New("its port is no number from 0 to 65535")
		}
	}
	if err != nil {
		why := err.Error()
		if bad, ok := errors.AsType[*net.AddrError](err); ok {
			why = bad.Err
		}
		return "", fmt.Errorf("%q is not an address: %s; write a port, as 9464, or host:port", given, why)
	}
	if host == "" {
		host = loopback
	}
	return net.JoinHostPort(host, port), nil
}

// Listen listens at the address that a flag has.
func Listen(ctx context.Context, flag, address string) (net.Listener, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fault.New(fault.Usage, "--%s: cannot listen on %s: %w", flag, address, reason(err)).
			Hint("if another program has the port, choose another; port 0 takes a free one")
	}
	return l, nil
}

// reason is an error without the address, which the message has already.
func reason(err error) error {
	if bad, ok := errors.AsType[*net.OpError](err); ok {
		return bad.Err
	}
	return err
}
