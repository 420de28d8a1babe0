package nats

import (
	"context"
	"sync"
	"testing"
	"time"

	broker "github.com/plimsoll/plimsoll/internal/server/nats"
	"github.com/plimsoll/plimsoll/internal/topic"
)

// batchOf1000 is how many bytes a batch of 1000 updates has.
const batchOf1000 = 43_000

// bench is a topic of a broker of its own, with one publisher and one listener.
type bench struct {
	sub topic.Subscription
	pub topic.Publisher
}

func newBench(b *testing.B, config broker.Config, batch int) *bench {
	t := mustOpen(b, at(b, start(b, config), "updates"))
	sub, err := t.Subscribe(b.Context(), topic.SubscribeOptions{Name: "server", Listeners: 1, Batch: batch})
	if err != nil {
		b.Fatal(err)
	}
	p, err := t.Publisher(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _, _ = sub.Close(), p.Close() })
	return &bench{sub: sub, pub: p}
}

// BenchmarkOneWay is how many messages of 43 kB a publisher with so many under way, each
// acknowledged by the broker, and a listener that receives up to 10 at once and acknowledges
// them get through in the long run: the publisher is at most 1000 messages ahead.
func BenchmarkOneWay(b *testing.B) {
	for _, c := range []struct {
		name     string
		config   broker.Config
		inFlight int
	}{
		{"core/1", broker.Config{}, 1},
		{"core/16", broker.Config{}, 16},
		{"JetStream/1", broker.Config{JetStream: true}, 1},
		{"JetStream/16", broker.Config{JetStream: true}, 16},
	} {
		b.Run(c.name, func(b *testing.B) {
			n := newBench(b, c.config, 10)
			ctx := context.WithoutCancel(b.Context())
			ahead := make(chan struct{}, 1000)
			work := make(chan struct{}, b.N)
			for range b.N {
				work <- struct{}{}
			}
			close(work)
			b.SetBytes(batchOf1000)
			b.ReportAllocs()
			b.ResetTimer()
			var group sync.WaitGroup
			for range c.inFlight {
				group.Go(func() {
					payload := make([]byte, batchOf1000)
					for range work {
						ahead <- struct{}{}
						if err := n.pub.Publish(ctx, payload); err != nil {
							b.Error(err)
						}
					}
				})
			}
			calls := 0
			for received := 0; received < b.N; calls++ {
				r, err := n.sub.Receive(ctx)
				if err == nil {
					err = n.sub.Ack(ctx, r.Messages)
				}
				if err != nil {
					b.Fatal(err)
				}
				for range r.Messages {
					<-ahead
				}
				received += len(r.Messages)
			}
			group.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
			b.ReportMetric(float64(b.N)/float64(calls), "messages/receive")
		})
	}
}

// BenchmarkCalls is what each call takes when there is one message at a time: it is published, and
// is there when it is received.
func BenchmarkCalls(b *testing.B) {
	for name, config := range map[string]broker.Config{"core": {}, "JetStream": {JetStream: true}} {
		b.Run(name, func(b *testing.B) {
			n := newBench(b, config, 1)
			payload := make([]byte, batchOf1000)
			var publish, receive, ack time.Duration
			for b.Loop() {
				began := time.Now()
				if err := n.pub.Publish(b.Context(), payload); err != nil {
					b.Fatal(err)
				}
				published := time.Now()
				r, err := n.sub.Receive(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				received := time.Now()
				if err := n.sub.Ack(b.Context(), r.Messages); err != nil {
					b.Fatal(err)
				}
				publish += published.Sub(began)
				receive += received.Sub(published)
				ack += time.Since(received)
			}
			b.ReportMetric(float64(publish.Microseconds())/float64(b.N), "µs/publish")
			b.ReportMetric(float64(receive.Microseconds())/float64(b.N), "µs/receive")
			b.ReportMetric(float64(ack.Microseconds())/float64(b.N), "µs/ack")
		})
	}
}
