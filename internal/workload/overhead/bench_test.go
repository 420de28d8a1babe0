package overhead

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/workload/overhead/services"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/services/servicestest"
)

// BenchmarkInstrument says how much longer a loop of calls takes because they are measured: loops
// of the same calls with and without all that measures take turns, each loop is compared with its
// neighbour, and the median of that is the figure. The bar is 2 %.
func BenchmarkInstrument(b *testing.B) {
	for _, operation := range []string{"S3/HeadObject", "DynamoDB/GetItem"} {
		b.Run(operation, func(b *testing.B) {
			c := ready(b, operation)
			const turn = 10
			var with, without []time.Duration
			measured := func() {
				began := time.Now()
				for range turn {
					c.Prepare(0, 0)
					err := c.call()
					seen := c.settle(err)
					if err != nil || seen == nil {
						b.Fatalf("%v, %v", err, seen)
					}
					c.o.recordCall(c.step(), c.probe, seen)
				}
				with = append(with, time.Since(began)/turn)
			}
			plain := newCallContext(c.o.Hard, time.Minute, time.Now(), nil)
			defer plain.close()
			bare := func() {
				began := time.Now()
				for range turn {
					if err := c.plainCall(plain); err != nil {
						b.Fatal(err)
					}
				}
				without = append(without, time.Since(began)/turn)
			}
			for i := 0; b.Loop(); i++ {
				if i%2 == 0 {
					measured()
					bare()
				} else {
					bare()
					measured()
				}
			}
			more := make([]float64, len(with))
			for i := range more {
				more[i] = 100 * (float64(with[i])/float64(without[i]) - 1)
			}
			b.ReportMetric(float64(median(with)), "on-ns/call")
			b.ReportMetric(float64(median(without)), "off-ns/call")
			b.ReportMetric(median(more), "%-more")
			b.ReportMetric(0, "ns/op") // two kinds of calls together say nothing
		})
	}
}

func median[T cmp.Ordered](list []T) T {
	slices.Sort(list)
	return list[len(list)/2]
}

// ready is a client at the first measured call of an operation.
func ready(b *testing.B, operation string) *client {
	return readyAt(b, servicestest.Serve(b, &servicestest.Responder{}), operation)
}

func readyAt(b testing.TB, url, operation string) *client {
	b.Helper()
	p := DefaultPlan()
	p.Endpoint, p.Calls, p.Time, p.Warmup = url, 1, 0, 0
	if _, bench := b.(*testing.B); bench {
		p.Warmup = 500 * time.Millisecond
	}
	p.Operations = []string{operation}
	p.Resolve(func(string) bool { return true })
	b.Setenv("AWS_CONFIG_FILE", "/nonexistent")
	b.Setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent")
	b.Setenv("AWS_ACCESS_KEY_ID", "key")
	b.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	remote, err := services.Connect(b.Context(), b.Context(), p.access(url, nil))
	if err != nil {
		b.Fatal(err)
	}
	o := New(Config{Plan: p, Remote: remote, Soft: b.Context(), Hard: b.Context()})
	c := newClient(o, 0)
	c.bare = services.PlainClient(remote.Transport()) // without the taps
	b.Cleanup(func() {
		c.Close()
		c.bare.CloseIdleConnections()
		o.stand.Close()
	})
	if !c.Next(make(chan struct{})) {
		b.Fatal(o.Result().Failure)
	}
	return c
}
