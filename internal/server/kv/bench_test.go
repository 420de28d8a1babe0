package kv

import (
	"fmt"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/delta"
	"github.com/plimsoll/plimsoll/internal/topic"
)

// BenchmarkListener decodes and applies batches of the reference's data with one listener,
// without a message service: unique keys of 30 bytes, values of 10.
func BenchmarkListener(b *testing.B) {
	for _, size := range []int{125, 1000} {
		for _, journal := range []bool{false, true} {
			b.Run(fmt.Sprintf("batch=%d,journal=%v", size, journal), func(b *testing.B) {
				cfg := Default()
				cfg.Subscription = "test"
				if journal {
					cfg.Journal = b.TempDir()
				}
				m := newMemory()
				s, err := New(cfg, Source{Topic: m, URL: "memory://test"}, nil)
				if err != nil {
					b.Fatal(err)
				}
				defer s.release()
				if err := s.recover(); err != nil {
					b.Fatal(err)
				}
				g, err := delta.NewGenerator(delta.Generation{Seed: 1, Batch: size, KeyLength: 30, ValueLength: 10})
				if err != nil {
					b.Fatal(err)
				}
				l := &listener{s: s}
				var rows []delta.Row
				var buf, payload []byte
				h := from(1, 0, 0)
				h.Clock = s.clock.ID()
				var busy time.Duration
				n := 0
				for b.Loop() {
					rows, buf = g.Rows(uint64(n), rows, buf)
					h.Sequence, h.Sent, h.Scheduled = uint64(n), s.clock.Now(), s.clock.Now()
					if payload, err = delta.Append(payload[:0], &h, rows); err != nil {
						b.Fatal(err)
					}
					began := time.Now()
					r := topic.Received{Began: began, Ended: began,
						Messages: []topic.Message{{Payload: payload, Handle: n}}}
					l.handle(b.Context(), m, &r)
					busy += time.Since(began)
					n++
				}
				if got := s.store.Memory(); got == 0 || s.broken.count > 0 {
					b.Fatalf("%d bytes, %q", got, s.broken.example)
				}
				b.ReportMetric(float64(n*size)/busy.Seconds()/1e6, "Mrows/s")
				b.ReportMetric(float64(busy.Nanoseconds())/float64(n*size), "ns/row")
			})
		}
	}
}
