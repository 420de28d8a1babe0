package ws_test

import (
	"bufio"
	"io"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/plan"
	server "github.com/plimsoll/plimsoll/internal/server/chat"
	"github.com/plimsoll/plimsoll/internal/workload"
)

// attempt begins an attempt, which has a minute.
func attempt(t *testing.T) *op.Control {
	t.Helper()
	clock := op.NewClock()
	ctl := op.NewControl(clock, time.Minute, func(*op.Failure) {})
	t.Cleanup(ctl.Stop)
	ctl.Begin(clock.Now())
	return ctl
}

// TestAwaitSendsWhatTheKernelDidNotTake tries to send messages to a server that does not read before all
// have been tried: they must arrive whole, and in the order of their numbers.
func TestAwaitSendsWhatTheKernelDidNotTake(t *testing.T) {
	const slots, size = 12, 1 << 20 // more than the system's buffers hold
	tried := make(chan struct{})
	read := sync.OnceFunc(func() { close(tried) })
	ids := make(chan string, slots)
	client := newClient(t, scripted(t, func(conn net.Conn, in *bufio.Reader) {
		shake(conn, in)
		<-tried
		for range slots {
			opcode, text, err := frame(in)
			if err != nil || opcode != 1 || len(text) < size {
				t.Errorf("frame %d of %d bytes: %v", opcode, len(text), err)
				break
			}
			_, id, _ := strings.Cut(text, `"messageId":"`)
			id, _, _ = strings.Cut(id, `"`)
			ids <- id
			reply := `{"messageId":"` + id + `","status":"success"}`
			_, _ = conn.Write(append([]byte{0x81, byte(len(reply))}, reply...))
		}
		_, _ = io.Copy(io.Discard, in)
	}), slots, size).(workload.Sender)
	defer client.Close()
	defer read() // a test that has failed waits for the server, too
	if err := client.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	var awaiting []func() // that begins when all have been tried: while one sends the rest, no other can be begun
	atOnce := 0
	for slot := range slots {
		client.Prepare(slot, uint64(slot))
		ctl := attempt(t)
		if !client.Reserve(slot) {
			t.Fatalf("message %d was not begun", slot)
		}
		client.Send(slot, &ctl.Attempt)
		if ctl.WasSent() {
			atOnce++
		}
		awaiting = append(awaiting, func() {
			if why := ctl.End(client.Await(slot, &ctl.Attempt)); why != nil {
				t.Errorf("message %d: %v", slot, why)
			}
			if !ctl.WasSent() || ctl.Payload() < size {
				t.Errorf("message %d: sent %v, %d bytes", slot, ctl.WasSent(), ctl.Payload())
			}
		})
	}
	if atOnce == slots {
		t.Error("the kernel took all at once: nothing was tested")
	}
	read()
	var all sync.WaitGroup
	for _, await := range awaiting {
		all.Go(await)
	}
	all.Wait()
	close(ids)
	n := 0
	for id := range ids {
		if n++; !strings.HasSuffix(id, "."+strconv.Itoa(n)) {
			t.Errorf("message %s came as number %d", id, n)
		}
	}
}

func TestNothingIsSentWithoutAConnection(t *testing.T) {
	client := newClient(t, "ws://127.0.0.1:1/", 1, 0).(workload.Sender)
	defer client.Close()
	client.Prepare(0, 0)
	if client.Reserve(0) {
		t.Error("a message was begun without a connection")
	}
}

// TestAnswersToUnreadMessagesDoNotBlock has a server that reads one message and answers all.
func TestAnswersToUnreadMessagesDoNotBlock(t *testing.T) {
	const slots, size = 12, 1 << 20 // more than the system's buffers hold
	begun, tried, release := make(chan struct{}), make(chan struct{}), make(chan struct{})
	client := newClient(t, scripted(t, func(conn net.Conn, in *bufio.Reader) {
		shake(conn, in)
		_, text, err := frame(in)
		close(begun)
		if err != nil {
			t.Error(err)
			return
		}
		<-tried
		_, id, _ := strings.Cut(text, `"messageId":"`)
		id, _, _ = strings.Cut(id, `.`)
		for n := range slots {
			reply := `{"messageId":"` + id + "." + strconv.Itoa(n+1) + `","status":"success"}`
			_, _ = conn.Write(append([]byte{0x81, byte(len(reply))}, reply...))
		}
		<-release
	}), slots, size).(workload.Sender)
	defer client.Close()
	defer close(release)
	if err := client.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	clock := op.NewClock()
	var awaiting sync.WaitGroup
	for slot := range slots {
		client.Prepare(slot, uint64(slot))
		timeout := 200 * time.Millisecond
		if slot == 0 { // the one that is read, however long that takes
			timeout = time.Hour
		}
		ctl := op.NewControl(clock, timeout, client.Cut)
		defer ctl.Stop()
		ctl.Begin(clock.Now())
		if !client.Reserve(slot) {
			ctl.End(op.ErrUnfinished)
			continue // it was lost meanwhile
		}
		client.Send(slot, &ctl.Attempt)
		awaiting.Go(func() { ctl.End(client.Await(slot, &ctl.Attempt)) })
		if slot == 0 {
			<-begun
		}
	}
	close(tried)
	awaiting.Wait() // the test's own deadline is what ends a failure
}

// TestOpenModelSendsEveryMessage uses the engine's own pacer, several messages of a client at a time.
func TestOpenModelSendsEveryMessage(t *testing.T) {
	for _, pacing := range []plan.Pacing{plan.Auto, plan.Spin, plan.Sleep} {
		target := serve(t, server.Faults{})
		const n = 500
		doc, o, _ := sends(t, target, n, func(p *load) {
			p.Load.Rate, p.Load.Arrivals, p.Load.MaxWaiting, p.Load.Pipeline = 4000, plan.Poisson, 10_000, 3
			p.Load.Pacing = pacing
		})
		m := metrics(t, target)
		if o.OK != n || o.Bytes != m[`plimsoll_chat_bytes_total{direction="received"}`] {
			t.Errorf("%s: %d ok, %d bytes moved: the server received %v", pacing, o.OK, o.Bytes, m)
		}
		if got := doc.Generator.Pacing; got == "" || pacing != plan.Auto && got != string(pacing) {
			t.Errorf("%s: paced by %q", pacing, got)
		}
	}
}
