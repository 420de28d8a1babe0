package otelthroughput

import (
	"context"
	"errors"
	"maps"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"github.com/plimsoll/plimsoll/throughput"
)

// What a meter gets is tested with OpenTelemetry's SDK, in the module throughputtest.

func TestAttributes(t *testing.T) {
	for _, c := range []struct {
		timeline throughput.Timeline
		want     map[string]any
	}{
		{
			throughput.Timeline{Method: "BREW", Scheme: "http", Host: "example.org", Attempt: 1, Err: errors.New("x")},
			map[string]any{"http.request.method": "_OTHER", "server.address": "example.org", "server.port": int64(80),
				"url.scheme": "http", "error.type": "*errors.errorString"},
		},
		{
			throughput.Timeline{Method: "GET", Scheme: "https", Host: "[::1]", Proto: "HTTP/2.0",
				Status: 503, Attempt: 3},
			map[string]any{"http.request.method": "GET", "server.address": "::1", "server.port": int64(443),
				"url.scheme": "https", "network.protocol.version": "2",
				"http.response.status_code": int64(503), "error.type": "503", "http.request.resend_count": int64(2)},
		},
	} {
		got := map[string]any{}
		set := attribute.NewSet(attributesOf(&c.timeline)...)
		for _, a := range set.ToSlice() {
			got[string(a.Key)] = a.Value.AsInterface()
		}
		if !maps.Equal(c.want, got) {
			t.Errorf("want %v\ngot  %v", c.want, got)
		}
	}
	if o, err := New(nil, Config{}); err != nil || o == nil {
		t.Error(err)
	} else {
		o.Observe(context.Background(), &throughput.Timeline{Ended: throughput.At(time.Millisecond)})
	}
}
