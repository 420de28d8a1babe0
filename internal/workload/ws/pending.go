package ws

import (
	"bytes"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/plimsoll/plimsoll/internal/engine/op"
)

// rejected is how an attempt fails that the target understood and refused.
var (
	rejected   = &op.Failure{Cause: "rejected", Final: true}
	unreadable = &op.Failure{Cause: "protocol", Final: true}
)

// Replies counts the replies that were not simply the one answer to a waiting message. It
// is safe for concurrent use.
type Replies struct {
	Late, Duplicate, Reordered, Unmatched, Unreadable atomic.Int64

	example atomic.Pointer[string]
}

// Example is the start of the first reply that was unreadable or unmatched, printable, or "".
func (r *Replies) Example() string {
	if s := r.example.Load(); s != nil {
		return *s
	}
	return ""
}

// exampleLength bounds the example, in bytes of the reply.
const exampleLength = 100

func (r *Replies) keepExample(data []byte) {
	if r.example.Load() != nil {
		return
	}
	s := strconv.QuoteToASCII(string(data[:min(len(data), exampleLength)]))
	s = strings.ReplaceAll(s[1:len(s)-1], `\"`, `"`)
	r.example.CompareAndSwap(nil, &s)
}

// pending is a client's table of messages that wait for a reply. A message is known by its
// sequence number, which says in which order the client sent. The client's lock guards it.
type pending struct {
	head    []byte // of every messageId of this client's run, up to the index
	client  uint64
	slots   []waiting
	next    uint64 // sequence number of the next message
	highest uint64 // answered so far
	given   givenUp
	replies *Replies
	by      op.Receiver // of the replies; nil when it is not known when they came
}

// waiting is a message that a slot waits for.
type waiting struct {
	attempt *op.Attempt // nil: the slot waits for none
	seq     uint64
}

// renew says that the messages from now on go over a new connection, and that by knows when their replies come.
func (p *pending) renew(by op.Receiver) { p.given.fresh, p.given.since, p.by = 0, p.next, by }

// register puts a slot's attempt into the table and gives its sequence number.
func (p *pending) register(slot int, a *op.Attempt) uint64 {
	p.next++
	p.slots[slot] = waiting{attempt: a, seq: p.next}
	return p.next
}

// release takes a slot's attempt out of the table. One that is still in it was given up
// without a reply, which may yet come.
func (p *pending) release(slot int) {
	if w := &p.slots[slot]; w.attempt != nil {
		p.given.add(w.seq)
		w.attempt = nil
	}
}

// fail ends every attempt in the table.
func (p *pending) fail(why *op.Failure) {
	for i := range p.slots {
		if w := &p.slots[i]; w.attempt != nil {
			w.attempt.Complete(why)
			p.given.add(w.seq)
			w.attempt = nil
		}
	}
}

// settleReply gives a reply to the attempt that it belongs to, or counts what else it is.
func (p *pending) settleReply(r reply, data []byte) {
	var why *op.Failure
	if r.rejected {
		why = rejected
	}
	seq, ok := p.sequence(r.id)
	switch {
	case !ok && r.rejected && len(r.id) == 0 && p.settleOnly(why):
		// A refusal that does not say of what, and only one message waits.
	case !ok || seq == 0 || seq > p.next:
		p.replies.Unmatched.Add(1)
		p.replies.keepExample(data)
	case p.settle(seq, why):
	case p.given.remove(seq):
		p.replies.Late.Add(1)
	default:
		p.replies.Duplicate.Add(1)
	}
}

// garbage takes a reply that could not be read. When it can only be the answer to one
// message, that attempt ends with it; else nobody can say whose it is.
func (p *pending) garbage(data []byte) {
	p.replies.Unreadable.Add(1)
	p.replies.keepExample(data)
	p.settleOnly(unreadable)
}

// settle ends the attempt with this sequence number, if it waits.
func (p *pending) settle(seq uint64, why *op.Failure) bool {
	for i := range p.slots {
		w := &p.slots[i]
		if w.attempt == nil || w.seq != seq {
			continue
		}
		if !w.attempt.CompleteBy(p.by, why) {
			p.release(i) // its time ran out just now: the reply is late
			return false
		}
		w.attempt = nil
		if seq < p.highest {
			p.replies.Reordered.Add(1)
		}
		p.highest = max(p.highest, seq)
		return true
	}
	return false
}

// settleOnly ends the only attempt that a nameless reply can belong to; with several, or
// with one whose reply may still come, there is no telling.
func (p *pending) settleOnly(why *op.Failure) bool {
	only := uint64(0)
	for _, w := range p.slots {
		switch {
		case w.attempt == nil:
		case only != 0:
			return false
		default:
			only = w.seq
		}
	}
	return only != 0 && p.given.fresh == 0 && p.settle(only, why)
}

// sequence reads the sequence number from a messageId of this client: head, index, client
// and sequence number, as append and appendEnd write them.
func (p *pending) sequence(id []byte) (uint64, bool) {
	rest, ok := bytes.CutPrefix(id, p.head)
	if !ok {
		return 0, false
	}
	_, rest, ok = bytes.Cut(rest, []byte("-"))
	if !ok {
		return 0, false
	}
	client, rest, ok := number(rest)
	if !ok || client != p.client || len(rest) == 0 || rest[0] != '.' {
		return 0, false
	}
	seq, rest, ok := number(rest[1:])
	return seq, ok && len(rest) == 0
}

// number reads a decimal number without leading zeros.
func number(b []byte) (n uint64, rest []byte, ok bool) {
	i := 0
	for ; i < len(b) && b[i] >= '0' && b[i] <= '9'; i++ {
		if i == 19 { // beyond what fits for sure
			return 0, nil, false
		}
		n = n*10 + uint64(b[i]-'0')
	}
	return n, b[i:], i > 0 && b[0] != '0' || i == 1
}

// givenUp remembers the attempts that ended without their reply, so that a reply that still
// comes is known as late, and a second one as a duplicate. It remembers so many; an older
// one's reply counts as late for good, since a duplicate of it is far less likely.
type givenUp struct {
	set   map[uint64]bool
	order []uint64 // a ring, once it is full
	at    int
	floor uint64 // highest that was forgotten
	fresh int    // given up on the present connection, and not answered since
	since uint64 // the last one given up on an earlier connection
}

const remembered = 1024

func (g *givenUp) add(seq uint64) {
	if g.set == nil {
		g.set = make(map[uint64]bool)
	}
	g.set[seq] = true
	g.fresh++
	if len(g.order) < remembered {
		g.order = append(g.order, seq)
		return
	}
	if old := g.order[g.at]; g.set[old] {
		delete(g.set, old)
		g.floor = max(g.floor, old)
	}
	g.order[g.at] = seq
	g.at = (g.at + 1) % remembered
}

func (g *givenUp) remove(seq uint64) bool {
	if g.set[seq] {
		delete(g.set, seq)
		if seq > g.since {
			g.fresh--
		}
		return true
	}
	return seq <= g.floor
}
