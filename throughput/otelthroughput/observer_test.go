package otelthroughput

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll/throughput"
	"go.opentelemetry.io/otel/attribute"
	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

func ms(n int) throughput.Stamp { return throughput.At(time.Duration(n) * time.Millisecond) }

func TestObserve(t *testing.T) {
	reader := sdk.NewManualReader()
	provider := sdk.NewMeterProvider(sdk.WithReader(reader))
	o, err := New(provider.Meter("test"))
	if err != nil {
		t.Fatal(err)
	}
	// 1 MB in 100 ms, answered 20 ms later.
	o.Observe(&throughput.Timeline{
		Method: "PUT", Scheme: "https", Host: "example.org:8443", Proto: "HTTP/1.1", Status: 200, Attempt: 2,
		HasBody: true, ContentLength: 1e6, RequestBytes: 1e6, RequestReads: 31, MinRTT: time.Millisecond,
		ConnectionGot: ms(1), FirstBodyRead: ms(1), LastBodyRead: ms(11), RequestWritten: ms(12), Drained: ms(102),
		FirstResponseByte: ms(122), LastResponseByte: ms(122), ResponseEnded: true, Ended: ms(123),
	})
	o.Observe(nil)
	(*Observer)(nil).Observe(&throughput.Timeline{})
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
			if judged != (m.Unit == "By/s") {
				t.Errorf("%s: quality %v", m.Name, judged)
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

func TestAttributes(t *testing.T) {
	for _, c := range []struct {
		timeline throughput.Timeline
		want     map[string]any
	}{
		{
			throughput.Timeline{Method: "BREW", Scheme: "http", Host: "example.org", Attempt: 1, Err: errors.New("x")},
			map[string]any{"http.request.method": "_OTHER", "server.address": "example.org", "server.port": int64(80), "url.scheme": "http", "error.type": "*errors.errorString"},
		},
		{
			throughput.Timeline{Method: "GET", Scheme: "https", Host: "[::1]", Proto: "HTTP/2.0", Status: 503, Attempt: 3},
			map[string]any{"http.request.method": "GET", "server.address": "[::1]", "server.port": int64(443), "url.scheme": "https", "network.protocol.version": "2",
				"http.response.status_code": int64(503), "error.type": "503", "http.request.resend_count": int64(2)},
		},
	} {
		got := map[string]any{}
		set := attribute.NewSet(attributesOf(&c.timeline)...)
		for _, a := range set.ToSlice() {
			got[string(a.Key)] = a.Value.AsInterface()
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Error(diff)
		}
	}
	if o, err := New(nil); err != nil || o == nil {
		t.Error(err)
	} else {
		o.Observe(&throughput.Timeline{Ended: ms(1)})
	}
}
