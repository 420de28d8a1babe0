package s3

import (
	"net/http"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are the server's counts, in a registry of its own.
type metrics struct {
	registry *prometheus.Registry

	inFlight       prometheus.Gauge
	requests       *prometheus.CounterVec
	received, sent prometheus.Counter
	faults         [faultCount]prometheus.Counter
}

func newMetrics(stored, memory *space) *metrics {
	m := &metrics{registry: prometheus.NewRegistry()}
	m.registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.inFlight = prometheus.NewGauge(prometheus.GaugeOpts{Name: "plimsoll_s3_requests_in_flight",
		Help: "Requests that are being answered."})
	m.requests = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "plimsoll_s3_requests_total",
		Help: "Requests by operation and by the HTTP status of the answer; reset: there was none."}, []string{"operation", "status"})
	m.registry.MustRegister(m.inFlight, m.requests,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "plimsoll_s3_data_bytes",
			Help: "Data of objects and of parts of uploads, also if it was discarded."},
			func() float64 { return float64(stored.used.Load()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "plimsoll_s3_memory_bytes",
			Help: "Memory that data and metadata take, as --memory bounds it."},
			func() float64 { return float64(memory.used.Load()) }))

	bytes := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "plimsoll_s3_bytes_total",
		Help: "Bytes of bodies, as they are on the wire."}, []string{"direction"})
	faults := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "plimsoll_s3_faults_injected_total",
		Help: "Faults on request, by kind."}, []string{"kind"})
	m.registry.MustRegister(bytes, faults)
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

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
