package throughput

import (
	"net"
	"net/netip"
)

type remote struct {
	net.Conn
	from, to string
}

func (r remote) RemoteAddr() net.Addr {
	if r.to == "" {
		return nil
	}
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(r.to))
}

func (r remote) LocalAddr() net.Addr {
	if r.from == "" {
		return nil
	}
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort("192.0.2.9" + r.from))
}
