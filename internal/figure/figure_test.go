package figure_test

import (
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/rundoc"
)

// times are so many observations: 1 ms, 2 ms, …, each with own of the generator's delay in it.
func times(t *testing.T, from, to int64, own int64) rundoc.Summary {
	t.Helper()
	of := func(less int64) rundoc.Summary {
		h := hdrhistogram.New(1, 1e12, 3)
		exact := rundoc.Exact{Min: from*1e6 - less, Max: to*1e6 - less}
		for i := from; i <= to; i++ {
			if err := h.RecordValue(i*1e6 - less); err != nil {
				t.Fatal(err)
			}
			exact.Sum += i*1e6 - less
		}
		return rundoc.Summarize(h, exact)
	}
	s := of(0)
	s.Free = new(of(own))
	return s
}

// document has texts of 1 to 1000 ms and joins of 1001 to 1020 ms.
func document(t *testing.T) *rundoc.Run {
	t.Helper()
	return &rundoc.Run{
		Workload: "chat", Ledger: rundoc.Ledger{Clients: 1, WindowNS: 10e9},
		Connections: rundoc.Connections{ConnectTime: times(t, 1, 20, 0), Reconnects: []rundoc.CauseTime{{Count: 2}, {Count: 1}}},
		Operations: []rundoc.Operation{
			{Name: "send", Labels: map[string]string{"type": "TEXT"}, Scheduled: 1004, OK: 1000, Failed: 1, Unsent: 2, Unfinished: 1,
				Retries: 7, Bytes: 5000, RatePerS: 100, BytesPerS: 500, ResponseTime: times(t, 1, 1000, 5e5)},
			{Name: "send", Labels: map[string]string{"type": "JOIN"}, Scheduled: 20, OK: 20, RatePerS: 2, BytesPerS: 10,
				ResponseTime: times(t, 1001, 1020, 5e5), ServiceTime: times(t, 1, 20, 0)},
			{Name: "leave", Scheduled: 0},
		},
		Generator: rundoc.Generator{CPUUserNS: 4_100_000, CPUSystemNS: 1_000_000},
	}
}

// own are figures of a kind: a time, and numbers with and without a point.
func own(t *testing.T) []figure.Source {
	number := func(v float64) func(*rundoc.Run, map[string]string) figure.Value {
		return func(_ *rundoc.Run, match map[string]string) figure.Value {
			if match["room"] == "none" {
				return figure.Value{Why: "there is no such room"}
			}
			return figure.Value{Raw: v}
		}
	}
	return []figure.Source{
		{Name: "visibility", Unit: figure.Time, Labels: []string{"stage"}, Times: func(*rundoc.Run, map[string]string) []rundoc.Summary {
			return []rundoc.Summary{times(t, 1, 50, 0), times(t, 51, 100, 0)}
		}},
		{Name: "room.p99", Unit: figure.Time, Labels: []string{"room"}, Number: number(4e6)},
		{Name: "retries", Unit: figure.Count, Number: number(99)},
	}
}

func TestFigures(t *testing.T) {
	run := document(t)
	known := figure.Known{Kind: "chat", Own: own(t), Labels: []string{"type"}}
	for _, test := range []struct {
		name, plain string
		raw         float64
		free        float64 // 0: none
		why         string
	}{
		{"p50", "p50", 510e6, 509.5e6, ""},
		{" response.p50 ", "p50", 510e6, 509.5e6, ""},
		{"p50.0", "p50", 510e6, 509.5e6, ""},
		{"p62.5", "p62.5", 638e6, 637.5e6, ""},
		{"p99.9", "p99.9", 0, 0, "too few times for a p99.9: 1,020, at least 10,000 are needed"},
		{"p99.9999", "p99.9999", 0, 0, "too few times for a p99.9999: 1,020, at least 10,000,000 are needed"},
		{"p99{type=TEXT}", "p99{type=TEXT}", 990e6, 989.5e6, ""},
		{`p90{ type = "TEXT" }`, "p90{type=TEXT}", 900e6, 899.5e6, ""},
		{"p50{type='JOIN',operation=send}", "p50{operation=send,type=JOIN}", 1010e6, 1009.5e6, ""},
		{"p90{type=JOIN}", "p90{type=JOIN}", 0, 0, "too few times for a p90: 20, at least 100 are needed"},
		{"p50{type=TXET}", "p50{type=TXET}", 0, 0, "no operation has type=TXET: there is TEXT, JOIN"},
		{"p50{type=TEXT,operation=leave}", "p50{operation=leave,type=TEXT}", 0, 0, "no operation has operation=leave,type=TEXT"},
		{"p50{operation=leave}", "p50{operation=leave}", 0, 0, "the run has no such times"},
		{"mean", "mean", 510.5e6, 510e6, ""},
		{"min", "min", 1e6, 0.5e6, ""},
		{"response.max", "max", 1020e6, 1019.5e6, ""},
		{"service.p50", "service.p50", 10e6, 10e6, ""},
		{"send_delay.max", "send_delay.max", 0, 0, "the run has no such times"},
		{"connect.max", "connect.max", 20e6, 20e6, ""},
		{"rate", "rate", 102, 0, ""},
		{"rate{type=JOIN}", "rate{type=JOIN}", 2, 0, ""},
		{"rate{type=X}", "rate{type=X}", 0, 0, "no operation has type=X: there is TEXT, JOIN"},
		{"bytes_rate", "bytes_rate", 510, 0, ""},
		{"bytes", "bytes", 5000, 0, ""},
		{"failed", "failed", 4.0 / 1024, 0, ""},
		{"failed{type=JOIN}", "failed{type=JOIN}", 0, 0, ""},
		{"failed{operation=leave}", "failed{operation=leave}", 0, 0, "no operation was scheduled"},
		{"ok", "ok", 1020, 0, ""},
		{"unsent", "unsent", 2, 0, ""},
		{"unfinished", "unfinished", 1, 0, ""},
		{"reconnects", "reconnects", 3, 0, ""},
		{"cpu_per_operation", "cpu_per_operation", 5000, 0, ""}, // (4.1 ms + 1 ms) ÷ 1,020
		{"retries", "retries", 99, 0, ""},                       // the kind's own stands before the common one
		{"visibility.p50", "visibility.p50", 50e6, 50e6, ""},
		{"visibility.p90", "visibility.p90", 90e6, 90e6, ""},
		{"room.p99", "room.p99", 4e6, 0, ""},
		{"room.p99{room=none}", "room.p99{room=none}", 0, 0, "there is no such room"},
	} {
		spec, err := figure.Parse(test.name, known)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		got := spec.Of(run)
		near := func(a, b float64) bool { return a-b <= 2e-3*b && b-a <= 2e-3*b } // what a histogram keeps
		free := 0.0
		if got.Free != nil {
			free = *got.Free
		}
		if !near(got.Raw, test.raw) || !near(free, test.free) || got.Why != test.why || got.Unit != spec.Unit() {
			t.Errorf("%s is %+v (free %v), want %v, %v, %q", test.name, got, free, test.raw, test.free, test.why)
		}
		if spec.String() != test.plain {
			t.Errorf("%s is %s, want %s", test.name, spec, test.plain)
		}
		if again, err := figure.Parse(spec.String(), known); err != nil || again.String() != spec.String() {
			t.Errorf("%s: read again it is %v, %v", spec, again, err)
		}
	}
}

func TestUnknownFigures(t *testing.T) {
	known := figure.Known{Kind: "chat", Own: own(t), Labels: []string{"type"}}
	mixed := figure.Known{Kind: "overhead", Mixed: true, Labels: []string{"service"}}
	for _, test := range []struct {
		name  string
		known figure.Known
		want  string
	}{
		{"", known, "the metric is missing: write one such as p99"},
		{"p99x", known, `"p99x" is not a metric of chat: did you mean p99? 'plimsoll help metrics' lists all`},
		{"visiblity.p99", known, `"visiblity.p99" is not a metric of chat: did you mean visibility.p99? 'plimsoll help metrics' lists all`},
		{"Rate_per_second", known, `"Rate_per_second" is not a metric of chat: did you mean rate? 'plimsoll help metrics' lists all`},
		{"rateandmore_than_that", known, `"rateandmore_than_that" is not a metric of chat: 'plimsoll help metrics' lists all`},
		{"median", known, `"median" is not a metric of chat: did you mean p50? 'plimsoll help metrics' lists all`},
		{"p(95)", known, `"p(95)" is not a metric of chat: did you mean p95? 'plimsoll help metrics' lists all`},
		{"http-req-failed", known, `"http-req-failed" is not a metric of chat: did you mean failed? 'plimsoll help metrics' lists all`},
		{"visibility.p99", figure.Known{}, `"visibility.p99" is not a metric of a run: 'plimsoll help metrics' lists all`},
		{"service", known, "service has several statistics: write service.p99, service.mean or service.max"},
		{"service.rate", known, `"service.rate" is not a metric of chat: did you mean service.max? 'plimsoll help metrics' lists all`},
		{"p100", known, "p100 is the longest time: write max"},
		{"p0", known, "p0 is the shortest time: write min"},
		{"p101", known, "p101: a percentile is below 100"},
		{"p999", known, "p999: a percentile is below 100: did you mean p99.9?"},
		{"p99,9", known, "p99,9: a percentile has a point: write p99.9"},
		{"p99.", known, "p99. is not a percentile: write p99 or p99.9"},
		{"connect.p9.9.9", known, "p9.9.9 is not a percentile: write p99 or p99.9"},
		{"p99.99999", known, "p99.99999: a percentile has at most 4 decimals"},
		{"p99999999999999999999", known, "p99999999999999999999: a percentile is below 100: did you mean p99.999999999999999999?"},
		{"p99{room=1}", known, `p99 has no label "room"; it has: operation, type`},
		{"p99{typ=TEXT}", known, `p99 has no label "typ": did you mean type?`},
		{"connect.p99", figure.Known{Kind: "overhead", Lacks: []string{"connect"}},
			`"connect.p99" is not a metric of overhead: 'plimsoll help metrics' lists all`},
		{"room.p99{type=TEXT}", known, `room.p99 has no label "type"; it has: room`},
		{"connect.p99{type=TEXT}", known, "connect.p99 has no labels: remove {type=…}"},
		{"p99{}", known, "the braces contain no label: write {type=TEXT}, or remove them"},
		{"p99{", known, "the braces contain no label: write {type=TEXT}, or remove them"},
		{"p99{type}", known, "the labels are not label=value: write {type=TEXT}, separated by commas"},
		{"p99{=TEXT}", known, "a label has no name: write one such as {type=TEXT}"},
		{"p99{type=}", known, "the label type: it has no value"},
		{"p99{type=TEXT", known, "the braces of the labels are not closed: a } is missing"},
		{"p99{type=TEXT}x", known, `"x" follows the labels`},
		{"p99{type=TEXT,type=JOIN}", known, "the label type is given twice"},
		{`p99{type="TEXT}`, known, "the label type: its quotes are not closed"},
		{`p99{type='TEXT}`, known, "the label type: its quotes are not closed"},
		{`p99{type="TEXT"x}`, known, "the label type: a comma or a } must follow its quotes"},
		{"p99", mixed, "p99 needs a label in overhead, because its operations differ: write p99{operation=NAME}"},
		{"rate{service=S3}", mixed, "rate needs a label in overhead, because its operations differ: write rate{operation=NAME}"},
	} {
		_, err := figure.Parse(test.name, test.known)
		if err == nil || err.Error() != test.want {
			t.Errorf("%q: %v\nwant %s", test.name, err, test.want)
		}
	}
	for _, name := range []string{"failed", "ok>", "unsent", "p99{operation=S3/GetObject}", "rate{operation=S3/GetObject}", "connect.p99"} {
		if _, err := figure.Parse(strings.TrimSuffix(name, ">"), mixed); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A label may hold what stands around it.
func TestLabelsInQuotes(t *testing.T) {
	for _, value := range []string{"a,b", "a}b", "a=b", `a"b`, `a\b`, " a ", "it's", "é 日本", "{"} {
		run := &rundoc.Run{Operations: []rundoc.Operation{{Name: value, OK: 3}, {Name: "x", OK: 4}}}
		spec, err := figure.Parse(`ok{operation=`+quote(value)+`}`, figure.Known{})
		if err != nil {
			t.Errorf("%q: %v", value, err)
			continue
		}
		again, err := figure.Parse(spec.String(), figure.Known{})
		if err != nil || again.Of(run).Raw != 3 {
			t.Errorf("%q: %s gives %+v, %v", value, spec, again.Of(run), err)
		}
	}
}

func quote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

// A document that makes no sense has figures without a value, and no panic.
func TestBrokenDocuments(t *testing.T) {
	run := &rundoc.Run{Operations: []rundoc.Operation{
		{Name: "a", Scheduled: -1, OK: 5, ResponseTime: rundoc.Summary{Count: 1 << 62, HDR: "x"}},
		{Name: "b", ResponseTime: rundoc.Summary{Count: 9, HDR: "y"}},
	}}
	for _, listed := range figure.List(figure.Known{}) {
		spec, err := figure.Parse(listed.Name, figure.Known{})
		if err != nil {
			t.Fatal(err)
		}
		got := spec.Of(run)
		if listed.Name == "p99" && !strings.HasPrefix(got.Why, "its times cannot be read") || listed.Name == "failed" && got.Why == "" {
			t.Errorf("%s: %+v", listed.Name, got)
		}
	}
	if len(figure.Names(figure.Known{})) < 20 {
		t.Error("few names are offered")
	}
}

// What more or less of a figure means, and what a rate counts.
func TestWhichWayIsBetter(t *testing.T) {
	known := figure.Known{Own: []figure.Source{
		{Name: "answers", Unit: figure.Count, Labels: []string{"status"}, Number: func(*rundoc.Run, map[string]string) figure.Value {
			return figure.Value{}
		}, More: func(match map[string]string) bool { return match["status"] != "500" }},
		{Name: "fanout.rate", Unit: figure.PerSecond, Counts: "deliveries",
			Number: func(*rundoc.Run, map[string]string) figure.Value { return figure.Value{} }},
	}}
	for name, want := range map[string]struct {
		less   bool
		counts string
	}{
		"p99": {true, ""}, "failed": {true, ""}, "cpu_per_operation": {true, ""}, "retries": {true, ""}, "unsent": {true, ""},
		"rate": {false, "requests"}, "bytes_rate": {false, ""}, "bytes": {false, ""}, "ok": {false, ""},
		"rate{operation=a}": {false, "requests"}, "fanout.rate": {false, "deliveries"},
		"answers": {false, ""}, "answers{status=200}": {false, ""}, "answers{status=500}": {true, ""},
	} {
		spec, err := figure.Parse(name, known)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if less, counts := spec.LessIsBetter(), spec.Counts("requests"); less != want.less || counts != want.counts {
			t.Errorf("%s: less is better %t, it counts %q; want %t, %q", name, less, counts, want.less, want.counts)
		}
	}
}
