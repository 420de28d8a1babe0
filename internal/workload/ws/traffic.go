package ws

import (
	"github.com/plimsoll/plimsoll/internal/engine/wire"
	"github.com/plimsoll/plimsoll/internal/workload"
)

// Options say what the clients do.
type Options struct {
	Seed uint64
	Mix  Mix
	Dial Dial
}

// Traffic is the workload.
type Traffic struct {
	*dialer
	options  Options
	messages *messages
	replies  Replies
}

// New makes the workload of valid options against a target. Its messageIds begin with tag,
// which tells this run's messages from another's.
func New(o Options, target, tag string) (*Traffic, error) {
	d, err := newDialer(target, o.Dial)
	if err != nil {
		return nil, err
	}
	return &Traffic{dialer: d, options: o, messages: newMessages(o.Seed, o.Mix, tag)}, nil
}

// Kinds are the message types.
func (c *Traffic) Kinds() []workload.Kind { return kinds() }

// Groups is the number of rooms.
func (c *Traffic) Groups() int { return c.options.Mix.Rooms }

// Kind is the type of message number index.
func (c *Traffic) Kind(index uint64) int {
	d := newDraws(c.messages.seed, index)
	return c.messages.kind(&d)
}

// Stamp has the connections of clients that are made from now on stamped.
func (c *Traffic) Stamp(t *wire.Times) { c.times = t }

// NewClient makes a client. When the target's address has a place for a room, it joins one.
func (c *Traffic) NewClient(number, slots int) workload.Client {
	cl := &Client{chat: c, number: uint64(number), room: -1, slots: make([]prepared, slots), parser: newParser()}
	cl.down.Store(notYet)
	if c.perRoom() {
		cl.room = number % c.options.Mix.Rooms
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
func (c *Traffic) Replies() *Replies { return &c.replies }
