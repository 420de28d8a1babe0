package fanout

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

const tag = "0123abcd"

var seedFlag = flag.Uint64("seed", 0, "of the random tests; 0 takes another one each time")

// random is a source whose seed is told when the test fails.
func random(t testing.TB) *rand.Rand {
	seed := *seedFlag
	if seed == 0 {
		seed = rand.Uint64()
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("-seed %d", seed)
		}
	})
	return rand.New(rand.NewPCG(seed, 1))
}

func markOf(index uint64, client int, seq uint64) []byte {
	return fmt.Appendf(nil, "%s-%d-%d.%d", tag, index, client, seq)
}

// attempt takes the end of a message.
type attempt struct {
	reached   int
	delivered int
	last      int64
	refuse    bool
}

func (a *attempt) Reached(m *Message) bool {
	a.reached++
	a.delivered, a.last = m.Delivered(), m.Received()
	return !a.refuse
}

// lab has one room of present receivers, and one client.
type lab struct {
	*Fanout
	seq uint64
}

func newLab(receivers int) *lab {
	l := &lab{Fanout: New(Options{Tag: tag, Receivers: receivers, Rooms: 1, Clients: 1})}
	for i := range receivers {
		l.Receiver(i).Present()
	}
	return l
}

func (l *lab) send(a Waiter, intended int64) (Sent, []byte, bool) {
	l.seq++
	s, ok := l.Send(&Outgoing{Index: l.seq - 1, Seq: l.seq, Intended: intended, Measured: true, Waiter: a})
	return s, markOf(l.seq-1, 0, l.seq), ok
}

// check compares the counts that are not 0, by name.
func (f *Fanout) check(t *testing.T, want Figures) {
	t.Helper()
	g := f.Figures()
	want.Receivers, want.Rooms, want.LostBy, want.AwayBy = g.Receivers, g.Rooms, g.LostBy, g.AwayBy
	if fmt.Sprintf("%+v", g) != fmt.Sprintf("%+v", want) {
		t.Errorf("\n got %+v\nwant %+v", g, want)
	}
	if g.Due != g.Delivered+g.Lost+g.Away {
		t.Errorf("%d due, %d delivered, %d lost and %d away", g.Due, g.Delivered, g.Lost, g.Away)
	}
	if g.UnderWay == 0 && g.Taken != g.Delivered+g.WithdrawnDeliveries {
		t.Errorf("the receivers took %d, and the messages have %d and %d", g.Taken, g.Delivered, g.WithdrawnDeliveries)
	}
}

func (f *Fanout) document(t *testing.T) *rundoc.Fanout {
	t.Helper()
	d, err := f.Document()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// sound checks the document by the laws of documents: those of fan-out have to hold, whatever else such a run has.
func (f *Fanout) sound(t *testing.T) *rundoc.Fanout {
	t.Helper()
	d := f.document(t)
	n := d.Messages + d.Withdrawn
	run := &rundoc.Run{Workload: rundoc.WorkloadWS, Detail: &rundoc.WSDetail{Fanout: d},
		Operations: []rundoc.Operation{{Scheduled: n, Failed: n, Attempts: n}}}
	for _, reason := range rundoc.Judge(run).Reasons {
		if strings.Contains(reason, "broken law: fan-out") {
			t.Error(reason)
		}
	}
	return d
}

func TestAMessageIsCompleteWithItsLastReceiver(t *testing.T) {
	l, a := newLab(3), &attempt{}
	_, mark, ok := l.send(a, 100)
	if !ok {
		t.Fatal("nobody is there")
	}
	l.Receiver(1).Deliver(mark, 130, 135)
	l.Receiver(0).Deliver(mark, 150, 160) // the last to come is not the last to be read
	if a.reached != 0 {
		t.Fatal("complete without the last one")
	}
	l.Receiver(2).Deliver(mark, 0, 142)
	if a.reached != 1 || a.delivered != 3 || a.last != 150 {
		t.Errorf("%+v", a)
	}
	l.check(t, Figures{Completed: 1, Due: 3, Delivered: 3, Taken: 3, Kernel: 2, Own: 1})
	d := l.document(t)
	if d.First.MaxNS != 30 || d.Median.MaxNS != 42 || d.Last.MaxNS != 50 || d.OwnLateness.MaxNS != 10 ||
		d.OwnLateness.Count != 2 {
		t.Errorf("%+v", d)
	}
}

func TestWhatIsMissingWhenTheTimeIsOverIsLost(t *testing.T) {
	l, a := newLab(3), &attempt{}
	s, mark, _ := l.send(a, 100)
	l.Receiver(0).Deliver(mark, 120, 130)
	if lost := s.Over(600); lost != 2 || a.reached != 0 {
		t.Errorf("%d lost, %+v", lost, a)
	}
	if s.Over(700) != 0 {
		t.Error("it was over twice")
	}
	l.Receiver(1).Deliver(mark, 590, 610) // came in time
	l.Receiver(2).Deliver(mark, 605, 610)
	l.Receiver(2).Deliver(mark, 605, 611)
	l.check(t, Figures{Failed: 1, Due: 3, Delivered: 1, Lost: 2, Taken: 1, Kernel: 1, Late: 2, Tardy: 1, Duplicated: 1})
	d := l.document(t)
	if d.First.MaxNS != 20 || d.Median.MaxNS != 500 || d.Last.MaxNS != 500 {
		t.Errorf("%+v", d)
	}
	if d.ReceiversLost != 2 || !slices.Equal(d.Losers, []rundoc.Loser{{Receiver: 2, Lost: 1}, {Receiver: 3, Lost: 1}}) {
		t.Errorf("%+v", d.Losers)
	}
}

// One that is missing has been missed by the one receiver.
func TestOneThatIsLostIsItsReceivers(t *testing.T) {
	l := newLab(3)
	s, mark, _ := l.send(&attempt{}, 100)
	l.Receiver(0).Deliver(mark, 120, 130)
	l.Receiver(2).Deliver(mark, 120, 130)
	if lost := s.Over(600); lost != 1 {
		t.Errorf("%d lost", lost)
	}
	if by := l.Figures().LostBy; !slices.Equal(by, []int64{0, 1, 0}) {
		t.Errorf("lost by %v", by)
	}
}

func TestWhoIsNotThereIsAway(t *testing.T) {
	l, a := newLab(3), &attempt{}
	l.Receiver(0).Gone()
	_, mark, _ := l.send(a, 100)
	l.Receiver(1).Deliver(mark, 120, 130)
	l.Receiver(0).Present()
	l.Receiver(2).Gone()
	if a.reached != 1 || a.delivered != 1 || a.last != 120 {
		t.Errorf("%+v", a)
	}
	l.Receiver(0).Deliver(mark, 140, 150)
	l.check(t, Figures{Completed: 1, Due: 3, Delivered: 1, Away: 2, Taken: 1, Kernel: 1, Late: 1, Absences: 2})

	for _, i := range []int{0, 1} {
		l.Receiver(i).Gone()
	}
	if _, _, ok := l.send(a, 200); ok {
		t.Error("somebody is there")
	}
	l.check(t, Figures{Completed: 1, Failed: 1, Nobody: 1, Due: 6, Delivered: 1, Away: 5, Taken: 1, Kernel: 1, Late: 1,
		Absences: 4})
}

func TestAllThatAMessageIsDueForGo(t *testing.T) {
	l, a := newLab(2), &attempt{refuse: true}
	l.send(a, 100)
	l.Receiver(0).Gone()
	l.Receiver(1).Gone()
	if a.reached != 1 || a.delivered != 0 || a.last != 0 {
		t.Errorf("%+v", a)
	}
	l.check(t, Figures{Failed: 1, Nobody: 1, Due: 2, Away: 2, Absences: 2})
}

func TestAWithdrawnMessageIsInNoFigure(t *testing.T) {
	l, a := newLab(2), &attempt{}
	s, mark, _ := l.send(a, 100)
	l.Receiver(0).Deliver(mark, 120, 130)
	s.Withdraw(140)
	l.Receiver(1).Deliver(mark, 150, 160)
	l.check(t, Figures{Withdrawn: 1, WithdrawnDeliveries: 1, Taken: 1, Kernel: 1, Late: 1})
	if d := l.document(t); d.First.Count+d.Median.Count+d.Last.Count != 0 {
		t.Errorf("%+v", d)
	}
	Sent{}.Withdraw(1) // of a message that was not sent
}

func TestOrderIsThatOfEachClient(t *testing.T) {
	f := New(Options{Tag: tag, Receivers: 1, Rooms: 1, Clients: 2})
	f.Receiver(0).Present()
	send := func(client int, seq uint64) {
		f.Send(&Outgoing{Index: 7, Client: client, Seq: seq, Measured: true})
	}
	send(0, 1)
	send(1, 1)
	send(0, 2)
	send(0, 3)
	for _, m := range []struct {
		client int
		seq    uint64
	}{{0, 2}, {1, 1}, {0, 1}, {0, 1}, {0, 3}} {
		f.Receiver(0).Deliver(markOf(7, m.client, m.seq), 0, 5)
	}
	f.check(t, Figures{Failed: 4, Due: 4, Delivered: 4, Taken: 4, Own: 4, Misordered: 1, Duplicated: 1})
}

func TestWhatIsNoneOfThisRunIsForeign(t *testing.T) {
	l, a := newLab(1), &attempt{}
	_, mark, _ := l.send(a, 1)
	for _, text := range []string{
		"", "0", tag, tag + "-", tag + "-0", tag + "-0-0", tag + "-0-0.", tag + "-0-0.2", tag + "-0-0.0", tag + "-1-0.1",
		tag + "-0-1.1", tag + "-0-0.01", tag + "-0-0.1 ", "0123abce-0-0.1", tag + "-0-99999999999999999999.1",
		tag + "-0-0.9223372036854775808", tag + "-0-9223372036854775807.1", string(mark[:len(mark)-1]),
	} {
		l.Receiver(0).Deliver([]byte(text), 0, 2)
	}
	if a.reached != 0 {
		t.Error("one of them was taken for the message")
	}
	l.check(t, Figures{Foreign: 18, UnderWay: 1})
}

func TestAMessageOfAnotherRoom(t *testing.T) {
	f := New(Options{Tag: tag, Receivers: 4, Rooms: 2, Clients: 1})
	for i := range 4 {
		f.Receiver(i).Present()
	}
	f.Send(&Outgoing{Seq: 1, Room: 1, Measured: true, Waiter: &attempt{}})
	for i := range 4 {
		f.Receiver(i).Deliver(markOf(0, 0, 1), 0, 2)
	}
	f.check(t, Figures{Completed: 1, Due: 2, Delivered: 2, Taken: 2, Own: 2, Elsewhere: 2})
}

// TestOnlyTheWindowCounts: what was sent before it is known, and in no figure.
func TestOnlyTheWindowCounts(t *testing.T) {
	l, a := newLab(2), &attempt{}
	s, _ := l.Send(&Outgoing{Seq: 1, Waiter: a, Client: 5})
	l.Receiver(0).Deliver(markOf(0, 5, 1), 0, 2)
	l.Receiver(0).Deliver(markOf(0, 5, 1), 0, 2)
	l.OwnCopy(markOf(0, 5, 1))
	s.Over(9)
	l.Receiver(1).Deliver(markOf(0, 5, 1), 0, 2)
	l.check(t, Figures{})
	_, mark, _ := l.send(a, 1)
	l.OwnCopy(mark)
	l.check(t, Figures{Copies: 1, UnderWay: 1})
}

// TestAMessageThatStaysUnderWayIsNotForgotten: however many follow it.
func TestAMessageThatStaysUnderWayIsNotForgotten(t *testing.T) {
	l, a := newLab(2), &attempt{}
	_, old, _ := l.send(a, 1)
	const later = 3 * window
	for range later {
		_, mark, _ := l.send(nil, 1)
		l.Receiver(0).Deliver(mark, 0, 2)
		l.Receiver(1).Deliver(mark, 0, 2)
	}
	l.Receiver(0).Deliver(old, 0, 3)
	l.Receiver(0).Deliver(old, 0, 3)
	l.Receiver(1).Deliver(old, 0, 3)
	if a.reached != 1 {
		t.Error("it is not complete")
	}
	n := int64(2*later + 2)
	l.check(t, Figures{Completed: 1, Failed: later, Due: n, Delivered: n, Taken: n, Own: n, Misordered: 2, Duplicated: 1})
}

// TestTwoHundredThousandDeliveries has a goroutine for each of 1,000 receivers, and a network that loses, doubles and
// swaps, and counts what it does.
func TestTwoHundredThousandDeliveries(t *testing.T) {
	const receivers, messages = 1000, 200
	f := New(Options{Tag: tag, Receivers: receivers, Rooms: 1, Clients: 1})
	var lost, doubled, swapped atomic.Int64
	way := make([]chan []byte, receivers)
	r := random(t)
	var running sync.WaitGroup
	for i := range way {
		way[i] = make(chan []byte, 4)
		f.Receiver(i).Present()
		seed := r.Uint64()
		running.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			var held []byte
			for mark := range way[i] {
				now := int64(1000)
				deliver := func(mark []byte) { f.Receiver(i).Deliver(mark, now-10, now) }
				switch n := r.IntN(100); {
				case n < 3:
					lost.Add(1)
					continue
				case n < 6:
					doubled.Add(1)
					deliver(mark)
					deliver(mark)
				case n < 9 && held == nil:
					held = mark
					continue
				default:
					deliver(mark)
				}
				if held != nil {
					swapped.Add(1)
					deliver(held)
					held = nil
				}
			}
			if held != nil {
				f.Receiver(i).Deliver(held, 990, 1000)
			}
		})
	}
	var sent []Sent
	for m := range uint64(messages) {
		s, _ := f.Send(&Outgoing{Index: m, Seq: m + 1, Intended: 100, Measured: true, Waiter: yes{}})
		sent = append(sent, s)
		mark := markOf(m, 0, m+1)
		for _, w := range way {
			w <- mark
		}
	}
	for _, w := range way {
		close(w)
	}
	running.Wait()
	var missing int64
	for _, s := range sent {
		missing += int64(s.Over(5000))
	}
	g := f.Figures()
	n := int64(receivers*messages) - lost.Load()
	if missing != lost.Load() || g.Completed+g.Failed != messages {
		t.Errorf("%d lost when their time was over, want %d", missing, lost.Load())
	}
	f.check(t, Figures{Completed: g.Completed, Failed: g.Failed, Due: receivers * messages, Delivered: n,
		Lost: lost.Load(), Taken: n, Kernel: n, Duplicated: doubled.Load(), Misordered: swapped.Load()})
	f.sound(t)
	if lost.Load() < 1000 || doubled.Load() < 1000 || swapped.Load() < 1000 {
		t.Errorf("the network lost %d, doubled %d and swapped %d", lost.Load(), doubled.Load(), swapped.Load())
	}
}

type yes struct{}

func (yes) Reached(*Message) bool { return true }

// TestNothingIsAllocatedInTheLongRun sends to a hundred receivers.
func TestNothingIsAllocatedInTheLongRun(t *testing.T) {
	l := newLab(100)
	mark := make([]byte, 0, 64)
	one := func() {
		l.seq++
		l.Send(&Outgoing{Seq: l.seq, Measured: true, Waiter: yes{}})
		mark = fmt.Appendf(mark[:0], tag+"-0-0.%d", l.seq)
		for i := range 100 {
			l.Receiver(i).Deliver(mark, 0, 3)
		}
	}
	one()
	if n := testing.AllocsPerRun(100, one); n > 1 { // that of the number in the mark
		t.Errorf("%v allocations a message", n)
	}
	runtime.KeepAlive(l)
}

// TestTheMedianOfEachNumber of receivers: of an even number the earlier of the two, also where some have lost it.
func TestTheMedianOfEachNumber(t *testing.T) {
	source := random(t)
	for receivers := 1; receivers <= 9; receivers++ {
		for lost := range receivers {
			l := newLab(receivers)
			s, mark, _ := l.send(&attempt{}, 0)
			const over = 1000
			stamps := make([]int64, receivers)
			for i, place := range source.Perm(receivers) {
				if stamps[i] = int64(10 * (place + 1)); place >= receivers-lost {
					stamps[i] = over
					continue
				}
				l.Receiver(i).Deliver(mark, stamps[i], stamps[i])
			}
			s.Over(over)
			slices.Sort(stamps)
			d := l.document(t)
			if want := stamps[(receivers-1)/2]; d.Median.MaxNS != want || d.First.MaxNS != stamps[0] ||
				d.Last.MaxNS != stamps[receivers-1] {
				t.Errorf("%d receivers, %d lost: first %d, median %d, last %d of %v", receivers, lost, d.First.MaxNS,
					d.Median.MaxNS, d.Last.MaxNS, stamps)
			}
		}
	}
}
