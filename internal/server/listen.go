package server

import (
	"context"
	"net"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// Port is where a server listens. The zero value is one that does not yet.
type Port struct{ net.Listener }

// Bind binds an address, with the options of the sockets that lc has. Connections wait in the
// kernel's queue until they are accepted.
func (p *Port) Bind(ctx context.Context, lc net.ListenConfig, address string) error {
	l, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return fault.New(fault.RunFailed, "cannot listen on %s: %w", address, err).
			Hint("if the port is in use, choose another one with --listen; port 0 picks a free one")
	}
	p.Listener = l
	return nil
}

// Bound says whether the server listens, or did.
func (p *Port) Bound() bool { return p.Listener != nil }

// Address is where a client may connect: host:port, the loopback's when the server listens on
// all addresses, and "" when it does not listen.
func (p *Port) Address() string {
	if !p.Bound() {
		return ""
	}
	if addr, ok := p.Addr().(*net.TCPAddr); ok && addr.IP.IsUnspecified() {
		return (&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: addr.Port}).String()
	}
	return p.Addr().String()
}

// URL is scheme://host:port and a path of that address, or "" when the server does not listen.
func (p *Port) URL(scheme, path string) string {
	if !p.Bound() {
		return ""
	}
	return scheme + "://" + p.Address() + path
}
