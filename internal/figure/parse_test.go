package figure_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/rundoc"
)

// TestNamesAtTheEdge: what just is a figure, and what just is none.
func TestNamesAtTheEdge(t *testing.T) {
	known := figure.Known{Kind: "chat", Own: own(t), Labels: []string{"type"}}
	for _, tt := range []struct {
		name  string
		known figure.Known
		want  string
	}{
		{"visibility.p100", known, "p100 is the longest time: write max"},
		{"visibility", known, "visibility are many times: say which, as in visibility.p99, visibility.mean or visibility.max"},
		{"responsep50", figure.Known{}, `"responsep50" is not a figure of a run: `}, {"99", figure.Known{}, `"99" is not a figure of a run: `},
		{"connect.99", figure.Known{}, `"connect.99" is not a figure of a run: `}, {"p", figure.Known{}, `"p" is not a figure of a run: `},
		{"p.5", figure.Known{}, "p.5 is not a percentile: write p99 or p99.9"},
		{"p999.5", figure.Known{}, "p999.5: a percentile is below 100"}, {"p190", figure.Known{}, "p190: a percentile is below 100"},
		{"p909", figure.Known{}, "p909: a percentile is below 100: did you mean p90.9?"},
		{"_wholly_of_another_kind", figure.Known{}, `"_wholly_of_another_kind" is not a figure of a run: 'plimsoll help figures'`},
		{"ratex_of_another_kind", figure.Known{}, `"ratex_of_another_kind" is not a figure of a run: 'plimsoll help figures'`},
		{"p99{room=1}", figure.Known{Labels: []string{"type"}}, `p99 has no label "room", but: operation, type`},
		{"p99{room=1}", figure.Known{Kind: "chat"}, `p99 has no label "room", but: operation`},
		{"visibility.p99{room=1}", figure.Known{Own: own(t)}, `visibility.p99 has no label "room", but: stage`},
		{`p99{ty"pe=x}`, figure.Known{}, "the labels are not label=value: write {type=TEXT}, with a comma between two of them"},
		{"p99{type=", figure.Known{}, "the label type: it has no value"},
		{`p99{type="a"`, figure.Known{}, "the braces of the labels are not closed: a } is missing"},
	} {
		_, err := figure.Parse(tt.name, tt.known)
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) || strings.HasSuffix(tt.want, "below 100") && err.Error() != tt.want {
			t.Errorf("%s: %v\nwant %s", tt.name, err, tt.want)
		}
	}
	// A number whose name is the beginning of a percentile's is none of its times.
	beside := figure.Known{Own: append(own(t), figure.Source{Name: "visibility.p99", Unit: figure.Count,
		Number: func(*rundoc.Run, map[string]string) figure.Value { return figure.Value{} }})}
	for name, plain := range map[string]string{"p0.0001": "p0.0001", "p99.9999": "p99.9999", "p05": "p5", "visibility.p99.9": "visibility.p99.9",
		"p99{room=1}": "p99{room=1}", `ok{empty=""}`: `ok{empty=""}`} {
		if got := parsed(t, name, beside).String(); got != plain {
			t.Errorf("%s is %s", name, got)
		}
	}
}

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
	if v := value("p75"); v.Why != "the document has no p75 of these times, and not their distribution" || v.Raw != 0 {
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
	if worse, why := value("p50").Worse(true); worse != 0 || !strings.HasPrefix(why, "the interval of the p50 is not known") {
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
	if v := parsed(t, "cpu_per_operation", figure.Known{}).Of(run); v.Why != "no operation ended ok" {
		t.Error(v.Why)
	}
}
