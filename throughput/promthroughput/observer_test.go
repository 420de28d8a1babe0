package promthroughput

import (
	"context"
	"errors"
	"maps"
	"math"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/throughput"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// upload is 1 MB in 100 ms, answered 20 ms later.
func upload() *throughput.Timeline {
	ms := func(n int) throughput.Stamp { return throughput.At(time.Duration(n) * time.Millisecond) }
	return &throughput.Timeline{
		Method: "PUT", Host: "example.org", Status: 200, HasBody: true, ContentLength: 1e6,
		RequestBytes: 1e6, RequestReads: 31, MinRTT: time.Millisecond,
		Sending:       &throughput.Sending{Busy: 101 * time.Millisecond},
		ConnectionGot: ms(1), FirstBodyRead: ms(1), LastBodyRead: ms(11), RequestWritten: ms(12), Drained: ms(102),
		FirstResponseByte: ms(122), LastResponseByte: ms(122), ResponseEnded: true,
	}
}

func TestObserve(t *testing.T) {
	r := prometheus.NewPedanticRegistry()
	o, err := New(r, Config{Host: true})
	if err != nil {
		t.Fatal(err)
	}
	o.Observe(context.Background(), upload())
	o.Observe(context.Background(), &throughput.Timeline{Method: "BREW", Host: "example.org"})
	o.Observe(context.Background(), nil)
	(*Observer)(nil).Observe(context.Background(), upload())
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			name := f.GetName()
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, l.GetName()+"="+l.GetValue())
			}
			sort.Strings(labels)
			for _, l := range labels {
				name += " " + l
			}
			if h := m.GetHistogram(); h != nil {
				got[name] = h.GetSampleSum()
				if h.GetSampleCount() != 1 || len(h.GetPositiveSpan()) == 0 {
					t.Errorf("%s is no native histogram of one observation: %v", name, h)
				}
			} else if v := m.GetCounter().GetValue(); v != 0 {
				got[name] = v
			}
		}
	}
	put, limited := " host=example.org method=PUT", " host=example.org limit=network method=PUT"
	want := map[string]float64{
		"http_client_attempts_total code=200" + put + " read_quality=no_body write_quality=ok":                            1,
		"http_client_attempts_total code=error host=example.org method=_OTHER read_quality=aborted write_quality=no_body": 1,
		"http_client_request_body_bytes_total" + put:                                                                      1e6,
		"http_client_write_throughput_handoff_bytes_per_second" + limited + " quality=ok":                                 1e8,
		"http_client_write_throughput_delivered_bytes_per_second" + limited + " quality=ok":                               1e7,
		"http_client_setup_seconds" + put:                                                                                 0.001,
		"http_client_ttfb_seconds" + put:                                                                                  0.122,
		"http_client_ttlb_seconds" + put:                                                                                  0.122,
		"http_client_server_time_seconds" + put:                                                                           0.020,
	}
	near := func(a, b float64) bool { return a == b || (a-b)/b < 1e-9 && (b-a)/b < 1e-9 }
	if !maps.EqualFunc(want, got, near) {
		t.Errorf("want %v\ngot  %v", want, got)
	}
}

// picky refuses one name, and remembers what it has.
type picky struct {
	prometheus.Registerer
	refused string
	has     map[prometheus.Collector]bool
}

func (p *picky) Register(c prometheus.Collector) error {
	descs := make(chan *prometheus.Desc, 1)
	c.Describe(descs)
	if strings.Contains((<-descs).String(), p.refused) {
		return errors.New("refused")
	}
	p.has[c] = true
	return nil
}

func (p *picky) Unregister(c prometheus.Collector) bool {
	delete(p.has, c)
	return true
}

func TestNew(t *testing.T) {
	p := &picky{refused: "_ttfb_", has: map[prometheus.Collector]bool{}}
	if _, err := New(p, Config{}); err == nil || len(p.has) != 0 {
		t.Errorf("%v, and %d metrics are left", err, len(p.has))
	}
	p.refused = "none"
	if _, err := New(p, Config{}); err != nil || len(p.has) != 10 {
		t.Errorf("%v, and %d metrics", err, len(p.has))
	}
	for want, make := range map[string]func() (*Observer, error){
		"registerer is nil":       func() (*Observer, error) { return New(nil, Config{}) },
		"the registerer is nil: ": func() (*Observer, error) { return New((*prometheus.Registry)(nil), Config{}) },
		"factor is 0.5":           func() (*Observer, error) { return New(p, Config{BucketFactor: 0.5}) },
		"factor is 1":             func() (*Observer, error) { return New(p, Config{BucketFactor: 1}) },
		"factor is NaN":           func() (*Observer, error) { return New(p, Config{BucketFactor: math.NaN()}) },
		`unknown buckets "wide"`:  func() (*Observer, error) { return New(p, Config{Buckets: "wide"}) },
		"RateBounds must ascend, but value 2 is 1": func() (*Observer, error) {
			return New(p, Config{RateBounds: []float64{1, 1}})
		},
		"TimeBounds must ascend, but value 1 is NaN": func() (*Observer, error) {
			return New(p, Config{TimeBounds: []float64{math.NaN()}})
		},
	} {
		if o, err := make(); o != nil || err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v instead of %s", err, want)
		}
	}
}

// Which histograms are made, and what a classic one has in its buckets.
func TestBuckets(t *testing.T) {
	for _, c := range []struct {
		config          Config
		classic, native bool
	}{
		{Config{}, false, true},
		{Config{Buckets: Native, TimeBounds: []float64{1}}, false, true},
		{Config{Buckets: Classic}, true, false},
		{Config{Buckets: Classic, TimeBounds: []float64{.1, .122, .2}, RateBounds: []float64{5e6, 1e7, 2e7}}, true, false},
		{Config{Buckets: Both}, true, true},
		{Config{Buckets: Both, TimeBounds: []float64{}, RateBounds: []float64{}}, true, true},
	} {
		for name, value := range map[string]float64{"http_client_ttfb_seconds": .122,
			"http_client_write_throughput_delivered_bytes_per_second": 1e7} {
			h := gathered(t, c.config, name)
			if (len(h.GetBucket()) > 0) != c.classic || (len(h.GetPositiveSpan()) > 0) != c.native {
				t.Errorf("%+v: %s is %v", c.config, name, h)
			}
			var below float64
			for _, b := range h.GetBucket() {
				if in := b.GetUpperBound() >= value*(1-1e-9); in != (b.GetCumulativeCount() == 1) {
					t.Errorf("%s: %d up to %v", name, b.GetCumulativeCount(), b.GetUpperBound())
				}
				if b.GetUpperBound() <= below {
					t.Errorf("%s: %v after %v", name, b.GetUpperBound(), below)
				}
				below = b.GetUpperBound()
			}
		}
	}
}

type traceKey struct{}

// An exemplar is what the function found in the request's context. One that Prometheus does not
// take costs the observation nothing.
func TestExemplar(t *testing.T) {
	for id, want := range map[string]string{"": "", "4bf92f3577b34da6": "4bf92f3577b34da6",
		strings.Repeat("x", 200): "", "\xff": ""} {
		h := gathered(t, Config{Buckets: Classic, Exemplar: func(ctx context.Context) prometheus.Labels {
			if id, _ := ctx.Value(traceKey{}).(string); id != "" {
				return prometheus.Labels{"trace_id": id}
			}
			return nil
		}}, "http_client_ttfb_seconds", id)
		got := ""
		for _, b := range h.GetBucket() {
			for _, l := range b.GetExemplar().GetLabel() {
				got += l.GetValue()
			}
		}
		if got != want || h.GetSampleCount() != 1 {
			t.Errorf("the exemplar of %q is %q, of %d observations", id, got, h.GetSampleCount())
		}
	}
}

// gathered is the named histogram after an upload, in a request whose context has the id.
func gathered(t *testing.T, c Config, name string, id ...string) *dto.Histogram {
	t.Helper()
	r := prometheus.NewPedanticRegistry()
	o, err := New(r, c)
	if err != nil {
		t.Fatal(err)
	}
	ctx := t.Context()
	if len(id) > 0 {
		ctx = context.WithValue(ctx, traceKey{}, id[0])
	}
	o.Observe(ctx, upload())
	families, err := r.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		if f.GetName() == name {
			return f.GetMetric()[0].GetHistogram()
		}
	}
	t.Fatalf("there is no %s", name)
	return nil
}
