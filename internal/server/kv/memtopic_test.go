package kv

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// memory is a topic in memory with one subscription, which delivers messages until they are
// acknowledged. A test decides what is delivered again, and when.
type memory struct {
	mu      sync.Mutex
	changed chan struct{} // closed at each change
	queue   []topic.Message
	unacked map[int][]byte
	next    int
	failing error // of Receive
	loseAck func(number int) bool
	batch   int
	core    bool // at most once
	broker  bool // messages have a broker's time
	others  bool // the queue was there before
	asked   int  // for the backlog

	names, clock string // of its metrics
}

func newMemory() *memory {
	return &memory{changed: make(chan struct{}), unacked: make(map[int][]byte), batch: 10}
}

func (m *memory) change() {
	close(m.changed)
	m.changed = make(chan struct{})
}

func (m *memory) publish(payloads ...[]byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, p := range payloads {
		message := topic.Message{Payload: slices.Clone(p), Handle: m.next, Others: m.others}
		if m.broker {
			message.BrokerTime = time.Now().Round(0)
		}
		m.queue = append(m.queue, message)
		m.next++
	}
	m.change()
}

// redeliver delivers all that was not acknowledged again, in the order that shuffle makes.
func (m *memory) redeliver(shuffle func(n int, swap func(i, j int))) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	var again []topic.Message
	for number, payload := range m.unacked {
		again = append(again, topic.Message{Payload: payload, Handle: number, Redelivered: true})
	}
	slices.SortFunc(again, func(a, b topic.Message) int { return a.Handle.(int) - b.Handle.(int) })
	if shuffle != nil {
		shuffle(len(again), func(i, j int) { again[i], again[j] = again[j], again[i] })
	}
	clear(m.unacked)
	m.queue = append(m.queue, again...)
	m.change()
	return len(again)
}

// fail makes receive calls fail, or succeed again with nil.
func (m *memory) fail(err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.failing = err
	m.change()
}

func (m *memory) waiting() (queued, unacked int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.queue), len(m.unacked)
}

func (m *memory) Describe() topic.Description {
	d := topic.Description{Transport: "memory", Client: "none", AtLeastOnce: !m.core,
		Metrics: m.names, Clock: m.clock}
	if m.broker {
		d.BrokerTime = "when it was published"
	}
	return d
}

func (m *memory) Publisher(context.Context) (topic.Publisher, error) {
	return nil, errors.ErrUnsupported
}

func (m *memory) Subscribe(_ context.Context, o topic.SubscribeOptions) (topic.Subscription, error) {
	m.batch = o.Batch
	return m, nil
}

func (m *memory) Close() error { return nil }

func (m *memory) Receive(ctx context.Context) (topic.Received, error) {
	r := topic.Received{Began: time.Now()}
	for {
		m.mu.Lock()
		changed := m.changed
		if m.failing != nil {
			defer m.mu.Unlock()
			return r, m.failing
		}
		if n := min(len(m.queue), m.batch); n > 0 {
			defer m.mu.Unlock()
			r.Messages, m.queue = m.queue[:n:n], m.queue[n:]
			for _, got := range r.Messages {
				m.unacked[got.Handle.(int)] = got.Payload
			}
			r.Ended = time.Now()
			return r, nil
		}
		m.mu.Unlock()
		select {
		case <-ctx.Done():
			return r, ctx.Err()
		case <-changed:
		}
	}
}

func (m *memory) Ack(_ context.Context, messages []topic.Message) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, a := range messages {
		if number := a.Handle.(int); m.loseAck == nil || !m.loseAck(number) {
			delete(m.unacked, number)
		}
	}
	m.change()
	return nil
}

func (m *memory) Backlog(context.Context) (topic.Backlog, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked++
	return topic.Backlog{Messages: int64(len(m.queue)), Unacked: int64(len(m.unacked))}, nil
}
