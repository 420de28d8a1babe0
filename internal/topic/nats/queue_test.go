package nats

import (
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestQueueBounds(t *testing.T) {
	q := newQueue(3, 100)
	put := func(sizes ...int) {
		for _, n := range sizes {
			q.put(arrival{payload: make([]byte, n), at: time.Now()})
		}
	}
	state := func() [2]int64 {
		waiting, dropped := q.count()
		return [2]int64{waiting, dropped}
	}
	put(50, 50, 1, 1) // the third and the fourth are too many bytes
	if diff := cmp.Diff([2]int64{2, 2}, state()); diff != "" {
		t.Error(diff)
	}
	if taken, err := q.take(1); len(taken) != 1 || err != nil {
		t.Errorf("took %d: %v", len(taken), err)
	}
	put(1, 1, 1) // the third is too many messages
	if diff := cmp.Diff([2]int64{3, 3}, state()); diff != "" {
		t.Error(diff)
	}
	if taken, err := q.take(10); len(taken) != 3 || err != nil || q.bytes != 0 {
		t.Errorf("took %d, and %d bytes are left: %v", len(taken), q.bytes, err)
	}
}

// TestQueueOrder: the messages come in their order, and the slice does not grow for ever.
func TestQueueOrder(t *testing.T) {
	q := newQueue(1<<20, 1<<30)
	next, want := 0, 0
	for range 5000 {
		for range 3 {
			q.put(arrival{payload: []byte{byte(next), byte(next >> 8)}})
			next++
		}
		taken, _ := q.take(2 + next%2)
		for _, a := range taken {
			if got := int(a.payload[0]) | int(a.payload[1])<<8; got != want%(1<<16) {
				t.Fatalf("message %d came as number %d", got, want)
			}
			want++
		}
	}
	if taken, _ := q.take(next); len(taken) != next-want {
		t.Fatalf("%d messages were left, want %d", len(taken), next-want)
	}
	for range 3000 { // never empty from here on
		q.put(arrival{payload: []byte{0}})
	}
	for range 20000 {
		q.put(arrival{payload: []byte{0}})
		if taken, _ := q.take(1); len(taken) != 1 {
			t.Fatal("nothing was taken")
		}
	}
	if waiting, _ := q.count(); waiting != 3000 || len(q.waiting) > 7000 {
		t.Errorf("%d messages wait in a slice of %d", waiting, len(q.waiting))
	}
}

// TestQueueError: what was received before the connection was lost comes first, and one listener
// is told.
func TestQueueError(t *testing.T) {
	q := newQueue(10, 100)
	lost := errors.New("lost")
	q.put(arrival{payload: []byte("a")})
	q.fail(lost)
	if taken, err := q.take(1); len(taken) != 1 || err != nil {
		t.Errorf("took %d: %v", len(taken), err)
	}
	select {
	case <-q.ready:
	default:
		t.Error("nobody is woken to be told")
	}
	if taken, err := q.take(1); len(taken) != 0 || !errors.Is(err, lost) {
		t.Errorf("took %d: %v, want %v", len(taken), err, lost)
	}
	if taken, err := q.take(1); len(taken) != 0 || err != nil {
		t.Errorf("took %d: %v", len(taken), err)
	}
}

// TestStrict: nothing is written after a write that failed, even if none of it went out.
func TestStrict(t *testing.T) {
	ours, theirs := net.Pipe()
	defer theirs.Close()
	if err := ours.SetWriteDeadline(time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	if n, err := (strict{ours}).Write([]byte("PUB")); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("%d bytes were written: %v", n, err)
	}
	if err := ours.SetWriteDeadline(time.Time{}); err == nil {
		t.Error("the connection is still there")
	}
}

// TestQueueWakesTheNext: a listener that leaves messages behind wakes another one for them.
func TestQueueWakesTheNext(t *testing.T) {
	q := newQueue(10, 100)
	q.put(arrival{payload: []byte("a")})
	q.put(arrival{payload: []byte("b")})
	for _, more := range []bool{true, false} {
		select {
		case <-q.ready:
		default:
			t.Fatal("nobody is woken")
		}
		if taken, err := q.take(1); len(taken) != 1 || err != nil {
			t.Fatalf("took %d: %v", len(taken), err)
		}
		if woken := len(q.ready) > 0; woken != more {
			t.Errorf("another one is woken: %t, want %t", woken, more)
		}
	}
}
