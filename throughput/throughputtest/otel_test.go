package throughputtest

import (
	"bytes"
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/exemplar"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/trace"

	"github.com/plimsoll/plimsoll/throughput"
	"github.com/plimsoll/plimsoll/throughput/otelthroughput"
)

func ms(n int) throughput.Stamp { return throughput.At(time.Duration(n) * time.Millisecond) }

func TestOTel(t *testing.T) {
	reader := sdk.NewManualReader()
	provider := sdk.NewMeterProvider(sdk.WithReader(reader))
	o, err := otelthroughput.New(provider.Meter("test"), otelthroughput.Config{})
	if err != nil {
		t.Fatal(err)
	}
	// 1 MB in 100 ms, answered 20 ms later.
	o.Observe(context.Background(), &throughput.Timeline{
		Method: "PUT", Scheme: "https", Host: "example.org:8443", Proto: "HTTP/1.1", Status: 200, Attempt: 2,
		HasBody: true, ContentLength: 1e6, RequestBytes: 1e6, RequestReads: 31, MinRTT: time.Millisecond,
		Sending:       &throughput.Sending{Busy: 101 * time.Millisecond},
		ConnectionGot: ms(1), FirstBodyRead: ms(1), LastBodyRead: ms(11), RequestWritten: ms(12), Drained: ms(102),
		FirstResponseByte: ms(122), LastResponseByte: ms(122), ResponseEnded: true, Ended: ms(123),
	})
	o.Observe(context.Background(), nil)
	(*otelthroughput.Observer)(nil).Observe(context.Background(), &throughput.Timeline{})
	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &all); err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, m := range all.ScopeMetrics[0].Metrics {
		name := m.Name + " " + m.Unit
		switch data := m.Data.(type) {
		case metricdata.Histogram[float64]:
			got[name] = data.DataPoints[0].Sum
			_, judged := data.DataPoints[0].Attributes.Value("http.client.throughput.quality")
			limit, _ := data.DataPoints[0].Attributes.Value("http.client.throughput.limit")
			if rate := m.Unit == "By/s"; judged != rate || (limit.AsString() == "network") != rate {
				t.Errorf("%s: quality %v, limit %q", m.Name, judged, limit.AsString())
			}
		case metricdata.Histogram[int64]:
			got[name] = float64(data.DataPoints[0].Sum)
		}
	}
	want := map[string]float64{
		"http.client.request.duration s":                      0.123,
		"http.client.request.body.size By":                    1e6,
		"http.client.response.body.size By":                   0,
		"http.client.request.write_throughput.handoff By/s":   1e8,
		"http.client.request.write_throughput.delivered By/s": 1e7,
		"http.client.request.setup s":                         0.001,
		"http.client.request.time_to_first_byte s":            0.122,
		"http.client.request.time_to_last_byte s":             0.122,
		"http.client.request.server_time s":                   0.02,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// The size of a body is that on the wire, which is not known of one that net/http decompressed.
func TestOTelDecompressed(t *testing.T) {
	for _, decompressed := range []bool{false, true} {
		reader := sdk.NewManualReader()
		o, err := otelthroughput.New(sdk.NewMeterProvider(sdk.WithReader(reader)).Meter("test"), otelthroughput.Config{})
		if err != nil {
			t.Fatal(err)
		}
		o.Observe(t.Context(), &throughput.Timeline{Method: "GET", Status: 200, ResponseEnded: true, ResponseBytes: 1e6,
			Uncompressed: decompressed, Ended: ms(3)})
		var all metricdata.ResourceMetrics
		if err := reader.Collect(t.Context(), &all); err != nil {
			t.Fatal(err)
		}
		sized := false
		for _, m := range all.ScopeMetrics[0].Metrics {
			sized = sized || m.Name == "http.client.response.body.size"
		}
		if sized == decompressed {
			t.Errorf("decompressed %v, recorded %v", decompressed, sized)
		}
	}
}

// What otelhttp records as well can be turned off, and exemplars have the trace of the request.
func TestOTelConfig(t *testing.T) {
	for _, off := range []bool{false, true} {
		reader := sdk.NewManualReader()
		provider := sdk.NewMeterProvider(sdk.WithReader(reader), sdk.WithExemplarFilter(exemplar.TraceBasedFilter))
		o, err := otelthroughput.New(provider.Meter("test"), otelthroughput.Config{NoRequestDuration: off})
		if err != nil {
			t.Fatal(err)
		}
		id := trace.TraceID{1, 2, 3}
		ctx := trace.ContextWithSpanContext(t.Context(), trace.NewSpanContext(trace.SpanContextConfig{
			TraceID: id, SpanID: trace.SpanID{4}, TraceFlags: trace.FlagsSampled}))
		o.Observe(ctx, &throughput.Timeline{Method: "GET", Status: 200, FirstResponseByte: ms(2),
			LastResponseByte: ms(3), ResponseEnded: true, Ended: ms(3)})
		var all metricdata.ResourceMetrics
		if err := reader.Collect(t.Context(), &all); err != nil {
			t.Fatal(err)
		}
		has := map[string][]byte{}
		for _, m := range all.ScopeMetrics[0].Metrics {
			if data, ok := m.Data.(metricdata.Histogram[float64]); ok {
				has[m.Name] = nil
				for _, e := range data.DataPoints[0].Exemplars {
					has[m.Name] = e.TraceID
				}
			}
		}
		if _, is := has["http.client.request.duration"]; is == off {
			t.Errorf("turned off %v: %v", off, has)
		}
		if got := has["http.client.request.time_to_first_byte"]; !bytes.Equal(got, id[:]) {
			t.Errorf("the exemplar's trace is %x", got)
		}
	}
}
