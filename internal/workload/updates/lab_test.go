package updates

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/delta"
	"github.com/plimsoll/plimsoll/internal/engine"
	"github.com/plimsoll/plimsoll/internal/hostclock"
	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/internal/runtest"
	"github.com/plimsoll/plimsoll/internal/topic"
	"github.com/plimsoll/plimsoll/internal/wake"
	"github.com/plimsoll/plimsoll/internal/workload/updates/manifest"
	"github.com/plimsoll/plimsoll/internal/workload/updates/proof"
	"github.com/plimsoll/plimsoll/rundoc"
)

// broker is a topic in memory, with one server that applies what is published at once. Under a
// fake clock nothing takes time but what the broker is told to.
type broker struct {
	takes   func(n int) time.Duration      // the n-th publishing
	limit   int                            // of a message
	refuse  func(n int, m []byte) error    // the n-th publishing fails with this, before it is delivered
	lose    func(n int, m []byte) error    // likewise, after it
	deliver func(n int, m []byte) [][]byte // what the server gets of it; nil: the message

	mu          sync.Mutex
	published   int
	largest     int // message
	connections int
	open        int
	server      *server
	headers     []delta.Header // as delivered
}

func newBroker() *broker {
	none := func(int, []byte) error { return nil }
	return &broker{
		takes: func(int) time.Duration { return 3 * time.Millisecond }, refuse: none, lose: none, limit: 1 << 20,
		server: newServer(),
	}
}

func (b *broker) Describe() topic.Description {
	return topic.Description{Transport: "memory", AtLeastOnce: true, MaxMessage: b.limit}
}

func (b *broker) Publisher(context.Context) (topic.Publisher, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.connections++
	b.open++
	return &connection{broker: b}, nil
}

func (b *broker) Subscribe(context.Context, topic.SubscribeOptions) (topic.Subscription, error) {
	return nil, errors.ErrUnsupported
}

func (b *broker) Close() error { return nil }

type connection struct {
	*broker
	closed bool
}

func (c *connection) Publish(ctx context.Context, m []byte) error {
	b := c.broker
	b.mu.Lock()
	n := b.published
	b.published++
	b.largest = max(b.largest, len(m))
	takes := b.takes(n)
	b.mu.Unlock()
	timer := time.NewTimer(takes)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
		return ctx.Err()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.refuse(n, m); err != nil {
		return err
	}
	copies := [][]byte{slices.Clone(m)}
	if b.deliver != nil {
		copies = b.deliver(n, m)
	}
	for _, one := range copies {
		b.server.take(one)
		if h, err := delta.ReadHeader(one); err == nil {
			b.headers = append(b.headers, h)
		}
	}
	return b.lose(n, m)
}

func (c *connection) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.open--
	}
	c.closed = true
	return nil
}

// server is a key/value server as simple as can be: a second opinion on what the state is.
type server struct {
	forgetful bool // takes a batch that was there already for a new one
	seen      map[delta.Publisher]map[uint64]int
	rows      map[string]kept
	answer    kvapi.Rows
	broken    int64
}

type kept struct {
	order delta.Order
	row   delta.Row
}

func newServer() *server {
	return &server{seen: map[delta.Publisher]map[uint64]int{}, rows: map[string]kept{}}
}

func (s *server) take(m []byte) {
	h, rows, err := delta.Decode(m, nil)
	if err != nil {
		s.broken++
		return
	}
	if s.seen[h.Publisher] == nil {
		s.seen[h.Publisher] = map[uint64]int{}
	}
	s.seen[h.Publisher][h.Sequence]++
	if s.seen[h.Publisher][h.Sequence] > 1 && !s.forgetful {
		s.answer.Duplicate += int64(len(rows))
		return
	}
	for i, r := range rows {
		now := kept{delta.Order{Commit: r.Commit, Publisher: h.Publisher, Sequence: h.Sequence, Row: uint32(i)}, r}
		before, there := s.rows[string(r.Key)]
		if there && now.order.Compare(before.order) < 0 {
			s.answer.Stale++
			continue
		}
		s.answer.Applied++
		s.rows[string(r.Key)] = now
	}
}

// run is the server's answer.
func (s *server) run() *kvapi.Run {
	r := &kvapi.Run{Instance: "one", Rows: s.answer, Unreadable: s.broken, State: &kvapi.State{}}
	for _, k := range s.rows {
		if k.row.Kind == delta.Update {
			r.State.Live++
			r.State.Digest += delta.Hash(&k.row)
		}
	}
	for p, seen := range s.seen {
		got := kvapi.Received{Publisher: p.Number, Batches: int64(len(seen))}
		for sequence, times := range seen {
			got.Duplicates += int64(times - 1)
			got.Beyond = append(got.Beyond, kvapi.Span{First: sequence, Last: sequence})
		}
		slices.SortFunc(got.Beyond, func(a, b kvapi.Span) int { return cmp.Compare(b.First, a.First) })
		r.Publishers = append(r.Publishers, got)
	}
	return r
}

// lab is a run in memory, in fake time.
type lab struct {
	plan   Plan
	data   Data // nil for generated data
	log    *manifest.Writer
	broker *broker
	stop   chan struct{}

	work     *Updates
	doc      *rundoc.Run
	manifest rundoc.Manifest
	proof    rundoc.Proof
}

// short is a run of a second with small batches.
func short(edit func(*Plan)) *lab {
	p := DefaultPlan()
	p.Load.Rate, p.Load.Duration, p.Load.WarmupTime, p.Batch = 40, time.Second, 250*time.Millisecond, 25
	p.Load.Seed, p.CommitBase = 7, 1_700_000_000_000_000_000
	if edit != nil {
		edit(&p)
	}
	p.Resolve(func(flag string) bool {
		return slices.Contains([]string{"duration", "warmup-time", "max-publishers"}, flag)
	})
	return &lab{plan: p, broker: newBroker()}
}

func definition(p *Plan) delta.Generation { return p.generation() }

// run carries the run out and proves it.
func (l *lab) run(t *testing.T) {
	t.Helper()
	if err := l.plan.Settings().Check(); err != nil {
		t.Fatal(err)
	}
	var err error
	if l.data == nil {
		if l.data, err = Generate(definition(&l.plan), 1000); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		l.stop = make(chan struct{}) // of the bubble, so that waiting for it is idle
		clock := hostclock.New()
		if l.work, err = New(Config{Plan: l.plan, Run: 99, Topic: l.broker, Data: l.data, Clock: clock,
			ClockID: 5, Log: l.log}); err != nil {
			t.Fatal(err)
		}
		alarms := wake.NewPortable()
		defer alarms.Close()
		result, err := engine.Run(t.Context(), l.stop,
			engine.Config{Load: l.plan.Load, Workload: l.work, Alarms: alarms})
		if err != nil {
			t.Fatal(err)
		}
		if l.doc, err = result.Document(); err != nil {
			t.Fatal(err)
		}
	})
	runtest.CheckInvariants(t, l.doc)
	if l.broker.open != 0 {
		t.Errorf("%d connections are still open", l.broker.open)
	}
	if l.manifest, l.proof, err = l.work.Conclude(proof.Answer{Found: l.broker.server.run(), Instance: "one",
		AtLeastOnce: true}); err != nil {
		t.Fatal(err)
	}
}

func (l *lab) total(t *testing.T) rundoc.Operation {
	t.Helper()
	sum, err := l.doc.Totals()
	if err != nil {
		t.Fatal(err)
	}
	return sum
}
