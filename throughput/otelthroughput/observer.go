package otelthroughput

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/throughput"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
)

// An Observer is a throughput.Observer that records to a meter.
type Observer struct {
	duration  metric.Float64Histogram // nil if it is turned off
	sent      metric.Int64Histogram
	received  metric.Int64Histogram
	rates     map[string]metric.Float64Histogram
	durations map[string]metric.Float64Histogram
}

// Config says what is recorded.
type Config struct {
	// NoRequestDuration leaves http.client.request.duration out: for programs in which other
	// instrumentation, as otelhttp, records it already, and each request would count twice.
	NoRequestDuration bool
}

// New makes the instruments. A nil meter records nothing.
//
//	http.client.request.duration                    s     of the whole attempt, unless it is turned off
//	http.client.request.body.size                   By
//	http.client.response.body.size                  By
//	http.client.request.write_throughput.handoff    By/s  with http.client.throughput.quality
//	http.client.request.write_throughput.delivered  By/s  with http.client.throughput.quality
//	http.client.response.read_throughput            By/s  with http.client.throughput.quality
//	http.client.request.setup                       s
//	http.client.request.time_to_first_byte          s
//	http.client.request.time_to_last_byte           s
//	http.client.request.server_time                 s
//
// Rates also have http.client.throughput.limit, what the body was held up by, where that can be told. The
// size of a response that net/http decompressed is left out: by the conventions it is that on the wire.
//
// The first three and the attributes — http.request.method, server.address, server.port,
// url.scheme, network.protocol.version, http.response.status_code, error.type and, for an
// attempt that net/http sent again, http.request.resend_count — are of the semantic
// conventions; the others follow their manner. Each is recorded with the context of the request,
// from which the SDK takes the trace of an exemplar.
func New(m metric.Meter, c Config) (*Observer, error) {
	if m == nil {
		m = noop.Meter{}
	}
	o := &Observer{rates: map[string]metric.Float64Histogram{}, durations: map[string]metric.Float64Histogram{}}
	var failed []error
	seconds := func(name, what string) metric.Float64Histogram {
		h, err := m.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(what),
			metric.WithExplicitBucketBoundaries(0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1,
				2.5, 5, 7.5, 10))
		failed = append(failed, err)
		return h
	}
	perSecond := func(name, what string) metric.Float64Histogram {
		h, err := m.Float64Histogram(name, metric.WithUnit("By/s"), metric.WithDescription(what),
			metric.WithExplicitBucketBoundaries(1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7, 3e7, 1e8, 3e8, 1e9, 3e9, 1e10))
		failed = append(failed, err)
		return h
	}
	size := func(name, what string) metric.Int64Histogram {
		h, err := m.Int64Histogram(name, metric.WithUnit("By"), metric.WithDescription(what))
		failed = append(failed, err)
		return h
	}
	if !c.NoRequestDuration {
		o.duration = seconds("http.client.request.duration", "Duration of HTTP client requests.")
	}
	o.sent = size("http.client.request.body.size", "Size of HTTP client request bodies.")
	o.received = size("http.client.response.body.size", "Size of HTTP client response bodies.")
	o.rates["write_throughput_handoff"] = perSecond("http.client.request.write_throughput.handoff",
		"Rate at which the body was taken from its reader, an upper bound.")
	o.rates["write_throughput_delivered"] = perSecond("http.client.request.write_throughput.delivered",
		"Rate at which the network took the body.")
	o.rates["read_throughput"] = perSecond("http.client.response.read_throughput",
		"Rate at which the body of the response was read.")
	o.durations["setup"] = seconds("http.client.request.setup", "Time until the attempt had a connection.")
	o.durations["ttfb"] = seconds("http.client.request.time_to_first_byte", "Time to the first byte of the response.")
	o.durations["ttlb"] = seconds("http.client.request.time_to_last_byte", "Time to the last byte of the response.")
	o.durations["server_time"] = seconds("http.client.request.server_time",
		"Time from when the server had the request to the first byte of its response.")
	return o, errors.Join(failed...)
}

// Observe records an attempt.
func (o *Observer) Observe(ctx context.Context, t *throughput.Timeline) {
	if o == nil || t == nil {
		return
	}
	attributes := attributesOf(t)
	plain := metric.WithAttributeSet(attribute.NewSet(attributes...))
	judged := func(r throughput.Rate) metric.MeasurementOption {
		list := append(attributes[:len(attributes):len(attributes)],
			attribute.String("http.client.throughput.quality", string(r.Quality)))
		if r.Limit != "" {
			list = append(list, attribute.String("http.client.throughput.limit", string(r.Limit)))
		}
		return metric.WithAttributeSet(attribute.NewSet(list...))
	}
	if whole, ok := t.Ended.Offset(); ok && o.duration != nil {
		o.duration.Record(ctx, whole.Seconds(), plain)
	}
	if t.HasBody {
		o.sent.Record(ctx, t.RequestBytes, plain)
	}
	if t.ResponseEnded && !t.Uncompressed {
		o.received.Record(ctx, t.ResponseBytes, plain)
	}
	for _, r := range t.Rates() {
		if h := o.rates[r.Name]; h != nil {
			h.Record(ctx, r.Value, judged(r))
		}
	}
	for _, d := range t.Durations() {
		if h := o.durations[d.Name]; h != nil {
			h.Record(ctx, d.Value.Seconds(), plain)
		}
	}
}

func attributesOf(t *throughput.Timeline) []attribute.KeyValue {
	address, port := server(t.Scheme, t.Host)
	list := []attribute.KeyValue{
		attribute.String("http.request.method", method(t.Method)),
		attribute.String("server.address", address),
		attribute.String("url.scheme", t.Scheme),
	}
	if port > 0 {
		list = append(list, attribute.Int("server.port", port))
	}
	if version := strings.TrimPrefix(t.Proto, "HTTP/"); version != "" {
		list = append(list, attribute.String("network.protocol.version", strings.TrimSuffix(version, ".0")))
	}
	if t.Status != 0 {
		list = append(list, attribute.Int("http.response.status_code", t.Status))
	}
	if t.Err != nil {
		list = append(list, attribute.String("error.type", fmt.Sprintf("%T", t.Err)))
	} else if t.Status >= 400 {
		list = append(list, attribute.String("error.type", strconv.Itoa(t.Status)))
	}
	if t.Attempt > 1 {
		list = append(list, attribute.Int("http.request.resend_count", t.Attempt-1))
	}
	return list
}

// server splits the host of a URL; the port is that of the scheme if it has none. An address of IPv6 has
// no brackets, with a port or without.
func server(scheme, host string) (string, int) {
	address, text, err := net.SplitHostPort(host)
	if err == nil {
		port, _ := strconv.Atoi(text)
		return address, port
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	switch scheme {
	case "http":
		return host, 80
	case "https":
		return host, 443
	}
	return host, 0
}

// method is the method if the conventions know it.
func method(m string) string {
	switch m {
	case "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT":
		return m
	}
	return "_OTHER"
}
