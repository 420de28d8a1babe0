package prom

import (
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/plimsoll/plimsoll/internal/onlook"
	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/rundoc"
)

// collector makes the metrics of a show anew for each scrape. It describes none: which there are depends on the runs.
type collector struct {
	show *onlook.Show
	help map[string]string
}

// Describe describes nothing, so that the registry takes what comes.
func (c *collector) Describe(chan<- *prometheus.Desc) {}

// Collect makes them.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	for _, m := range c.show.Now() {
		c.run(&m, to)
	}
}

// run makes the metrics of one run.
func (c *collector) run(m *onlook.Moment, to chan<- prometheus.Metric) {
	s := &series{c: c, to: to, of: labels{}.with("run", m.ID).with("workload", m.Workload)}
	phase := m.Live.Phase
	if phase == "" {
		phase = "over"
	}
	s.gauge(runInfo, s.of.with("labels", strings.Join(m.Labels, ",")).with("member", m.What), 1)
	s.gauge(runPhase, s.of.with("phase", phase), 1)
	sums := m.Sums()
	if sums == nil {
		return
	}
	s.from = sums.Started
	s.gauge(window, s.of, sums.Elapsed.Seconds())
	for i := range sums.Kinds {
		s.kind(&sums.Kinds[i])
	}
	s.gauge(inFlight, s.of, float64(sums.InFlight))
	s.gauge(clients, s.of, float64(sums.Clients))
	s.counter(opened, s.of, float64(sums.ConnectionsOpened))
	s.counter(unopened, s.of, float64(sums.ConnectionsFailed))
	for _, r := range sums.Reconnects {
		s.counter(reconnects, s.of.with("cause", r.Cause), float64(r.Count))
	}
	s.generator(sums)
}

// series makes the metrics of one run.
type series struct {
	c    *collector
	to   chan<- prometheus.Metric
	of   labels
	from time.Time // since when it is counted
}

func (s *series) gauge(name string, of labels, v float64) {
	s.to <- prometheus.MustNewConstMetric(of.desc(name, s.c.help[name]), prometheus.GaugeValue, v, of.values...)
}

func (s *series) counter(name string, of labels, v float64) {
	s.to <- prometheus.MustNewConstMetricWithCreatedTimestamp(of.desc(name, s.c.help[name]), prometheus.CounterValue, v,
		s.from, of.values...)
}

// kind makes those of one kind of operation.
func (s *series) kind(k *record.KindSums) {
	o := &k.Operation
	of := s.operation(o)
	for _, one := range []struct {
		outcome string
		n       int64
	}{{"ok", o.OK}, {"failed", o.Failed}, {"unsent", o.Unsent}, {"unfinished", o.Unfinished}} {
		s.counter(operations, of.with("outcome", one.outcome), float64(one.n))
	}
	s.counter(attempts, of, float64(o.Attempts))
	s.counter(retries, of, float64(o.Retries))
	s.counter(bytes, of, float64(o.Bytes))
	for _, cause := range o.Causes {
		s.counter(failures, of.with("cause", cause.Cause), float64(cause.Count))
	}
	s.to <- newHistogram(of.desc(responseTime, s.c.help[responseTime]), k.Response, s.from, of.values)
	s.to <- newHistogram(of.desc(serviceTime, s.c.help[serviceTime]), k.Service, s.from, of.values)
}

// operation are the labels of an operation: its name and its own labels. Where two of these would have one name, which
// Prometheus refuses with all that is beside them, the later has an underscore more.
func (s *series) operation(o *rundoc.Operation) labels {
	of := s.of.with("operation", o.Name)
	for _, key := range keys(o.Labels) {
		name := labelName(key)
		for slices.Contains(of.names, name) {
			name += "_"
		}
		of = of.with(name, o.Labels[key])
	}
	return of
}

// generator makes those of the load generator itself.
func (s *series) generator(sums *record.Sums) {
	r := &sums.Reading
	s.counter(cpuSeconds, s.of.with("mode", "user"), r.User.Seconds())
	s.counter(cpuSeconds, s.of.with("mode", "system"), r.System.Seconds())
	s.gauge(cpus, s.of, r.CPUs)
	if h := r.Hiccups; h != nil {
		s.counter(gaps, s.of, float64(h.Gaps))
		s.counter(gapSeconds, s.of, time.Duration(h.GapsNS).Seconds())
	}
	if rundoc.Supports(sums.Own.Count, 990) {
		s.gauge(ownDelay, s.of, sums.Own.Quantile(.99).Seconds())
	}
}
