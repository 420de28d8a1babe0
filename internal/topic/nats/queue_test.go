package nats

import "testing"

// Messages keep their order, and the slice does not grow without limit.
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
