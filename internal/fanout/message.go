package fanout

import (
	"sync"
	"sync/atomic"
)

// What passes between a message and a receiver is a stamp above 0, one of these, or missing, which is another number
// for each use of a Message, so that nobody can mistake one for the next.
const (
	away           int64 = 0
	lostThere      int64 = -1
	withdrawnThere int64 = -2
)

func missing(gen uint32) int64 { return -3 - int64(gen) }

// state is which use of a Message it is, in the upper half, and in the lower how many have still to be done with it:
// the receivers that it is missing at, and who holds it.
type state uint64

func stateOf(gen uint32, left int) uint64 { return uint64(gen)<<32 | uint64(left) }

func (s state) gen() uint32  { return uint32(s >> 32) }
func (s state) left() uint32 { return uint32(s) }

type atomicState struct{ atomic.Uint64 }

func (s *atomicState) Load() state { return state(s.Uint64.Load()) }

// Message is one that is under way, and is another one after that.
type Message struct {
	f *Fanout
	Outgoing
	room      *room
	serial    uint64 // among those of its room, from 1
	state     atomicState
	cells     []atomic.Int64 // by a receiver's place
	over      atomic.Int64   // when its time was over, or it was withdrawn; 0 before
	withdrawn bool           // written by who holds it
	delivered int
	latest    int64
}

// Received is when the last receiver had it, by the kernel's stamp where that is known; 0 if nobody has.
func (m *Message) Received() int64 { return m.latest }

// Delivered is how many receivers have it.
func (m *Message) Delivered() int { return m.delivered }

// hold keeps a message from ending, unless it has.
func (m *Message) hold(gen uint32) bool {
	for {
		s := m.state.Load()
		if s.gen() != gen || s.left() == 0 {
			return false
		}
		if m.state.CompareAndSwap(uint64(s), uint64(s)+1) {
			return true
		}
	}
}

// drop is the other half of hold, and reports whether the message has ended by it.
func (m *Message) drop() bool { return state(m.state.Add(^uint64(0))).left() == 0 }

// settle counts a message that has ended, tells its waiter if that is to be told, and makes it ready for another.
func (m *Message) settle(tell bool) {
	stamps := m.room.scratch(len(m.cells))
	m.latest = 0
	var lost, gone, dropped int
	for i := range m.cells {
		switch v := m.cells[i].Load(); v {
		case away:
			gone++
		case lostThere:
			lost++
		case withdrawnThere:
			dropped++
		default:
			stamps = append(stamps, v)
			m.latest = max(m.latest, v)
		}
	}
	m.delivered = len(stamps)
	over := m.over.Load()
	reached := tell && over == 0 && m.Waiter != nil && m.Waiter.Reached(m)
	if m.Measured {
		m.count(reached, lost, gone)
		m.time(stamps, lost, over)
	}
	m.Waiter = nil
	m.room.giveBack(m, stamps)
}

// count adds the message to the figures.
func (m *Message) count(reached bool, lost, gone int) {
	e := &m.f.ended
	if m.withdrawn {
		e.withdrawn.Add(1)
		e.withdrawnDeliveries.Add(int64(m.delivered))
		return
	}
	switch {
	case reached:
		e.completed.Add(1)
	default:
		e.failed.Add(1)
	}
	if m.delivered+lost == 0 {
		e.nobody.Add(1)
	}
	e.due.Add(int64(len(m.room.receivers)))
	e.delivered.Add(int64(m.delivered))
	e.lost.Add(int64(lost))
	e.away.Add(int64(gone))
	if lost+gone == 0 {
		return
	}
	for i := range m.cells {
		switch m.cells[i].Load() {
		case lostThere:
			m.room.receivers[i].lost.Add(1)
		case away:
			m.room.receivers[i].away.Add(1)
		}
	}
}

// time adds its times to the distributions. Where it is lost, it had at least lasted until its time was over: those
// that it is lost for are behind all that have it.
func (m *Message) time(stamps []int64, lost int, over int64) {
	all := len(stamps) + lost
	if m.withdrawn || all == 0 {
		return
	}
	over = max(over, m.latest) // one may have come between the end of its time and the call that says so
	first, median, last := over, over, over
	if len(stamps) > 0 {
		first = nth(stamps, 0)
	}
	if half := (all - 1) / 2; half < len(stamps) {
		median = nth(stamps, half)
	}
	if lost == 0 {
		last = m.latest
	}
	m.f.first.Add(first - m.Intended)
	m.f.median.Add(median - m.Intended)
	m.f.last.Add(last - m.Intended)
}

// room is those that receive the same messages.
type room struct {
	number    int
	receivers []*Receiver
	serials   atomic.Uint64
	absent    atomic.Int64 // receivers that are not there
	all       atomic.Pointer[[]*Message]

	mu     sync.Mutex
	free   []*Message
	sheets [][]int64
}

// take gives a Message that is not under way.
func (r *room) take() *Message {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.free); n > 0 {
		m := r.free[n-1]
		r.free = r.free[:n-1]
		return m
	}
	m := &Message{room: r, cells: make([]atomic.Int64, len(r.receivers))}
	m.renew(1)
	old := *r.all.Load()
	all := append(old[:len(old):len(old)], m)
	r.all.Store(&all)
	return m
}

// renew makes a Message that has ended ready.
func (m *Message) renew(gen uint32) {
	for i := range m.cells {
		m.cells[i].Store(missing(gen))
	}
	m.state.Store(stateOf(gen, 0))
}

func (r *room) giveBack(m *Message, sheet []int64) {
	m.renew(m.state.Load().gen() + 1)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free = append(r.free, m)
	r.sheets = append(r.sheets, sheet[:0])
}

// scratch is memory for n stamps.
func (r *room) scratch(n int) []int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if k := len(r.sheets); k > 0 {
		sheet := r.sheets[k-1]
		r.sheets = r.sheets[:k-1]
		return sheet
	}
	return make([]int64, 0, n)
}
