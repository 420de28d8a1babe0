package peertest

import (
	"fmt"
	"net"
	"os"
	"testing"
)

// Addresses are n addresses, HOST:PORT, at which nobody listens, for programs that cannot choose a port
// themselves. Linux has all of 127.0.0.0/8: the host is one that no other process uses, so that
// none can take a port before the program does, or between its end and its next start.
func Addresses(t testing.TB, n int) []string {
	t.Helper()
	pid := os.Getpid() // up to 22 bits
	host := fmt.Sprintf("127.%d.%d.%d", 64+pid>>16, pid>>8&0xff, pid&0xff)
	if l, err := net.Listen("tcp", host+":0"); err == nil {
		_ = l.Close()
	} else {
		host = "127.0.0.1" // another system
	}
	var out []string
	for range n {
		l, err := net.Listen("tcp", host+":0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close() // when all are found, or two could be the same
		out = append(out, l.Addr().String())
	}
	return out
}
