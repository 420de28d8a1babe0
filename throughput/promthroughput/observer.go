package promthroughput

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
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

	// Buckets says which histograms are made; Native if it is empty. A server that was not told
	// to scrape native ones sees nothing of those but their count and sum.
	Buckets Buckets

	// BucketFactor is the width of a native bucket, the ratio of its bounds; 1.1 if it is 0, and
	// then a quantile is off by at most 5 %.
	BucketFactor float64

	// RateBounds and TimeBounds are the upper bounds of the classic buckets, in bytes per second
	// and in seconds, ascending. Without them rates have three a decade from 10 kB/s to 10 GB/s,
	// and times prometheus.DefBuckets and four more, from 1 ms to 60 s.
	RateBounds, TimeBounds []float64

	// Exemplar gives the labels that an observation is remembered by, as the ids of the trace and
	// of the span in the context of the request; nil or none for an observation without. What
	// Prometheus does not take, as more than 128 characters in all, is left out.
	Exemplar func(context.Context) prometheus.Labels
}

// Buckets are the kinds of buckets that histograms have.
type Buckets string

// The kinds.
const (
	Native  Buckets = "native"
	Classic Buckets = "classic"
	Both    Buckets = "both"
)

// maxBuckets bounds each native histogram: 160 buckets of the factor 1.1 cover a ratio of
// four million between the largest and the smallest observation.
const maxBuckets = 160

// An Observer is a throughput.Observer that counts and measures for Prometheus.
type Observer struct {
	host      bool
	exemplar  func(context.Context) prometheus.Labels
	attempts  *prometheus.CounterVec
	sent      *prometheus.CounterVec
	received  *prometheus.CounterVec
	rates     map[string]*prometheus.HistogramVec
	durations map[string]*prometheus.HistogramVec
}

// New makes an Observer and registers its metrics:
//
//	http_client_attempts_total                                 counter; labels code, write_quality, read_quality
//	http_client_request_body_bytes_total                       counter
//	http_client_response_body_bytes_total                      counter
//	http_client_write_throughput_handoff_bytes_per_second      histogram; labels quality, limit
//	http_client_write_throughput_delivered_bytes_per_second    histogram; labels quality, limit
//	http_client_read_throughput_bytes_per_second               histogram; labels quality, limit
//	http_client_setup_seconds                                  histogram
//	http_client_ttfb_seconds                                   histogram
//	http_client_ttlb_seconds                                   histogram
//	http_client_server_time_seconds                            histogram
//
// The label limit is what the body was held up by, and empty where that cannot be told.
//
// All have the label method, and host if that is asked for. The code is that of the response,
// "error" without one. Without a registerer, or if a metric cannot be registered, that is an
// error, and none is registered.
func New(r prometheus.Registerer, c Config) (*Observer, error) {
	if c.Namespace == "" {
		c.Namespace = "http_client"
	}
	if c.BucketFactor == 0 {
		c.BucketFactor = 1.1
	}
	if c.Buckets == "" {
		c.Buckets = Native
	}
	if len(c.RateBounds) == 0 {
		c.RateBounds = []float64{1e4, 2e4, 5e4, 1e5, 2e5, 5e5, 1e6, 2e6, 5e6, 1e7, 2e7, 5e7, 1e8, 2e8, 5e8, 1e9, 2e9,
			5e9, 1e10}
	}
	if len(c.TimeBounds) == 0 {
		c.TimeBounds = slices.Concat([]float64{.001, .0025}, prometheus.DefBuckets, []float64{30, 60})
	}
	if err := c.check(r); err != nil {
		return nil, err
	}
	labels := []string{"method"}
	if c.Host {
		labels = append(labels, "host")
	}
	o := &Observer{host: c.Host, exemplar: c.Exemplar, rates: map[string]*prometheus.HistogramVec{},
		durations: map[string]*prometheus.HistogramVec{}}
	o.attempts = c.counter("attempts_total", "Attempts to send a request.",
		append(labels[:len(labels):len(labels)], "code", "write_quality", "read_quality"))
	o.sent = c.counter("request_body_bytes_total", "Bytes taken from the bodies of requests.", labels)
	o.received = c.counter("response_body_bytes_total", "Bytes read from the bodies of responses.", labels)
	all := []prometheus.Collector{o.attempts, o.sent, o.received}
	for name, help := range map[string]string{
		"write_throughput_handoff":   "Rate at which a request's body was taken from its reader, an upper bound.",
		"write_throughput_delivered": "Rate at which the network took a request's body.",
		"read_throughput":            "Rate at which a response's body was read.",
	} {
		h := c.histogram(name+"_bytes_per_second", help, c.RateBounds,
			append(labels[:len(labels):len(labels)], "quality", "limit"))
		o.rates[name] = h
		all = append(all, h)
	}
	for name, help := range map[string]string{
		"setup":       "Time until an attempt had a connection.",
		"ttfb":        "Time from the start of an attempt to the first byte of its response.",
		"ttlb":        "Time from the start of an attempt to the last byte of its response.",
		"server_time": "Time from when the server had the request to the first byte of its response.",
	} {
		h := c.histogram(name+"_seconds", help, c.TimeBounds, labels)
		o.durations[name] = h
		all = append(all, h)
	}
	return o, register(r, all)
}

// check says what of a Config, whose defaults are set, cannot be.
func (c Config) check(r prometheus.Registerer) error {
	none, is := r.(*prometheus.Registry)
	switch {
	case r == nil || is && none == nil:
		return errors.New("promthroughput: the registerer is nil: use prometheus.DefaultRegisterer or a registry")
	case c.Buckets != Native && c.Buckets != Classic && c.Buckets != Both:
		return fmt.Errorf("promthroughput: unknown buckets %q: use %s, %s or %s", c.Buckets, Native, Classic,
			Both)
	case !(c.BucketFactor > 1):
		return fmt.Errorf("promthroughput: the bucket factor is %v: it must be above 1", c.BucketFactor)
	}
	for name, bounds := range map[string][]float64{"RateBounds": c.RateBounds, "TimeBounds": c.TimeBounds} {
		for i, b := range bounds {
			if math.IsNaN(b) || i > 0 && b <= bounds[i-1] {
				return fmt.Errorf("promthroughput: %s must ascend, but value %d is %v", name, i+1, b)
			}
		}
	}
	return nil
}

func register(r prometheus.Registerer, all []prometheus.Collector) error {
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

func (c Config) histogram(name, help string, bounds []float64, labels []string) *prometheus.HistogramVec {
	options := prometheus.HistogramOpts{Namespace: c.Namespace, Name: name, Help: help}
	if c.Buckets != Native {
		options.Buckets = bounds
	}
	if c.Buckets != Classic {
		options.NativeHistogramBucketFactor = c.BucketFactor
		options.NativeHistogramMaxBucketNumber = maxBuckets
		options.NativeHistogramMinResetDuration = time.Hour
	}
	return prometheus.NewHistogramVec(options, labels)
}

// Observe counts and measures an attempt.
func (o *Observer) Observe(ctx context.Context, t *throughput.Timeline) {
	if o == nil || t == nil {
		return
	}
	labels := []string{method(t.Method)}
	if o.host {
		labels = append(labels, t.Host)
	}
	var exemplar prometheus.Labels
	if o.exemplar != nil && ctx != nil {
		exemplar = o.exemplar(ctx)
	}
	code := "error"
	if t.Status != 0 {
		code = strconv.Itoa(t.Status)
	}
	with := func(more ...string) []string { return append(labels[:len(labels):len(labels)], more...) }
	o.attempts.WithLabelValues(with(code, string(t.WriteQuality()), string(t.ReadQuality()))...).Inc()
	o.sent.WithLabelValues(labels...).Add(float64(t.RequestBytes))
	o.received.WithLabelValues(labels...).Add(float64(t.ResponseBytes))
	for _, r := range t.Rates() {
		if h := o.rates[r.Name]; h != nil {
			observe(h.WithLabelValues(with(string(r.Quality), string(r.Limit))...), r.Value, exemplar)
		}
	}
	for _, d := range t.Durations() {
		if h := o.durations[d.Name]; h != nil {
			observe(h.WithLabelValues(labels...), d.Value.Seconds(), exemplar)
		}
	}
}

// observe gives the histogram a value, and with it the exemplar if there is one.
func observe(h prometheus.Observer, value float64, exemplar prometheus.Labels) {
	e, ok := h.(prometheus.ExemplarObserver)
	if !ok || len(exemplar) == 0 {
		h.Observe(value)
		return
	}
	// Labels that are none make it panic, after the value was counted.
	defer func() { _ = recover() }()
	e.ObserveWithExemplar(value, exemplar)
}

// method bounds the values of the label: a program could invent methods.
func method(m string) string {
	switch m {
	case "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT":
		return m
	}
	return "_OTHER"
}
