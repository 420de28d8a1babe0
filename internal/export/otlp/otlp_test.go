package otlp

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/protobuf/proto"

	metrics "go.opentelemetry.io/proto/otlp/metrics/v1"
	trace "go.opentelemetry.io/proto/otlp/trace/v1"

	"github.com/plimsoll/plimsoll/internal/leaktest"
	"github.com/plimsoll/plimsoll/internal/onlook"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/rundoc"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// collector takes what is pushed, with a status.
type collector struct {
	status int

	mu      sync.Mutex
	metrics []*metrics.MetricsData
	spans   []*trace.Span
	headers http.Header
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.headers = r.Header
	switch r.URL.Path {
	case "/base/v1/metrics":
		var m metrics.MetricsData
		if proto.Unmarshal(body, &m) == nil {
			c.metrics = append(c.metrics, &m)
		}
	case "/base/v1/traces":
		var t trace.TracesData
		if proto.Unmarshal(body, &t) == nil {
			c.spans = append(c.spans, t.ResourceSpans[0].ScopeSpans[0].Spans...)
		}
	}
	w.WriteHeader(c.status)
}

// moment is a run with a failed operation that was picked.
func moment() onlook.Moment {
	sums := &record.Sums{Started: time.Unix(1000, 0), Now: time.Unix(1003, 0), Kinds: []record.KindSums{{
		Operation: rundoc.Operation{Name: "send", OK: 4, Failed: 1, Causes: []rundoc.Cause{{Cause: "reset", Count: 1}}},
		Response: record.Buckets{Count: 5, SumNS: 5e6, List: []record.Bucket{{From: 0, To: 1, Count: 1},
			{From: 1000, To: 1002, Count: 4}}},
	}}}
	picker := record.NewPicker(0, 1, 4)
	for range 6 {
		picker.Offer(&record.Operation{Intended: 5e6, Start: 7e6, End: 9e6, Own: 3, Attempts: 2, Outcome: record.Failed,
			Cause: "reset"}, func(stamp int64) time.Time { return time.Unix(0, 1000e9+stamp) })
	}
	return onlook.Moment{ID: "r1", Workload: "chat", Labels: []string{"bad \xff"}, Sums: func() *record.Sums { return sums },
		Picked: picker}
}

func pusherTo(url string, notes *[]string) *Pusher {
	return New(Config{URL: url, Headers: http.Header{"X-Key": {"hunter2"}}, Every: time.Hour,
		Note: func(s string) { *notes = append(*notes, s) }})
}

// What is pushed is what was counted: each count since the window began, each picked operation once, from when it
// should have started to its end; and what there was no room for is told.
func TestPushed(t *testing.T) {
	c := &collector{status: http.StatusOK}
	web := httptest.NewServer(c)
	defer web.Close()
	var notes []string
	p := pusherTo(web.URL+"/base/", &notes)
	m := moment()
	p.See(t.Context(), []onlook.Moment{m})
	p.See(t.Context(), []onlook.Moment{m}) // when metrics are not due
	p.Over(t.Context(), m)
	p.See(t.Context(), []onlook.Moment{m}) // which is over
	left := p.End()
	if len(notes) != 0 || left != "2 spans of 6 sampled" {
		t.Errorf("%v, left %q", notes, left)
	}
	if len(c.metrics) != 2 || len(c.spans) != 4 || c.headers.Get("X-Key") != "hunter2" {
		t.Fatalf("%d times metrics, %d spans, %v", len(c.metrics), len(c.spans), c.headers)
	}
	s := c.spans[0]
	if s.StartTimeUnixNano != 1000e9+5e6 || s.EndTimeUnixNano != 1000e9+9e6 || s.Events[0].TimeUnixNano != 1000e9+7e6 ||
		s.Status.Code != trace.Status_STATUS_CODE_ERROR || s.Status.Message != "reset" || len(s.TraceId) != 16 ||
		slices.Equal(s.SpanId, c.spans[1].SpanId) {
		t.Errorf("%v", s)
	}
	for _, m := range c.metrics[1].ResourceMetrics[0].ScopeMetrics[0].Metrics {
		switch m.Name {
		case "plimsoll.operations":
			if d := m.GetSum().DataPoints; len(d) != 4 || d[0].GetAsInt() != 4 || d[1].GetAsInt() != 1 ||
				d[0].StartTimeUnixNano != 1000e9 || d[0].TimeUnixNano != 1003e9 || !m.GetSum().IsMonotonic {
				t.Errorf("%v", m)
			}
		case "plimsoll.response_time":
			// (2^(-319/16), 2^(-318/16)] s, from 0.995 µs to 1.039 µs
			if d := m.GetExponentialHistogram().DataPoints[0]; d.Count != 5 || d.ZeroCount != 1 || d.Scale != 4 ||
				d.Positive.Offset != -319 || !slices.Equal(d.Positive.BucketCounts, []uint64{4}) {
				t.Errorf("%v", d)
			}
		}
	}
}

// A collector that does not take it is told of once, without its secrets, and what was not pushed in the end.
func TestFailedPushIsReportedOnceWithoutSecrets(t *testing.T) {
	c := &collector{status: http.StatusTeapot}
	web := httptest.NewServer(c)
	defer web.Close()
	gone := httptest.NewServer(c)
	gone.Close()
	for _, url := range []string{web.URL, gone.URL} {
		var notes []string
		p := pusherTo(strings.Replace(url, "//", "//me:hunter2@", 1), &notes)
		m := moment()
		p.See(t.Context(), []onlook.Moment{m})
		p.traces(t.Context(), &m)
		p.unspent += 1
		if len(notes) != 1 || strings.Contains(notes[0], "hunter2") || !strings.Contains(notes[0], "the run continues") {
			t.Errorf("%q", notes)
		}
		if left := p.End(); left != "5 spans of 5 sampled" {
			t.Errorf("left %q", left)
		}
	}
}

// The paths are those of the URL, whose query stays: keys travel there.
func TestThePathsOfAURL(t *testing.T) {
	for base, want := range map[string]string{
		"": "/v1/metrics", "/": "/v1/metrics", "/a/": "/a/v1/metrics", "/a?key=hunter2": "/a/v1/metrics?key=hunter2",
		"?key=hunter2": "/v1/metrics?key=hunter2",
	} {
		got := make(chan string, 1)
		web := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got <- r.RequestURI }))
		p := newPoster(Config{URL: web.URL + base})
		if err := p.send(t.Context(), "/v1/metrics", &metrics.MetricsData{}); err != nil {
			t.Error(err)
		} else if uri := <-got; uri != want {
			t.Errorf("%q: %s, want %s", base, uri, want)
		}
		p.close()
		web.Close()
	}
}

// A collector that never took anything is not waited for at the end as one is that is away for a moment.
func TestUnreachableCollectorIsNotRetriedAtTheEnd(t *testing.T) {
	for _, one := range []struct {
		taken bool
		least int
		most  time.Duration
	}{{false, 2, neverPatience}, {true, 4, endPatience}} {
		synctest.Test(t, func(t *testing.T) {
			posts := 0
			p := New(Config{URL: "http://collector", Every: time.Hour, Note: func(string) {}})
			p.post.client.Transport = answers(func() { posts++ })
			p.noted, p.taken = true, one.taken
			begun := time.Now()
			m := moment()
			m.Picked = nil
			p.Over(t.Context(), m)
			if took := time.Since(begun); !p.lost || took > one.most || posts < one.least {
				t.Errorf("taken %v: lost %v after %v and %d tries", one.taken, p.lost, took, posts)
			}
		})
	}
}

// Where spans are not taken in time, the last metrics still are.
func TestSpansDoNotTakeTheTimeOfMetrics(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := New(Config{URL: "http://collector", Every: time.Hour, Note: func(string) {}})
		p.post.client.Transport = hangs("/v1/traces")
		p.Over(t.Context(), moment())
		if p.lost || p.unspent == 0 {
			t.Errorf("the metrics are lost: %v; %d spans are", p.lost, p.unspent)
		}
	})
}

// hangs takes all but what goes to a path.
type hangs string

func (h hangs) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Path == string(h) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	return &http.Response{StatusCode: http.StatusOK, Body: http.NoBody}, nil
}

// answers refuses all.
type answers func()

func (a answers) RoundTrip(*http.Request) (*http.Response, error) {
	a()
	return &http.Response{StatusCode: http.StatusServiceUnavailable, Body: http.NoBody}, nil
}

// The variables are read as OpenTelemetry has them; what is wrong is told without the value.
func TestEnvironment(t *testing.T) {
	env := map[string]string{
		"OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20hunter2, x=1", "OTEL_SERVICE_NAME": "night",
		"OTEL_RESOURCE_ATTRIBUTES": "team=a%2Cb,service.name=other,",
	}
	lookup := func(n string) (string, bool) { v, is := env[n]; return v, is }
	headers, own, err := Environment(lookup, "v1")
	want := []Attribute{{"service.name", "night"}, {"service.version", "v1"}, {"team", "a,b"}}
	if err != nil || headers.Get("Authorization") != "Bearer hunter2" || headers.Get("X") != "1" || !slices.Equal(own, want) {
		t.Errorf("%v %v %v", headers, own, err)
	}
	for _, bad := range []string{"hunter2", "a=%zz", "=hunter2", "a=x%0D%0Ahunter2", "a b=hunter2"} {
		env["OTEL_EXPORTER_OTLP_HEADERS"] = bad
		if _, _, err := Environment(lookup, ""); err == nil ||
			strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// FuzzPairs: whatever the environment has, it is read or refused.
func FuzzPairs(f *testing.F) {
	f.Add("a=b,c=%20")
	f.Fuzz(func(t *testing.T, text string) {
		pairs, err := Pairs("X", text)
		if err == nil {
			_, _ = Headers("X", pairs)
		}
		for _, p := range pairs {
			if p.Key == "" {
				t.Error("an empty key")
			}
		}
	})
}
