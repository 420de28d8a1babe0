package fanout

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
)

// model keeps the accounts in the plainest way: what each receiver has of each message, in maps.
type model struct {
	present []bool
	cells   map[int]map[int]string // message, receiver → "missing", "away", "lost", "withdrawn" or "delivered"
	open    map[int]bool
	had     map[[2]int]bool   // message, receiver
	highest map[[2]int]uint64 // client, receiver
	sent    []Outgoing
	want    Figures
}

// due closes a message that nobody is missing at, and reports whether it did.
func (m *model) settle(n int, over, withdrawn bool) {
	if !m.open[n] {
		return
	}
	count := map[string]int64{}
	for i, is := range m.cells[n] {
		if is == "missing" && over {
			is = "lost"
		} else if is == "missing" && withdrawn {
			is = "withdrawn"
		}
		m.cells[n][i] = is
		count[is]++
	}
	if count["missing"] > 0 {
		return
	}
	m.open[n] = false
	if !m.sent[n].Measured {
		return
	}
	w := &m.want
	switch {
	case withdrawn:
		w.Withdrawn++
		w.WithdrawnDeliveries += count["delivered"]
		return
	case !over && count["delivered"] > 0:
		w.Completed++
	default:
		w.Failed++
	}
	if count["delivered"]+count["lost"] == 0 {
		w.Nobody++
	}
	w.Due += int64(len(m.cells[n]))
	w.Delivered += count["delivered"]
	w.Lost += count["lost"]
	w.Away += count["away"]
}

func (m *model) deliver(n, receiver int, inRoom, kernel bool) {
	o := &m.sent[n]
	w, key := &m.want, [2]int{n, receiver}
	count := func(to *int64) {
		if o.Measured {
			*to++
		}
	}
	switch {
	case !inRoom:
		count(&w.Elsewhere)
		return
	case m.had[key]:
		count(&w.Duplicated)
		return
	}
	m.had[key] = true
	if by := [2]int{o.Client, receiver}; o.Seq < m.highest[by] {
		count(&w.Misordered)
	} else {
		m.highest[by] = o.Seq
	}
	if m.cells[n][receiver] != "missing" {
		count(&w.Late)
		return
	}
	m.cells[n][receiver] = "delivered"
	count(&w.Taken)
	if kernel {
		count(&w.Kernel)
	} else {
		count(&w.Own)
	}
	m.settle(n, false, false)
}

// someone is in time for a message that has been delivered to anybody.
type someone struct{}

func (someone) Reached(m *Message) bool { return m.Delivered() > 0 }

// TestAgreesWithModel does at random all that can happen, in an order that is known, and holds the figures against the
// model's after each hundred steps.
func TestAgreesWithModel(t *testing.T) {
	r := random(t)
	for range 30 {
		receivers, rooms, clients := 1+r.IntN(12), 1+r.IntN(3), 1+r.IntN(4)
		f := New(Options{Tag: tag, Receivers: receivers, Rooms: rooms, Clients: clients})
		m := &model{present: make([]bool, receivers), cells: map[int]map[int]string{}, open: map[int]bool{},
			had: map[[2]int]bool{}, highest: map[[2]int]uint64{}}
		handles, seqs := map[int]Sent{}, make([]uint64, clients)
		for step := range 1500 {
			i := r.IntN(receivers)
			switch k := r.IntN(100); {
			case k < 12:
				seqs[r.IntN(clients)]++ // an attempt that was never sent
			case k < 30:
				c := r.IntN(clients)
				seqs[c]++
				o := Outgoing{Index: uint64(step), Client: c, Seq: seqs[c], Room: r.IntN(rooms), Measured: r.IntN(5) > 0,
					Waiter: someone{}}
				n := len(m.sent)
				m.sent, m.open[n], m.cells[n] = append(m.sent, o), true, map[int]string{}
				for j := range receivers {
					if j%rooms == o.Room {
						m.cells[n][j] = map[bool]string{true: "missing", false: "away"}[m.present[j]]
					}
				}
				m.settle(n, false, false)
				s, there := f.Send(&o)
				if there != m.open[n] {
					t.Fatalf("somebody is there: %v", there)
				}
				handles[n] = s
			case k < 36:
				m.present[i] = true
				f.Receiver(i).Present()
			case k < 38:
				if m.present[i] {
					m.want.Absences++
				}
				m.present[i] = false
				f.Receiver(i).Gone()
				for n := range m.sent {
					if m.open[n] && m.cells[n][i] == "missing" {
						m.cells[n][i] = "away"
						m.settle(n, false, false)
					}
				}
			case k < 42 && len(m.sent) > 0:
				n := r.IntN(len(m.sent))
				over := r.IntN(3) > 0
				m.settle(n, over, !over)
				if over {
					handles[n].Over(1e9)
				} else {
					handles[n].Withdraw(1e9)
				}
			case k < 44:
				m.want.Foreign++
				f.Receiver(i).Deliver(fmt.Appendf(nil, "%s-%d-9.1", tag, step), 0, 5)
			case len(m.sent) > 0:
				n := max(0, len(m.sent)-1-r.IntN(1+r.IntN(10)))
				kernel := r.IntN(4) > 0
				came := map[bool]int64{true: 2e9, false: 0}[kernel]
				m.deliver(n, i, i%rooms == m.sent[n].Room, kernel)
				f.Receiver(i).Deliver(markOf(m.sent[n].Index, m.sent[n].Client, m.sent[n].Seq), came, 2e9+5)
			}
			if step%100 != 99 {
				continue
			}
			m.want.UnderWay = 0
			for _, open := range m.open {
				if open {
					m.want.UnderWay++
				}
			}
			f.check(t, m.want)
			if m.want.UnderWay == 0 {
				f.sound(t)
			}
			if t.Failed() {
				return
			}
		}
	}
}

// TestConcurrentDeliveries has receivers that come, go, lose and get twice, and senders that withdraw, all at the same time: when
// nothing is under way, each account fits the others.
func TestConcurrentDeliveries(t *testing.T) {
	const receivers, clients, messages = 24, 3, 400
	r := random(t)
	f := New(Options{Tag: tag, Receivers: receivers, Rooms: 2, Clients: clients})
	way := make([]chan []byte, receivers)
	var listening, sending sync.WaitGroup
	for i := range way {
		way[i] = make(chan []byte, 3)
		seed := r.Uint64()
		listening.Go(func() {
			r, to := rand.New(rand.NewPCG(seed, 2)), f.Receiver(i)
			to.Present()
			for mark := range way[i] {
				switch r.IntN(40) {
				case 0:
					to.Gone()
					to.Present()
				case 1: // lost
				case 2:
					to.Deliver(mark, 0, 20)
					fallthrough
				default:
					to.Deliver(mark, 19, 20)
				}
			}
			to.Gone()
		})
	}
	for c := range clients {
		seed := r.Uint64()
		sending.Go(func() {
			r := rand.New(rand.NewPCG(seed, 3))
			for seq := uint64(1); seq <= messages; seq++ {
				o := Outgoing{Client: c, Seq: seq, Room: r.IntN(2), Intended: 10, Measured: true, Waiter: someone{}}
				s, _ := f.Send(&o)
				for i := o.Room; i < receivers; i += 2 {
					way[i] <- markOf(0, c, seq)
				}
				if r.IntN(20) == 0 {
					s.Withdraw(30)
				} else if r.IntN(2) == 0 {
					s.Over(30)
				}
			}
		})
	}
	sending.Wait()
	for _, w := range way {
		close(w)
	}
	listening.Wait()
	g := f.Figures()
	if all := g.Completed + g.Failed + g.Withdrawn; g.UnderWay != 0 || all != clients*messages ||
		g.Due != (g.Completed+g.Failed)*receivers/2 || g.Foreign+g.Elsewhere != 0 {
		t.Errorf("%+v", g)
	}
	f.check(t, g)
	d := f.sound(t)
	if lost := slices.Max(g.LostBy); lost > 0 && d.Losers[0].Lost != lost {
		t.Errorf("the first loser lost %d, and one lost %d", d.Losers[0].Lost, lost)
	}
}

// FuzzDeliver: whatever comes is foreign or the one message, and nothing breaks.
func FuzzDeliver(f *testing.F) {
	f.Add(string(markOf(7, 3, 9)))
	f.Add(string(markOf(7, 3, 8)))
	f.Add(tag + "-7-3.09")
	f.Add(tag + "-18446744073709551616-3.9")
	f.Add(strings.Repeat("9", 100))
	f.Fuzz(func(t *testing.T, text string) {
		l := New(Options{Tag: tag, Receivers: 1, Rooms: 1, Clients: 1})
		l.Receiver(0).Present()
		l.Send(&Outgoing{Index: 7, Client: 3, Seq: 9, Measured: true, Waiter: yes{}})
		l.Receiver(0).Deliver([]byte(text), 0, 5)
		g := l.Figures()
		is := text == string(markOf(7, 3, 9))
		if (g.Delivered == 1) != is || g.Delivered+g.Foreign+g.Late != 1 {
			t.Errorf("%q: %+v", text, g)
		}
	})
}
