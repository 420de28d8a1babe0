package chat

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gobwas/ws"
)

// rawDial makes a handshake by hand and sends more bytes right behind it.
func rawDial(t *testing.T, s *Server, behind []byte) (net.Conn, *bufio.Reader) {
	t.Helper()
	return rawDialWith(t, s, "", behind)
}

// rawDialWith sends more headers, too.
func rawDialWith(t *testing.T, s *Server, headers string, behind []byte) (net.Conn, *bufio.Reader) {
	t.Helper()
	c, err := net.Dial("tcp", s.port.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	request := "GET /chat/1 HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" + headers + "\r\n"
	if _, err := c.Write(append([]byte(request), behind...)); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(c)
	resp, err := http.ReadResponse(r, nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		t.Fatalf("handshake: %v, %v", resp, err)
	}
	return c, r
}

func masked(op ws.OpCode, payload string) []byte {
	return ws.MustCompileFrame(ws.MaskFrame(ws.NewFrame(op, true, []byte(payload))))
}

func TestMessagesMayComeWithTheHandshake(t *testing.T) {
	s := serve(t, nil)
	var behind []byte
	for range 20 { // more than one read buffer
		behind = append(behind, masked(ws.OpText, valid)...)
	}
	_, r := rawDial(t, s, behind)
	for range 20 {
		f, err := readFrame(r)
		if err != nil || name(f.Payload) != "m-1" {
			t.Fatalf("%v: %s", err, f.Payload)
		}
	}
}

func TestHostileFramesCostTheirConnectionOnly(t *testing.T) {
	said := make(lines, 100)
	s := serveTelling(t, nil, said)
	<-said // that it listens
	for _, test := range []struct {
		name  string
		frame []byte
		code  ws.StatusCode
	}{
		{"length of 2^64-1", []byte{0x81, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4}, 1002},
		{"length of 2^63", []byte{0x81, 0xff, 0x80, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4}, 1002},
		{"length of 2^63-1", []byte{0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4}, 1009},
		{"no mask", []byte{0x81, 0x02, '{', '}'}, 1002},
		{"reserved bit", []byte{0xc1, 0x80, 1, 2, 3, 4}, 1002},
		{"unknown opcode", []byte{0x8f, 0x80, 1, 2, 3, 4}, 1002},
		{"continuation of nothing", []byte{0x80, 0x80, 1, 2, 3, 4}, 1002},
		{"long ping", masked(ws.OpPing, strings.Repeat("x", 126)), 1002},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, r := rawDial(t, s, test.frame)
			f, err := readFrame(r)
			switch {
			case err != nil || f.Header.OpCode != ws.OpClose:
				t.Errorf("got %v, %v", f, err)
			default:
				if code, reason := ws.ParseCloseFrameData(f.Payload); code != test.code {
					t.Errorf("close code %d (%s), want %d", code, reason, test.code)
				}
			}
		})
	}
	c := dial(t, s)
	send(t, c, valid)
	receive(t, c)
	if len(said) > 0 {
		t.Errorf("a client could fill the log by it: %s", <-said)
	}
}

// What panics in an answer is a fault of the server's, and is told with its trace.
func TestPanicInAReplyIsLogged(t *testing.T) {
	said := make(lines, 100)
	s := serveTelling(t, nil, said)
	<-said
	s.responder.decoders.pool.New = func() any { return (*decoder)(nil) }
	c := dial(t, s)
	send(t, c, valid)
	if line := <-said; !bytes.Contains(line, []byte("panic while replying to a message")) || !bytes.Contains(line, []byte("stack=")) {
		t.Errorf("%s", line)
	}
}

// lines gives each write to a channel.
type lines chan []byte

func (l lines) Write(p []byte) (int, error) {
	l <- bytes.Clone(p)
	return len(p), nil
}

func TestSlowHandshakesAreCutOff(t *testing.T) {
	s := serve(t, func(c *Config) { c.HandshakeTimeout = 30 * time.Millisecond })
	c, err := net.Dial("tcp", s.port.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, _ = c.Write([]byte("GET /chat/1 HTTP/1.1\r\nHost:"))
	// It is reset if the server was tired of it before it had sent this much.
	if _, err := io.Copy(io.Discard, c); err != nil && !errors.Is(err, syscall.ECONNRESET) {
		t.Error(err)
	}
}

// maxFrame bounds what a test reads of a frame.
const maxFrame = 1 << 20

func readFrame(r io.Reader) (f ws.Frame, err error) {
	if f.Header, err = ws.ReadHeader(r); err != nil {
		return f, err
	}
	if f.Header.Length > maxFrame {
		return f, fmt.Errorf("a frame of %d bytes", f.Header.Length)
	}
	f.Payload = make([]byte, f.Header.Length)
	_, err = io.ReadFull(r, f.Payload)
	return f, err
}
