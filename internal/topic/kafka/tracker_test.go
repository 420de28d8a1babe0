package kafka

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// records are those with these offsets.
func records(offsets ...int64) []*kgo.Record {
	var out []*kgo.Record
	for _, o := range offsets {
		out = append(out, &kgo.Record{Offset: o, Value: []byte{byte(o)}})
	}
	return out
}

// handed are the deliveries of messages.
func handed(messages []topic.Message) []*delivery {
	var out []*delivery
	for _, m := range messages {
		out = append(out, m.Handle.(*delivery))
	}
	return out
}

// offsets are those of messages.
func offsets(messages []topic.Message) []int64 {
	var out []int64
	for _, d := range handed(messages) {
		out = append(out, d.offset)
	}
	return out
}

func mustCommit(t *testing.T, y *tracker, want map[int32]int64) {
	t.Helper()
	if diff := cmp.Diff(want, y.toCommit(nil)); diff != "" {
		t.Fatalf("what may be committed (-want +got):\n%s", diff)
	}
}

// The tracker commits up to the first unfinished offset, whatever the order.
func TestTrackerCommitsInOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		y, now := newTracker(time.Minute), time.Unix(0, 0)
		y.assign(0, 0)
		const count = 40
		var all []*delivery
		for n := int64(0); n < count; n += 4 {
			all = append(all, handed(y.deliver(0, 0, records(n, n+1, n+2, n+3), now))...)
		}
		finished := [count]bool{}
		for _, i := range random.Perm(count) {
			y.done(all[i : i+1])
			finished[i] = true
			want := int64(0)
			for want < count && finished[want] {
				want++
			}
			if got := y.toCommit(nil)[0]; got != want {
				t.Fatalf("%d may be committed, want %d", got, want)
			}
		}
		if _, unacked, _ := y.positions(); unacked != 0 {
			t.Fatalf("%d are not acknowledged", unacked)
		}
	}
}

// An unacknowledged message is delivered again when it is due, and not before.
func TestTrackerRedelivers(t *testing.T) {
	y, now := newTracker(10*time.Second), time.Unix(0, 0)
	y.assign(0, 0)
	if _, ok := y.nextDue(); ok {
		t.Error("something is due, and nothing was handed out")
	}
	first := y.deliver(0, 0, records(0, 1, 2), now)
	second := y.deliver(0, 0, records(3), now.Add(5*time.Second))
	if first[0].Redelivered {
		t.Error("the first delivery is called another")
	}
	if due, ok := y.nextDue(); !ok || !due.Equal(now.Add(10*time.Second)) {
		t.Errorf("the next is due at %s", due)
	}
	y.done(handed(first[1:2]))
	if got := y.again(now.Add(9*time.Second), 10); got != nil {
		t.Errorf("%v came too early", offsets(got))
	}
	got := y.again(now.Add(10*time.Second), 1)
	got = append(got, y.again(now.Add(10*time.Second), 10)...)
	if diff := cmp.Diff([]int64{0, 2}, offsets(got)); diff != "" || !got[0].Redelivered {
		t.Errorf("again (-want +got):\n%s", diff)
	}
	got = y.again(now.Add(16*time.Second), 10)
	if diff := cmp.Diff([]int64{3}, offsets(got)); diff != "" {
		t.Errorf("later (-want +got):\n%s", diff)
	}
	y.done(handed(first[:1])) // by the handle of the first time
	y.done(handed(second))
	mustCommit(t, y, map[int32]int64{0: 2})
	got = y.again(now.Add(time.Hour), 10)
	if diff := cmp.Diff([]int64{2}, offsets(got)); diff != "" {
		t.Errorf("at last (-want +got):\n%s", diff)
	}
}

// Nothing of a revoked partition is committed or delivered again.
func TestTrackerForgetsRevokedPartition(t *testing.T) {
	y, now := newTracker(time.Second), time.Unix(0, 0)
	y.assign(0, 0)
	y.assign(1, 0)
	d := handed(y.deliver(0, 0, records(0, 1), now))
	e := handed(y.deliver(1, 0, records(0), now))
	y.done(d[:1])
	y.revoke([]int32{0, 7})
	if lost := y.done(append(d[1:], e...)); lost != 1 {
		t.Errorf("%d were lost, want 1", lost)
	}
	mustCommit(t, y, map[int32]int64{1: 1})
	if got := y.again(now.Add(time.Hour), 10); got != nil {
		t.Errorf("%v came again", offsets(got))
	}
	if got := y.deliver(0, 0, records(1), now); got != nil {
		t.Errorf("%v came of a partition that is another's", offsets(got))
	}
	y.assign(0, 1) // and back
	if lost := y.done(d[1:]); lost != 1 {
		t.Error("a message of before is taken for one of now")
	}
	f := y.deliver(0, 0, records(0, 1), now) // 0 is from before the offset
	if diff := cmp.Diff([]int64{1}, offsets(f)); diff != "" {
		t.Errorf("delivered (-want +got):\n%s", diff)
	}
	mustCommit(t, y, map[int32]int64{1: 1})
}
