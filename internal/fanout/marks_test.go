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

func TestForgottenMessageIsLate(t *testing.T) {
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
