package chat

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// outcome is what became of a message when it was checked.
type outcome int

const (
	outcomeOK outcome = iota
	outcomeRejected
	outcomeCount
)

var outcomeLabels = [outcomeCount]string{"ok", "rejected"}

// metrics are the server's counts, in a registry of its own. The children are looked up
// once: counting a message is a few atomic additions.
type metrics struct {
	registry *prometheus.Registry

	open              prometheus.Gauge
	accepted, refused prometheus.Counter
	messages          [typeCount][outcomeCount]prometheus.Counter
	broken            [ruleCount]prometheus.Counter
	received, sent    prometheus.Counter
	faults            [kindCount + 2]prometheus.Counter // none has no counter
	processing        prometheus.Histogram
}

func newMetrics() *metrics {
	m := &metrics{registry: prometheus.NewRegistry()}
	m.registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.open = prometheus.NewGauge(prometheus.GaugeOpts{Name: "plimsoll_chat_connections_open",
		Help: "WebSocket connections that are open."})
	m.registry.MustRegister(m.open)

	connections := m.vector("plimsoll_chat_connections_total",
		"WebSocket handshakes by outcome.", "outcome")
	m.accepted = connections.WithLabelValues("accepted")
	m.refused = connections.WithLabelValues("refused")

	messages := m.vector("plimsoll_chat_messages_total",
		"Messages received by type and by the outcome of the check.", "type", "outcome")
	for t, label := range typeLabels {
		for o, outcome := range outcomeLabels {
			if messageType(t) != typeInvalid || outcome != "ok" {
				m.messages[t][o] = messages.WithLabelValues(label, outcome)
			}
		}
	}
	broken := m.vector("plimsoll_chat_validation_errors_total",
		"Rules broken by messages; a message may break several.", "rule")
	for r, rule := range rules {
		m.broken[r] = broken.WithLabelValues(rule.label)
	}
	bytes := m.vector("plimsoll_chat_bytes_total",
		"Payload bytes of messages, without frame headers.", "direction")
	m.received, m.sent = bytes.WithLabelValues("received"), bytes.WithLabelValues("sent")

	faults := m.vector("plimsoll_chat_faults_injected_total",
		"Messages that suffered a fault on request; held: a reorder that nothing overtook.", "kind")
	for i, k := range kinds {
		m.faults[i] = faults.WithLabelValues(k.name)
	}
	m.faults[heldInVain] = faults.WithLabelValues("held")

	m.processing = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name:                           "plimsoll_chat_processing_seconds",
		Help:                           "From having received a message to having written or scheduled its answer.",
		NativeHistogramBucketFactor:    1.1,
		NativeHistogramMaxBucketNumber: 160,
	})
	m.registry.MustRegister(m.processing)
	return m
}

func (m *metrics) vector(name, help string, labels ...string) *prometheus.CounterVec {
	v := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	m.registry.MustRegister(v)
	return v
}

// message counts a message that was checked.
func (m *metrics) message(msg *message, size int) {
	m.received.Add(float64(size))
	if msg.valid() {
		m.messages[msg.kind][outcomeOK].Inc()
		return
	}
	m.messages[msg.kind][outcomeRejected].Inc()
	for r := range ruleCount {
		if (msg.missing | msg.broken).has(r) {
			m.broken[r].Inc()
		}
	}
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
