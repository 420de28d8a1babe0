package fanout

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
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
		if strings.Contains(reason, "invariant violated: fan-out") {
			t.Error(reason)
		}
	}
	return d
}

func TestMessageCompletesWithItsLastReceiver(t *testing.T) {
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

func TestMissingDeliveriesAreLostAtTheTimeout(t *testing.T) {
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

func TestDisconnectedReceiverIsAway(t *testing.T) {
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

func TestWithdrawnMessageIsNotCounted(t *testing.T) {
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

func TestOrderIsPerClient(t *testing.T) {
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

func TestForeignMarksAreCounted(t *testing.T) {
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

func TestDeliveryToAnotherRoom(t *testing.T) {
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

// TestPendingMessageIsNotForgotten: however many follow it.
func TestPendingMessageIsNotForgotten(t *testing.T) {
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

type yes struct{}

func (yes) Reached(*Message) bool { return true }
