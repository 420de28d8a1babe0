package overhead

import (
	"slices"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/plan"
)

// BenchmarkInstrument says how much longer a call takes from its start to its return because it
// is measured: the same calls with and without hooks take turns, and the medians of many short
// turns are compared. The bar is 2 %.
func BenchmarkInstrument(b *testing.B) {
	for _, operation := range []string{"S3/HeadObject", "DynamoDB/GetItem"} {
		b.Run(operation, func(b *testing.B) {
			c := ready(b, operation)
			const turn = 20
			var with, without []time.Duration
			measured := func() {
				for range turn {
					c.Prepare(0, 0)
					began := time.Now()
					err := c.call()
					with = append(with, time.Since(began))
					if t := c.settle(err); err != nil || t == nil {
						b.Fatalf("%v, %v", err, t)
					}
				}
			}
			bare := func() {
				s := newSession(c.o.Hard, time.Minute)
				defer s.end()
				for range turn {
					began := time.Now()
					if err := c.plainCall(s); err != nil {
						b.Fatal(err)
					}
					without = append(without, time.Since(began))
				}
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
			on, off := median(with), median(without)
			b.ReportMetric(float64(on.Nanoseconds()), "on-ns/call")
			b.ReportMetric(float64(off.Nanoseconds()), "off-ns/call")
			b.ReportMetric(100*(float64(on)/float64(off)-1), "%-more")
			b.ReportMetric(0, "ns/op") // two kinds of calls together say nothing
		})
	}
}

func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}

// ready is a client at the first measured call of an operation.
func ready(b *testing.B, operation string) *client {
	b.Helper()
	url := serveHandler(b, &responder{})
	p := plan.DefaultOverhead()
	p.Endpoint, p.Calls, p.Time, p.Warmup = url, 1, 0, 500*time.Millisecond
	p.Operations = []string{operation}
	p.Resolve(func(string) bool { return true })
	b.Setenv("AWS_ACCESS_KEY_ID", "key")
	b.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	remote, err := Connect(b.Context(), b.Context(), &p, url, nil)
	if err != nil {
		b.Fatal(err)
	}
	o := New(Config{Plan: p, Remote: remote, Soft: b.Context(), Hard: b.Context()})
	c := newClient(o, 0)
	b.Cleanup(func() {
		c.Close()
		o.rest()
	})
	if !c.Next(make(chan struct{})) {
		b.Fatal(o.Result().Failure)
	}
	return c
}
