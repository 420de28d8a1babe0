package chat

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gobwas/ws"
	"github.com/google/go-cmp/cmp"
	dto "github.com/prometheus/client_model/go"

	"github.com/plimsoll/plimsoll/internal/wake"
)

// wire is a connection that records what is written, and when.
type wire struct {
	net.Conn
	began time.Time
	block chan struct{} // writes wait for it, when it is set

	mu     sync.Mutex
	events []event
	rest   []byte // of an unfinished frame
	text   []byte // of an unfinished message
	last   []byte // the last whole message
	writes int

	readUntil time.Time
}

// event is a message that was written, "FIN", or what was written instead of JSON.
type event struct {
	At   time.Duration
	What string
}

func (w *wire) Write(p []byte) (int, error) {
	if w.block != nil {
		<-w.block
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.writes++
	w.rest = append(w.rest, p...)
	for {
		in := bytes.NewReader(w.rest)
		h, err := ws.ReadHeader(in)
		if err != nil || int64(in.Len()) < h.Length {
			return len(p), nil
		}
		start := len(w.rest) - in.Len()
		w.text = append(w.text, w.rest[start:start+int(h.Length)]...)
		w.rest = w.rest[start+int(h.Length):]
		if h.Fin {
			w.note(name(w.text))
			w.last, w.text = w.text, nil
		}
	}
}

func (w *wire) CloseWrite() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.note("FIN")
	return nil
}

func (w *wire) SetReadDeadline(t time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.readUntil = t
	return nil
}

// Read waits for the deadline: the other side says nothing and does not close.
//
// synctest: inBubble calls it in a bubble.
func (w *wire) Read([]byte) (int, error) {
	w.mu.Lock()
	until := w.readUntil
	w.mu.Unlock()
	time.Sleep(time.Until(until))
	return 0, os.ErrDeadlineExceeded
}

func (w *wire) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.note("closed")
	return nil
}

func (w *wire) note(what string) {
	w.events = append(w.events, event{time.Since(w.began).Round(time.Microsecond), what})
}

// name is a reply's messageId, and its status when that is not success.
func name(reply []byte) string {
	var r struct{ MessageID, Status string }
	switch err := json.Unmarshal(reply, &r); {
	case err != nil:
		return "garbage"
	case r.Status != "success":
		return r.MessageID + " " + r.Status
	}
	return r.MessageID
}

// bench is a session with faults, outside a server.
type bench struct {
	*responder
	began time.Time
}

// inBubble runs f with a session in a synctest bubble, where time passes only when all wait.
func inBubble(t *testing.T, faults Faults, f func(b *bench)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		in := &responder{metrics: newMetrics()}
		in.sender = newSender(faults, in, wake.NewPortable())
		f(&bench{in, time.Now()})
		synctest.Wait()
		in.sender.stop()
	})
}

func (b *bench) connect() (*conn, *wire) {
	w := &wire{began: b.began}
	c := &conn{Conn: w, linger: linger, closeWrite: closeWrite}
	c.out = newOutbox(c, b.sender)
	return c, w
}

// send gives the session messages that came on a connection.
func (b *bench) send(c *conn, ids ...string) {
	for _, id := range ids {
		b.answer(c, true, []byte(with("messageId", fmt.Sprintf("%q", id))))
	}
}

func (b *bench) counted(t *testing.T, kind int) int {
	t.Helper()
	var m dto.Metric
	if err := b.metrics.faults[kind].Write(&m); err != nil {
		t.Fatal(err)
	}
	return int(m.GetCounter().GetValue())
}

func (w *wire) check(t *testing.T, want ...event) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	if diff := cmp.Diff(want, w.events); diff != "" {
		t.Error(diff)
	}
}

const ms = time.Millisecond

// synctest: inBubble runs the body in a bubble.
func TestDelayKeepsThePipeline(t *testing.T) {
	inBubble(t, Faults{Delay: 20 * ms}, func(b *bench) {
		c, w := b.connect()
		b.send(c, "1", "2", "3")
		time.Sleep(5 * ms)
		b.send(c, "4")
		time.Sleep(time.Second)
		w.check(t, event{20 * ms, "1"}, event{20 * ms, "2"}, event{20 * ms, "3"}, event{25 * ms, "4"})
	})
}

// synctest: inBubble runs the body in a bubble.
func TestJitterKeepsTheOrder(t *testing.T) {
	inBubble(t, Faults{Jitter: 100 * ms, Seed: 3}, func(b *bench) {
		c, w := b.connect()
		var want []string
		for i := range 200 {
			id := fmt.Sprint(i)
			want = append(want, id)
			b.send(c, id)
			time.Sleep(ms)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		var got []string
		for i, e := range w.events {
			got = append(got, e.What)
			if sent := time.Duration(i) * ms; e.At < sent || e.At > sent+200*ms {
				t.Errorf("message %d, sent at %v, was answered at %v", i, sent, e.At)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}

// synctest: inBubble runs the body in a bubble.
func TestSlowReaderDoesNotDelayOthers(t *testing.T) {
	inBubble(t, Faults{Delay: 20 * ms}, func(b *bench) {
		stuck, stuckWire := b.connect()
		stuckWire.block = make(chan struct{})
		c, w := b.connect()
		b.send(stuck, "1", "2")
		b.send(c, "3")
		time.Sleep(time.Second)
		w.check(t, event{20 * ms, "3"})
		close(stuckWire.block)
		synctest.Wait()
		stuckWire.check(t, event{time.Second, "1"}, event{time.Second, "2"})
	})
}

// synctest: inBubble runs the body in a bubble.
func TestStallDelaysAndLosesNothing(t *testing.T) {
	inBubble(t, Faults{StallAfter: 100 * ms, StallFor: 2 * time.Second}, func(b *bench) {
		time.Sleep(time.Second) // the stall counts from the first message, not from the start
		b.began = time.Now()
		c, w := b.connect()
		b.send(c, "1")
		time.Sleep(100 * ms)
		b.send(c, "2")
		time.Sleep(1900 * ms)
		b.send(c, "3")
		time.Sleep(100 * ms)
		b.send(c, "4") // just as the others come due: it must not overtake them
		time.Sleep(time.Second)
		b.send(c, "5")
		end := 2100 * ms
		w.check(t, event{0, "1"}, event{end, "2"}, event{end, "3"}, event{end, "4"}, event{3100 * ms, "5"})
	})
}

// only is the fault that every message suffers.
func only(change func(*Faults)) Faults {
	var f Faults
	change(&f)
	return f
}

// synctest: inBubble runs the body in a bubble.
func TestFaultsThatChangeTheAnswer(t *testing.T) {
	for _, test := range []struct {
		kind   int
		faults Faults
		want   []event
	}{
		{drop, only(func(f *Faults) { f.DropRate = 1 }), []event{{0, "FIN"}}},
		{refuse, only(func(f *Faults) { f.ErrorRate = 1 }), []event{{0, "m error"}}},
		{silent, only(func(f *Faults) { f.SilentRate = 1 }), nil},
		{garbage, only(func(f *Faults) { f.GarbageRate = 1 }), []event{{0, "garbage"}}},
		{duplicate, only(func(f *Faults) { f.DuplicateRate = 1 }), []event{{0, "m"}, {0, "m"}}},
		{late, only(func(f *Faults) { f.LateRate, f.LateBy = 1, 70*ms }), []event{{70 * ms, "m"}}},
		{heldInVain, only(func(f *Faults) { f.ReorderRate = 1 }), []event{{50 * ms, "m"}}},
	} {
		t.Run(fmt.Sprint(test.kind), func(t *testing.T) {
			inBubble(t, test.faults, func(b *bench) {
				c, w := b.connect()
				b.send(c, "m")
				time.Sleep(time.Second)
				w.check(t, test.want...)
				if got := b.counted(t, test.kind); got != 1 {
					t.Errorf("counted %d times", got)
				}
			})
		})
	}
}

// sequence is faults with a seed that makes the first decisions these.
func sequence(f Faults, want ...int) Faults {
	for ; ; f.Seed++ {
		match := true
		for i, w := range want {
			match = match && f.decide(uint64(i)).fault == w
		}
		if match {
			return f
		}
	}
}

// synctest: inBubble runs the body in a bubble.
func TestReorder(t *testing.T) {
	f := sequence(Faults{ReorderRate: 0.5}, reorder, reorder, none, none)
	inBubble(t, f, func(b *bench) {
		c, w := b.connect()
		b.send(c, "1", "2")
		time.Sleep(10 * ms)
		b.send(c, "3", "4")
		time.Sleep(time.Second)
		at := 10 * ms
		w.check(t, event{at, "3"}, event{at, "1"}, event{at, "2"}, event{at, "4"})
		if got := b.counted(t, reorder); got != 2 {
			t.Errorf("%d were counted", got)
		}
		if got := b.counted(t, heldInVain); got != 0 {
			t.Errorf("%d were held in vain", got)
		}
	})
	f.Delay = 20 * ms
	inBubble(t, f, func(b *bench) {
		c, w := b.connect()
		b.send(c, "1", "2", "3", "4")
		time.Sleep(time.Second)
		w.check(t, event{20 * ms, "3"}, event{20 * ms, "1"}, event{20 * ms, "2"}, event{20 * ms, "4"})
	})
}

// synctest: inBubble runs the body in a bubble.
func TestMessagesAreNotReadWhileTooMuchWaits(t *testing.T) {
	inBubble(t, Faults{Delay: time.Second}, func(b *bench) {
		c, _ := b.connect()
		long := []byte("{" + strings.Repeat(" ", 3000) + with("messageId", `"m"`)[1:])
		var sent atomic.Int64
		done := make(chan struct{})
		go func() {
			defer close(done)
			for !c.ending.Load() {
				b.answer(c, true, long)
				sent.Add(1)
			}
		}()
		synctest.Wait()
		first := sent.Load()
		c.out.mu.Lock()
		if c.out.bytes < maxOutbox || c.out.bytes > maxOutbox+4096 {
			t.Errorf("%d bytes wait", c.out.bytes)
		}
		c.out.mu.Unlock()
		time.Sleep(1500 * ms)
		synctest.Wait()
		if all := sent.Load(); all < 2*first {
			t.Errorf("%d messages were read, of which %d before the first answers", all, first)
		}
		c.end()
		<-done
		time.Sleep(2 * time.Second)
	})
}
