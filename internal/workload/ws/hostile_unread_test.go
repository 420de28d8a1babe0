package ws_test

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/workload/ws"
)

// TestAServerThatWantsAnswersAndDoesNotRead is given up before what is kept for it uses up memory.
func TestAServerThatWantsAnswersAndDoesNotRead(t *testing.T) {
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

// TestACheckOfFanOutWaitsForTheDelivery, which comes behind the answer.
func TestACheckOfFanOutWaitsForTheDelivery(t *testing.T) {
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
