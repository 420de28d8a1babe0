package fanout

import (
	"strings"
	"testing"
)

func TestMarks(t *testing.T) {
	f := New(Options{Tag: "t"})
	for text, want := range map[string]mark{
		"t-0-0.0": {0, 0, 0}, "t-12-3.45": {12, 3, 45}, "t-9999999999999999999-0.1": {9999999999999999999, 0, 1},
		"t-1-9.9": {1, 9, 9},
	} {
		if got, ok := f.parse([]byte(text)); got != want || !ok {
			t.Errorf("%q: %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{
		"", "t", "t-", "x-1-2.3", "t-1", "t-1-", "t-1-2", "t-1-2.", "t-1-2.3 ", "t-1-2.3.", "t-01-2.3", "t-1-02.3", "t-1-2.03", "t-00-0.0",
		"t--2.3", "t-1.2.3", "t-1-2-3", "t-1:-2.3", "t-:-2.3", "t-1-2.3:", "t-/1-2.3", "t-99999999999999999999-0.1",
		"t-1-2." + strings.Repeat("9", 20),
	} {
		if got, ok := f.parse([]byte(text)); ok {
			t.Errorf("%q is %v", text, got)
		}
	}
}

// TestHowManyMessagesAreRemembered: each client's share of a window, rounded up to a power of two, and at least 64.
func TestHowManyMessagesAreRemembered(t *testing.T) {
	for clients, want := range map[int]int{0: 8192, 1: 8192, 2: 4096, 3: 4096, 126: 128, 128: 64, 8192: 64, 10000: 64} {
		f := New(Options{Tag: tag, Clients: clients})
		if got := len(*f.client(0).entries.Load()); got != want {
			t.Errorf("%d clients: %d of each", clients, got)
		}
	}
}

// TestARoomIsThereInAnyCase: and it knows how many of its receivers are absent.
func TestARoomIsThereInAnyCase(t *testing.T) {
	f := New(Options{Tag: tag, Receivers: 3})
	absent := func(want int64) {
		t.Helper()
		if got := f.rooms[0].absent.Load(); len(f.rooms) != 1 || got != want {
			t.Errorf("%d rooms, in the first %d are absent, want %d", len(f.rooms), got, want)
		}
	}
	absent(3)
	f.Receiver(0).Present()
	f.Receiver(0).Present()
	f.Receiver(1).Present()
	absent(1)
	f.Receiver(0).Gone()
	f.Receiver(0).Gone()
	absent(2)
}

// few has one receiver that is there, and remembers 64 messages of each client.
func few() *Fanout {
	f := New(Options{Tag: tag, Receivers: 1, Clients: 128})
	f.Receiver(0).Present()
	return f
}

func (f *Fanout) sendAs(client int, seq uint64) Sent {
	s, _ := f.Send(&Outgoing{Index: seq, Client: client, Seq: seq, Measured: true})
	return s
}

func TestAForgottenMessageIsLateAndNotForeign(t *testing.T) {
	f := few()
	for seq := range uint64(65) {
		f.sendAs(0, seq+1)
		f.Receiver(0).Deliver(markOf(seq+1, 0, seq+1), 0, 1)
	}
	f.Receiver(0).Deliver(markOf(1, 0, 1), 0, 2)  // 65 has its place
	f.Receiver(0).Deliver(markOf(65, 0, 1), 0, 2) // and its index is no use
	f.Receiver(0).Deliver(markOf(1, 0, 2), 0, 2)  // no index of this message
	if g := f.Figures(); g.Late != 2 || g.Foreign != 1 || g.Delivered != 65 {
		t.Errorf("%d late, %d foreign, %d delivered", g.Late, g.Foreign, g.Delivered)
	}
}

// TestRoomIsMadeForWhatIsUnderWayAlone: the place of a message that is over is taken, also where what it was kept in is
// under way as another message.
func TestRoomIsMadeForWhatIsUnderWayAlone(t *testing.T) {
	f := few()
	room := func(want int) {
		t.Helper()
		if got := len(*f.client(0).entries.Load()); got != want {
			t.Errorf("there is room for %d messages, want %d", got, want)
		}
	}
	f.sendAs(0, 1)
	f.Receiver(0).Deliver(markOf(1, 0, 1), 0, 1)
	f.sendAs(0, 2)
	f.sendAs(0, 65) // in place of 1
	room(64)
	f.sendAs(0, 66) // 2 is under way, with one receiver
	room(128)
	f.Receiver(0).Deliver(markOf(2, 0, 2), 0, 1)
	if g := f.Figures(); g.Delivered != 2 || g.UnderWay != 2 {
		t.Errorf("%d delivered, %d under way", g.Delivered, g.UnderWay)
	}
}

// TestWhatAMessageNeedsIsUsedAgain, and each message of a room has the number after the one before it.
func TestWhatAMessageNeedsIsUsedAgain(t *testing.T) {
	f := few()
	for n := range uint64(5) {
		s := f.sendAs(0, n+1)
		if s.m.serial != n+1 {
			t.Errorf("message %d has the number %d", n+1, s.m.serial)
		}
		f.Receiver(0).Deliver(markOf(n+1, 0, n+1), 0, 1)
		room := &f.rooms[0]
		if all := len(*room.all.Load()); all != 1 || len(room.free) != 1 || len(room.sheets) != 1 {
			t.Errorf("%d messages, %d free, %d sheets", all, len(room.free), len(room.sheets))
		}
	}
}

// TestStampsAtTheirBounds delivers at the run's first moments, and at the moment at which a message is over.
func TestStampsAtTheirBounds(t *testing.T) {
	for _, c := range []struct {
		came, now            int64
		last, kernel, lately int64
	}{{0, 0, 1, 0, 0}, {0, 1, 1, 0, 0}, {0, 7, 7, 0, 0}, {1, 5, 1, 1, 4}, {5, 5, 5, 1, 0}, {6, 5, 5, 0, 0}, {-1, 5, 5, 0, 0}} {
		f := few()
		var a attempt
		if _, there := f.Send(&Outgoing{Index: 1, Seq: 1, Measured: true, Waiter: &a}); !there {
			t.Fatal("not under way")
		}
		f.Receiver(0).Deliver(markOf(1, 0, 1), c.came, c.now)
		g := f.Figures()
		if a.delivered != 1 || a.last != c.last || g.Kernel != c.kernel || g.Own != 1-c.kernel || g.Away != 0 {
			t.Errorf("%d, %d: %d delivered, the last at %d, %d by the kernel, %d away", c.came, c.now, a.delivered, a.last,
				g.Kernel, g.Away)
		}
		if late := f.document(t).OwnLateness; late.Count != c.kernel || late.Count > 0 && late.MaxNS != c.lately {
			t.Errorf("%d, %d: late by %d", c.came, c.now, late.MaxNS)
		}
	}
	for _, c := range []struct{ over, came, tardy int64 }{
		{0, 1, 1}, {0, 2, 0}, {1, 1, 1}, {1, 2, 0}, {2, 2, 1}, {9, 8, 1}, {9, 9, 1}, {9, 10, 0}, {9, 0, 0},
	} {
		f := few()
		if lost := f.sendAs(0, 1).Over(c.over); lost != 1 {
			t.Errorf("%d are lost", lost)
		}
		f.Receiver(0).Deliver(markOf(1, 0, 1), c.came, 20)
		if g := f.Figures(); g.Late != 1 || g.Tardy != c.tardy {
			t.Errorf("over at %d, came at %d: %d late, %d of them read late", c.over, c.came, g.Late, g.Tardy)
		}
		if d := f.document(t); d.Last.MaxNS != max(c.over, 1) {
			t.Errorf("over at %d: %d", c.over, d.Last.MaxNS)
		}
	}
}

func TestWhoseDeliveriesWereLostOrAway(t *testing.T) {
	f := New(Options{Tag: tag, Receivers: 3, Clients: 1})
	f.Receiver(0).Present()
	f.Receiver(2).Present()
	for seq := range uint64(2) {
		s := f.sendAs(0, seq+1)
		f.Receiver(0).Deliver(markOf(seq+1, 0, seq+1), 0, 1)
		s.Over(5)
	}
	if g := f.Figures(); g.AwayBy[0]+g.AwayBy[2] != 0 || g.AwayBy[1] != 2 || g.LostBy[0]+g.LostBy[1] != 0 || g.LostBy[2] != 2 {
		t.Errorf("away %v, lost %v", g.AwayBy, g.LostBy)
	}
}

// TestWhatCannotBeToldAnyMore: so many messages on, one that was late and comes again is late again, and not out of
// order.
func TestWhatCannotBeToldAnyMore(t *testing.T) {
	f := few()
	f.sendAs(0, 1).Over(1)
	f.Receiver(0).Deliver(markOf(1, 0, 1), 0, 2)
	for seq := range uint64(window) {
		f.sendAs(1, seq+1)
		f.Receiver(0).Deliver(markOf(seq+1, 1, seq+1), 0, 3)
	}
	f.Receiver(0).Deliver(markOf(1, 0, 1), 0, 4)
	if g := f.Figures(); g.Late != 2 || g.Misordered != 0 || g.Duplicated != 0 {
		t.Errorf("%d late, %d out of order, %d duplicated", g.Late, g.Misordered, g.Duplicated)
	}
}

// TestWhatAReceiverHasSeen: of the last 8,192 messages it knows whether each came.
func TestWhatAReceiverHasSeen(t *testing.T) {
	var s seen
	for i, c := range []struct {
		serial      uint64
		fresh, sure bool
	}{
		{10, true, true}, {10, false, true}, {9, true, true}, {9, false, true}, {10 + 8191, true, true}, {10, false, true},
		{9, false, false}, {10 + 8192, true, true}, {10, false, false}, {11, true, true}, {30000, true, true}, {30000, false, true},
		{30000 - 8191, true, true}, {30000 - 8192, false, false},
	} {
		if fresh, sure := s.take(c.serial); fresh != c.fresh || sure != c.sure {
			t.Errorf("%d, message %d: fresh %v, sure %v", i, c.serial, fresh, sure)
		}
	}
}
