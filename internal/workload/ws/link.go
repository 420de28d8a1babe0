package ws

import (
	"errors"
	"net"
	"sync/atomic"

	"github.com/lxzan/gws"

	"github.com/plimsoll/plimsoll/internal/engine/wire"
)

// maxHandshake is how many bytes the answer to the handshake can have. It is a status and some
// headers; Go's own servers and clients take no more than a MiB of those, most others 8 to 64 KiB.
const maxHandshake = 64 << 10

var errLongHandshake = errors.New("the handshake response is larger than 64 KiB")

// link is a connection, as the library sees it, which bears its lock while it writes.
//
// Until the handshake is done, no more than so many bytes are read: the library would keep a header line without an
// end as it comes, until memory is used up. After that, and without TLS, no write waits for the target, so that
// the library's lock is never held for long: what the kernel does not take at once is left to flush.
type link struct {
	net.Conn
	ws    *gws.Conn
	wire  *wire.Conn
	plain bool        // no TLS above the wire
	waits bool        // what is written may wait: nobody writes but who reads. It is set before anybody reads
	left  int         // bytes to be read; below 0: no bound. It is set before another goroutine reads or writes
	kept  atomic.Bool // something is left to flush
}

func (l *link) Read(p []byte) (int, error) {
	switch {
	case l.left < 0:
		return l.Conn.Read(p)
	case l.left == 0:
		return 0, errLongHandshake
	}
	n, err := l.Conn.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}

func (l *link) Write(p []byte) (int, error) {
	if !l.plain || l.waits || l.left >= 0 {
		return l.Conn.Write(p)
	}
	all, err := l.wire.Send(p)
	if err != nil {
		return 0, err
	}
	if !all {
		l.kept.Store(true)
	}
	return len(p), nil
}
