package redis

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/topic"
)

// batchOf1000 is how many bytes a batch of 1000 updates has.
const batchOf1000 = 43_000

// BenchmarkOneWay is how many messages of 43 kB a publisher with so many under way, each
// acknowledged by the server, and a listener that receives up to 10 at once and acknowledges
// them get through in the long run: the publisher is at most 1000 messages ahead.
func BenchmarkOneWay(b *testing.B) {
	for name, inFlight := range map[string]int{"1": 1, "16": 16} {
		b.Run(name, func(b *testing.B) {
			sub, pub := benchPair(b, 10)
			ctx := context.WithoutCancel(b.Context())
			ahead, work := make(chan struct{}, 1000), make(chan struct{}, b.N)
			for range b.N {
				work <- struct{}{}
			}
			close(work)
			b.SetBytes(batchOf1000)
			b.ResetTimer()
			var group sync.WaitGroup
			for range inFlight {
				group.Go(func() {
					payload := make([]byte, batchOf1000)
					for range work {
						ahead <- struct{}{}
						if err := pub.Publish(ctx, payload); err != nil {
							b.Error(err)
						}
					}
				})
			}
			for received := 0; received < b.N; {
				r, err := sub.Receive(ctx)
				if err == nil {
					err = sub.Ack(ctx, r.Messages)
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
		})
	}
}

// BenchmarkCalls is what each call takes when there is one message at a time: it is published, and
// is there when it is received.
func BenchmarkCalls(b *testing.B) {
	sub, pub := benchPair(b, 1)
	payload := make([]byte, batchOf1000)
	var publish, receive, ack time.Duration
	for b.Loop() {
		began := time.Now()
		if err := pub.Publish(b.Context(), payload); err != nil {
			b.Fatal(err)
		}
		published := time.Now()
		r, err := sub.Receive(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		received := time.Now()
		if err := sub.Ack(b.Context(), r.Messages); err != nil {
			b.Fatal(err)
		}
		publish += published.Sub(began)
		receive += received.Sub(published)
		ack += time.Since(received)
	}
	b.ReportMetric(float64(publish.Microseconds())/float64(b.N), "µs/publish")
	b.ReportMetric(float64(receive.Microseconds())/float64(b.N), "µs/receive")
	b.ReportMetric(float64(ack.Microseconds())/float64(b.N), "µs/ack")
}

func benchPair(b *testing.B, batch int) (topic.Subscription, topic.Publisher) {
	t := mustOpen(b, start(b).at(b, ""))
	sub, err := t.Subscribe(b.Context(), topic.SubscribeOptions{Name: "server", Listeners: 1, Batch: batch})
	if err != nil {
		b.Fatal(err)
	}
	pub, err := t.Publisher(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _, _ = sub.Close(), pub.Close() })
	return sub, pub
}
