package figure_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/rundoc"
)

// TestWhatADocumentHasInWords: a percentile that stands in the document is taken from there, without a distribution, too.
func TestWhatADocumentHasInWords(t *testing.T) {
	of := rundoc.Summary{Count: 10_000, MinNS: 1, MaxNS: 99, MeanNS: 33, P50NS: new(int64(50)), P90NS: new(int64(60)), P95NS: new(int64(70)),
		P99NS: new(int64(80)), P999NS: new(int64(90)), Free: &rundoc.Summary{}}
	value := func(name string) figure.Value {
		return parsed(t, name, figure.Known{}).Of(&rundoc.Run{Operations: []rundoc.Operation{{ResponseTime: of}}})
	}
	for name, want := range map[string]float64{"p50": 50, "p90": 60, "p95": 70, "p99": 80, "p99.9": 90, "min": 1, "max": 99, "mean": 33} {
		if v := value(name); v.Raw != want || v.Why != "" || v.Free != nil {
			t.Errorf("%s: %+v", name, v)
		}
	}
	if v := value("p75"); v.Why != "the document has neither a p75 nor a histogram of these times" || v.Raw != 0 {
		t.Errorf("%+v", v)
	}
	of.Intervals = &rundoc.Intervals{Mean: &rundoc.Interval{LowNS: 30, HighNS: 40, Effective: 100}}
	if v := value("mean"); v.Low == nil || *v.Low != 30 || *v.High != 40 || v.Unsure != "" {
		t.Errorf("%+v", v)
	}
	of.P99NS = nil
	if v := value("p99"); v.Why != "the document has no p99 of these times" || v.Raw != 0 {
		t.Errorf("%+v", v)
	}
	// The longest time has no interval, and is what it is; a percentile without one says why.
	if worse, why := value("max").Worse(true); worse != 99 || why != "" {
		t.Errorf("%v, %s", worse, why)
	}
	if worse, why := value("p50").Worse(true); worse != 0 || !strings.HasPrefix(why, "no confidence interval for the p50") {
		t.Errorf("%v, %s", worse, why)
	}
	if free, known := value("p50").Without(); known || free.Raw != 0 {
		t.Errorf("%+v", free)
	}
	run := document(t)
	if v := parsed(t, "retries", figure.Known{}).Of(run); v.Raw != 7 {
		t.Errorf("%+v", v)
	}
	if v := parsed(t, "ok{service=R2}", figure.Known{}).Of(&rundoc.Run{Operations: []rundoc.Operation{{Labels: map[string]string{"service": "S3"}}}}); v.Why !=
		"no operation has service=R2: there is S3" {
		t.Error(v.Why)
	}
	run.Operations = []rundoc.Operation{{Scheduled: 5, Failed: 5}}
	if v := parsed(t, "cpu_per_operation", figure.Known{}).Of(run); v.Why != "no operation succeeded" {
		t.Error(v.Why)
	}
}
