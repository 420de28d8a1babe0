package chat

import (
	"github.com/plimsoll/plimsoll/internal/engine/wire"
	"github.com/plimsoll/plimsoll/internal/workload"
)

// Chat is the workload.
type Chat struct {
	*dialer
	plan     Plan
	messages *messages
	replies  Replies
}

// New makes the workload of a valid plan against a target. Its messageIds begin with tag,
// which tells this run's messages from another's.
func New(p Plan, target, tag string) (*Chat, error) {
	d, err := newDialer(target, p.Dial)
	if err != nil {
		return nil, err
	}
	return &Chat{dialer: d, plan: p, messages: newMessages(p.Load.Seed, p.Mix, tag)}, nil
}

// Kinds are the message types.
func (c *Chat) Kinds() []workload.Kind { return kinds() }

// Groups is the number of rooms.
func (c *Chat) Groups() int { return c.plan.Mix.Rooms }

// Kind is the type of message number index.
func (c *Chat) Kind(index uint64) int {
	d := newDraws(c.messages.seed, index)
	return c.messages.kind(&d)
}

// Stamp has the connections of clients that are made from now on stamped.
func (c *Chat) Stamp(t *wire.Times) { c.times = t }

// NewClient makes a client. When the target's address has a place for a room, it joins one.
func (c *Chat) NewClient(number, slots int) workload.Client {
	cl := &Client{chat: c, number: uint64(number), room: -1, slots: make([]prepared, slots), parser: newParser()}
	cl.down.Store(notYet)
	if c.perRoom() {
		cl.room = number % c.plan.Mix.Rooms
	}
	cl.pending = pending{
		head: []byte(c.messages.head), client: cl.number,
		slots: make([]waiting, slots), replies: &c.replies,
	}
	if c.secure {
		return cl
	}
	return sender{cl}
}

// Replies counts the replies that were not simply an answer.
func (c *Chat) Replies() *Replies { return &c.replies }
