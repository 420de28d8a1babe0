package threshold_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/threshold"
	"github.com/plimsoll/plimsoll/rundoc"
)

func chat() figure.Known { return figure.Known{Kind: "chat", Labels: []string{"type"}} }

func TestLimits(t *testing.T) {
	for _, test := range []struct {
		text, plain string
		unit        figure.Unit
		limit       float64
	}{
		{"p99<50ms", "p99<50ms", figure.Time, 50e6},
		{"  p99 \u00a0<=\u2009 50 ms ", "p99<=50ms", figure.Time, 50e6},
		{"p99<0.05s", "p99<0.05s", figure.Time, 50e6},
		{"p99<PT0.05S", "p99<PT0.05S", figure.Time, 50e6},
		{"max<1m30s", "max<1m30s", figure.Time, 90e9},
		{"mean<800µs", "mean<800µs", figure.Time, 8e5},
		{"rate>1000/s", "rate>1000/s", figure.PerSecond, 1000},
		{"rate>1_000/s", "rate>1_000/s", figure.PerSecond, 1000},
		{"rate>=1000", "rate>=1000", figure.PerSecond, 1000},
		{"rate>1_000.5/s", "rate>1_000.5/s", figure.PerSecond, 1000.5},
		{"bytes_rate>1_000MB/s", "bytes_rate>1_000MB/s", figure.BytesPerSec, 1e9},
		{"rate>1.5k/s", "rate>1.5k/s", figure.PerSecond, 1500},
		{"bytes_rate>200MB/s", "bytes_rate>200MB/s", figure.BytesPerSec, 200e6},
		{"bytes_rate>25 MiB/s", "bytes_rate>25MiB/s", figure.BytesPerSec, 25 << 20},
		{"bytes_rate>200Mbit/s", "bytes_rate>200Mbit/s", figure.BytesPerSec, 25e6},
		{"bytes_rate>1.5GB/s", "bytes_rate>1.5GB/s", figure.BytesPerSec, 1.5e9},
		{"bytes_rate>10kB/s", "bytes_rate>10kB/s", figure.BytesPerSec, 10e3},
		{"bytes_rate>10B/s", "bytes_rate>10B/s", figure.BytesPerSec, 10},
		{"bytes>128MiB", "bytes>128MiB", figure.Bytes, 128 << 20},
		{"failed<0.1%", "failed<0.1%", figure.Share, 0.001},
		{"failed<0.001", "failed<0.001", figure.Share, 0.001},
		{"failed<=.5", "failed<=.5", figure.Share, 0.5},
		{"failed<=0", "failed<=0", figure.Count, 0},
		{"failed<12", "failed<12", figure.Count, 12},
		{"ok>99%", "ok>99%", figure.Share, 0.99},
		{"unsent<1", "unsent<1", figure.Count, 1},
		{"retries<=1_000", "retries<=1_000", figure.Count, 1000},
		{"p95{type=TEXT}<20ms", "p95{type=TEXT}<20ms", figure.Time, 20e6},
		{`p95{type="a<b"}<20ms`, `p95{type=a<b}<20ms`, figure.Time, 20e6},
		{`p95{type="a}<\"b"}<20ms`, `p95{type="a}<\"b"}<20ms`, figure.Time, 20e6},
	} {
		goal, err := threshold.Parse(test.text, chat())
		if err != nil {
			t.Errorf("%s: %v", test.text, err)
			continue
		}
		if goal.Expr() != test.plain || goal.Limit() != test.limit || goal.Figure().Unit() != test.unit {
			t.Errorf("%s is %s, %v %s; want %s, %v %s", test.text, goal.Expr(), goal.Limit(), goal.Figure().Unit(),
				test.plain, test.limit, test.unit)
		}
		if again, err := threshold.Parse(goal.Expr(), chat()); err != nil || again.Expr() != goal.Expr() || again.Limit() != goal.Limit() {
			t.Errorf("%s: read again it is %s, %v", goal.Expr(), again.Expr(), err)
		}
	}
}

// Each thing that can be wrong is said in one line.
func TestMessages(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", "it is empty: write a threshold such as p99<50ms"},
		{" \u00a0", "it is empty: write a threshold such as p99<50ms"},
		{"p99", "it has no comparison: write a threshold such as p99<50ms"},
		{"p99<", "the limit after < is missing: write p99<50ms"},
		{"rate> ", "the limit after > is missing: write rate>1000/s"},
		{"<50ms", "the metric is missing: write one such as p99"},
		{"p99<<50ms", `"<<" is not a comparison: write <, <=, > or >=`},
		{"p99==50ms", `"==" is not a comparison: write <, <=, > or >=`},
		{"p99≤50ms", `"≤" is not a comparison: write <=`},
		{"p99=>50ms", `"=>" is not a comparison: write >=`},
		{"1ms<p99<50ms", "it has two comparisons: write two thresholds"},
		{"p101<1ms", "p101: a percentile is below 100"},
		{"p99<NaN", `p99 is a time, but "NaN" is not: write it as 50ms, 0.05s or PT0.05S`},
		{"p99<Inf", `p99 is a time, but "Inf" is not: write it as 50ms, 0.05s or PT0.05S`},
		{"p99<-5ms", `"-5ms" is negative, but p99 cannot be`},
		{"failed<-1%", `"-1%" is negative, but failed cannot be`},
		{"p99<50", `"50" has no unit: write 50ms or 50s`},
		{"p99<5%", `p99 is a time, but "5%" is not: write it as 50ms, 0.05s or PT0.05S`},
		{"p99<50mss", `p99 is a time, but "50mss" is not: write it as 50ms, 0.05s or PT0.05S`},
		{"p99<PT5", `p99 is a time, but "PT5" is not: write it as 50ms, 0.05s or PT0.05S`},
		{"p99<0.1ns", `"0.1ns" is less than a nanosecond`},
		{"p99<0s", "p99<0s can never be met, because no value is below 0: write p99<=0s"},
		{"failed<0", "failed<0 can never be met, because no value is below 0: write failed<=0"},
		{"failed<0%", "failed<0% can never be met, because no value is below 0: write failed<=0%"},
		{"rate>=0", "rate>=0 is always met: write rate>0"},
		{"ok>100%", "ok>100% can never be met, because no share is above 100%: write ok>=100%"},
		{"failed<=100%", "failed<=100% is always met: write failed<100%"},
		{"failed<200%", `"200%" is not a share: it must be from 0 to 1, or from 0% to 100%`},
		{"failed<1.5", `"1.5" is neither a whole number nor a share: write 1.5% for a share`},
		{"failed<50ms", `failed is a count or a share of the operations, but "50ms" is not: write it as 12 or 0.1%`},
		{"retries<1%", `retries is a count, but "1%" is not: write it as 12`},
		{"retries<1.5", `retries is a count, but "1.5" is not: write it as 12`},
		{"rate>200MB/s", `rate is a number of operations per second, but "200MB/s" is not: write it as 1000/s`},
		{"rate>1e400", `rate is a number of operations per second, but "1e400" is not: write it as 1000/s`},
		{"bytes_rate>200", `"200" has no unit: write 200MB/s, 200MiB/s or 200Mbit/s`},
		{"bytes_rate>200Mb/s", `bytes_rate is a bandwidth, but "200Mb/s" is not: write it as 200MB/s, 190MiB/s or 1600Mbit/s`},
		{"bytes>5ms", `bytes is a size, but "5ms" is not: write it as 10MB, 128KiB or 512`},
		{"p99{type=TEXT<20ms", "the braces of the labels are not closed: a } is missing"},
		{"p99{typ=TEXT}<20ms", `p99 has no label "typ": did you mean type?`},
		{"p99{room=3}<20ms", `p99 has no label "room"; it has: operation, type`},
		{"visibility.p99<1s", `"visibility.p99" is not a metric of chat: 'plimsoll help metrics' lists all`},
		{"p99\u200b<50ms", "it contains the unprintable character U+200B: remove it"},
		{"p99\x1b[31m<50ms", "it contains the unprintable character U+001B: remove it"},
		{"p99\n<50ms", "it contains the unprintable character U+000A: remove it"},
		{"p99\xff<50ms", "it is not valid UTF-8"},
		{strings.Repeat("p", 501), "it has 501 characters; the limit is 500"},
	} {
		_, err := threshold.Parse(test.text, chat())
		if err == nil || err.Error() != test.want {
			t.Errorf("%q: %v\nwant %s", test.text, err, test.want)
		}
	}
}

// of is a run whose p99 and own delay are these, in ms, of 1000 operations, so many of which failed.
func of(p99, free float64, failed int64) *rundoc.Run {
	ns := func(ms float64) *int64 { return new(int64(ms * 1e6)) }
	return &rundoc.Run{Workload: "chat", Verdict: rundoc.Verdict{Rules: rundoc.Rules}, Operations: []rundoc.Operation{{
		Name: "send", Scheduled: 1000, OK: 1000 - failed, Failed: failed,
		ResponseTime: rundoc.Summary{Count: 1000, P99NS: ns(p99), Free: &rundoc.Summary{Count: 1000, P99NS: ns(free)}},
	}}}
}

func TestJudge(t *testing.T) {
	for _, test := range []struct {
		goal     string
		run      *rundoc.Run
		result   threshold.Result
		sentence string
	}{
		{"p99<50ms", of(49, 49, 0), threshold.Met, "p99<50ms was met: p99 was 49.0 ms"},
		{"p99<50ms", of(50, 50, 0), threshold.Missed, "p99<50ms was missed: p99 was 50.0 ms"},
		{"p99<=50ms", of(50, 50, 0), threshold.Met, "p99<=50ms was met: p99 was 50.0 ms"},
		{"p99<50ms", of(50.04, 50.03, 0), threshold.Missed,
			"p99<50ms was missed: p99 was 50.04 ms (50.03 ms corrected)"},
		{"p99<50ms", of(61.2, 48.1, 0), threshold.Untold,
			"p99<50ms cannot be evaluated: p99 was 61.2 ms, but 48.1 ms corrected"},
		{"p99>50ms", of(61.2, 48.1, 0), threshold.Met, "p99>50ms was met: p99 was 61.2 ms"},
		{"p99.9<50ms", of(61, 48, 0), threshold.Untold,
			"p99.9<50ms cannot be evaluated: too few times for a p99.9: 1,000, at least 10,000 are needed"},
		{"failed<0.1%", of(1, 1, 0), threshold.Met, "failed<0.1% was met: failed was 0%"},
		{"failed<0.1%", of(1, 1, 1), threshold.Missed, "failed<0.1% was missed: failed was 0.1%"},
		{"failed<1", of(1, 1, 1), threshold.Missed, "failed<1 was missed: failed was 1"},
	} {
		goal, err := threshold.Parse(test.goal, chat())
		if err != nil {
			t.Fatal(err)
		}
		got := goal.Judge(test.run)
		if threshold.Of(&got) != test.result || threshold.Sentence(&got) != test.sentence {
			t.Errorf("%v, %s\nwant %v, %s", threshold.Of(&got), threshold.Sentence(&got), test.result, test.sentence)
		}
		test.run.Thresholds = []rundoc.Threshold{got}
		if again := threshold.Reread(test.run, chat()); again.Edited != "" || len(again.Foreign) > 0 {
			t.Errorf("%s: read again: %+v", test.goal, again)
		}
	}
}

// A document whose goals say something else than its figures was edited.
func TestReread(t *testing.T) {
	goal, err := threshold.Parse("p99<50ms", chat())
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*rundoc.Run){
		"met":     func(r *rundoc.Run) { r.Thresholds[0].Met = true },
		"value":   func(r *rundoc.Run) { *r.Thresholds[0].Value-- },
		"limit":   func(r *rundoc.Run) { r.Thresholds[0].Limit = 90e6 },
		"figure":  func(r *rundoc.Run) { r.Operations[0].ResponseTime.P99NS = new(int64(1)) },
		"free":    func(r *rundoc.Run) { r.Thresholds[0].Free = nil },
		"goal":    func(r *rundoc.Run) { r.Thresholds[0].Expr = "p99<90ms" },
		"unit":    func(r *rundoc.Run) { r.Thresholds[0].Unit = "count" },
		"why":     func(r *rundoc.Run) { r.Thresholds[0].Why = "nobody knows" },
		"aborted": func(r *rundoc.Run) { r.Aborted = "failed<1%" },
	} {
		run := of(61, 61, 0)
		run.Thresholds = threshold.Judge(run, []threshold.Threshold{goal})
		change(run)
		if again := threshold.Reread(run, chat()); !strings.Contains(again.Edited, "contradict the values") {
			t.Errorf("%s: %+v", name, again)
		}
		run.Verdict.Rules = rundoc.Rules + 1
		if again := threshold.Reread(run, chat()); again.Edited != "" && name != "aborted" {
			t.Errorf("%s, of later rules: %+v", name, again)
		}
	}
	run := of(61, 61, 0)
	run.Thresholds = []rundoc.Threshold{{Expr: "p99~50ms", Unit: "ns", Limit: 50e6, Value: new(61e6)}}
	again := threshold.Reread(run, chat())
	if again.Edited != "" || len(again.Foreign) != 1 || len(again.All) != 1 || threshold.Of(&again.All[0]) != threshold.Missed {
		t.Errorf("a later program's: %+v", again)
	}
}

func TestAnswer(t *testing.T) {
	goals := func(texts ...string) (all []threshold.Threshold) {
		for _, text := range texts {
			goal, err := threshold.Parse(text, chat())
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, goal)
		}
		return all
	}
	run := of(61.2, 48.1, 5)
	for want, texts := range map[string][]string{
		"met: p99<70ms (61.2 ms)": {"p99<70ms"},
		"all 2 met":               {"p99<70ms", "failed<1%"},
		"1 of 4 met · missed: p99<40ms (61.2 ms) · cannot be evaluated: p99<50ms (61.2 ms), p99.9<1s": {
			"p99<50ms", "p99<40ms", "p99.9<1s", "failed<1%"},
	} {
		if got := threshold.Answer(threshold.Judge(run, goals(texts...)), ""); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
	// One that ended the run was missed, whatever the end says.
	for want, aborted := range map[string]string{
		"1 of 3 met · missed, ended the run: p99<70ms (61.2 ms) · cannot be evaluated: p99.9<1s": "p99<70ms",
		"2 of 3 met · missed, ended the run: p99.9<1s":                                           "p99.9<1s",
		"2 of 3 met · cannot be evaluated: p99.9<1s":                                             "",
	} {
		all := threshold.Judge(run, goals("p99<70ms", "p99.9<1s", "failed<1%"))
		if got := threshold.Answer(all, aborted); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// Whatever is written, there is a goal that reads the same again, or one line that says what is wrong.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"p99<50ms", "p95{type=TEXT}<20ms", `ok{operation="a\"b",type='c'}>=99.9%`, "failed<0.001", "bytes_rate>200MB/s",
		"rate>1k/s", "p99<<", "p99.9999<PT0.05S", "visibility.p99<1s", "p99{type=}<", "p0<1", "max<1h2m3s", "bytes<1g"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		goal, err := threshold.Parse(text, chat())
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("%q: more than a line: %q", text, err)
			}
			return
		}
		again, err := threshold.Parse(goal.Expr(), chat())
		if err != nil || again.Expr() != goal.Expr() || again.Limit() != goal.Limit() {
			t.Errorf("%q: %s is read as %s, %v", text, goal.Expr(), again.Expr(), err)
		}
		goal.Judge(of(1, 1, 1))
	})
}
