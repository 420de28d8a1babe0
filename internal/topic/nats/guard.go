package nats

import (
	"bytes"
	"net"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// longestLine is more than any line of a broker has: INFO names the others of its cluster.
const longestLine = 256 << 10

// guard watches what a broker sends. Where TLS begins, behind the first line, nothing more is seen of it; who it is has
// been made sure of then.
func guard(c net.Conn) net.Conn {
	return &topic.Guard{Conn: c, Longest: longestLine, Line: follows, Over: func(first byte) bool {
		return first >= 0x14 && first <= 0x17 // the kinds of records (RFC 8446, 5.1), and no letter
	}}
}

// follows says how many bytes of a message come behind a line.
func follows(line []byte) (int64, error) {
	fields := bytes.Fields(line)
	if len(fields) < 2 || !bytes.EqualFold(fields[0], []byte("MSG")) && !bytes.EqualFold(fields[0], []byte("HMSG")) {
		return 0, nil
	}
	n, err := topic.Length(fields[len(fields)-1])
	return n + 2, err
}
