package fanout

import (
	"sync/atomic"

	"github.com/plimsoll/plimsoll/internal/record"
)

// Receiver is one that messages are due for. One goroutine at a time calls its methods.
type Receiver struct {
	f        *Fanout
	room     *room
	place    int // among those of its room
	lateness *record.Distribution

	present atomic.Bool
	seen    seen
	highest []uint32 // sequence number that came, by the client that sent it

	// What it counts of the messages of the window; of foreign deliveries all.
	taken, kernel, own                               atomic.Int64
	duplicated, misordered, foreign, elsewhere, late atomic.Int64
	tardy                                            atomic.Int64
	absences                                         atomic.Int64
	lost, away                                       atomic.Int64 // others count them
}

// Present says that it has a working connection: what is sent from now on is due.
func (r *Receiver) Present() {
	if !r.present.Swap(true) {
		r.room.absent.Add(-1)
	}
}

// Gone says that its connection is lost. It is away for the messages that it does not have, which it may be the last to
// be missing at.
func (r *Receiver) Gone() {
	if !r.present.Swap(false) {
		return
	}
	r.room.absent.Add(1)
	r.absences.Add(1)
	// What is sent from now on sees that it is not there; what was sent before is here.
	for _, m := range *r.room.all.Load() {
		s := m.state.Load()
		if s.left() > 0 && m.cells[r.place].CompareAndSwap(missing(s.gen()), away) && m.drop() {
			m.settle(true)
		}
	}
}

// Deliver says that a message with this mark came. came is when the kernel had it, 0 where that is not known, and now
// when it was read.
func (r *Receiver) Deliver(mark []byte, came, now int64) {
	e, is := r.f.find(mark)
	switch {
	case is == foreign:
		r.foreign.Add(1)
		return
	case is == forgotten:
		r.late.Add(1)
		return
	case e.m.room != r.room:
		r.count(&r.elsewhere, e.measured)
		return
	}
	fresh, sure := r.seen.take(e.serial)
	if !fresh && sure {
		r.count(&r.duplicated, e.measured)
		return
	}
	kernel := came > 0 && came <= now
	stamp := now
	if kernel {
		stamp = came
	}
	switch {
	case e.m.cells[r.place].CompareAndSwap(missing(e.gen), max(stamp, 1)):
		r.order(e)
		r.timed(e.measured, kernel, now-stamp)
		if e.m.drop() {
			e.m.settle(true)
		}
	case !sure && e.over == 0:
		// So many were sent since, that it cannot be told from a late one if nothing is missing.
		r.count(&r.duplicated, e.measured)
	default:
		r.order(e)
		r.count(&r.late, e.measured)
		if kernel && e.over > 0 && came <= e.over {
			r.count(&r.tardy, e.measured)
		}
	}
}

func (r *Receiver) count(n *atomic.Int64, measured bool) {
	if measured {
		n.Add(1)
	}
}

// timed counts a delivery and how it was stamped.
func (r *Receiver) timed(measured, kernel bool, lateness int64) {
	if !measured {
		return
	}
	r.taken.Add(1)
	if !kernel {
		r.own.Add(1)
		return
	}
	r.kernel.Add(1)
	r.lateness.Add(lateness)
}

// order looks whether a later message of the same client has come before.
func (r *Receiver) order(e found) {
	if e.client >= len(r.highest) {
		r.highest = append(r.highest, make([]uint32, len(*r.f.clients.Load())-len(r.highest))...)
	}
	seq := uint32(e.seq)
	if seq < r.highest[e.client] {
		r.count(&r.misordered, e.measured)
		return
	}
	r.highest[e.client] = seq
}

// window is how many messages of its room a receiver remembers: in 1 KiB.
const window = 8192

// seen is which of the last messages came, by their serials.
type seen struct {
	bits [window / 64]uint64
	next uint64 // serial: all below are in bits, or forgotten
}

// take notes that a message came, and reports whether it had not before; sure is false where that is forgotten.
func (s *seen) take(serial uint64) (fresh, sure bool) {
	if serial >= s.next {
		s.slide(serial)
	} else if serial+window < s.next {
		return false, false
	}
	word, bit := &s.bits[serial%window/64], uint64(1)<<(serial%64)
	fresh = *word&bit == 0
	*word |= bit
	return fresh, true
}

// slide forgets what is too old beside a serial.
func (s *seen) slide(serial uint64) {
	if serial-s.next >= window {
		clear(s.bits[:])
	} else {
		for i := s.next; i <= serial; i++ {
			s.bits[i%window/64] &^= 1 << (i % 64)
		}
	}
	s.next = serial + 1
}
