package ws

import (
	"bytes"
	"strconv"
	"sync/atomic"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/wsproto"
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
	Untaken                                           atomic.Int64 // of the unmatched: no rule takes them

	example, untaken atomic.Pointer[string]
}

// UntakenExample is the start of the first one that no rule takes, printable, or "".
func (r *Replies) UntakenExample() string {
	if s := r.untaken.Load(); s != nil {
		return *s
	}
	return ""
}

// Example is the start of the first reply that was unreadable or unmatched, printable, or "".
func (r *Replies) Example() string {
	if s := r.example.Load(); s != nil {
		return *s
	}
	return ""
}

// pending is a client's table of messages that wait for an answer. A message is known by its sequence number, which
// says in which order the client sent, and by its id, which is the same unless ids have a bound. The client's lock
// guards it.
type pending struct {
	t       *Traffic
	client  uint64
	slots   []waiting
	next    uint64 // sequence number of the last message
	lastID  uint64 // of a bounded id
	highest uint64 // answered so far
	given   givenUp
	by      op.Receiver // of the answers; nil when it is not known when they came
	kept    [][]byte    // of the connection
}

// waiting is a message that a slot waits for.
type waiting struct {
	attempt *op.Attempt // nil: the slot waits for none
	seq, id uint64
}

func newPending(t *Traffic, client uint64, slots int) pending {
	return pending{t: t, client: client, slots: make([]waiting, slots)}
}

// renew says that the messages from now on go over a new connection, which has kept these values, and that by knows
// when their answers come.
func (p *pending) renew(by op.Receiver, kept [][]byte) {
	p.given.fresh, p.given.since, p.by, p.kept = 0, p.next, by, kept
}

// register puts a slot's attempt into the table and gives its sequence number and its id.
func (p *pending) register(slot int, a *op.Attempt) (seq, id uint64) {
	p.next++
	id = p.next
	if p.t.bits > 0 {
		id = p.freeID()
	}
	p.slots[slot] = waiting{attempt: a, seq: p.next, id: id}
	return p.next, id
}

// freeID is the next id, of those with a bound, under which nothing waits, nor an answer may yet come. Where too many
// were lost for that, it is the one that was given up first: its answer is the least likely to come still.
func (p *pending) freeID() uint64 {
	last := uint64(1)<<p.t.bits - 1
	for tried := uint64(0); ; tried++ {
		if p.lastID++; p.lastID > last {
			p.lastID = 1
		}
		if p.waits(p.lastID) {
			continue
		}
		seq, given := p.given.ids[p.lastID]
		if given && tried < last {
			continue
		}
		if given {
			p.given.forget(seq)
		}
		return p.lastID
	}
}

func (p *pending) waits(id uint64) bool {
	for i := range p.slots {
		if w := &p.slots[i]; w.attempt != nil && w.id == id {
			return true
		}
	}
	return false
}

// release takes a slot's attempt out of the table. One that is still in it was given up
// without an answer, which may yet come.
func (p *pending) release(slot int) {
	if w := &p.slots[slot]; w.attempt != nil {
		p.given.add(w.seq, w.id)
		w.attempt = nil
	}
}

// fail ends every attempt in the table. One whose own time has run out when the connection is cut has timed out,
// whether or not its timer has fired.
func (p *pending) fail(why *op.Failure) {
	for i := range p.slots {
		if w := &p.slots[i]; w.attempt != nil {
			if why == cutOff && w.attempt.Overdue() {
				w.attempt.Complete(op.ErrTimeout)
			}
			w.attempt.Complete(why)
			p.given.add(w.seq, w.id)
			w.attempt = nil
		}
	}
}

// settleAnswer gives an answer to the attempt that it belongs to, or counts what else it is.
func (p *pending) settleAnswer(means wsproto.Meaning, name []byte, refused bool, raw []byte) {
	var why *op.Failure
	switch {
	case refused:
		why = rejected
	case p.t.receivers != nil:
		return // that the server has it does not say that the receivers have
	}
	known := true
	switch {
	case means == wsproto.AnswersOrder, means == wsproto.AnswersOnly && !refused:
		known = !p.behind() && p.settleNext(means, why)
		if !known && p.behind() { // also of one whose time ran out just now
			p.t.replies.Late.Add(1)
			return
		}
	case means == wsproto.AnswersOnly:
		known = p.settleOnly(why)
	default:
		seq, named := p.named(name)
		switch {
		case named && p.settle(seq, why):
		case named && p.given.remove(seq):
			p.t.replies.Late.Add(1)
		case named:
			p.t.replies.Duplicate.Add(1)
		default:
			// A refusal that does not say of what is that of the only message that waits.
			known = refused && len(name) == 0 && p.settleOnly(why)
		}
	}
	if !known {
		p.t.replies.Unmatched.Add(1)
		p.t.keepExample(raw, p.kept)
	}
}

// behind reports whether an answer without a name may be that of a message which was given up, and not of one that
// waits: the connection is about to be cut.
func (p *pending) behind() bool { return p.given.fresh > 0 && p.t.receivers == nil }

// settleNext ends the attempt that an answer without a name is of.
func (p *pending) settleNext(means wsproto.Meaning, why *op.Failure) bool {
	if means == wsproto.AnswersOrder {
		return p.settleOldest(why)
	}
	return p.settleOnly(why)
}

// garbage takes an answer that could not be read. When it can only be the answer to one
// message, that attempt ends with it; else nobody can say whose it is.
func (p *pending) garbage(raw []byte) {
	p.t.replies.Unreadable.Add(1)
	p.t.keepExample(raw, p.kept)
	if p.given.fresh == 0 {
		p.settleOnly(unreadable)
	}
}

// settle ends the attempt with this sequence number, if it waits.
func (p *pending) settle(seq uint64, why *op.Failure) bool {
	for i := range p.slots {
		w := &p.slots[i]
		if w.attempt == nil || w.seq != seq {
			continue
		}
		if !w.attempt.CompleteBy(p.by, why) {
			p.release(i) // its time ran out just now: the answer is late
			return false
		}
		w.attempt = nil
		if seq < p.highest {
			p.t.replies.Reordered.Add(1)
		}
		p.highest = max(p.highest, seq)
		return true
	}
	return false
}

// settleOnly ends the only attempt that waits; with several there is no telling.
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
	return only != 0 && p.settle(only, why)
}

// settleOldest ends the attempt that has waited longest.
func (p *pending) settleOldest(why *op.Failure) bool {
	oldest := uint64(0)
	for _, w := range p.slots {
		if w.attempt != nil && (oldest == 0 || w.seq < oldest) {
			oldest = w.seq
		}
	}
	return oldest != 0 && p.settle(oldest, why)
}

// named is the sequence number of the message of this client that has this id or this mark.
func (p *pending) named(name []byte) (seq uint64, ok bool) {
	if p.t.named {
		if id, rest, is := number(name); is && len(rest) == 0 {
			return p.ofID(id)
		}
	}
	if p.t.marked {
		seq, ok = p.ofMark(name)
	}
	return seq, ok
}

// ofID is the sequence number of a message that was sent with an id.
func (p *pending) ofID(id uint64) (seq uint64, ok bool) {
	if p.t.bits == 0 {
		return id, id > 0 && id <= p.next
	}
	for i := range p.slots {
		if w := &p.slots[i]; w.attempt != nil && w.id == id {
			return w.seq, true
		}
	}
	if seq, ok := p.given.ids[id]; ok {
		return seq, true
	}
	// Which of the messages that had this id is meant cannot be told: each of them has been answered.
	return 0, id > 0 && id < 1<<p.t.bits && id <= p.next
}

// ofMark reads the sequence number from a mark of this client, as appendMark writes it.
func (p *pending) ofMark(mark []byte) (uint64, bool) {
	if len(mark) < len(p.t.tag) || string(mark[:len(p.t.tag)]) != p.t.tag {
		return 0, false
	}
	rest, ok := bytes.CutPrefix(mark[len(p.t.tag):], []byte("-"))
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
	return seq, ok && len(rest) == 0 && seq > 0 && seq <= p.next
}

// appendMark appends what names an attempt in all the world: the run, the message, the client, and the attempt.
func appendMark(b []byte, tag string, index, client, seq uint64) []byte {
	b = append(append(b, tag...), '-')
	b = append(strconv.AppendUint(b, index, 10), '-')
	b = append(strconv.AppendUint(b, client, 10), '.')
	return strconv.AppendUint(b, seq, 10)
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

// givenUp remembers the attempts that ended without their answer, so that an answer that still
// comes is known as late, and a second one as a duplicate. It remembers so many; an older
// one's answer counts as late for good, since a duplicate of it is far less likely.
type givenUp struct {
	set   map[uint64]uint64 // sequence number → id
	ids   map[uint64]uint64 // and back
	order []uint64          // a ring, once it is full
	at    int
	floor uint64 // highest that was forgotten
	fresh int    // given up on the present connection, and not answered since
	since uint64 // the last one given up on an earlier connection
}

const remembered = 1024

func (g *givenUp) add(seq, id uint64) {
	if g.set == nil {
		g.set, g.ids = make(map[uint64]uint64), make(map[uint64]uint64)
	}
	g.set[seq], g.ids[id] = id, seq
	g.fresh++
	if len(g.order) < remembered {
		g.order = append(g.order, seq)
		return
	}
	if old := g.order[g.at]; g.forget(old) {
		g.floor = max(g.floor, old)
	}
	g.order[g.at] = seq
	g.at = (g.at + 1) % remembered
}

func (g *givenUp) forget(seq uint64) bool {
	id, has := g.set[seq]
	if has {
		delete(g.set, seq)
		delete(g.ids, id)
	}
	return has
}

func (g *givenUp) remove(seq uint64) bool {
	if g.forget(seq) {
		if seq > g.since {
			g.fresh--
		}
		return true
	}
	return seq > 0 && seq <= g.floor
}
