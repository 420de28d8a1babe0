package otlp

import (
	"math"
	"time"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	pb "go.opentelemetry.io/proto/otlp/metrics/v1"

	"github.com/plimsoll/plimsoll/internal/onlook"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/rundoc"
)

const (
	// scale is how fine the buckets of histograms are at first: 16 to a doubling, each 4.4% wide. Where there would be
	// more than maxBuckets, each two become one, as OpenTelemetry's SDKs do.
	scale      = 4
	maxBuckets = 160
)

// batch makes the metrics of a run. All counts are since the window began.
type batch struct {
	from, now uint64
	list      []*pb.Metric
	by        map[string]*pb.Metric
}

// metricsOf is a message with the metrics of a run: what collectors take is written as MetricsData is.
func metricsOf(m *onlook.Moment, s *record.Sums, own []Attribute) *pb.MetricsData {
	b := &batch{from: stamp(s.Started), now: stamp(s.Now), by: map[string]*pb.Metric{}}
	for i := range s.Kinds {
		b.kind(&s.Kinds[i])
	}
	b.gauge("plimsoll.operations.in_flight", "{operation}", float64(s.InFlight))
	b.gauge("plimsoll.clients", "{client}", float64(s.Clients))
	b.gauge("plimsoll.window", "s", s.Elapsed.Seconds())
	b.count("plimsoll.connections.opened", "{connection}", s.ConnectionsOpened)
	b.count("plimsoll.connections.failed", "{connection}", s.ConnectionsFailed)
	for _, r := range s.Reconnects {
		b.count("plimsoll.reconnects", "{connection}", r.Count, text("plimsoll.cause", r.Cause))
	}
	r := &s.Reading
	b.seconds("plimsoll.generator.cpu.time", r.User, text("cpu.mode", "user"))
	b.seconds("plimsoll.generator.cpu.time", r.System, text("cpu.mode", "system"))
	b.gauge("plimsoll.generator.cpus", "{cpu}", r.CPUs)
	if h := r.Hiccups; h != nil {
		b.count("plimsoll.generator.gaps", "{gap}", h.Gaps)
		b.seconds("plimsoll.generator.gap.time", time.Duration(h.GapsNS))
	}
	if rundoc.Supports(s.Own.Count, 990) {
		b.gauge("plimsoll.generator.own_delay.p99", "s", s.Own.Quantile(.99).Seconds())
	}
	return &pb.MetricsData{ResourceMetrics: []*pb.ResourceMetrics{{
		Resource:     resourceOf(m, own),
		ScopeMetrics: []*pb.ScopeMetrics{{Scope: &common.InstrumentationScope{Name: scope}, Metrics: b.list}},
	}}}
}

// kind makes those of one kind of operation.
func (b *batch) kind(k *record.KindSums) {
	o := &k.Operation
	of := labelled(o.Name, o.Labels)
	with := func(more ...*common.KeyValue) []*common.KeyValue { return append(of[:len(of):len(of)], more...) }
	for _, one := range []struct {
		outcome string
		n       int64
	}{{"ok", o.OK}, {"failed", o.Failed}, {"unsent", o.Unsent}, {"unfinished", o.Unfinished}} {
		b.count("plimsoll.operations", "{operation}", one.n, with(text("plimsoll.outcome", one.outcome))...)
	}
	b.count("plimsoll.attempts", "{attempt}", o.Attempts, of...)
	b.count("plimsoll.retries", "{attempt}", o.Retries, of...)
	b.count("plimsoll.operation.bytes", "By", o.Bytes, of...)
	for _, c := range o.Causes {
		b.count("plimsoll.attempts.failed", "{attempt}", c.Count, with(text("plimsoll.cause", c.Cause))...)
	}
	b.histogram("plimsoll.response_time", k.Response, of)
	b.histogram("plimsoll.service_time", k.Service, of)
}

// metric is the one of a name, which make begins.
func (b *batch) metric(name, unit string, begin func(*pb.Metric)) *pb.Metric {
	m := b.by[name]
	if m == nil {
		m = &pb.Metric{Name: name, Unit: unit}
		begin(m)
		b.by[name] = m
		b.list = append(b.list, m)
	}
	return m
}

func (b *batch) sum(name, unit string, point *pb.NumberDataPoint, of []*common.KeyValue) {
	m := b.metric(name, unit, func(m *pb.Metric) {
		m.Data = &pb.Metric_Sum{Sum: &pb.Sum{IsMonotonic: true,
			AggregationTemporality: pb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE}}
	})
	point.Attributes, point.StartTimeUnixNano, point.TimeUnixNano = of, b.from, b.now
	m.GetSum().DataPoints = append(m.GetSum().DataPoints, point)
}

func (b *batch) count(name, unit string, n int64, of ...*common.KeyValue) {
	b.sum(name, unit, &pb.NumberDataPoint{Value: &pb.NumberDataPoint_AsInt{AsInt: n}}, of)
}

func (b *batch) seconds(name string, d time.Duration, of ...*common.KeyValue) {
	b.sum(name, "s", &pb.NumberDataPoint{Value: &pb.NumberDataPoint_AsDouble{AsDouble: d.Seconds()}}, of)
}

func (b *batch) gauge(name, unit string, v float64) {
	m := b.metric(name, unit, func(m *pb.Metric) { m.Data = &pb.Metric_Gauge{Gauge: &pb.Gauge{}} })
	m.GetGauge().DataPoints = append(m.GetGauge().DataPoints, &pb.NumberDataPoint{TimeUnixNano: b.now,
		Value: &pb.NumberDataPoint_AsDouble{AsDouble: v}})
}

func (b *batch) histogram(name string, times record.Buckets, of []*common.KeyValue) {
	m := b.metric(name, "s", func(m *pb.Metric) {
		m.Data = &pb.Metric_ExponentialHistogram{ExponentialHistogram: &pb.ExponentialHistogram{
			AggregationTemporality: pb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE}}
	})
	sum := float64(times.SumNS) / 1e9
	at, counts, none := times.Exponential(scale, maxBuckets)
	point := &pb.ExponentialHistogramDataPoint{
		Attributes: of, StartTimeUnixNano: b.from, TimeUnixNano: b.now, Count: uint64(times.Count), Sum: &sum,
		Scale: int32(at), ZeroCount: uint64(none), Positive: positive(counts),
	}
	m.GetExponentialHistogram().DataPoints = append(m.GetExponentialHistogram().DataPoints, point)
}

// positive are buckets in a row, as OTLP has them: number i begins where ours of that number ends, one before.
func positive(counts map[int]int64) *pb.ExponentialHistogramDataPoint_Buckets {
	if len(counts) == 0 {
		return nil
	}
	first, last := math.MaxInt, math.MinInt
	for i := range counts {
		first, last = min(first, i), max(last, i)
	}
	list := make([]uint64, last-first+1)
	for i, n := range counts {
		list[i-first] = uint64(n)
	}
	return &pb.ExponentialHistogramDataPoint_Buckets{Offset: int32(first - 1), BucketCounts: list}
}

// stamp is a moment as OTLP has it.
func stamp(at time.Time) uint64 { return uint64(at.UnixNano()) }
