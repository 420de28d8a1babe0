package ws

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/leaktest"
	"github.com/plimsoll/plimsoll/internal/wsproto"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// table is a client's table with its slots' attempts, driven by hand.
type table struct {
	t *testing.T
	p pending
	c []*op.Control
}

func newTable(t *testing.T, slots int) *table {
	clock := op.NewClock()
	tb := &table{t: t, p: newPending(&Traffic{tag: "tag", marked: true, protocol: &wsproto.Protocol{}}, 3, slots)}
	for range slots {
		c := op.NewControl(clock, time.Hour, func(*op.Failure) {})
		t.Cleanup(c.Stop)
		tb.c = append(tb.c, c)
	}
	return tb
}

func (tb *table) send(slot int) uint64 {
	tb.c[slot].Begin(0)
	tb.c[slot].Sent()
	seq, _ := tb.p.register(slot, &tb.c[slot].Attempt)
	return seq
}

// giveUp ends a slot's attempt as a timeout does.
func (tb *table) giveUp(slot int) {
	tb.c[slot].Complete(op.ErrTimeout)
	tb.c[slot].End(nil)
	tb.p.release(slot)
}

// end takes the end of a slot's attempt, which must have come.
func (tb *table) end(slot int) *op.Failure {
	tb.t.Helper()
	if tb.p.slots[slot].attempt != nil {
		tb.t.Fatal("the slot still waits")
	}
	return tb.c[slot].End(nil)
}

func (tb *table) reply(seq uint64) { tb.p.settleAnswer(wsproto.Answers, id(seq), false, nil) }

// refuse is a refusal of the message with this name.
func (tb *table) refuse(name []byte) { tb.p.settleAnswer(wsproto.Answers, name, true, nil) }

func id(seq uint64) []byte { return fmt.Appendf(nil, "tag-%d-3.%d", seq*7, seq) }

type replyCounts struct{ Late, Duplicate, Reordered, Unmatched, Unreadable int64 }

func (tb *table) counts(want replyCounts) {
	tb.t.Helper()
	r := &tb.p.t.replies
	got := replyCounts{r.Late.Load(), r.Duplicate.Load(), r.Reordered.Load(), r.Unmatched.Load(), r.Unreadable.Load()}
	if diff := cmp.Diff(want, got); diff != "" {
		tb.t.Error(diff)
	}
}

func TestUnusualRepliesAreCounted(t *testing.T) {
	tb := newTable(t, 2)
	a, b := tb.send(0), tb.send(1)
	tb.reply(b)
	tb.reply(a) // after the answer to a later message
	tb.end(0)
	tb.end(1)
	tb.counts(replyCounts{Reordered: 1})

	tb.reply(a) // again
	tb.counts(replyCounts{Reordered: 1, Duplicate: 1})

	c := tb.send(0)
	tb.giveUp(0)
	d := tb.send(0)
	tb.reply(c) // its time had run out
	tb.counts(replyCounts{Reordered: 1, Duplicate: 1, Late: 1})
	tb.reply(d)
	if tb.end(0) != nil {
		t.Error("the late reply spoiled the next attempt")
	}
	tb.reply(c) // late, and then again
	tb.counts(replyCounts{Reordered: 1, Duplicate: 2, Late: 1})

	tb.reply(d + 1) // never sent
	for _, foreign := range []string{"", "x", "tag-", "tag-1", "tag-1-3", "tag-1-3.", "tag-1-4.1", "tag-1-3.0",
		"tag-1-3.01", "tag-1-3.1x", "tag-1-3.99999999999999999999", "gat-1-3.1"} {
		tb.p.settleAnswer(wsproto.Answers, []byte(foreign), false, []byte(foreign))
	}
	tb.counts(replyCounts{Reordered: 1, Duplicate: 2, Late: 1, Unmatched: 13})
}

// TestReplyDuringTimeoutIsLate loses the race against the timer, before the slot has
// taken its attempt out of the table.
func TestReplyDuringTimeoutIsLate(t *testing.T) {
	tb := newTable(t, 1)
	a := tb.send(0)
	tb.c[0].Complete(op.ErrTimeout)
	tb.reply(a)
	tb.c[0].End(nil)
	tb.p.release(0)
	tb.counts(replyCounts{Late: 1})
	tb.reply(a)
	tb.counts(replyCounts{Late: 1, Duplicate: 1})
}

func TestRefusals(t *testing.T) {
	tb := newTable(t, 2)
	a := tb.send(0)
	tb.refuse(id(a))
	if why := tb.end(0); why != rejected {
		t.Errorf("ended with %v", why)
	}
	tb.send(0)
	tb.refuse(nil) // of the only message that waits
	if why := tb.end(0); why != rejected {
		t.Errorf("ended with %v", why)
	}
	tb.send(0)
	tb.send(1)
	tb.refuse(nil) // of one of two
	tb.counts(replyCounts{Unmatched: 1})
	tb.giveUp(0)
	tb.refuse(nil) // of the one that waits: one whose answer was lost is not waited for
	if why := tb.end(1); why != rejected {
		t.Errorf("ended with %v", why)
	}
	tb.counts(replyCounts{Unmatched: 1})
}

// TestAnswersWithoutNames go to the message that has waited longest, or to the only one.
func TestAnswersWithoutNames(t *testing.T) {
	tb := newTable(t, 2)
	answer := func(means wsproto.Meaning) { tb.p.settleAnswer(means, nil, false, nil) }
	tb.send(1)
	tb.send(0)
	answer(wsproto.AnswersOnly) // of one of two
	tb.counts(replyCounts{Unmatched: 1})
	answer(wsproto.AnswersOrder)
	if why := tb.end(1); why != nil {
		t.Errorf("ended with %v", why)
	}
	answer(wsproto.AnswersOnly)
	if why := tb.end(0); why != nil {
		t.Errorf("ended with %v", why)
	}
	answer(wsproto.AnswersOrder) // of none
	answer(wsproto.AnswersOnly)
	tb.counts(replyCounts{Unmatched: 3})
}

// TestIDsWithABound wrap, and pass over those under which something waits or may yet be answered.
func TestIDsWithABound(t *testing.T) {
	tb := newTable(t, 3)
	tb.p.t.bits, tb.p.t.named, tb.p.t.marked = 3, true, false
	next := func(slot int) uint64 {
		tb.send(slot)
		return tb.p.slots[slot].id
	}
	answer := func(id uint64) { tb.p.settleAnswer(wsproto.Answers, fmt.Appendf(nil, "%d", id), false, nil) }
	answer(2) // before anything was sent
	tb.counts(replyCounts{Unmatched: 1})
	first, second := next(0), next(1)
	tb.giveUp(1)
	for _, want := range []uint64{3, 4, 5, 6, 7, 3, 4} { // 1 waits, and 2 may yet be answered
		if got := next(2); got != want {
			t.Errorf("%d, want %d", got, want)
		}
		answer(want)
		if why := tb.end(2); why != nil {
			t.Errorf("ended with %v", why)
		}
	}
	answer(second)
	tb.counts(replyCounts{Unmatched: 1, Late: 1})
	answer(second)
	answer(8)
	answer(0)
	tb.counts(replyCounts{Unmatched: 3, Late: 1, Duplicate: 1})
	answer(first)
	if why := tb.end(0); why != nil || first != 1 {
		t.Errorf("%d ended with %v", first, why)
	}
	tb.counts(replyCounts{Unmatched: 3, Late: 1, Duplicate: 1, Reordered: 1})
}

func TestUnreadableReplies(t *testing.T) {
	tb := newTable(t, 2)
	tb.send(0)
	tb.p.garbage([]byte("no\x00 JSON"))
	if why := tb.end(0); why != unreadable {
		t.Errorf("ended with %v", why)
	}
	tb.send(0)
	tb.send(1)
	tb.p.garbage([]byte("more"))
	tb.counts(replyCounts{Unreadable: 2})
	if got := tb.p.t.replies.Example(); got != `no\x00 JSON` {
		t.Errorf("example %q", got)
	}
}

func TestLostConnectionEndsAllThatWait(t *testing.T) {
	tb := newTable(t, 3)
	a := tb.send(0)
	tb.send(1)
	why := &op.Failure{Cause: "reset"}
	tb.p.fail(why)
	if tb.end(0) != why || tb.end(1) != why {
		t.Error("a waiting attempt did not end with the connection")
	}
	tb.reply(a) // over the next connection
	tb.counts(replyCounts{Late: 1})
}

func TestMemoryOfTimeoutsIsBounded(t *testing.T) {
	tb := newTable(t, 1)
	const n = 5 * remembered
	for range n {
		tb.send(0)
		tb.giveUp(0)
	}
	if len(tb.p.given.set) != remembered || len(tb.p.given.order) != remembered {
		t.Errorf("%d remembered", len(tb.p.given.set))
	}
	tb.reply(n)     // a recent one
	tb.reply(1)     // long forgotten
	tb.reply(n)     // again
	tb.reply(n - 1) // another recent one
	tb.counts(replyCounts{Late: 3, Duplicate: 1})
}

// TestCutEndsOverdueAttemptsAsTimeouts: a cut and an attempt's own timer may come at the same moment.
func TestCutEndsOverdueAttemptsAsTimeouts(t *testing.T) {
	tb := newTable(t, 2)
	tb.send(0)
	tb.send(1)
	tb.c[1].Begin(-int64(2 * time.Hour)) // its time ran out an hour ago
	tb.p.fail(cutOff)
	if why := tb.end(0); why != cutOff {
		t.Errorf("the attempt whose time has not run out ended with %v", why)
	}
	if why := tb.end(1); why != op.ErrTimeout {
		t.Errorf("the attempt whose time has run out ended with %v", why)
	}
}
