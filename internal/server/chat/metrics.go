package chat

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/plimsoll/plimsoll/internal/server"
)

// broadcastMetrics count deliveries. Each that is due has one outcome, once it is over.
type broadcastMetrics struct {
	due, sent, lost, dropped, gone prometheus.Counter
	doubled, swapped               prometheus.Counter
}

func newBroadcastMetrics(to *server.Counts) *broadcastMetrics {
	outcomes := to.Counters("plimsoll_chat_deliveries_total",
		"Deliveries by outcome: sent; lost (injected); dropped because too many were unread; gone with the connection.",
		"outcome")
	faults := to.Counters("plimsoll_chat_delivery_faults_total",
		"Injected delivery faults by kind: sent twice, or sent after the same sender's next delivery.", "kind")
	return &broadcastMetrics{
		due: to.Counter("plimsoll_chat_deliveries_due_total",
			"Deliveries due: one for each connection in the message's room."),
		sent: outcomes.WithLabelValues("sent"), lost: outcomes.WithLabelValues("lost"),
		dropped: outcomes.WithLabelValues("dropped"), gone: outcomes.WithLabelValues("gone"),
		doubled: faults.WithLabelValues("duplicate"), swapped: faults.WithLabelValues("swap"),
	}
}

// count counts what is about to be written.
func (m *broadcastMetrics) count(fault int, ended bool) {
	switch {
	case ended && fault == deliveryDoubled:
	case ended:
		m.gone.Inc()
	case fault == deliveryDoubled:
		m.doubled.Inc()
	default:
		m.sent.Inc()
		if fault == deliverySwapped {
			m.swapped.Inc()
		}
	}
}

// outcome is what became of a message when it was checked.
type outcome int

const (
	outcomeOK outcome = iota
	outcomeRejected
	outcomeCount
)

var outcomeLabels = [outcomeCount]string{"ok", "rejected"}

// metrics are the server's counts. The children are looked up
// once: counting a message is a few atomic additions.
type metrics struct {
	*server.Counts

	open              prometheus.Gauge
	accepted, refused prometheus.Counter
	messages          [typeCount][outcomeCount]prometheus.Counter
	broken            [ruleCount]prometheus.Counter
	received, sent    prometheus.Counter
	echoes            prometheus.Counter
	faults            [kindCount + 2]prometheus.Counter // none has no counter
	processing        prometheus.Histogram
}

func newMetrics() *metrics {
	m := &metrics{Counts: server.NewCounts()}
	m.open = m.Gauge("plimsoll_chat_connections_open", "Open WebSocket connections.")

	connections := m.Counters("plimsoll_chat_connections_total",
		"WebSocket handshakes by outcome.", "outcome")
	m.accepted = connections.WithLabelValues("accepted")
	m.refused = connections.WithLabelValues("refused")

	messages := m.Counters("plimsoll_chat_messages_total",
		"Messages received, by type and validation outcome.", "type", "outcome")
	for t, label := range typeLabels {
		for o, outcome := range outcomeLabels {
			if messageType(t) != typeInvalid || outcome != "ok" {
				m.messages[t][o] = messages.WithLabelValues(label, outcome)
			}
		}
	}
	m.echoes = messages.WithLabelValues("any", "ok")
	broken := m.Counters("plimsoll_chat_validation_errors_total",
		"Validation errors by rule; a message can break several rules.", "rule")
	for r, rule := range rules {
		m.broken[r] = broken.WithLabelValues(rule.label)
	}
	bytes := m.Counters("plimsoll_chat_bytes_total",
		"Payload bytes of messages, excluding frame headers.", "direction")
	m.received, m.sent = bytes.WithLabelValues("received"), bytes.WithLabelValues("sent")

	faults := m.Counters("plimsoll_chat_faults_injected_total",
		"Messages with an injected fault, by kind; held: a reorder without a later message.", "kind")
	for i, k := range kinds {
		m.faults[i] = faults.WithLabelValues(k.name)
	}
	m.faults[heldInVain] = faults.WithLabelValues("held")

	m.processing = m.Histogram("plimsoll_chat_processing_seconds",
		"Time from receiving a message to writing or scheduling its reply.", nil)
	return m
}

// echoed counts a message that comes back as it is.
func (m *metrics) echoed(size int) {
	m.received.Add(float64(size))
	m.echoes.Inc()
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
