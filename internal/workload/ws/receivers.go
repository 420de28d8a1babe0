package ws

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/fanout"
	"github.com/plimsoll/plimsoll/internal/wsproto"
	"github.com/plimsoll/plimsoll/rundoc"
)

// nobodyThere is the cause of a message that there is nobody to receive.
const nobodyThere = "nobody-there"

// receivers are the connections that what the clients send is to reach.
type receivers struct {
	t       *Traffic
	fan     *fanout.Fanout
	list    []*receiver
	timeout time.Duration // of a connection
	stop    context.CancelFunc
	running sync.WaitGroup
}

// receiver is one of them. While it is connected it has the goroutine that reads and no other: with thousands of them
// their stacks are most of the memory.
type receiver struct {
	*fanout.Receiver
	all    *receivers
	number uint64
	room   int
	jar    jar // of who connects

	leaves atomic.Bool // it ends its connection itself; set while mu is held
	mu     sync.Mutex
	talk   *talk // the present connection; nil: none
}

// newReceivers makes them, without touching the network. They have the numbers behind the clients'.
func (t *Traffic) newReceivers() *receivers {
	o := &t.options
	rooms := 1
	if t.perRoom() {
		rooms = o.Rooms
	}
	all := &receivers{t: t, timeout: o.Timeout, fan: fanout.New(fanout.Options{
		Tag: t.tag, Receivers: o.Receivers, Rooms: rooms, Clients: o.Clients,
	})}
	for i := range o.Receivers {
		all.list = append(all.list, &receiver{
			Receiver: all.fan.Receiver(i), all: all, number: uint64(o.Clients + i), room: t.roomOf(i),
		})
	}
	return all
}

// connecting is how many receivers connect at a time.
const connecting = 64

// open connects all of them, and keeps them connected until shut.
func (all *receivers) open(ctx context.Context) error {
	life, stop := context.WithCancel(context.WithoutCancel(ctx))
	all.stop = stop
	var first sync.WaitGroup
	turns := make(chan struct{}, connecting)
	failures := make(chan error, len(all.list))
	for _, r := range all.list {
		turns <- struct{}{}
		if ctx.Err() != nil || len(failures) > 0 {
			break
		}
		first.Add(1)
		all.running.Go(func() {
			if err := r.connect(ctx, life); err != nil {
				failures <- fmt.Errorf("receiver %d: %w", r.number-uint64(all.t.options.Clients)+1, err)
			}
			<-turns
			first.Done()
		})
	}
	first.Wait()
	if len(all.list) > connecting {
		debug.FreeOSMemory() // what handshakes leave behind is more than what connections keep
	}
	select {
	case err := <-failures:
		return err
	default:
		return ctx.Err()
	}
}

// shut disconnects them and waits for their goroutines.
func (all *receivers) shut() {
	if all.stop != nil {
		all.stop()
	}
	for _, r := range all.list {
		all.running.Go(r.leave)
	}
	all.running.Wait()
}

// connect makes a connection, opened as the protocol has it. When it is lost, its reader's goroutine makes another one,
// until the receiver's life ends.
func (r *receiver) connect(ctx, life context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, r.all.timeout)
	defer cancel()
	k := r.all.t.newTalk(r, r.all.t.values(r.number, r.room))
	k.jar = &r.jar
	if err := k.dial(bounded, receiverBuffer); err != nil {
		return err
	}
	k.waits = true
	stays := make(chan struct{}) // closed when it is open; takes a value, when its reader has ended, where it never was
	r.all.running.Go(func() {
		k.read()
		if _, never := <-stays; !never {
			r.again(life)
		}
	})
	if why := k.start(bounded); why != nil {
		_ = k.Close()
		stays <- struct{}{} // the next connection's reader must not tell anything before this one's has
		return why
	}
	r.mu.Lock()
	r.talk = k
	leaves := r.leaves.Load()
	r.mu.Unlock()
	close(stays)
	if leaves {
		k.farewell()
	}
	return nil
}

// The pauses before a receiver connects again.
const (
	firstPause = 100 * time.Millisecond
	lastPause  = 5 * time.Second
)

// again connects a receiver that has lost its connection.
func (r *receiver) again(life context.Context) {
	r.mu.Lock()
	r.talk = nil
	r.mu.Unlock()
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		after := time.NewTimer(pause)
		select {
		case <-life.Done():
			after.Stop()
			return
		case <-after.C:
		}
		if r.connect(life, life) == nil {
			return
		}
	}
}

// leave disconnects it for good.
func (r *receiver) leave() {
	r.mu.Lock()
	r.leaves.Store(true)
	k := r.talk
	r.mu.Unlock()
	if k != nil {
		k.farewell()
	}
}

// What the connection's reader tells.

// opened says that it receives from here on.
func (r *receiver) opened() { r.Present() }

// lost says that it does not any more.
func (r *receiver) lost(_ *talk, why *op.Failure) {
	if !r.leaves.Load() {
		r.Gone()
		r.all.t.lost.add(why)
	}
}

// delivered notes when a message came.
func (r *receiver) delivered(k *talk, mark []byte) {
	r.Deliver(mark, k.wire.Received(), r.all.t.clock.Now())
}

// answered is of nothing that it has sent.
func (r *receiver) answered(k *talk, _ *wsproto.Rule, _ []byte, _ bool, raw []byte) {
	r.all.t.replies.Unmatched.Add(1)
	r.all.t.keepExample(raw, k.values.Kept)
}

// unreadable counts what it cannot read.
func (r *receiver) unreadable(k *talk, raw []byte) {
	r.all.t.replies.Unreadable.Add(1)
	r.all.t.keepExample(raw, k.values.Kept)
}

// reaching is an attempt at a message that is to reach the receivers.
type reaching struct {
	mu      sync.Mutex
	seq     uint64 // 0: it is over, or was never begun
	attempt *op.Attempt
	entered fanout.Sent
}

// begin says that the attempt with this number waits.
func (r *reaching) begin(seq uint64, a *op.Attempt) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seq, r.attempt = seq, a
}

// end says that it does not any more: what is told of it from here on must not end the one that comes after it.
func (r *reaching) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seq = 0
}

// Reached ends the attempt at a message that all receivers have. One that has reached nobody, since all have gone, is
// as one that there was nobody for.
func (r *reaching) Reached(m *fanout.Message) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seq == m.Seq && m.Delivered() == 0 {
		r.attempt.Complete(nobody)
		return false
	}
	return r.seq == m.Seq && r.attempt.CompleteBy(m, nil)
}

// fanOut enters the slot's message in the accounts, before it is sent. It is false when nobody is there to receive it.
func (c *Client) fanOut(s *prepared, seq uint64, a *op.Attempt) bool {
	s.reaching.begin(seq, a)
	room := c.room
	if room < 0 {
		room = 0
	}
	var there bool
	s.reaching.entered, there = c.t.receivers.fan.Send(&fanout.Outgoing{
		Index: s.values.Index, Client: int(c.number), Seq: seq, Room: room, Intended: a.Due(), Measured: a.Measured(),
		Waiter: &s.reaching,
	})
	return there
}

// settleFanOut says of a message that did not reach everybody what became of it, and why it failed. One whose time was
// over is not sent again, which would reach those who have it once more.
func (c *Client) settleFanOut(s *prepared, why *op.Failure) *op.Failure {
	s.reaching.end()
	now := c.t.clock.Now()
	if !why.Timeout {
		s.reaching.entered.Withdraw(now)
		return why
	}
	final := *why
	final.Final = true
	if s.reaching.entered.Over(now) > 0 && why == op.ErrTimeout {
		final.Cause = rundoc.CauseLostDelivery
	}
	return &final
}
