package ws_test

import (
	"bufio"
	"io"
	"net"
	"testing"
	"time"
)

// raw runs a server that does the handshake and then writes the same bytes in answer to
// whatever comes. It gives its address.
func raw(t *testing.T, answer []byte) string {
	return scripted(t, func(conn net.Conn, in *bufio.Reader) {
		shake(conn, in)
		if _, err := in.ReadByte(); err == nil {
			_, _ = conn.Write(answer)
			_, _ = io.Copy(io.Discard, in)
		}
	})
}

// TestHostileFrames sends what no server should, and expects failures with causes.
func TestHostileFrames(t *testing.T) {
	for name, c := range map[string]struct {
		frame string
		cause string
	}{
		"a length beyond all":    {"\x81\x7f\xff\xff\xff\xff\xff\xff\xff\xff", "protocol"},
		"a length beyond limits": {"\x81\x7f\x00\x00\x00\x01\x00\x00\x00\x00", "protocol"},
		"a masked frame":         {"\x81\x82\x01\x02\x03\x04\x7a\x7f", "protocol"},
		"an unknown opcode":      {"\x83\x00", "protocol"},
		"a reserved bit":         {"\xc1\x00", "protocol"},
		"a lone continuation":    {"\x80\x00", "protocol"},
		"a fragmented ping":      {"\x09\x00", "protocol"},
		"text and no UTF-8":      {"\x81\x03a\xff\x00", "protocol"},
		"no WebSocket":           {"HTTP/1.1 400 Bad Request\r\n\r\n", "protocol"},
		"a close with a code":    {"\x88\x02\x03\xf3", "closed-by-peer:1011"},
		"a close without a code": {"\x88\x00", "closed-by-peer:1005"},
	} {
		t.Run(name, func(t *testing.T) {
			_, o, _ := sends(t, raw(t, []byte(c.frame)), 8, func(p *load) {
				p.Load.Retry.Max = 1
			})
			if o.OK != 0 || o.Failed != 8 || cause(o, c.cause) == 0 || len(o.Causes) != 1 {
				t.Errorf("%d ok, %d failed, causes %v", o.OK, o.Failed, o.Causes)
			}
		})
	}
}

// TestATextThatNamesNoMessageIsNoAnswer sends one after a ping.
func TestATextThatNamesNoMessageIsNoAnswer(t *testing.T) {
	client := newClient(t, raw(t, []byte("\x89\x02hi\x81\x02{}")), 1, 0)
	defer client.Close()
	if err := client.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if why := perform(t, client, 0, 300*time.Millisecond); why == nil || why.Cause != "timeout" {
		t.Errorf("ended with %v", why)
	}
}
