package prom

import (
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"google.golang.org/protobuf/proto"

	"github.com/plimsoll/plimsoll/internal/record"
)

const (
	// schema is how fine native buckets are at first: 16 to a doubling, each 4.4% wide. Where there would be more than
	// maxBuckets, each two become one, as Prometheus' own client does.
	schema     = 4
	maxBuckets = 160
	// zero is the width of the bucket of zero: what takes less than a nanosecond.
	zero = 1e-9
)

// bounds are those of the classic buckets, s: 1, 2 and 5 of each power of ten from 10 µs to 50 s, and 100 s.
func bounds() []float64 {
	var all []float64
	for power := -5; power <= 1; power++ {
		for _, digit := range []float64{1, 2, 5} {
			all = append(all, digit*math.Pow10(power))
		}
	}
	return append(all, 100)
}

// histogram is a metric with both kinds of buckets.
type histogram struct {
	native  prometheus.Metric
	classic []*dto.Bucket
}

// newHistogram makes one of times.
func newHistogram(desc *prometheus.Desc, of record.Buckets, from time.Time, values []string) prometheus.Metric {
	at, buckets, none := of.Exponential(schema, maxBuckets)
	native, err := prometheus.NewConstNativeHistogram(desc, uint64(of.Count), float64(of.SumNS)/1e9, buckets, nil,
		uint64(none), int32(at), zero, from, values...)
	if err != nil {
		return prometheus.NewInvalidMetric(desc, err)
	}
	return &histogram{native, classicBuckets(of)}
}

// Desc describes it.
func (h *histogram) Desc() *prometheus.Desc { return h.native.Desc() }

// Write writes both kinds of buckets: the format of the answer decides which of them are sent.
func (h *histogram) Write(to *dto.Metric) error {
	if err := h.native.Write(to); err != nil {
		return err
	}
	to.Histogram.Bucket = h.classic
	return nil
}

// classicBuckets counts times up to each bound.
func classicBuckets(of record.Buckets) []*dto.Bucket {
	var all []*dto.Bucket
	next, sum := 0, uint64(0)
	for _, bound := range bounds() {
		for next < len(of.List) && of.List[next].Middle() <= bound {
			sum += uint64(of.List[next].Count)
			next++
		}
		all = append(all, &dto.Bucket{UpperBound: proto.Float64(bound), CumulativeCount: proto.Uint64(sum)})
	}
	return all
}
