package nats

import (
	"sync"
	"time"
)

// arrival is a message that waits for a listener.
type arrival struct {
	payload []byte
	at      time.Time // when the library handed it over
}

// queue is what a subscription was sent and no listener has taken.
type queue struct {
	maxMessages int
	maxBytes    int64
	ready       chan struct{} // has one element when there is something to take

	mu      sync.Mutex
	waiting []arrival
	first   int // of waiting: those before it were taken
	bytes   int64
	dropped int64
	lost    error // why the connection was lost, until somebody was told
}

func newQueue(messages int, bytes int64) *queue {
	return &queue{maxMessages: messages, maxBytes: bytes, ready: make(chan struct{}, 1)}
}

// signal wakes one who waits.
func (q *queue) signal() {
	select {
	case q.ready <- struct{}{}:
	default:
	}
}

// put adds a message, or counts it as dropped when there is no room.
func (q *queue) put(a arrival) {
	q.mu.Lock()
	defer q.mu.Unlock()
	size := int64(len(a.payload))
	if len(q.waiting)-q.first >= q.maxMessages || q.bytes+size > q.maxBytes {
		q.dropped++
		return
	}
	q.waiting = append(q.waiting, a)
	q.bytes += size
	q.signal()
}

// fail says that the connection was lost: one take will return the error, after what was
// received until then.
func (q *queue) fail(err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.lost = err
	q.signal()
}

// take takes at most so many messages. Without any it returns the error that nobody was told yet.
func (q *queue) take(batch int) ([]arrival, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(batch, len(q.waiting)-q.first)
	if n == 0 {
		err := q.lost
		q.lost = nil
		return nil, err
	}
	taken := make([]arrival, n)
	copy(taken, q.waiting[q.first:])
	clear(q.waiting[q.first : q.first+n])
	q.first += n
	for _, a := range taken {
		q.bytes -= int64(len(a.payload))
	}
	if q.first == len(q.waiting) {
		q.waiting, q.first = q.waiting[:0], 0
	} else if q.first >= 1024 && q.first >= len(q.waiting)/2 {
		q.shift()
	}
	if len(q.waiting) > q.first || q.lost != nil {
		q.signal() // for the next listener
	}
	return taken, nil
}

// shift moves what waits to the beginning, so that the slice does not grow for ever.
func (q *queue) shift() {
	n := copy(q.waiting, q.waiting[q.first:])
	clear(q.waiting[n:])
	q.waiting, q.first = q.waiting[:n], 0
}

// count is how many messages wait, and how many were dropped.
func (q *queue) count() (waiting, dropped int64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	return int64(len(q.waiting) - q.first), q.dropped
}
