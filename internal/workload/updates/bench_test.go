package updates

import (
	"context"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/hostclock"
	"github.com/plimsoll/plimsoll/internal/topic"
)

// null is a broker that acknowledges at once.
type null struct{ *broker }

func (n null) Publisher(context.Context) (topic.Publisher, error) { return n, nil }
func (n null) Publish(context.Context, []byte) error              { return nil }

// bench is a slot without an engine.
type bench struct {
	client  *Client
	clock   *op.Clock
	control *op.Control
}

func newBench(t testing.TB, p Plan) *bench {
	data, err := Generate(definition(&p), 1000)
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(Config{Plan: p, Run: 1, Topic: null{newBroker()}, Data: data, Clock: hostclock.New()})
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{client: w.NewClient(0, 1).(*Client), clock: op.NewClock()}
	b.control = op.NewControl(b.clock, time.Minute, func(*op.Failure) {})
	t.Cleanup(b.control.Stop)
	t.Cleanup(b.client.Close)
	if err := b.client.Connect(t.Context()); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bench) one(t testing.TB, index *uint64) {
	b.client.Prepare(0, *index)
	*index++
	now := b.clock.Now()
	b.control.Intend(now)
	b.control.Begin(now)
	if why := b.control.End(b.client.Do(t.Context(), 0, &b.control.Attempt)); why != nil {
		t.Fatal(why)
	}
}

// BenchmarkBatch is what a batch of 1000 updates costs beside what the client library takes.
func BenchmarkBatch(b *testing.B) {
	p := short(nil).plan
	p.Batch = 1000
	bench := newBench(b, p)
	index := uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		bench.one(b, &index)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/update")
}
