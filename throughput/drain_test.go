package throughput

import (
	"net"
	"net/netip"
	"testing"
	"testing/synctest"
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

// What two connections know of the path, others know, too: but not for ever, and not of another one. One alone is not
// believed, but it is in the error.
func TestLeastRTT(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var all paths
		watchOf := func(from, to string) *watch {
			w := &watch{}
			w.path, w.port = all.of(remote{from: from, to: to})
			return w
		}
		for i, c := range []struct {
			from, to       string
			own, want, off time.Duration
		}{
			{":1", "192.0.2.1:80", 9 * milli, 9 * milli, 0},
			{":2", "192.0.2.1:80", 3 * milli, 3 * milli, 0}, // wrong, or the only one that saw the path empty
			{":1", "192.0.2.1:80", 9 * milli, 6 * milli, 3 * milli},
			{":2", "192.0.2.1:80", 3 * milli, 3 * milli, 0},
			{":3", "192.0.2.1:80", 5 * milli, 4 * milli, milli},
			{":1", "192.0.2.1:80", 8 * milli, 4 * milli, milli},
			{":4", "192.0.2.1:80", 3 * milli, 3 * milli, 0},
			{":1", "192.0.2.1:80", 8 * milli, 3 * milli, 0},
			{":4", "192.0.2.2:80", 8 * milli, 8 * milli, 0},
			{":4", "192.0.2.1:81", 9 * milli, 9 * milli, 0},  // a forwarded port
			{"0:4", "192.0.2.1:80", 9 * milli, 9 * milli, 0}, // from another interface
			{":1", "192.0.2.1:80", 0, 0, 0},
			{"", "", 7 * milli, 7 * milli, 0},
		} {
			if got, off := watchOf(c.from, c.to).leastRTT(c.own); got != c.want || off != c.off {
				t.Errorf("%d: %v ± %v instead of %v ± %v", i, got, off, c.want, c.off)
			}
		}
		time.Sleep(rttLasts + milli)
		if got, off := watchOf(":1", "192.0.2.1:80").leastRTT(8 * milli); got != 8*milli || off != 0 {
			t.Errorf("%v after so long", got)
		}
		for i := range 10 * mostPaths {
			to := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), 80)
			all.of(remote{from: ":1", to: to.String()})
		}
		if len(all.known) > mostPaths {
			t.Errorf("%d paths are kept", len(all.known))
		}
	})
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
