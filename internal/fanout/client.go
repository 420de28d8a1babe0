package fanout

import (
	"math/bits"
	"sync/atomic"
)

// client is one that sends, and remembers its last messages, so that what comes of them is known.
type client struct {
	highest atomic.Uint64 // sequence number
	entries atomic.Pointer[[]entry]
}

// least is how many messages of a client are remembered at least.
const least = 64

// entry remembers a message. Who reads it looks at its sequence number before and after the rest.
type entry struct {
	seq      atomic.Uint64 // 0 while it is written
	index    atomic.Uint64
	serial   atomic.Uint64
	gen      atomic.Uint32
	measured atomic.Bool
	over     atomic.Int64
	m        atomic.Pointer[Message] // which is another one later; see gen
}

// client finds or makes the one with this number.
func (f *Fanout) client(number int) *client {
	if list := *f.clients.Load(); number < len(list) && list[number] != nil {
		return list[number]
	}
	f.growing.Lock()
	defer f.growing.Unlock()
	old := *f.clients.Load()
	list := make([]*client, max(len(old), number+1))
	copy(list, old)
	if list[number] == nil {
		list[number] = newClient(max(f.remember, least))
	}
	f.clients.Store(&list)
	return list[number]
}

func newClient(remember int) *client {
	c := &client{}
	entries := make([]entry, 1<<bits.Len(uint(remember-1)))
	c.entries.Store(&entries)
	return c
}

// enter remembers a message that is about to be sent. One goroutine at a time does it.
func (c *client) enter(m *Message, gen uint32) {
	e := c.place(m.Seq)
	for e.underWay() {
		c.grow()
		e = c.place(m.Seq)
	}
	e.seq.Store(0)
	e.index.Store(m.Index)
	e.serial.Store(m.serial)
	e.gen.Store(gen)
	e.measured.Store(m.Measured)
	e.over.Store(0)
	e.m.Store(m)
	e.seq.Store(m.Seq)
	c.highest.Store(max(c.highest.Load(), m.Seq))
}

func (c *client) place(seq uint64) *entry {
	entries := *c.entries.Load()
	return &entries[seq&uint64(len(entries)-1)]
}

// underWay reports whether the message of an entry has not ended.
func (e *entry) underWay() bool {
	m := e.m.Load()
	if m == nil {
		return false
	}
	s := m.state.Load()
	return s.gen() == e.gen.Load() && s.left() > 0
}

// grow makes room for twice as many: one is still under way when so many later ones have been sent.
func (c *client) grow() {
	old := *c.entries.Load()
	entries := make([]entry, 2*len(old))
	for i := range old {
		o := &old[i]
		seq := o.seq.Load()
		e := &entries[seq&uint64(len(entries)-1)]
		e.index.Store(o.index.Load())
		e.serial.Store(o.serial.Load())
		e.gen.Store(o.gen.Load())
		e.measured.Store(o.measured.Load())
		e.over.Store(o.over.Load())
		e.m.Store(o.m.Load())
		e.seq.Store(seq)
	}
	c.entries.Store(&entries)
}

// close notes when the time of a message was over.
func (c *client) close(seq uint64, over int64) {
	if e := c.place(seq); e.seq.Load() == seq {
		e.over.Store(over)
	}
}

// sure is how much is known of a mark.
type sure uint8

const (
	foreign   sure = iota // it is none of a message that was sent
	forgotten             // of one of which nothing more is known
	known
)

// found is what is known of a message by its mark.
type found struct {
	m        *Message
	gen      uint32
	client   int
	seq      uint64
	serial   uint64
	measured bool
	over     int64
}

// find looks for the message that a mark names.
func (f *Fanout) find(text []byte) (found, sure) {
	mk, ok := f.parse(text)
	clients := *f.clients.Load()
	if !ok || mk.client >= uint64(len(clients)) || clients[mk.client] == nil {
		return found{}, foreign
	}
	c := clients[mk.client]
	if mk.seq == 0 || mk.seq > c.highest.Load() {
		return found{}, foreign
	}
	e := c.place(mk.seq)
	seq, index := e.seq.Load(), e.index.Load()
	a := found{client: int(mk.client), seq: mk.seq, m: e.m.Load(), gen: e.gen.Load(), serial: e.serial.Load(),
		measured: e.measured.Load(), over: e.over.Load()}
	switch {
	case seq != mk.seq || e.seq.Load() != seq:
		return found{}, forgotten
	case index != mk.index:
		return found{}, foreign
	}
	return a, known
}
