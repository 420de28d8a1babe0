package ws

import (
	"context"
	"math/bits"
	"slices"
	"sort"
	"sync/atomic"
	"time"

	"github.com/lxzan/gws"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/engine/wire"
	"github.com/plimsoll/plimsoll/internal/fanout"
	"github.com/plimsoll/plimsoll/internal/workload"
	"github.com/plimsoll/plimsoll/internal/wsproto"
	"github.com/plimsoll/plimsoll/internal/wsproto/match"
)

// Options say what the clients do.
type Options struct {
	Seed     uint64
	Protocol *wsproto.Protocol
	Label    string // of the operations, whose value is the name of their message
	Rooms    int    // that there are, at least 1
	Dial     Dial

	// Receivers are connections that each message is to reach, which then is ok when the last of them has it; 0: a
	// message is ok when it was answered.
	Receivers int
	Clients   int           // of the run, the warm-up's with them; only with Receivers
	Timeout   time.Duration // of a receiver's connection
}

// Traffic is the workload.
type Traffic struct {
	*dialer
	options  Options
	protocol *wsproto.Protocol
	tag      string    // of every mark
	upTo     []float64 // the sums of the messages' weights
	bits     uint      // of ids; 0: they go on and on
	named    bool      // messages have ids
	marked   bool      // messages have marks
	unnamed  bool      // answers do not say what they answer
	opcode   gws.Opcode
	receive  *match.Set
	opening  []*match.Set
	replies  Replies

	receivers *receivers // nil: none
	clock     *op.Clock

	heartbeats, beats, deliveries atomic.Int64
	lost                          losses
}

// New makes the workload of valid options against a target. Its marks begin with tag, which tells this run's messages
// from another's.
func New(o Options, target, tag string) (*Traffic, error) {
	d, err := newDialer(target, o.Dial, o.Protocol)
	if err != nil {
		return nil, err
	}
	p := o.Protocol
	t := &Traffic{dialer: d, options: o, protocol: p, tag: tag, opcode: gws.OpcodeText}
	for i := range p.Messages {
		m := &p.Messages[i]
		weight := m.Weight
		if i > 0 {
			weight += t.upTo[i-1]
		}
		t.upTo = append(t.upTo, weight)
		t.bits = max(t.bits, m.Send.IDBits())
		t.named = t.named || m.Send.UsesID()
		t.marked = t.marked || m.Send.UsesMark()
	}
	if p.Codec.Binary() {
		t.opcode = gws.OpcodeBinary
	}
	t.unnamed = slices.ContainsFunc(p.Rules, func(r wsproto.Rule) bool { return unnamed(&r) })
	if t.receive, err = rulesOf(p); err != nil {
		return nil, err
	}
	for i := range p.Open {
		step, err := stepOf(&p.Open[i])
		if err != nil {
			return nil, err
		}
		t.opening = append(t.opening, step)
	}
	if o.Receivers > 0 {
		t.receivers = t.newReceivers()
	}
	return t, nil
}

// Open connects the receivers.
func (t *Traffic) Open(ctx context.Context, clock *op.Clock) error {
	if t.clock = clock; t.receivers == nil {
		return nil
	}
	return t.receivers.open(ctx)
}

// Shut disconnects them.
func (t *Traffic) Shut() {
	if t.receivers != nil {
		t.receivers.shut()
	}
}

// unnamed reports whether a rule takes answers that do not say what they answer, other than refusals alone.
func unnamed(r *wsproto.Rule) bool {
	inWhen := func(c match.Condition) bool { return slices.Contains(r.When, c) }
	switch r.Means {
	case wsproto.AnswersOrder:
		return true
	case wsproto.AnswersOnly:
		return len(r.Refused) == 0 || slices.ContainsFunc(r.Refused, func(c match.Condition) bool { return !inWhen(c) })
	}
	return false
}

// Kinds are the sorts of messages.
func (t *Traffic) Kinds() []workload.Kind {
	list := make([]workload.Kind, len(t.protocol.Messages))
	for i := range list {
		list[i] = workload.Kind{Name: "send", Labels: map[string]string{t.options.Label: t.protocol.Messages[i].Name}}
	}
	return list
}

// Groups is the number of rooms.
func (t *Traffic) Groups() int { return t.options.Rooms }

// Kind is the sort of message number index.
func (t *Traffic) Kind(index uint64) int {
	d := newDraws(t.options.Seed, index)
	return t.kind(&d)
}

// kind draws the sort of a message; it is the first draw.
func (t *Traffic) kind(d *draws) int {
	if len(t.upTo) == 1 {
		return 0
	}
	at := d.share() * t.upTo[len(t.upTo)-1]
	return min(sort.Search(len(t.upTo), func(i int) bool { return at < t.upTo[i] }), len(t.upTo)-1)
}

// Stamp has the connections of clients that are made from now on stamped.
func (t *Traffic) Stamp(times *wire.Times) { t.Times = times }

// NewClient makes a client. Where a connection has a room, it joins one.
func (t *Traffic) NewClient(number, slots int) workload.Client {
	c := &Client{t: t, number: uint64(number), room: t.roomOf(number), slots: make([]prepared, slots)}
	c.down.Store(notYet)
	c.pending = newPending(t, c.number, slots)
	c.values = t.values(c.number, c.room)
	if t.secure {
		return c
	}
	return sender{c}
}

// roomOf is the room of a connection, counted from 0; −1 where rooms are drawn for each message.
func (t *Traffic) roomOf(number int) int {
	if t.perRoom() {
		return number % t.options.Rooms
	}
	return -1
}

// Replies counts the replies that were not simply an answer.
func (t *Traffic) Replies() *Replies { return &t.replies }

// Heartbeats is how many messages of the server were answered at once, as the protocol has it.
func (t *Traffic) Heartbeats() int64 { return t.heartbeats.Load() }

// Beats is how many messages were sent to say that a client is there.
func (t *Traffic) Beats() int64 { return t.beats.Load() }

// Deliveries is how many messages that somebody sent came to the clients.
func (t *Traffic) Deliveries() int64 { return t.deliveries.Load() }

// Fanout are the accounts of the receivers; nil without any.
func (t *Traffic) Fanout() *fanout.Fanout {
	if t.receivers == nil {
		return nil
	}
	return t.receivers.fan
}

// draws are the random numbers of one message: SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, "Fast Splittable
// Pseudorandom Number Generators", 2014), started at a point that the seed and the index give.
type draws uint64

func newDraws(seed, index uint64) draws { return draws(mix64(seed) ^ mix64(index+golden)) }

const golden = 0x9E3779B97F4A7C15

func mix64(z uint64) uint64 {
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// below draws a number from 0 to n−1.
func (d *draws) below(n uint64) uint64 {
	*d += golden
	high, _ := bits.Mul64(mix64(uint64(*d)), n)
	return high
}

// share draws a number from 0 to 1, without 1.
func (d *draws) share() float64 { return float64(d.below(1<<53)) / (1 << 53) }
