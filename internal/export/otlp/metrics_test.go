package otlp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	resource "go.opentelemetry.io/proto/otlp/resource/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/plimsoll/plimsoll/internal/instrument"
	"github.com/plimsoll/plimsoll/internal/onlook"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/rundoc"
)

// sums are those of a window with two kinds of operations, in one of which nothing has ended; no two numbers are alike.
func sums() *record.Sums {
	return &record.Sums{
		Started: time.Unix(1000, 0), Now: time.Unix(1003, 0), Elapsed: 3 * time.Second, Clients: 8, InFlight: 5,
		ConnectionsOpened: 14, ConnectionsFailed: 11,
		Kinds: []record.KindSums{{
			Operation: rundoc.Operation{Name: "send", Labels: map[string]string{"type": "TEXT", "as": "x"},
				OK: 40, Failed: 3, Unsent: 2, Unfinished: 1, Attempts: 50, Retries: 6, Bytes: 4000,
				Causes: []rundoc.Cause{{Cause: "reset", Count: 9}, {Cause: "refused", Count: 10}}},
			Response: record.Buckets{Count: 6, SumNS: 6500e6, List: []record.Bucket{{From: 0, To: 1, Count: 1},
				{From: 1e9, To: 1e9 + 1, Count: 2}, {From: 1.1e9, To: 1.1e9 + 1, Count: 3}}},
			Service: record.Buckets{Count: 1, SumNS: 2000, List: []record.Bucket{{From: 2000, To: 2001, Count: 1}}},
		}, {Operation: rundoc.Operation{Name: "other"}}},
		Reconnects: []rundoc.CauseTime{{Cause: "reset", Count: 4}},
		Own:        record.Buckets{Count: 1000, List: []record.Bucket{{From: 1000, To: 1001, Count: 989}, {From: 5000, To: 5002, Count: 11}}},
		Reading: instrument.Reading{User: 2500 * time.Millisecond, System: 12 * time.Second, CPUs: 16,
			Hiccups: &rundoc.Hiccups{Gaps: 7, GapsNS: 5e8}},
	}
}

// attributes are a list of them as a text.
func attributes(of []*common.KeyValue) string {
	all := ""
	for _, a := range of {
		switch v := a.Value.Value.(type) {
		case *common.AnyValue_StringValue:
			all += fmt.Sprintf(" %s=%s", a.Key, v.StringValue)
		case *common.AnyValue_IntValue:
			all += fmt.Sprintf(" %s=%d", a.Key, v.IntValue)
		case *common.AnyValue_BoolValue:
			all += fmt.Sprintf(" %s=%v", a.Key, v.BoolValue)
		case *common.AnyValue_ArrayValue:
			all += " " + a.Key + "=["
			for _, one := range v.ArrayValue.Values {
				all += one.GetStringValue() + ";"
			}
			all += "]"
		}
	}
	return all
}

// lines are the points of a message, a line each, with what is the same in all of them left out when it is that.
func lines(t *testing.T, data *metrics.MetricsData) (all []string) {
	t.Helper()
	for _, m := range data.ResourceMetrics[0].ScopeMetrics[0].Metrics {
		if s := m.GetSum(); s != nil {
			if !s.IsMonotonic || s.AggregationTemporality != metrics.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE {
				t.Errorf("%s is no count since the window began", m.Name)
			}
			for _, p := range s.DataPoints {
				whole(t, m.Name, p.StartTimeUnixNano, p.TimeUnixNano)
				v := fmt.Sprint(p.GetAsInt())
				if _, is := p.Value.(*metrics.NumberDataPoint_AsDouble); is {
					v = fmt.Sprintf("%v.", p.GetAsDouble())
				}
				all = append(all, fmt.Sprintf("%s%s %s %s", m.Name, attributes(p.Attributes), v, m.Unit))
			}
		}
		for _, p := range m.GetGauge().GetDataPoints() {
			whole(t, m.Name, 1000e9, p.TimeUnixNano)
			all = append(all, fmt.Sprintf("%s%s is %v %s", m.Name, attributes(p.Attributes), p.GetAsDouble(), m.Unit))
		}
		for _, p := range m.GetExponentialHistogram().GetDataPoints() {
			whole(t, m.Name, p.StartTimeUnixNano, p.TimeUnixNano)
			all = append(all, fmt.Sprintf("%s%s %d times of %v %s, %d of 0, %v behind %d of %d", m.Name, attributes(p.Attributes),
				p.Count, *p.Sum, m.Unit, p.ZeroCount, p.Positive.GetBucketCounts(), p.Positive.GetOffset(), p.Scale))
		}
	}
	return all
}

// whole holds that a point is of the whole window.
func whole(t *testing.T, name string, from, to uint64) {
	if from != 1000e9 || to != 1003e9 {
		t.Errorf("%s is from %d to %d", name, from, to)
	}
}

// All that is pushed of a run, each number as it was put there. The buckets: 1 s is the last of number 0, which ends there;
// 1.1 s is in (2^(2/16), 2^(3/16)] = (1.0905, 1.1388], number 3; and 2 µs in (2^(-303/16), 2^(-302/16)] = (1.994, 2.082] µs.
func TestEachNumber(t *testing.T) {
	data := metricsOf(&onlook.Moment{ID: "r1", Workload: "chat"}, sums(), nil)
	of := " plimsoll.operation=send plimsoll.operation.as=x plimsoll.operation.type=TEXT"
	want := []string{
		"plimsoll.operations" + of + " plimsoll.outcome=ok 40 {operation}",
		"plimsoll.operations" + of + " plimsoll.outcome=failed 3 {operation}",
		"plimsoll.operations" + of + " plimsoll.outcome=unsent 2 {operation}",
		"plimsoll.operations" + of + " plimsoll.outcome=unfinished 1 {operation}",
		"plimsoll.operations plimsoll.operation=other plimsoll.outcome=ok 0 {operation}",
		"plimsoll.operations plimsoll.operation=other plimsoll.outcome=failed 0 {operation}",
		"plimsoll.operations plimsoll.operation=other plimsoll.outcome=unsent 0 {operation}",
		"plimsoll.operations plimsoll.operation=other plimsoll.outcome=unfinished 0 {operation}",
		"plimsoll.attempts" + of + " 50 {attempt}", "plimsoll.attempts plimsoll.operation=other 0 {attempt}",
		"plimsoll.retries" + of + " 6 {attempt}", "plimsoll.retries plimsoll.operation=other 0 {attempt}",
		"plimsoll.operation.bytes" + of + " 4000 By", "plimsoll.operation.bytes plimsoll.operation=other 0 By",
		"plimsoll.attempts.failed" + of + " plimsoll.cause=reset 9 {attempt}",
		"plimsoll.attempts.failed" + of + " plimsoll.cause=refused 10 {attempt}",
		"plimsoll.response_time" + of + " 6 times of 6.5 s, 1 of 0, [2 0 0 3] behind -1 of 4",
		"plimsoll.response_time plimsoll.operation=other 0 times of 0 s, 0 of 0, [] behind 0 of 4",
		"plimsoll.service_time" + of + " 1 times of 2e-06 s, 0 of 0, [1] behind -303 of 4",
		"plimsoll.service_time plimsoll.operation=other 0 times of 0 s, 0 of 0, [] behind 0 of 4",
		"plimsoll.operations.in_flight is 5 {operation}", "plimsoll.clients is 8 {client}", "plimsoll.window is 3 s",
		"plimsoll.connections.opened 14 {connection}", "plimsoll.connections.failed 11 {connection}",
		"plimsoll.reconnects plimsoll.cause=reset 4 {connection}",
		"plimsoll.generator.cpu.time cpu.mode=user 2.5. s", "plimsoll.generator.cpu.time cpu.mode=system 12. s",
		"plimsoll.generator.cpus is 16 {cpu}", "plimsoll.generator.gaps 7 {gap}", "plimsoll.generator.gap.time 0.5. s",
		"plimsoll.generator.own_delay.p99 is 5.001e-06 s",
	}
	if diff := cmp.Diff(want, lines(t, data)); diff != "" {
		t.Error(diff)
	}
	if name := data.ResourceMetrics[0].ScopeMetrics[0].Scope.Name; name != "github.com/plimsoll/plimsoll" {
		t.Errorf("the scope is %s", name)
	}
}

// The resource says whose numbers they are, and nothing that is not known.
func TestResource(t *testing.T) {
	own := []Attribute{{"service.name", "night"}}
	of := func(m onlook.Moment) string {
		spans := spansOf(&m, sums(), own, nil).ResourceSpans[0]
		data := metricsOf(&m, sums(), own).ResourceMetrics[0]
		if !proto.Equal(spans.Resource, data.Resource) || spans.ScopeSpans[0].Scope.Name != data.ScopeMetrics[0].Scope.Name {
			t.Errorf("%v %v", spans.Resource, data.Resource)
		}
		return attributes(data.Resource.Attributes)
	}
	for want, m := range map[string]onlook.Moment{
		" service.name=night plimsoll.run.id=r1 plimsoll.workload=chat": {ID: "r1", Workload: "chat"},
		" service.name=night plimsoll.run.id=r2 plimsoll.workload=http plimsoll.labels=[a;] plimsoll.member=run 1 of 2": {ID: "r2",
			Workload: "http", Labels: []string{"a"}, What: "run 1 of 2"},
		" service.name=night plimsoll.run.id=r3 plimsoll.workload=ws plimsoll.labels=[a;b;]": {ID: "r3", Workload: "ws",
			Labels: []string{"a", "b"}},
	} {
		if got := of(m); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// A span has what is known of an operation, at the times at which it was: here the stamp 0 is second 2000.
func TestEachSpan(t *testing.T) {
	began := func(stamp int64) time.Time { return time.Unix(2000, stamp) }
	list := []record.Sample{
		{Operation: record.Operation{Intended: 10, Start: 30, End: 100, Own: 7, Attempts: 1, Bytes: 1}},
		{Operation: record.Operation{Kind: 1, Intended: 10, Start: 10, End: 100, Attempts: 3, Outcome: record.Failed, Cause: "reset",
			Reconnected: true, Stages: record.Stages{Known: true, Send: 40, Wait: 20, Body: 5}}},
		{Operation: record.Operation{Kind: 1, Intended: 1, Start: 2, End: 3, Attempts: 1, Outcome: record.Unfinished}},
	}
	var got []string
	for i := range list {
		list[i].Began = began(list[i].Start)
	}
	for _, s := range spansOf(&onlook.Moment{}, sums(), nil, list).ResourceSpans[0].ScopeSpans[0].Spans {
		line := fmt.Sprintf("%s %d-%d", s.Name, s.StartTimeUnixNano-2000e9, s.EndTimeUnixNano-2000e9)
		for _, e := range s.Events {
			line += fmt.Sprintf(" %s@%d", e.Name, e.TimeUnixNano-2000e9)
		}
		got = append(got, line+fmt.Sprintf(" %d:%s", s.Status.Code, s.Status.Message)+attributes(s.Attributes))
		if len(s.TraceId) != 16 || len(s.SpanId) != 8 || s.Kind != trace.Span_SPAN_KIND_CLIENT ||
			slices.Equal(s.TraceId[:8], make([]byte, 8)) || slices.Equal(s.TraceId[8:], make([]byte, 8)) {
			t.Errorf("%x %x", s.TraceId, s.SpanId)
		}
	}
	const times = " plimsoll.send_delay_ns=%d plimsoll.service_time_ns=%d plimsoll.own_delay_ns=%d"
	want := []string{
		"send 10-100 started@30 0: plimsoll.operation=send plimsoll.operation.as=x plimsoll.operation.type=TEXT" +
			" plimsoll.outcome=ok plimsoll.attempts=1" + fmt.Sprintf(times, 20, 70, 7) + " plimsoll.bytes=1",
		"other 10-100 started@10 sent@75 answering@95 2:reset plimsoll.operation=other plimsoll.outcome=failed plimsoll.attempts=3" +
			fmt.Sprintf(times, 0, 90, 0) + " plimsoll.reconnected=true plimsoll.cause=reset",
		"other 1-3 started@2 2: plimsoll.operation=other plimsoll.outcome=unfinished plimsoll.attempts=1" + fmt.Sprintf(times, 1, 1, 0),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Whatever an operation, a label, a cause or an attribute is called: what is no text takes nothing else with it.
func TestUnusualNamesAreExported(t *testing.T) {
	const bad = "a\xff"
	m := &onlook.Moment{ID: bad, Workload: bad, Labels: []string{bad}, What: bad}
	now := &record.Sums{Kinds: []record.KindSums{{Operation: rundoc.Operation{Name: bad, Labels: map[string]string{bad: bad},
		Causes: []rundoc.Cause{{Cause: bad, Count: 1}}}}}, Reconnects: []rundoc.CauseTime{{Cause: bad}}}
	own := []Attribute{{bad, bad}}
	list := []record.Sample{{Operation: record.Operation{Outcome: record.Failed, Cause: bad}}}
	for _, message := range []proto.Message{metricsOf(m, now, own), spansOf(m, now, own, list)} {
		if _, err := proto.Marshal(message); err != nil {
			t.Error(err)
		}
	}
}

// What has secrets among its headers goes to the collector and to nobody whom that names.
func TestNoRedirect(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("it was sent on") }))
	defer other.Close()
	web := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusTemporaryRedirect))
	defer web.Close()
	p := newPoster(Config{URL: web.URL, Headers: http.Header{"X-Key": {"hunter2"}}})
	defer p.close()
	if err := p.send(t.Context(), "/v1/metrics", &metrics.MetricsData{}); err == nil || !strings.Contains(err.Error(), "307") {
		t.Errorf("%v", err)
	}
}

// What could not be sent is an error that says why, without the secrets of the URL.
func TestNotSent(t *testing.T) {
	for base, message := range map[string]proto.Message{
		"http://me:hunter2@[": &metrics.MetricsData{}, "http://h/%zz?key=hunter2": &metrics.MetricsData{},
		"http://127.0.0.1:1": &resource.Resource{Attributes: []*common.KeyValue{{Key: "\xff"}}},
	} {
		p := newPoster(Config{URL: base})
		err := p.send(t.Context(), "/v1/metrics", message)
		if err == nil || strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "refused") {
			t.Errorf("%s: %v", base, err)
		}
		p.close()
	}
	late := &url.Error{Op: "Post", URL: "http://hunter2", Err: os.ErrDeadlineExceeded}
	for want, err := range map[string]error{
		"connection refused": &url.Error{Err: &net.OpError{Op: "dial", Err: syscall.ECONNREFUSED}}, "x": errors.New("x"),
		"i/o timeout": late, "no response in time": &url.Error{Err: context.DeadlineExceeded},
	} {
		if got := plain(err); got == nil || got.Error() != want {
			t.Errorf("%v, want %s", got, want)
		}
	}
}
