package s3

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/plimsoll/plimsoll/internal/server"
	"github.com/plimsoll/plimsoll/internal/server/s3/blob"
)

// metrics are the server's counts.
type metrics struct {
	*server.Counts

	inFlight       prometheus.Gauge
	requests       *prometheus.CounterVec
	received, sent prometheus.Counter
	faults         [faultCount]prometheus.Counter
}

func newMetrics(stored, memory *blob.Space) *metrics {
	m := &metrics{Counts: server.NewCounts()}
	m.inFlight = m.Gauge("plimsoll_s3_requests_in_flight", "Requests in progress.")
	m.requests = m.Counters("plimsoll_s3_requests_total",
		"Requests by operation and HTTP status; reset: no response was sent.", "operation", "status")
	m.Reading("plimsoll_s3_data_bytes", "Data received for objects and parts, including data that was discarded, in "+
		"bytes.",
		func() float64 { return float64(stored.Used()) })
	m.Reading("plimsoll_s3_memory_bytes", "Memory used for data and metadata, limited by --memory, in bytes.",
		func() float64 { return float64(memory.Used()) })
	bytes := m.Counters("plimsoll_s3_bytes_total", "Body bytes on the wire, by direction.", "direction")
	faults := m.Counters("plimsoll_s3_faults_injected_total", "Injected faults by kind.", "kind")
	m.received, m.sent = bytes.WithLabelValues("received"), bytes.WithLabelValues("sent")
	for i, label := range faultLabels {
		m.faults[i] = faults.WithLabelValues(label)
	}
	return m
}

// request counts a request that has been answered, or has not.
func (m *metrics) request(operation string, status int) {
	label := "reset"
	if status != 0 {
		label = strconv.Itoa(status)
	}
	m.requests.WithLabelValues(operation, label).Inc()
}
