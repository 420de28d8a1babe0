package server

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Counts are what a server counts, in a registry of its own, beside what its process and the Go
// runtime do.
type Counts struct{ *prometheus.Registry }

// NewCounts makes a registry.
func NewCounts() *Counts {
	c := &Counts{prometheus.NewRegistry()}
	c.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return c
}

// Handler answers with all of them, as Prometheus reads it.
func (c *Counts) Handler() http.Handler {
	return promhttp.HandlerFor(c, promhttp.HandlerOpts{})
}

// Counter is a count that only grows.
func (c *Counts) Counter(name, help string) prometheus.Counter {
	m := prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	c.MustRegister(m)
	return m
}

// Counters are counts by label.
func (c *Counts) Counters(name, help string, labels ...string) *prometheus.CounterVec {
	m := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	c.MustRegister(m)
	return m
}

// Gauge is a number that goes up and down.
func (c *Counts) Gauge(name, help string) prometheus.Gauge {
	m := prometheus.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
	c.MustRegister(m)
	return m
}

// Reading is a number that is read when somebody asks for it.
func (c *Counts) Reading(name, help string, value func() float64) {
	c.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
}

// Histogram has native buckets, 10% wide, and classic ones, if any are given, for servers that
// do not take those.
func (c *Counts) Histogram(name, help string, classic []float64) prometheus.Histogram {
	m := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: name, Help: help,
		Buckets:                        classic,
		NativeHistogramBucketFactor:    1.1,
		NativeHistogramMaxBucketNumber: 160,
	})
	c.MustRegister(m)
	return m
}

// ClassicHistograms have classic buckets alone, by label. A Prometheus that takes native histograms keeps the
// series NAME_bucket of those that have no native buckets, and of no other.
func (c *Counts) ClassicHistograms(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	m := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
	c.MustRegister(m)
	return m
}
