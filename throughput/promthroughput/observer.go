package promthroughput

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll/throughput"
	"github.com/prometheus/client_golang/prometheus"
)

// Config says what the metrics are called and how finely they are cut.
type Config struct {
	// Namespace begins each name; "http_client" if it is empty.
	Namespace string

	// Host adds a label with the host of the request. Who talks to many hosts, as to buckets
	// that have a host each, gets as many series.
	Host bool

	// BucketFactor is the width of a bucket, the ratio of its bounds; 1.1 if it is 0, and then
	// a quantile is off by at most 5 %.
	BucketFactor float64
}

// maxBuckets bounds each native histogram: 160 buckets of the factor 1.1 cover a ratio of
// four million between the largest and the smallest observation.
const maxBuckets = 160

// An Observer is a throughput.Observer that counts and measures for Prometheus.
type Observer struct {
	host      bool
	attempts  *prometheus.CounterVec
	sent      *prometheus.CounterVec
	received  *prometheus.CounterVec
	rates     map[string]*prometheus.HistogramVec
	durations map[string]*prometheus.HistogramVec
}

// New makes an Observer and registers its metrics:
//
//	http_client_attempts_total                                 counter; labels method, code, quality
//	http_client_request_body_bytes_total                       counter
//	http_client_response_body_bytes_total                      counter
//	http_client_write_throughput_handoff_bytes_per_second      native histogram; label quality
//	http_client_write_throughput_delivered_bytes_per_second    native histogram; label quality
//	http_client_read_throughput_bytes_per_second               native histogram; label quality
//	http_client_setup_seconds                                  native histogram
//	http_client_ttfb_seconds                                   native histogram
//	http_client_ttlb_seconds                                   native histogram
//	http_client_server_time_seconds                            native histogram
//
// All have the label method, and host if that is asked for. The code is that of the response,
// "error" without one. If a metric cannot be registered, none is.
func New(r prometheus.Registerer, c Config) (*Observer, error) {
	if c.Namespace == "" {
		c.Namespace = "http_client"
	}
	if c.BucketFactor == 0 {
		c.BucketFactor = 1.1
	}
	if c.BucketFactor < 1 {
		return nil, errors.New("promthroughput: a bucket factor must be above 1")
	}
	labels := []string{"method"}
	if c.Host {
		labels = append(labels, "host")
	}
	o := &Observer{host: c.Host, rates: map[string]*prometheus.HistogramVec{},
		durations: map[string]*prometheus.HistogramVec{}}
	o.attempts = c.counter("attempts_total", "Attempts to send a request.",
		append(labels[:len(labels):len(labels)], "code", "quality"))
	o.sent = c.counter("request_body_bytes_total", "Bytes taken from the bodies of requests.", labels)
	o.received = c.counter("response_body_bytes_total", "Bytes read from the bodies of responses.", labels)
	all := []prometheus.Collector{o.attempts, o.sent, o.received}
	for name, help := range map[string]string{
		"write_throughput_handoff":   "Rate at which a request's body was taken from its reader, an upper bound.",
		"write_throughput_delivered": "Rate at which the network took a request's body.",
		"read_throughput":            "Rate at which a response's body was read.",
	} {
		h := c.histogram(name+"_bytes_per_second", help, append(labels[:len(labels):len(labels)], "quality"))
		o.rates[name] = h
		all = append(all, h)
	}
	for name, help := range map[string]string{
		"setup":       "Time until an attempt had a connection.",
		"ttfb":        "Time from the start of an attempt to the first byte of its response.",
		"ttlb":        "Time from the start of an attempt to the last byte of its response.",
		"server_time": "Time from when the server had the request to the first byte of its response.",
	} {
		h := c.histogram(name+"_seconds", help, labels)
		o.durations[name] = h
		all = append(all, h)
	}
	return o, register(r, all)
}

func register(r prometheus.Registerer, all []prometheus.Collector) error {
	if r == nil {
		return nil
	}
	for i, each := range all {
		if err := r.Register(each); err != nil {
			for _, done := range all[:i] {
				r.Unregister(done)
			}
			return err
		}
	}
	return nil
}

func (c Config) counter(name, help string, labels []string) *prometheus.CounterVec {
	return prometheus.NewCounterVec(prometheus.CounterOpts{Namespace: c.Namespace, Name: name, Help: help}, labels)
}

func (c Config) histogram(name, help string, labels []string) *prometheus.HistogramVec {
	return prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: c.Namespace, Name: name, Help: help,
		NativeHistogramBucketFactor:     c.BucketFactor,
		NativeHistogramMaxBucketNumber:  maxBuckets,
		NativeHistogramMinResetDuration: time.Hour,
	}, labels)
}

// Observe counts and measures an attempt.
func (o *Observer) Observe(_ context.Context, t *throughput.Timeline) {
	if o == nil || t == nil {
		return
	}
	labels := []string{method(t.Method)}
	if o.host {
		labels = append(labels, t.Host)
	}
	code := "error"
	if t.Status != 0 {
		code = strconv.Itoa(t.Status)
	}
	quality := string(t.Quality())
	judged := append(labels[:len(labels):len(labels)], quality)
	o.attempts.WithLabelValues(append(labels[:len(labels):len(labels)], code, quality)...).Inc()
	o.sent.WithLabelValues(labels...).Add(float64(t.RequestBytes))
	o.received.WithLabelValues(labels...).Add(float64(t.ResponseBytes))
	for _, r := range t.Rates() {
		if h := o.rates[r.Name]; h != nil {
			h.WithLabelValues(judged...).Observe(r.Value)
		}
	}
	for _, d := range t.Durations() {
		if h := o.durations[d.Name]; h != nil {
			h.WithLabelValues(labels...).Observe(d.Value.Seconds())
		}
	}
}

// method bounds the values of the label: a program could invent methods.
func method(m string) string {
	switch m {
	case "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT":
		return m
	}
	return "_OTHER"
}
