package topic

import (
	"bytes"
	"fmt"
	"net"
)

// Guard watches what a broker sends before a client library reads it: libraries make room for the length that a server
// says, and end the process where there is none. The protocol has lines, some of which say how many bytes follow that
// are no lines.
type Guard struct {
	net.Conn

	// Longest is how many bytes a line may have.
	Longest int
	// Line is called with each line, without its end, and says how many bytes follow before the next one. Its error ends
	// the connection.
	Line func(line []byte) (follow int64, err error)
	// Over says that from a line on that begins with this byte, the protocol is another one, as TLS is; nil: never.
	Over func(first byte) bool

	begun  []byte // of a line
	follow int64
	over   bool
	broken error
}

// Read reads, and gives nothing on that is refused.
func (g *Guard) Read(p []byte) (int, error) {
	if g.broken != nil {
		return 0, g.broken
	}
	n, err := g.Conn.Read(p)
	if bad := g.look(p[:n]); bad != nil {
		g.broken = bad
		return 0, bad
	}
	return n, err
}

// look goes through what has come.
func (g *Guard) look(p []byte) error {
	for len(p) > 0 && !g.over {
		if g.follow > 0 {
			skipped := min(g.follow, int64(len(p)))
			g.follow -= skipped
			p = p[skipped:]
			continue
		}
		if len(g.begun) == 0 && g.Over != nil && g.Over(p[0]) {
			g.over = true
			return nil
		}
		end := bytes.IndexByte(p, '\n')
		piece := p
		if end >= 0 {
			piece = p[:end]
		}
		if len(g.begun)+len(piece) > g.Longest {
			return Fail(CauseProtocol, false, "the server sent a line longer than %d bytes", g.Longest)
		}
		if end < 0 {
			g.begun = append(g.begun, piece...)
			return nil
		}
		line := piece
		if len(g.begun) > 0 {
			line = append(g.begun, piece...)
		}
		follow, err := g.Line(bytes.TrimSuffix(line, []byte("\r")))
		if err != nil {
			return err
		}
		g.begun, g.follow = g.begun[:0], follow
		p = p[end+1:]
	}
	return nil
}

// MostFollow is how many bytes a message may have, of any broker: more than each of them takes unless it is told to.
const MostFollow = 64 << 20

// Length reads the number of bytes that a line says.
func Length(text []byte) (int64, error) {
	var n int64
	for _, c := range text {
		if c < '0' || c > '9' || n > MostFollow {
			return 0, tooMuch(text)
		}
		n = 10*n + int64(c-'0')
	}
	if len(text) == 0 || n > MostFollow {
		return 0, tooMuch(text)
	}
	return n, nil
}

func tooMuch(text []byte) error {
	return Fail(CauseProtocol, false, "the server announced %s bytes; the limit is %d", fmt.Sprintf("%.20q", text),
		MostFollow)
}
