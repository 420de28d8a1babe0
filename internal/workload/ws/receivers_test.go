package ws_test

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine"
	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/fanout"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/runtest"
	"github.com/plimsoll/plimsoll/internal/workload/ws"
	"github.com/plimsoll/plimsoll/rundoc"
)

// hub is a server of rooms, which counts on its own side. A message is a line of text, which everybody in its room gets;
// one that wants no room is refused.
type hub struct {
	fault func(receiver, delivery int) string // what becomes of a receiver's n-th delivery: "", lost, twice, swapped or cut

	mu                   sync.Mutex
	rooms                map[string][]*guest
	lost, twice, swapped atomic.Int64
	delivered            atomic.Int64 // to receivers, each once
}

type guest struct {
	mu       sync.Mutex
	conn     net.Conn
	receiver int // from 0; below it: a sender
	n        int
	held     string
}

func (m *guest) say(text string) {
	_, _ = m.conn.Write(append([]byte{0x81, byte(len(text))}, text...))
}

func (h *hub) serve(t *testing.T) string {
	h.rooms = map[string][]*guest{}
	return scripted(t, func(conn net.Conn, in *bufio.Reader) {
		shake(conn, in)
		me := &guest{conn: conn, receiver: -1}
		var room string
		for {
			code, text, err := frame(in)
			if err != nil || code == 8 {
				h.leave(room, me)
				return
			}
			words := strings.Fields(text)
			switch words[0] {
			case "join":
				room = words[1]
				_, _ = fmt.Sscan(words[2], &me.receiver)
				me.receiver -= firstReceiver
				h.mu.Lock()
				h.rooms[room] = append(h.rooms[room], me)
				h.mu.Unlock()
				me.say("joined")
			case "say":
				h.mu.Lock()
				all := h.rooms[room]
				h.mu.Unlock()
				for _, m := range all {
					h.deliver(m, "heard "+words[1])
				}
			}
		}
	})
}

func (h *hub) leave(room string, me *guest) {
	h.mu.Lock()
	defer h.mu.Unlock()
	var rest []*guest
	for _, m := range h.rooms[room] {
		if m != me {
			rest = append(rest, m)
		}
	}
	h.rooms[room] = rest
}

func (h *hub) deliver(m *guest, text string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.receiver < 0 {
		m.say(text)
		return
	}
	fault := ""
	if h.fault != nil {
		fault = h.fault(m.receiver, m.n)
	}
	m.n++
	switch fault {
	case "lost":
		h.lost.Add(1)
		return
	case "cut":
		_ = m.conn.Close()
		return
	case "swapped":
		m.held = text
		return
	case "twice":
		h.twice.Add(1)
		m.say(text)
	}
	m.say(text)
	h.delivered.Add(1)
	if m.held != "" {
		h.swapped.Add(1)
		h.delivered.Add(1)
		m.say(m.held)
		m.held = ""
	}
}

const firstReceiver = 2 // clients of each run here

const rooms = `
protocol: 1
codec: text
fields: '^(?P<what>\w+) ?(?P<mark>\S*)$'
open: [{send: "join ${room} ${client}", expect: {what: joined}}]
messages: [{name: say, send: "say ${mark}"}]
receive:
  - {when: {what: heard}, delivery: mark}
`

// fans runs a load whose messages are to reach receivers.
func fans(t *testing.T, h *hub, change func(*load)) (rundoc.Operation, fanout.Figures) {
	t.Helper()
	p := load{
		Load: plan.Load{
			Seed: 1, Clients: firstReceiver, Pipeline: 4, Operations: 200, Drain: runtest.Patience,
			Retry: plan.Retry{Timeout: runtest.Patience, Max: 5, InitialBackoff: time.Millisecond, MaxBackoff: 5 * time.Millisecond},
		},
		Options: ws.Options{Protocol: ws.ProtocolOf(t, rooms), Label: "message", Rooms: 1, Receivers: 40,
			Clients: firstReceiver, Timeout: time.Minute},
	}
	if change != nil {
		change(&p)
	}
	w, err := ws.New(p.Options, h.serve(t), "tagtagta")
	if err != nil {
		t.Fatal(err)
	}
	run := runtest.Engine(t, engine.Config{Load: p.Load, Workload: w})
	_, total := runtest.Document(t, run, "", nil)
	return total, w.Fanout().Figures()
}

// TestEveryReceiverGetsEveryMessage, and the last of them ends its operation.
func TestEveryReceiverGetsEveryMessage(t *testing.T) {
	for _, rooms := range []int{1, 2} {
		h := &hub{}
		o, f := fans(t, h, func(p *load) { p.Rooms = rooms })
		due := 200 * 40 / int64(rooms)
		if o.OK != 200 || f.Due != due || f.Delivered != due || h.delivered.Load() != due || f.Lost+f.Away != 0 ||
			f.Duplicated+f.Misordered+f.Foreign+f.Elsewhere+f.Late != 0 || f.Completed != 200 || f.UnderWay != 0 {
			t.Errorf("%d rooms: %d ok, %d delivered by the server, %+v", rooms, o.OK, h.delivered.Load(), f)
		}
		// Those of the last messages may come when their sender is gone.
		if f.Copies > 200*2/int64(rooms) {
			t.Errorf("%d rooms: %d copies to senders", rooms, f.Copies)
		}
	}
}

// TestLostDeliveriesFailTheirMessages loses two deliveries. A machine so busy that others come after the timeout loses more.
func TestLostDeliveriesFailTheirMessages(t *testing.T) {
	h := &hub{fault: func(receiver, n int) string {
		if receiver == 7 && n == 50 || receiver == 9 && n == 60 {
			return "lost"
		}
		return ""
	}}
	o, f := fans(t, h, func(p *load) {
		p.Load.Clients, p.Load.Pipeline, p.Options.Clients, p.Retry.Timeout = 1, 8, firstReceiver, 500*time.Millisecond
	})
	if f.Due != f.Delivered+f.Lost+f.Away || f.Lost < h.lost.Load() || h.lost.Load() != 2 || f.Duplicated+f.Foreign != 0 {
		t.Errorf("the server lost %d; found %+v", h.lost.Load(), f)
	}
	if o.Failed < 2 || cause(o, rundoc.CauseLostDelivery)+cause(o, "own-timeout") != o.Failed {
		t.Errorf("%d failed: %+v", o.Failed, o.Causes)
	}
}

// TestDuplicatedAndSwappedDeliveriesAreCounted compares the counts with those of the server.
func TestDuplicatedAndSwappedDeliveriesAreCounted(t *testing.T) {
	h := &hub{fault: func(receiver, n int) string {
		switch {
		case receiver%5 == 1 && n%20 == 3:
			return "twice"
		case receiver%5 == 2 && n%20 == 3:
			return "swapped"
		}
		return ""
	}}
	o, f := fans(t, h, func(p *load) { p.Load.Clients, p.Load.Pipeline, p.Options.Clients = 1, 8, firstReceiver })
	if o.OK != 200 || f.Due != 200*40 || f.Delivered != f.Due || f.Duplicated != h.twice.Load() ||
		f.Misordered != h.swapped.Load() || f.Lost+f.Away+f.Foreign+f.Late != 0 {
		t.Errorf("%d ok; the server delivered %d, %d twice, %d swapped; found %+v", o.OK, h.delivered.Load(), h.twice.Load(),
			h.swapped.Load(), f)
	}
}

// TestDisconnectedReceiverIsAway for what it misses, and comes back.
func TestDisconnectedReceiverIsAway(t *testing.T) {
	var once atomic.Bool // it comes back, and counts anew
	h := &hub{fault: func(receiver, n int) string {
		if receiver == 7 && n == 50 && once.CompareAndSwap(false, true) {
			return "cut"
		}
		return ""
	}}
	o, f := fans(t, h, func(p *load) { p.Load.ThinkTime = 5 * time.Millisecond })
	if o.OK != 200 || f.Lost != 0 || f.Away == 0 || f.Due != f.Delivered+f.Away || f.Absences != 1 {
		t.Errorf("%d ok, %+v", o.OK, f)
	}
}

// TestReceiverThatCannotConnectFailsTheRun end a run before it begins, and say which it was.
func TestReceiverThatCannotConnectFailsTheRun(t *testing.T) {
	w, err := ws.New(ws.Options{Protocol: ws.ProtocolOf(t, rooms), Label: "message", Rooms: 1, Receivers: 3, Clients: 1,
		Timeout: time.Minute}, "ws://127.0.0.1:1/", "tagtagta")
	if err != nil {
		t.Fatal(err)
	}
	_, err = engine.Run(t.Context(), nil, engine.Config{Load: plan.Load{
		Clients: 1, Pipeline: 1, Operations: 1, Retry: plan.Retry{Timeout: time.Minute}}, Workload: w})
	if err == nil || !strings.Contains(err.Error(), "receiver ") || !strings.Contains(err.Error(), "refused") {
		t.Errorf("%v", err)
	}
}

// TestReceiverReconnects, as often as its connection is lost, and leaves when it is told to.
func TestReceiverReconnects(t *testing.T) {
	joined := make(chan int)
	n := 0
	var counting sync.Mutex
	url := scripted(t, func(conn net.Conn, in *bufio.Reader) {
		shake(conn, in)
		if _, _, err := frame(in); err != nil {
			return
		}
		(&guest{conn: conn}).say("joined")
		counting.Lock()
		n++
		turn := n
		counting.Unlock()
		joined <- turn
		if turn == 3 { // the one that stays
			_, _, _ = frame(in)
		}
	})
	w, err := ws.New(ws.Options{Protocol: ws.ProtocolOf(t, rooms), Label: "message", Rooms: 1, Receivers: 1, Clients: 1,
		Timeout: time.Minute}, url, "tagtagta")
	if err != nil {
		t.Fatal(err)
	}
	var opening sync.WaitGroup
	opening.Go(func() { err = w.Open(t.Context(), op.NewClock()) })
	for want := 1; want <= 3; want++ {
		if got := <-joined; got != want {
			t.Errorf("connection %d, not %d", got, want)
		}
	}
	opening.Wait()
	w.Shut()
	if err != nil {
		t.Error(err)
	}
	if f := w.Fanout().Figures(); f.Absences != 2 {
		t.Errorf("away %d times", f.Absences)
	}
}
