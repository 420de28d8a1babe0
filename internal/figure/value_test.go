package figure_test

import (
	"math"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/rundoc"
)

func parsed(t *testing.T, name string, known figure.Known) figure.Spec {
	t.Helper()
	spec, err := figure.Parse(name, known)
	if err != nil {
		t.Fatal(err)
	}
	return spec
}

// betaBelow is the distribution function of a beta distribution, by Simpson's rule.
func betaBelow(x, a, b float64) float64 {
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	f := func(u float64) float64 {
		if u <= 0 || u >= 1 {
			return 0
		}
		return math.Exp((a-1)*math.Log(u) + (b-1)*math.Log1p(-u) + lab - la - lb)
	}
	const n = 4000
	sum := f(0) + f(x)
	for i := 1; i < n; i++ {
		sum += float64(2+2*(i%2)) * f(x*float64(i)/n)
	}
	return sum * x / n / 3
}

// rankAt is the rank, of so many independent times, with just such a chance that the quantile is above it.
func rankAt(n, quantile, chance float64) float64 {
	low, high := 1.0, n
	for range 40 {
		if middle := (low + high) / 2; betaBelow(1-quantile, n-middle+1, middle) < chance {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}

// A percentile that documents have no interval of has that of its ranks, where the times are worth as few as at the
// worst of those that have one. The times here are e^(20 × rank ÷ number), so that a rank can be told from its time.
func TestIntervalOfAPercentileBetween(t *testing.T) {
	const n, effective = 100_000, 1000
	const t15 = 2.131450 // Student's t of 15 degrees of freedom at 97.5%, from a table
	tail := math.Erfc(t15/math.Sqrt2) / 2
	low, high := (rankAt(effective, 0.75, tail)-1)*n/effective, rankAt(effective, 0.75, 1-tail)*n/effective
	h, exact := hdrhistogram.New(1, 1e12, 3), rundoc.Exact{Min: math.MaxInt64}
	for i := range n {
		ns := int64(math.Exp(20 * (float64(i) + 0.5) / n))
		if err := h.RecordValue(ns); err != nil {
			t.Fatal(err)
		}
		exact = rundoc.Exact{Min: min(exact.Min, ns), Max: max(exact.Max, ns), Sum: exact.Sum + ns}
	}
	times := rundoc.Summarize(h, exact)
	rank := func(ns float64) float64 { return math.Log(ns) / 20 * n }
	for _, own := range []string{"p50", "p90", "p95", "p99", "p99.9"} {
		is, few := rundoc.Intervals{}, &rundoc.Interval{LowNS: times.MinNS, HighNS: times.MaxNS, Effective: effective}
		*map[string]**rundoc.Interval{"p50": &is.P50, "p90": &is.P90, "p95": &is.P95, "p99": &is.P99, "p99.9": &is.P999}[own] = few
		times.Intervals = &is
		run := &rundoc.Run{Operations: []rundoc.Operation{{Name: "get", OK: n, ResponseTime: times}}}
		v := parsed(t, "p75", figure.Known{}).Of(run)
		if v.Low == nil || v.High == nil || v.Unsure != "" {
			t.Fatalf("by its %s: %+v", own, v)
		}
		if got := rank(*v.Low); math.Abs(got-low) > 10 {
			t.Errorf("by its %s: from rank %v, want %v", own, got, low)
		}
		if got := rank(*v.High); math.Abs(got-high) > 10 {
			t.Errorf("by its %s: to rank %v, want %v", own, got, high)
		}
	}
	// The worst of two counts, and one of independent times is no reason to doubt it.
	times.Intervals.P50 = &rundoc.Interval{LowNS: times.MinNS, HighNS: times.MaxNS, Effective: n}
	run := &rundoc.Run{Operations: []rundoc.Operation{{Name: "get", OK: n, ResponseTime: times}}}
	worst := parsed(t, "p75", figure.Known{}).Of(run)
	times.Intervals.P999 = nil
	best := parsed(t, "p75", figure.Known{}).Of(run)
	if a, b := rank(*worst.High)-rank(*worst.Low), rank(*best.High)-rank(*best.Low); math.Abs(a/b-10) > 0.5 {
		t.Errorf("%v ranks by a hundredth of the times, and %v by all", a, b)
	}
	for what, change := range map[string]func(*rundoc.Summary){
		"no interval": func(s *rundoc.Summary) { s.Intervals = &rundoc.Intervals{} },
		"too few": func(s *rundoc.Summary) {
			s.Intervals = &rundoc.Intervals{P50: &rundoc.Interval{LowNS: s.MinNS, HighNS: s.MaxNS, Effective: 2}}
		},
	} {
		change(&run.Operations[0].ResponseTime)
		if v := parsed(t, "p75", figure.Known{}).Of(run); v.Low != nil || !strings.HasPrefix(v.Unsure, "no confidence interval for the p75") {
			t.Errorf("%s: %+v", what, v)
		}
	}
	broken := run.Operations[0].ResponseTime
	broken.HDR = "x"
	run.Operations[0].ResponseTime = broken
	if v := parsed(t, "p75", figure.Known{}).Of(run); v.Why != "the document has neither a p75 nor a histogram of these times" {
		t.Errorf("%+v", v)
	}
}

// What has not arrived at all is later than all times, and counts in their ranks: worked out by hand of 100 times, 1 to
// 100 ms.
func TestWhatNeverArrived(t *testing.T) {
	for _, tt := range []struct {
		name  string
		times int64
		later int64
		ms    float64
		why   string
		never bool
	}{
		{"p50", 100, 100, 100, "", false}, {"p50", 100, 101, 0, "there is no p50: it is late", true}, {"p25", 100, 100, 50, "", false},
		{"p75", 100, 100, 0, "there is no p75: it is late", true}, {"min", 100, 100, 1, "", false}, {"max", 100, 1, 0, "there is no max: it is late", true},
		{"mean", 100, 1, 0, "there is no mean: it is late", true}, {"p50", 19, 1, 10, "", false},
		{"p10", 9, 1, 0, "too few times for a p10: 10, at least 12 are needed", false}, {"p1", 100, 1, 1, "", false}, {"p0.1", 100, 1, 1, "", false},
		{"p99", 1000, 20, 0, "there is no p99: it is late", false}, {"p90", 100, 0, 90, "", false}, {"max", 100, 0, 100, "", false},
	} {
		source := figure.Source{Name: "seen", Unit: figure.Time, Times: func(*rundoc.Run, map[string]string) []rundoc.Summary {
			return []rundoc.Summary{times(t, 1, tt.times, 0), {}}
		}, Later: func(*rundoc.Run) (int64, string) { return tt.later, "it is late" }}
		v := parsed(t, "seen."+tt.name, figure.Known{Own: []figure.Source{source}}).Of(&rundoc.Run{})
		never := tt.never || strings.HasPrefix(tt.why, "there is no")
		if math.Abs(v.Raw-tt.ms*1e6) > 1e-3*tt.ms*1e6 || v.Why != tt.why || v.Never != never || v.Unit != figure.Time || v.Low != nil {
			t.Errorf("%s of %d and %d: %+v", tt.name, tt.times, tt.later, v)
		}
	}
	broken := figure.Source{Name: "seen", Unit: figure.Time, Times: func(*rundoc.Run, map[string]string) []rundoc.Summary {
		return []rundoc.Summary{{Count: 100, HDR: "x"}}
	}, Later: func(*rundoc.Run) (int64, string) { return 3, "" }}
	if v := parsed(t, "seen.p50", figure.Known{Own: []figure.Source{broken}}).Of(&rundoc.Run{}); v.Why !=
		"the document has neither a p50 nor a histogram of these times" || v.Raw != 0 {
		t.Errorf("%+v", v)
	}
}

// Times of several operations have the intervals that the document has for all of them together.
func TestIntervalsOfAllTogether(t *testing.T) {
	total := func(low int64) *rundoc.Summary {
		s := times(t, 1, 100, 1)
		s.Intervals = &rundoc.Intervals{P50: &rundoc.Interval{LowNS: low, HighNS: 60e6, Effective: 50}}
		s.Free.Intervals = &rundoc.Intervals{P50: &rundoc.Interval{LowNS: low - 1, HighNS: 60e6, Effective: 50}}
		return &s
	}
	run := &rundoc.Run{Total: &rundoc.Totals{ResponseTime: total(41e6), ServiceTime: total(42e6), SendDelay: total(43e6)}}
	for _, part := range [][2]int64{{1, 30}, {31, 100}} {
		s := times(t, part[0], part[1], 1)
		run.Operations = append(run.Operations, rundoc.Operation{Name: "x", ResponseTime: s, ServiceTime: s, SendDelay: s, FirstAttempt: s})
	}
	for name, want := range map[string]float64{"p50": 41e6, "service.p50": 42e6, "send_delay.p50": 43e6, "first_attempt.p50": 0, "p50{operation=x}": 0} {
		v := parsed(t, name, figure.Known{}).Of(run)
		if want == 0 {
			if v.Low != nil || v.Unsure == "" {
				t.Errorf("%s: %+v", name, v)
			}
			continue
		}
		free, known := v.Without()
		if v.Low == nil || *v.Low != want || *v.High != 60e6 || !known || *free.Low != want-1 || *free.High != 60e6 {
			t.Errorf("%s: %+v", name, v)
		}
		if worse, why := v.Worse(true); worse != 60e6 || why != "" {
			t.Errorf("%s: at worst %v, %s", name, worse, why)
		}
		if worse, why := v.Worse(false); worse != want || why != "" {
			t.Errorf("%s: at worst %v, %s", name, worse, why)
		}
	}
	run.Total.ResponseTime.Count++ // which is of other times
	if v := parsed(t, "p50", figure.Known{}).Of(run); v.Low != nil {
		t.Errorf("%+v", v)
	}
	run.Total.ServiceTime.Free = nil
	if v := parsed(t, "service.p50", figure.Known{}).Of(run); v.Low == nil {
		t.Errorf("%+v", v)
	} else if free, _ := v.Without(); free.Low != nil {
		t.Errorf("%+v", free)
	}
	none := figure.Value{Why: "there is none"}
	if worse, why := none.Worse(true); worse != 0 || why != "there is none" {
		t.Errorf("%v, %q", worse, why)
	}
	run.Total = nil
	if v := parsed(t, "p50", figure.Known{}).Of(run); v.Low != nil {
		t.Errorf("%+v", v)
	}
}

// What is known of a figure by its name, as documents and commands ask for it.
func TestWhatAFigureIs(t *testing.T) {
	known := figure.Known{Kind: "x", Own: own(t)}
	run := document(t)
	for _, tt := range []struct {
		name     string
		unit     figure.Unit
		times    string
		extreme  string
		quantile float64
		needs    int64
		few      bool
		outcome  bool
		own      bool
		process  bool
	}{
		{"p99", "ns", "response", "", 0.99, 1000, false, false, false, false}, {"p99.9", "ns", "response", "", 0.999, 10_000, true, false, false, false},
		{"service.p50", "ns", "service", "", 0.5, 20, false, false, false, false}, {"service.p60", "ns", "service", "", 0.6, 25, true, false, false, false},
		{"max", "ns", "response", "max", 0, 0, false, false, false, false}, {"connect.min", "ns", "connect", "min", 0, 0, false, false, false, false},
		{"mean", "ns", "response", "", 0, 0, false, false, false, false}, {"rate", "per_s", "", "", 0, 0, false, false, false, false},
		{"bytes_rate", "bytes_per_s", "", "", 0, 0, false, false, false, false}, {"failed", "share", "", "", 0, 0, false, true, false, false},
		{"ok", "count", "", "", 0, 0, false, true, false, false}, {"reconnects", "count", "", "", 0, 0, false, true, false, false},
		{"bytes", "bytes", "", "", 0, 0, false, false, false, false}, {"cpu_per_operation", "ns", "", "", 0, 0, false, false, false, true},
		{"visibility.p50", "ns", "visibility", "", 0.5, 20, false, false, true, false},
	} {
		s := parsed(t, tt.name, known)
		if s.Unit() != tt.unit || s.Times() != tt.times || s.Extreme() != tt.extreme || s.Quantile() != tt.quantile || s.Needs() != tt.needs ||
			s.Few(run) != tt.few || s.Outcome() != tt.outcome || s.Own() != tt.own || s.OfProcess() != tt.process {
			t.Errorf("%s: %s of %q, %q, %v, needs %d, few %t, outcome %t, own %t, process %t", tt.name, s.Unit(), s.Times(), s.Extreme(), s.Quantile(),
				s.Needs(), s.Few(run), s.Outcome(), s.Own(), s.OfProcess())
		}
		same, is := s.In(tt.unit)
		other, has := s.In(map[bool]figure.Unit{true: figure.Count, false: figure.Share}[tt.unit == figure.Share])
		if partial := tt.name == "failed" || tt.name == "ok"; !is || same.Unit() != tt.unit || has != partial || has == (other.Unit() == tt.unit) {
			t.Errorf("%s: in its own unit %t, in the other one %t: %s", tt.name, is, has, other.Unit())
		}
		if _, has := s.In(figure.BytesPerSec); has != (tt.unit == figure.BytesPerSec) {
			t.Errorf("%s is a bandwidth", tt.name)
		}
	}
	s := parsed(t, "ok{operation=send,type=JOIN}", figure.Known{})
	if s.Scheduled(run) != 20 || parsed(t, "ok", known).Scheduled(run) != 1024 || parsed(t, "ok", known).Count(run) != 0 || s.Labels()["type"] != "JOIN" {
		t.Errorf("%d scheduled, labels %v", s.Scheduled(run), s.Labels())
	}
	if !s.Covers("send", map[string]string{"type": "JOIN", "more": "x"}) || s.Covers("send", map[string]string{"type": "TEXT"}) || s.Covers("leave", nil) {
		t.Error("what it covers")
	}
}
