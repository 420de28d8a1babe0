package chat

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/internal/server"
)

// hub sends messages to all connections of their room. Without --broadcast a server has none.
//
// A connection's deliveries wait in its mailbox and are written by one goroutine at a time, so that one that does not
// read holds up nobody else. All mailboxes of a room get the messages in the same order.
type hub struct {
	responder *responder
	faults    *Faults
	metrics   *broadcastMetrics
	number    atomic.Uint64 // of the next delivery
	flushes   sync.WaitGroup

	mu    sync.Mutex
	rooms map[string]*room
}

// room has the connections at one address.
type room struct {
	name    string
	mu      sync.Mutex
	members []*mailbox
}

func newHub(by *responder, f *Faults) *hub {
	return &hub{responder: by, faults: f, metrics: newBroadcastMetrics(by.metrics.Counts), rooms: map[string]*room{}}
}

// join makes a connection a member of a room, before its client knows that it is connected: whatever is sent after that
// reaches it. Its mailbox is closed until its handshake is done.
func (h *hub) join(name string, c *conn) *mailbox {
	h.mu.Lock()
	defer h.mu.Unlock()
	in := h.rooms[name]
	if in == nil {
		in = &room{name: name}
		h.rooms[name] = in
	}
	b := &mailbox{hub: h, conn: c, room: in}
	in.mu.Lock()
	defer in.mu.Unlock()
	b.place = len(in.members)
	in.members = append(in.members, b)
	return b
}

// leave ends a membership.
func (h *hub) leave(b *mailbox) {
	h.mu.Lock()
	defer h.mu.Unlock()
	in := b.room
	in.mu.Lock()
	defer in.mu.Unlock()
	last := in.members[len(in.members)-1]
	in.members[b.place], last.place = last, b.place
	in.members[len(in.members)-1] = nil
	if in.members = in.members[:len(in.members)-1]; len(in.members) == 0 {
		delete(h.rooms, in.name)
	}
}

// delivery is a message on its way to all. It does not change.
type delivery struct {
	from    *conn
	frame   []byte
	payload []byte // of the frame
}

func newDelivery(from *conn, m *message) *delivery {
	p := append(make([]byte, 0, 64+len(m.id)+len(m.object)), `{"status":"delivered",`...)
	if m.id != nil {
		p = append(append(append(p, `"messageId":`...), m.id...), ',')
	}
	p = append(append(append(p, `"originalMessage":`...), m.object...), '}')
	frame := append(appendHeader(make([]byte, 0, headerRoom+len(p)), opText|finalFrame, len(p)), p...)
	return &delivery{from: from, frame: frame, payload: frame[len(frame)-len(p):]}
}

// send delivers a valid message that came from a connection to all of its room: as late as its answer, but for jitter,
// since that would change their order.
func (h *hub) send(from *conn, m *message, received time.Time) {
	d := newDelivery(from, m)
	s := h.responder.sender
	if s == nil || h.faults.Delay == 0 && h.faults.StallFor == 0 {
		h.deliver(from.box.room, d)
		return
	}
	s.alarms.At(s.afterStall(received.Add(h.faults.Delay)), func() { h.deliver(from.box.room, d) })
}

func (h *hub) deliver(in *room, d *delivery) {
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, b := range in.members {
		h.metrics.due.Inc()
		fault := deliveryFaults
		if b.conn != d.from { // what the sender gets of its own is right
			fault = h.faults.ofDelivery(h.number.Add(1) - 1)
		}
		b.take(d, fault)
	}
}

// The faults of a delivery, and what else becomes of one.
const (
	deliveryLost = iota
	deliveryDoubled
	deliverySwapped
	deliveryFaults // none of these
)

// drawDelivery is the stream of the draws for deliveries, beside those for messages.
const drawDelivery = 3

// ofDelivery is a pure function of the seed and the delivery's number.
func (f *Faults) ofDelivery(number uint64) int {
	if !f.anyOfDeliveries() {
		return deliveryFaults
	}
	return server.Pick(server.Draws(f.Seed).Draw(number, drawDelivery), f.BroadcastLoss, f.BroadcastDuplicates,
		f.BroadcastSwaps)
}

// mailbox holds the deliveries to a connection that have not been written.
type mailbox struct {
	hub   *hub
	conn  *conn
	room  *room
	place int // among the members; the room's lock guards it

	mu       sync.Mutex
	open     bool // the handshake is done
	queue    []parcel
	bytes    int       // of all in the queue, and in the batch that is written
	held     []*parcel // to be overtaken by the next of the same sender
	flushing bool
}

// parcel is a delivery to one connection.
type parcel struct {
	*delivery
	fault int
}

// maxMailbox bounds the bytes that wait for one connection. What does not fit is dropped.
const maxMailbox = 1 << 20

// start lets what came during the handshake go out, and what comes from now on.
func (b *mailbox) start() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open = true
	b.wake()
}

// take puts a delivery into the queue, or does with it what its fault asks for.
func (b *mailbox) take(d *delivery, fault int) {
	if fault == deliveryLost {
		b.hub.metrics.lost.Inc()
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.held, func(p *parcel) bool { return p.from == d.from })
	switch {
	case i >= 0: // it overtakes that one, and is no swap of its own
		overtaken := b.held[i]
		b.held = slices.Delete(b.held, i, i+1)
		b.put(parcel{d, deliveryFaults})
		b.put(*overtaken)
	case fault == deliverySwapped:
		p := &parcel{d, fault}
		b.held = append(b.held, p)
		b.hub.responder.sender.alarms.At(time.Now().Add(reorderPatience), func() { b.release(p) })
	default:
		b.put(parcel{d, deliveryFaults})
		if fault == deliveryDoubled {
			b.put(parcel{d, fault})
		}
	}
	b.wake()
}

// release lets a parcel go that nothing has overtaken in time.
func (b *mailbox) release(p *parcel) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.held, p); i >= 0 {
		b.held = slices.Delete(b.held, i, i+1)
		b.put(parcel{p.delivery, deliveryFaults})
		b.wake()
	}
}

// put needs mu.
func (b *mailbox) put(p parcel) {
	if b.bytes+len(p.frame) > maxMailbox {
		if p.fault != deliveryDoubled { // the second of two is no delivery of its own
			b.hub.metrics.dropped.Inc()
		}
		return
	}
	b.bytes += len(p.frame)
	b.queue = append(b.queue, p)
}

// wake has the queue written, if nobody is at it. It needs mu.
func (b *mailbox) wake() {
	if b.open && !b.flushing && len(b.queue) > 0 {
		b.flushing = true
		b.hub.flushes.Go(b.flush)
	}
}

// flush writes the queue until it is empty.
func (b *mailbox) flush() {
	var batch []parcel
	size := 0
	for {
		b.mu.Lock()
		b.bytes -= size
		clear(batch)
		batch, b.queue = b.queue, batch[:0]
		if len(batch) == 0 {
			b.flushing = false
			b.mu.Unlock()
			return
		}
		b.mu.Unlock()
		size = 0
		for i := range batch {
			size += len(batch[i].frame)
			b.write(&batch[i])
		}
	}
}

// write counts first, so that whoever has a delivery finds it counted.
func (b *mailbox) write(p *parcel) {
	b.hub.metrics.count(p.fault, b.conn.ending.Load())
	if b.conn.deliver(p.delivery) == nil {
		b.hub.responder.metrics.sent.Add(float64(len(p.payload)))
	}
}
