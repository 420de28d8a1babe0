package loadline_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/loadline"
	"github.com/plimsoll/plimsoll/internal/threshold"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

const second = 1_000_000_000

// goals are an SLO.
func goals(t *testing.T, text string) []threshold.Threshold {
	t.Helper()
	var all []threshold.Threshold
	for _, one := range threshold.Split(text) {
		g, err := threshold.Parse(one, figure.Known{})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, g)
	}
	return all
}

// timesOf are so many times of this length.
func timesOf(n, ns int64) rundoc.Summary {
	h := hdrhistogram.New(1, 1e12, 3)
	_ = h.RecordValues(ns, n) // within its bounds
	return rundoc.Summarize(h, rundoc.Exact{Min: ns, Max: ns, Sum: n * ns})
}

// open is a run of ten seconds at 1,000 a second, each of 10 ms and half of the clients' time, with an edit.
func open(edit func(*rundoc.Run)) *rundoc.Run {
	const n = 10_000
	run := &rundoc.Run{
		ID: "run", Plan: fmt.Appendf(nil, `{"load":{"rate_per_s":1000}}`),
		Ledger: rundoc.Ledger{Clients: 20, WindowNS: 10 * second, States: map[string]int64{
			rundoc.StateAwaiting: 100 * second, rundoc.StateWaiting: 100 * second}},
		Operations: []rundoc.Operation{{Name: "get", Scheduled: n, OK: n, ResponseTime: timesOf(n, 10e6)}},
		Generator:  rundoc.Generator{OwnLate: new(int64)},
	}
	for i := range 10 {
		run.Series = append(run.Series, rundoc.Point{Second: int64(i), OK: n / 10})
	}
	run.Series[9].OK -= 10 // under way at the end
	if edit != nil {
		edit(run)
	}
	return run
}

// TestProbe: a probe fails by what the target does, and tells nothing where the generator alone explains it.
func TestProbe(t *testing.T) {
	slow := func(raw, free int64) func(*rundoc.Run) {
		return func(r *rundoc.Run) {
			r.Operations[0].ResponseTime = timesOf(10_000, raw)
			times := timesOf(10_000, free)
			r.Operations[0].ResponseTime.Free = &times
		}
	}
	unsent := func(r *rundoc.Run) { r.Operations[0].OK, r.Operations[0].Unsent = 9000, 1000 }
	queue := func(r *rundoc.Run) { // 10% more than the target takes: after 10 s a second of them is left
		for i := range r.Series {
			r.Series[i].OK = 900
		}
		r.Operations[0].ResponseTime = timesOf(10_000, 500e6)
	}
	late := func(r *rundoc.Run) { *r.Generator.OwnLate = 500 }
	stopped := func(r *rundoc.Run) { r.Generator.Hiccups = &rundoc.Hiccups{GapsNS: 1e8, LongNS: 1e8, Gaps: 1, Long: 1} }
	failing := func(cause string) func(*rundoc.Run) {
		return func(r *rundoc.Run) {
			r.Operations[0].OK, r.Operations[0].Failed = 9000, 1000
			r.Operations[0].Causes = []rundoc.Cause{{Cause: cause, Count: 1000}}
		}
	}
	few := func(files int) func(*rundoc.Run) { // the server answers in 200 ms, and the rest is the wait for a client
		return func(r *rundoc.Run) {
			slow(1000e6, 1000e6)(r)
			o := &r.Operations[0]
			o.ServiceTime = timesOf(10_000, 200e6)
			free := o.ServiceTime
			o.ServiceTime.Free = &free
			r.Plan = []byte(`{"load":{"rate_per_s":1000,"clients":20,"max_clients":` + strconv.Itoa(files) + `}}`)
			r.Ledger.MaxClients, r.Little.Slots, r.Verdict.Validity = 20, 20, rundoc.Invalid
		}
	}
	for _, tt := range []struct {
		name, slo string
		edits     []func(*rundoc.Run)
		result    string
		own       bool
		missed    string // what it failed by
		why       string
	}{
		{"all well", "p99<50ms,failed<0.1%", nil, "met", false, "", ""},
		{"slow", "p99<50ms", []func(*rundoc.Run){slow(70e6, 60e6)}, "failed", false, "p99<50ms", "p99<50ms was missed: p99 was 70.0 ms"},
		{"slow by the generator", "p99<50ms", []func(*rundoc.Run){slow(70e6, 40e6)}, "tells nothing", true, "",
			"40.0 ms"},
		{"slow by both, and another goal is missed", "p99<50ms,ok>20000", []func(*rundoc.Run){slow(70e6, 40e6)}, "failed", false,
			"ok>20000", "ok>20000 was missed"},
		{"unsent, clients busy", "p99<50ms", []func(*rundoc.Run){unsent, func(r *rundoc.Run) {
			r.Ledger.States = map[string]int64{rundoc.StateAwaiting: 200 * second}
		}}, "failed", false, "unsent", "1,000 of 10,000 operations were scheduled but not sent, because all clients were busy"},
		{"unsent, clients free", "p99<50ms", []func(*rundoc.Run){unsent, func(r *rundoc.Run) {
			r.Ledger.States = map[string]int64{rundoc.StateAwaiting: 4 * second, rundoc.StateWaiting: 196 * second}
		}}, "tells nothing", true, "", "because of the load generator"},
		{"unsent, started late", "p99<50ms", []func(*rundoc.Run){unsent, late}, "tells nothing", true, "", "because of the load generator"},
		{"a queue that grows", "failed<0.1%", []func(*rundoc.Run){queue}, "failed", false, "queue",
			"the queue grew by 100/s at an offered load of 1,000/s"},
		{"a queue, started late", "failed<0.1%", []func(*rundoc.Run){queue, late}, "tells nothing", true, "", "and a queue grew"},
		{"late, and all well", "p99<50ms", []func(*rundoc.Run){late}, "tells nothing", true, "", "The generator started 500 of 10,000 operations late (5%, limit 1%)"},
		{"slow, and the generator stopped", "p99<50ms", []func(*rundoc.Run){slow(74.6e6, 52.3e6), stopped}, "tells nothing", true, "",
			"the load generator may be the cause: "},
		{"very slow, and the generator stopped", "p99<50ms", []func(*rundoc.Run){slow(3880e6, 3810e6), stopped}, "failed", false,
			"p99<50ms", "p99<50ms was missed: p99 was 3.88 s"},
		{"very slow, and late", "p99<50ms", []func(*rundoc.Run){slow(3880e6, 3810e6), late}, "tells nothing", true, "",
			"the load generator may be the cause: "},
		{"fast, and the generator stopped", "p99<50ms", []func(*rundoc.Run){stopped}, "met", false, "", ""},
		{"a queue, as long as the generator stopped", "failed<0.1%", []func(*rundoc.Run){queue, stopped, func(r *rundoc.Run) {
			r.Generator.Hiccups.GapsNS = second
		}}, "tells nothing", true, "", "a queue grew, and the load generator may be the cause"},
		{"a queue, longer than the generator stopped", "failed<0.1%", []func(*rundoc.Run){queue, stopped}, "failed", false, "queue",
			"the queue grew by 100/s"},
		{"no file left", "failed<0.1%", []func(*rundoc.Run){failing("too-many-files")}, "tells nothing", true, "",
			"operations failed, mostly with too-many-files"},
		{"too few clients", "p99<300ms", []func(*rundoc.Run){few(20)}, "tells nothing", true, "",
			"All 20 clients were busy and operations waited for one: response time p99 1.00 s, service time 200 ms. " +
				"The load needs about 250: use --max-clients 250"},
		{"too few files", "p99<300ms", []func(*rundoc.Run){few(10_000)}, "tells nothing", true, "", "run 'ulimit -n 1024' first"},
		{"reset", "failed<0.1%", []func(*rundoc.Run){failing("reset"), stopped}, "failed", false, "failed<0.1%", "failed was 10.0%"},
		{"nothing ok", "p99<50ms", []func(*rundoc.Run){func(r *rundoc.Run) {
			r.Operations[0].OK, r.Operations[0].Failed, r.Operations[0].ResponseTime = 0, 10_000, rundoc.Summary{}
			r.Operations[0].Causes = []rundoc.Cause{{Cause: "timeout", Count: 3}, {Cause: "status-500", Count: 9_997}}
			r.Series = nil
		}}, "failed", false, "p99<50ms", "10,000 of 10,000 operations failed, mostly with status-500"},
		{"too few", "p99.9<50ms", []func(*rundoc.Run){func(r *rundoc.Run) {
			r.Operations[0].Scheduled, r.Operations[0].OK = 100, 100
			r.Operations[0].ResponseTime = timesOf(100, 10e6)
			r.Series = nil
		}}, "tells nothing", false, "", "too few times for a p99.9"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run := open(func(r *rundoc.Run) {
				for _, edit := range tt.edits {
					edit(r)
				}
			})
			p := loadline.ProbeOf(run, goals(t, tt.slo), 1000)
			var missed []string
			if tt.missed != "" {
				missed = []string{tt.missed}
			}
			if strings.Count(p.Why, " were busy") > 1 {
				t.Errorf("it repeats itself: %s", p.Why)
			}
			if p.Result != tt.result || p.Own != tt.own || !slices.Equal(p.Missed, missed) || !strings.Contains(p.Why, tt.why) {
				t.Errorf("%s, generator %v, by %q: %s", p.Result, p.Own, p.Missed, p.Why)
			}
			if p.Member != "run" || p.LengthNS != 10*second || len(p.Values) != len(threshold.Split(tt.slo)) {
				t.Errorf("%+v", p)
			}
		})
	}
}

// TestProbeOfWhatNeverArrives: a percentile that falls among what never arrived is missed, and is not one that cannot be told.
func TestProbeOfWhatNeverArrives(t *testing.T) {
	absent := int64(0)
	known := figure.Known{Own: []figure.Source{{Name: "seen", Unit: figure.Time,
		Times: func(run *rundoc.Run, _ map[string]string) []rundoc.Summary {
			return []rundoc.Summary{run.Operations[0].ResponseTime}
		},
		Later: func(*rundoc.Run) (int64, string) { return absent, "some never arrived" },
	}}}
	for _, tt := range []struct {
		goal, result string
		absent       int64
	}{
		{"seen.p99<50ms", "met", 50}, {"seen.p99<50ms", "failed", 200}, {"seen.max<50ms", "failed", 1}, {"seen.min<50ms", "met", 200},
	} {
		goal, err := threshold.Parse(tt.goal, known)
		if err != nil {
			t.Fatal(err)
		}
		absent = tt.absent
		p := loadline.ProbeOf(open(nil), []threshold.Threshold{goal}, 1000)
		if p.Result != tt.result || tt.result == "failed" && p.Why != tt.goal+" was missed: there is no "+
			tt.goal[5:8]+": some never arrived" {
			t.Errorf("%s of %d: %s: %s", tt.goal, tt.absent, p.Result, p.Why)
		}
	}
}

// TestProbeWithoutAFreeFigure: a generator that starts late may be why a rate was missed, and is not why operations failed.
func TestProbeWithoutAFreeFigure(t *testing.T) {
	for _, tt := range []struct {
		slo  string
		late int64
		own  bool
	}{
		{"rate>2000/s", 0, false}, {"rate>2000/s", 500, true}, {"retries>1", 500, false}, {"failed>1%", 500, false},
	} {
		p := loadline.ProbeOf(open(func(r *rundoc.Run) {
			*r.Generator.OwnLate = tt.late
			r.Operations[0].RatePerS = 1000
		}), goals(t, tt.slo), 1000)
		if p.Own != tt.own || p.Own == (p.Result == setdoc.ProbeFailed) {
			t.Errorf("%s, %d late: %s: %s", tt.slo, tt.late, p.Result, p.Why)
		}
	}
}

// TestProbeInDoubtWithoutAFreeFigure: where nobody knows a time without the generator's own delay, a run with doubts about the
// generator tells neither that it was missed nor, near the limit, that it was met.
func TestProbeInDoubtWithoutAFreeFigure(t *testing.T) {
	known := figure.Known{Own: []figure.Source{
		{Name: "seen", Unit: figure.Time, Times: func(run *rundoc.Run, _ map[string]string) []rundoc.Summary {
			return []rundoc.Summary{run.Operations[0].ResponseTime}
		}},
		{Name: "in_time", Unit: figure.Share, More: func(map[string]string) bool { return true },
			Number: func(*rundoc.Run, map[string]string) figure.Value { return figure.Value{Raw: 0.994} }},
	}}
	for _, tt := range []struct {
		goal      string // p99 is 10 ms
		sure, not string // what the probe is in a run without a doubt, and with one
	}{
		{"seen.p99<50ms", setdoc.ProbeMet, setdoc.ProbeMet},
		{"seen.p99<15ms", setdoc.ProbeMet, setdoc.ProbeTellsNothing},
		{"seen.p99<9ms", setdoc.ProbeFailed, setdoc.ProbeTellsNothing},
		{"in_time>98%", setdoc.ProbeMet, setdoc.ProbeMet},
		{"in_time>99%", setdoc.ProbeMet, setdoc.ProbeTellsNothing},
		{"in_time>99.9%", setdoc.ProbeFailed, setdoc.ProbeTellsNothing},
	} {
		goal, err := threshold.Parse(tt.goal, known)
		if err != nil {
			t.Fatal(err)
		}
		for doubt, want := range map[bool]string{false: tt.sure, true: tt.not} {
			p := loadline.ProbeOf(open(func(r *rundoc.Run) {
				if doubt {
					r.Generator.Hiccups = &rundoc.Hiccups{GapsNS: 1e8, LongNS: 1e8, Gaps: 1, Long: 1}
				}
			}), []threshold.Threshold{goal}, 1000)
			if p.Result != want || p.Own != (want == setdoc.ProbeTellsNothing) {
				t.Errorf("%s, in doubt %t: %s: %s, want %s", tt.goal, doubt, p.Result, p.Why, want)
			}
		}
	}
}

// TestSplit: commas within braces and quotes part nothing.
func TestSplit(t *testing.T) {
	for text, want := range map[string][]string{
		"p99<50ms":             {"p99<50ms"},
		"p99<50ms,failed<0.1%": {"p99<50ms", "failed<0.1%"},
		`p99{operation=a,type="x,}"}<1s,rate>5/s`: {`p99{operation=a,type="x,}"}<1s`, "rate>5/s"},
		",": {"", ""},
	} {
		if got := threshold.Split(text); !slices.Equal(got, want) {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// TestVerdict: it is that of the probes on which the line stands, and one stray does not make it.
func TestVerdict(t *testing.T) {
	set := func(met, failed string) *setdoc.Set {
		s := &setdoc.Set{Loadline: &setdoc.Loadline{}}
		for i, c := range met + failed {
			id := fmt.Sprint(i)
			result := setdoc.ProbeMet
			if i >= len(met) {
				result = setdoc.ProbeFailed
			}
			validity := map[rune]rundoc.Validity{'v': rundoc.Valid, 's': rundoc.Suspect, 'i': rundoc.Invalid, '-': ""}[c]
			s.Members = append(s.Members, setdoc.Member{ID: id, Verdict: rundoc.Verdict{Validity: validity}})
			s.Loadline.Probes = append(s.Loadline.Probes, setdoc.Probe{Member: id, Result: result})
		}
		return s
	}
	for _, tt := range []struct {
		met, failed string
		want        rundoc.Validity
	}{
		{"vvvvv", "iiii", rundoc.Valid}, {"vvvvs", "", rundoc.Valid}, {"vvvss", "", rundoc.Suspect},
		{"vvvsi", "", rundoc.Suspect}, {"vvvii", "", rundoc.Invalid}, {"", "i", rundoc.Invalid}, {"", "", ""}, {"", "-", ""},
	} {
		if got := loadline.Verdict(set(tt.met, tt.failed)); got.Validity != tt.want {
			t.Errorf("%s, %s: %+v", tt.met, tt.failed, got)
		}
	}
}
