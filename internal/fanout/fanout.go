package fanout

import (
	"sync"
	"sync/atomic"

	"github.com/plimsoll/plimsoll/internal/record"
)

// Options are what a run has.
type Options struct {
	Tag       string // of the run, with which the marks of its messages begin
	Receivers int
	Rooms     int                    // at least 1; counted from 0
	RoomOf    func(receiver int) int // nil: receiver % Rooms
	Clients   int                    // that send; others may, too
}

// Fanout keeps the accounts of a run. It is safe for concurrent use; what a Receiver says is for its goroutine.
type Fanout struct {
	head      string // of each mark
	rooms     []room
	receivers []*Receiver
	remember  int // of each client's messages, at least

	growing sync.Mutex // held while clients is replaced
	clients atomic.Pointer[[]*client]

	ended    ended
	copies   atomic.Int64 // deliveries to the senders themselves
	first    *record.Ordered
	median   *record.Ordered
	last     *record.Ordered
	lateness [shards]*record.Distribution
}

// shards keep receivers that read on several processors from counting in the same memory.
const shards = 8

// ended counts the messages of the window that are over.
type ended struct {
	completed, failed, nobody, withdrawn atomic.Int64
	due, delivered, lost, away           atomic.Int64
	withdrawnDeliveries                  atomic.Int64
}

// New makes empty accounts. No receiver is there yet.
func New(o Options) *Fanout {
	f := &Fanout{
		head: o.Tag + "-", rooms: make([]room, max(o.Rooms, 1)), receivers: make([]*Receiver, o.Receivers),
		remember: window / max(o.Clients, 1),
		first:    record.NewOrdered(), median: record.NewOrdered(), last: record.NewOrdered(),
	}
	for i := range f.lateness {
		f.lateness[i] = record.NewDistribution()
	}
	f.clients.Store(new([]*client))
	for i := range f.receivers {
		number := i % len(f.rooms)
		if o.RoomOf != nil {
			number = o.RoomOf(i)
		}
		in := &f.rooms[number]
		r := &Receiver{f: f, room: in, place: len(in.receivers), lateness: f.lateness[i%shards]}
		in.number, in.receivers = number, append(in.receivers, r)
		in.absent.Add(1)
		f.receivers[i] = r
	}
	for i := range f.rooms {
		f.rooms[i].number = i
		f.rooms[i].all.Store(new([]*Message))
	}
	return f
}

// Receiver is the receiver with this number, from 0.
func (f *Fanout) Receiver(i int) *Receiver { return f.receivers[i] }

// Waiter waits for a message to be delivered to all.
type Waiter interface {
	// Reached says that all receivers that are there have the message, and reports whether it was in time: false fails
	// it. It is called on the goroutine of the receiver that was missing last, while that delivers or goes, and not
	// where Send, Over or Withdraw end the message. m is valid until it returns.
	Reached(m *Message) bool
}

// Outgoing is a message that is to be sent.
type Outgoing struct {
	Index    uint64 // of the operation
	Client   int    // that sends it
	Seq      uint64 // of the attempt, from 1; those of a client are entered in ascending order
	Room     int
	Intended int64 // when it was to be sent
	Measured bool  // it belongs to the window, and so to the figures
	Waiter   Waiter
}

// Sent is a message that is under way. The zero value is none.
type Sent struct {
	m   *Message
	gen uint32
}

// Send enters a message, before it is written: its deliveries may come before the writing has returned. It becomes due
// for each receiver of its room, and those that are not there are away. False says that nobody is there: the message
// has failed, and nobody will be told of it.
func (f *Fanout) Send(o *Outgoing) (Sent, bool) {
	in := &f.rooms[o.Room]
	m := in.take()
	m.f, m.Outgoing = f, *o
	m.over.Store(0)
	m.withdrawn = false
	m.serial = in.serials.Add(1)
	gen := m.state.Load().gen()
	m.state.Store(stateOf(gen, len(m.cells)+1)) // one more for this function, so that it does not end before
	f.client(o.Client).enter(m, gen)
	if in.absent.Load() > 0 { // who goes from here on finds it under way
		for i, r := range in.receivers {
			if !r.present.Load() && m.cells[i].CompareAndSwap(missing(gen), away) {
				m.state.Add(^uint64(0))
			}
		}
	}
	if m.drop() {
		m.settle(false)
		return Sent{}, false
	}
	return Sent{m, gen}, true
}

// Over says that the message's time was over at this stamp: it is lost where it is missing. It tells for how many that
// is, which may be none: the last delivery came just before.
func (s Sent) Over(now int64) (lost int) { return s.end(now, lostThere, false) }

// Withdraw says that it is not known whether the message should have been delivered, as when it was refused, or its
// sender's connection was lost: it does not count.
func (s Sent) Withdraw(now int64) { s.end(now, withdrawnThere, true) }

func (s Sent) end(now, as int64, withdrawn bool) (n int) {
	if s.m == nil || !s.m.hold(s.gen) {
		return 0
	}
	s.m.withdrawn = withdrawn
	s.m.over.Store(max(now, 1))
	s.m.f.client(s.m.Client).close(s.m.Seq, max(now, 1))
	for i := range s.m.cells {
		if s.m.cells[i].CompareAndSwap(missing(s.gen), as) {
			s.m.state.Add(^uint64(0))
			n++
		}
	}
	if s.m.drop() {
		s.m.settle(false)
	}
	return n
}

// OwnCopy counts the delivery of a message to a client that sends.
func (f *Fanout) OwnCopy(mark []byte) {
	if e, is := f.find(mark); is == known && e.measured {
		f.copies.Add(1)
	}
}
