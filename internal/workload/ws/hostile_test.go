package ws_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/runtest"
	"github.com/plimsoll/plimsoll/internal/workload/ws"
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

// TestInvalidFramesFailWithTheirCause sends what no server should, and expects failures with causes.
func TestInvalidFramesFailWithTheirCause(t *testing.T) {
	for name, c := range map[string]struct {
		frame string
		cause string
	}{
		"a length beyond all":    {"\x81\x7f\xff\xff\xff\xff\xff\xff\xff\xff", "protocol"},
		"a length beyond limits": {"\x81\x7f\x00\x00\x00\x01\x00\x00\x00\x00", "message-too-big"},
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

// TestMessageThatNamesNothingIsNoAnswer has the server send a ping, a message without an id, and then a refusal.
func TestMessageThatNamesNothingIsNoAnswer(t *testing.T) {
	client := newClient(t, raw(t, []byte("\x89\x02hi\x81\x02{}\x81\x12"+`{"status":"error"}`)), 1, 0)
	defer client.Close()
	if err := client.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	if why := perform(t, client, 0, runtest.Patience); why == nil || why.Cause != "rejected" {
		t.Errorf("ended with %v", why)
	}
}

// TestServerThatDoesNotReadIsGivenUp is given up before what is kept for it uses up memory.
func TestServerThatDoesNotReadIsGivenUp(t *testing.T) {
	seen := make(chan struct{})
	defer close(seen)
	target := scripted(t, func(conn net.Conn, in *bufio.Reader) {
		shake(conn, in)
		text := strings.Repeat("p\n", 5000)
		many := append([]byte{0x81, 126, byte(len(text) >> 8), byte(len(text) & 255)}, text...)
		for range 60 {
			if _, err := conn.Write(many); err != nil {
				return
			}
		}
		<-seen
	})
	client, _ := speaking(t, `
protocol: 1
codec: text
split: "\n"
messages: [{send: "m ${id}"}]
receive: [{when: {text: p}, reply: "`+strings.Repeat("x", 1000)+`"}, {answers: text}]`, target)
	defer client.Close()
	if err := client.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	why := perform(t, client, 0, time.Minute)
	if why == nil || why.Cause != "protocol" || !strings.Contains(fmt.Sprint(why.Err), "does not read") {
		t.Errorf("ended with %v", why)
	}
}

// TestCheckOfFanOutWaitsForTheDelivery, which comes behind the answer.
func TestCheckOfFanOutWaitsForTheDelivery(t *testing.T) {
	s := &speaker{answer: func(text string) []string {
		if mark, is := strings.CutPrefix(text, "m "); is {
			return []string{"ok " + mark, "heard " + mark}
		}
		return nil
	}}
	p := ws.ProtocolOf(t, `
protocol: 1
codec: text
fields: '^(?P<what>\w+) ?(?P<mark>\S*)$'
messages: [{send: "m ${mark}"}]
receive: [{when: {what: ok}, answers: mark}, {when: {what: heard}, delivery: mark}]`)
	w, err := ws.New(ws.Options{Protocol: p, Rooms: 1, Receivers: 1, Clients: 1}, s.serve(t), "0a1b2c3d")
	if err != nil {
		t.Fatal(err)
	}
	found, err := w.Check(t.Context(), time.Minute, func(ws.Shown) {})
	if want := (ws.Checked{Sent: 1, Answered: 1, Delivered: 1}); err != nil || found != want {
		t.Errorf("%+v, %v", found, err)
	}
}
