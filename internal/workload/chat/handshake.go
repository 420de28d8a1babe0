package chat

import (
	"errors"
	"net"
)

// maxHandshake is how many bytes the answer to the handshake can have. It is a status and some
// headers; Go's own servers and clients take no more than a MiB of those, most others 8 to 64 KiB.
const maxHandshake = 64 << 10

var errLongHandshake = errors.New("the server's answer to the handshake has more than 64 KiB")

// bounded is a connection of which no more than so many bytes are read until the handshake is done:
// the library would keep a header line without an end as it comes, until memory is used up.
type bounded struct {
	net.Conn
	left int // below 0: no bound. It is set before another goroutine reads
}

func (b *bounded) Read(p []byte) (int, error) {
	switch {
	case b.left < 0:
		return b.Conn.Read(p)
	case b.left == 0:
		return 0, errLongHandshake
	}
	n, err := b.Conn.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}
