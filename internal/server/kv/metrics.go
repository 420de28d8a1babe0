package kv

import (
	"cmp"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/plimsoll/plimsoll/internal/server"
	"github.com/plimsoll/plimsoll/internal/topic"
)

// metrics are the server's counts and histograms. Those that the
// reference has bear its names and units.
type metrics struct {
	*server.Counts

	applied, stale, batches, duplicates prometheus.Counter
	unreadable, refused, skipped        prometheus.Counter
	receiveErrors, ackErrors            prometheus.Counter
	reads, found                        prometheus.Counter

	e2e, processing, receive prometheus.Observer
	provided                 prometheus.Observer // nil: the broker gives no time

	seed *seedMetrics // nil: nobody asks for them
}

// seedMetrics are series that the Privacy Sandbox's key/value server has under other names than its documents
// give them: the queries that these give find them.
type seedMetrics struct {
	rows       prometheus.Counter
	processing prometheus.Observer
}

// addSeed makes them. Theirs are classic histograms, and so are all of the server's then: where a Prometheus takes
// native ones, those have no series NAME_bucket, and the queries ask for it.
func (m *metrics) addSeed() {
	m.seed = &seedMetrics{
		rows: m.Counters("EventStatus", "RealtimeTotalRowsUpdated by another name.", "event").
			WithLabelValues("RealtimeTotalRowsUpdated"),
		processing: m.ClassicHistograms("Latency", "ReceivedLowLatencyNotifications by another name, in nanoseconds.",
			processingBuckets(), "event").WithLabelValues("ReceivedLowLatencyNotifications"),
	}
}

func newMetrics(s *Server, d topic.Description) *metrics {
	transport := cmp.Or(d.Metrics, "Topic")
	m := &metrics{Counts: server.NewCounts()}
	if s.cfg.SeedMetrics {
		m.addSeed()
	}

	m.applied = m.Counter("RealtimeTotalRowsUpdated",
		"Rows that were applied: updates and deletions, those of the warm-up included.")
	m.stale = m.Counter("plimsoll_kv_rows_stale_total", "Rows whose key had a later row already.")
	m.batches = m.Counter("plimsoll_kv_batches_total", "Batches that were received, each counted once.")
	m.duplicates = m.Counter("plimsoll_kv_batches_duplicate_total", "Deliveries of a batch that was there already.")
	m.unreadable = m.Counter("plimsoll_kv_messages_unreadable_total",
		"Messages that were no batch, or a broken one; they are acknowledged and skipped.")
	m.refused = m.Counter("plimsoll_kv_batches_refused_total",
		"Batches that could not be kept for lack of memory or because the journal failed; they are not acknowledged.")
	m.skipped = m.Counter("plimsoll_kv_acknowledgements_skipped_total",
		"Batches that were not acknowledged on purpose (--skip-ack).")
	m.receiveErrors = m.Counter("plimsoll_kv_receive_errors_total", "Receive calls that failed.")
	m.ackErrors = m.Counter("plimsoll_kv_acknowledge_errors_total", "Acknowledgements that failed.")
	m.reads = m.Counter("plimsoll_kv_keys_read_total", "Keys that were asked for.")
	m.found = m.Counter("plimsoll_kv_keys_found_total", "Keys that were asked for and had a value.")

	const second = 1e6 // in microseconds
	m.e2e = m.histogram("ReceivedLowLatencyNotificationsE2E",
		"From right before a batch is sent to when it is fully applied, in microseconds; without the warm-up.",
		buckets(50, 20*second))
	m.processing = m.histogram("ReceivedLowLatencyNotifications",
		"Server-side processing: from when a batch is received to when it is fully applied, the wait behind others "+
			"of the same receive call included, in nanoseconds; without the warm-up.",
		processingBuckets())
	m.receive = m.histogram(transport+"ReceiveMessageLatency",
		"A receive call that returned batches, in microseconds; most of it is idle waiting.", buckets(50, 60*second))
	if d.BrokerTime != "" {
		m.provided = m.histogram("ReceivedLowLatencyNotificationsE2E"+cmp.Or(d.Clock, transport)+"Provided",
			"From the broker's time of a batch to when it is fully applied, by the two wall clocks, in "+
				"microseconds. The broker's time is "+d.BrokerTime+".",
			buckets(50, 20*second))
	}
	m.gauges(s)
	return m
}

func (m *metrics) gauges(s *Server) {
	for _, g := range []struct {
		name, help string
		value      func() float64
	}{
		{"plimsoll_kv_keys", "Keys with a value.", func() float64 { n, _ := s.store.Size(); return float64(n) }},
		{"plimsoll_kv_tombstones", "Keys that are deleted and still remembered.",
			func() float64 { _, n := s.store.Size(); return float64(n) }},
		{"plimsoll_kv_memory_bytes", "Memory of keys, values and their index.",
			func() float64 { return float64(s.store.Memory()) }},
		{"plimsoll_kv_rows_partial", "Rows that are applied of batches that were refused, and have not come again.",
			func() float64 { return float64(inPart(s.registry.all()).Updates) }},
		{"plimsoll_kv_publishers", "Publishers that are remembered.",
			func() float64 { return float64(s.registry.size()) }},
	} {
		m.Reading(g.name, g.help, g.value)
	}
}

// histogram has native buckets and classic ones; for --seed-metrics classic ones alone.
func (m *metrics) histogram(name, help string, classic []float64) prometheus.Observer {
	if m.seed != nil {
		return m.ClassicHistograms(name, help, classic).WithLabelValues()
	}
	return m.Histogram(name, help, classic)
}

// buckets are classic ones.
func buckets(lowest, highest float64) []float64 {
	return prometheus.ExponentialBucketsRange(lowest, highest, 24)
}

func processingBuckets() []float64 { return buckets(1e3, 1e9) } // a microsecond to a second

func micros(ns int64) float64 { return float64(ns) / 1e3 }

// rowsApplied counts rows of a batch.
func (m *metrics) rowsApplied(n int64) {
	m.applied.Add(float64(n))
	if m.seed != nil {
		m.seed.rows.Add(float64(n))
	}
}

// observe enters the times of a batch.
func (m *metrics) observe(d *timing) {
	m.processing.Observe(float64(d[stageProcessing]))
	if m.seed != nil {
		m.seed.processing.Observe(float64(d[stageProcessing]))
	}
	if d[stageE2ESent] != absent {
		m.e2e.Observe(micros(d[stageE2ESent]))
	}
	if m.provided != nil && d[stageE2EBroker] != absent {
		m.provided.Observe(micros(d[stageE2EBroker]))
	}
}
