package throughput

import (
	"net"
	"net/netip"
	"testing"
	"time"
)

// drained gives a drain the looks of an upload of 1 MiB that began at 0, and the last of them finds nothing.
func drained(looks ...look) (moment, doubt time.Duration) {
	var d drain
	d.start(0, 0, 0, 1<<20)
	for _, l := range looks[:len(looks)-1] {
		d.saw(l)
	}
	return d.empty(looks[len(looks)-1])
}

const milli = time.Millisecond

// The path gave 10 KB a millisecond, and the looks were told at once.
func steadyLooks() []look {
	var looks []look
	for at := 10 * milli; at <= 100*milli; at += 10 * milli {
		looks = append(looks, look{asked: at, told: at, queue: 1<<20 - 10_000*int64(at/milli), busy: at.Truncate(4 * milli), tick: 4 * milli})
	}
	return looks
}

func within(t *testing.T, moment, doubt, truth, most time.Duration) {
	t.Helper()
	if off := (moment - truth).Abs(); off > doubt || doubt > most {
		t.Errorf("%v ± %v, and it was at %v; no more than ± %v is expected", moment, doubt, truth, most)
	}
}

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
