package http

import (
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/plimsoll/plimsoll/internal/server"
)

// The faults, and what else is counted of requests that had no plain answer.
const (
	faultError = iota
	faultDrop
	faultNone // of those with a rate, as server.Pick has it
)

// metrics are the server's counts: for Prometheus, and as they are under /counts.
type metrics struct {
	*server.Counts

	requests, answers, faults *prometheus.CounterVec
	received, sent            prometheus.Counter

	plain counts
}

// counts are what tests and people hold against a report.
type counts struct {
	Requests, Errors, Drops, Stalled atomic.Int64
	Connections                      atomic.Int64
	Received, Sent                   atomic.Int64 // bytes of bodies
	statuses                         [600]atomic.Int64
}

func newMetrics() *metrics {
	m := &metrics{Counts: server.NewCounts()}
	m.requests = m.Counters("plimsoll_http_requests_total", "Requests by protocol and method.", "protocol", "method")
	m.answers = m.Counters("plimsoll_http_answers_total", "Responses by status.", "status")
	m.faults = m.Counters("plimsoll_http_faults_injected_total", "Requests with an injected fault, by kind.", "kind")
	bytes := m.Counters("plimsoll_http_bytes_total", "Body bytes by direction.", "direction")
	m.received, m.sent = bytes.WithLabelValues("received"), bytes.WithLabelValues("sent")
	return m
}
