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
		rows: m.Counters("EventStatus", "Alias of RealtimeTotalRowsUpdated.", "event").
			WithLabelValues("RealtimeTotalRowsUpdated"),
		processing: m.ClassicHistograms("Latency", "Alias of ReceivedLowLatencyNotifications, in nanoseconds.",
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
		"Rows applied: updates and deletions, including warm-up.")
	m.stale = m.Counter("plimsoll_kv_rows_stale_total", "Rows ignored because their key already had a newer row.")
	m.batches = m.Counter("plimsoll_kv_batches_total", "Batches received, without duplicates.")
	m.duplicates = m.Counter("plimsoll_kv_batches_duplicate_total", "Deliveries of a batch that had already been "+
		"received.")
	m.unreadable = m.Counter("plimsoll_kv_messages_unreadable_total",
		"Messages that were not a valid batch; they are acknowledged and skipped.")
	m.refused = m.Counter("plimsoll_kv_batches_refused_total",
		"Batches that could not be stored because memory was full or the journal failed; they are not acknowledged.")
	m.skipped = m.Counter("plimsoll_kv_acknowledgements_skipped_total",
		"Batches deliberately not acknowledged (--skip-ack).")
	m.receiveErrors = m.Counter("plimsoll_kv_receive_errors_total", "Failed receive calls.")
	m.ackErrors = m.Counter("plimsoll_kv_acknowledge_errors_total", "Failed acknowledgements.")
	m.reads = m.Counter("plimsoll_kv_keys_read_total", "Keys requested.")
	m.found = m.Counter("plimsoll_kv_keys_found_total", "Keys requested that had a value.")

	const second = 1e6 // in microseconds
	m.e2e = m.histogram("ReceivedLowLatencyNotificationsE2E",
		"Time from just before a batch is sent until it is fully applied, in microseconds; excluding warm-up.",
		buckets(50, 20*second))
	m.processing = m.histogram("ReceivedLowLatencyNotifications",
		"Server-side processing time: from receiving a batch until it is fully applied, including the wait for other "+
			"batches of the same receive call, in nanoseconds; excluding warm-up.",
		processingBuckets())
	m.receive = m.histogram(transport+"ReceiveMessageLatency",
		"Duration of receive calls that returned batches, in microseconds; mostly idle waiting.", buckets(50, 60*second))
	if d.BrokerTime != "" {
		m.provided = m.histogram("ReceivedLowLatencyNotificationsE2E"+cmp.Or(d.Clock, transport)+"Provided",
			"Time from the broker's timestamp of a batch until it is fully applied, as the difference of two wall clocks, "+
				"in microseconds. The broker's timestamp is "+d.BrokerTime+".",
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
		{"plimsoll_kv_tombstones", "Deleted keys that are still remembered.",
			func() float64 { _, n := s.store.Size(); return float64(n) }},
		{"plimsoll_kv_memory_bytes", "Memory used for keys, values and their index, in bytes.",
			func() float64 { return float64(s.store.Memory()) }},
		{"plimsoll_kv_rows_partial", "Rows applied from batches that were rejected and not redelivered.",
			func() float64 { return float64(inPart(s.registry.all()).Updates) }},
		{"plimsoll_kv_publishers", "Publishers remembered.",
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
