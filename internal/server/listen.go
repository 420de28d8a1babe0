package server

import (
	"context"
	"net"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// Listen binds a server's address, with the options of the sockets that lc has.
func Listen(ctx context.Context, lc net.ListenConfig, address string) (net.Listener, error) {
	l, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, fault.New(fault.RunFailed, "cannot listen on %s: %w", address, err).
			Hint("if another program has the port, choose another with --listen; port 0 takes a free one")
	}
	return l, nil
}

// Address is where a client may connect: host:port, the loopback's when the server listens on
// all addresses.
func Address(l net.Listener) string {
	if addr, ok := l.Addr().(*net.TCPAddr); ok && addr.IP.IsUnspecified() {
		return (&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: addr.Port}).String()
	}
	return l.Addr().String()
}

// assumedMemory is what a machine is taken to have that does not say it.
const assumedMemory = 4 << 30
