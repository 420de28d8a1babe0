package promthroughput

import (
	"context"
	"errors"
	"maps"
	"sort"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/throughput"
	"github.com/prometheus/client_golang/prometheus"
)

// upload is 1 MB in 100 ms, answered 20 ms later.
func upload() *throughput.Timeline {
	ms := func(n int) throughput.Stamp { return throughput.At(time.Duration(n) * time.Millisecond) }
	return &throughput.Timeline{
		Method: "PUT", Host: "example.org", Status: 200, HasBody: true, ContentLength: 1e6,
		RequestBytes: 1e6, RequestReads: 31, MinRTT: time.Millisecond,
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
	put := " host=example.org method=PUT"
	want := map[string]float64{
		"http_client_attempts_total code=200" + put + " quality=ok":                            1,
		"http_client_attempts_total code=error host=example.org method=_OTHER quality=aborted": 1,
		"http_client_request_body_bytes_total" + put:                                           1e6,
		"http_client_write_throughput_handoff_bytes_per_second" + put + " quality=ok":          1e8,
		"http_client_write_throughput_delivered_bytes_per_second" + put + " quality=ok":        1e7,
		"http_client_setup_seconds" + put:                                                      0.001,
		"http_client_ttfb_seconds" + put:                                                       0.122,
		"http_client_ttlb_seconds" + put:                                                       0.122,
		"http_client_server_time_seconds" + put:                                                0.020,
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
	if _, err := New(nil, Config{BucketFactor: 0.5}); err == nil {
		t.Error("buckets that shrink")
	}
}
