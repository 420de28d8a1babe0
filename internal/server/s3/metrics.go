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
	m.inFlight = m.Gauge("plimsoll_s3_requests_in_flight", "Requests that are being answered.")
	m.requests = m.Counters("plimsoll_s3_requests_total",
		"Requests by operation and by the HTTP status of the answer; reset: there was none.", "operation", "status")
	m.Reading("plimsoll_s3_data_bytes", "Data of objects and of parts of uploads, also if it was discarded.",
		func() float64 { return float64(stored.Used()) })
	m.Reading("plimsoll_s3_memory_bytes", "Memory that data and metadata take, as --memory bounds it.",
		func() float64 { return float64(memory.Used()) })
	bytes := m.Counters("plimsoll_s3_bytes_total", "Bytes of bodies, as they are on the wire.", "direction")
	faults := m.Counters("plimsoll_s3_faults_injected_total", "Faults on request, by kind.", "kind")
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
