package report_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/internal/threshold"
	"github.com/plimsoll/plimsoll/internal/workload/chat"
	"github.com/plimsoll/plimsoll/rundoc"
)

const (
	us = int64(time.Microsecond)
	ms = int64(time.Millisecond)
)

// second is what the simulation assumes of a second of the window.
type second struct {
	rate    float64 // ended operations
	p50     int64
	spread  float64 // of the logarithm of the times
	failing float64 // share of the ended operations that failed
}

// simulate makes a document that keeps all laws from assumed seconds. It stands in for a
// real run, so that the documents under testdata can be made anew when fields are added.
func simulate(clients int, window time.Duration, at func(s float64) second) *rundoc.Run {
	rng := rand.New(rand.NewPCG(7, 11))
	kinds := []struct {
		name  string
		share float64
	}{{"TEXT", .9}, {"JOIN", .05}, {"LEAVE", .05}}
	start := time.Date(2026, 5, 4, 9, 30, 2, 250_000_000, time.UTC)
	run := &rundoc.Run{
		Schema: rundoc.Schema, ID: "20260504T093000Z-7f3a", Workload: "chat",
		Started: start.Add(-2250 * time.Millisecond), Ended: start.Add(window + 40*time.Millisecond),
		Tool:   rundoc.Tool{Version: "0.1.0", Commit: "0123456", Go: "go1.26.0"},
		Host:   rundoc.Host{OS: "linux", Arch: "amd64", CPU: "Example CPU", CPUs: 8},
		Target: rundoc.Target{URL: "ws://127.0.0.1:40123/chat/{room}", Embedded: true, SameHost: true},
		Plan: json.RawMessage(fmt.Sprintf(`{"url":"","load":{"seed":12345678901234567890,"clients":%d,"pipeline":1,"duration_ns":%d,`+
			`"drain_ns":5000000000,"warmup_clients":32,"warmup_operations":1000,"retry":{"timeout_ns":5000000000,"max_retries":5,`+
			`"initial_backoff_ns":50000000,"max_backoff_ns":1000000000}},"mix":{"users":100000,"rooms":20,"templates":50,`+
			`"text_share":0.9,"join_share":0.05,"leave_share":0.05},"dial":{},"output":{"bucket_ns":10000000000}}`, clients, window.Nanoseconds())),
	}
	histograms := make([]*hdrhistogram.Histogram, len(kinds))
	exact := make([]rundoc.Exact, len(kinds))
	run.Operations = make([]rundoc.Operation, len(kinds))
	for k := range kinds {
		histograms[k] = hdrhistogram.New(1, 1<<42, 3)
		exact[k].Min = math.MaxInt64
		run.Operations[k] = rundoc.Operation{Name: "send", Labels: map[string]string{"type": kinds[k].name}}
	}
	detail := &rundoc.ChatDetail{}
	for room := range 20 {
		detail.ByRoom = append(detail.ByRoom, rundoc.RoomFigures{Room: fmt.Sprint(room + 1)})
	}
	var inside float64
	for s := int64(0); s < int64(math.Ceil(window.Seconds())); s++ {
		assumed := at(float64(s))
		part := min(1, window.Seconds()-float64(s))
		p := rundoc.Point{Second: s}
		h := hdrhistogram.New(1, 1<<42, 3)
		for range int64(assumed.rate*part*(1+0.01*rng.NormFloat64()) + 0.5) {
			k := 0
			if u := rng.Float64(); u > .95 {
				k = 2
			} else if u > .9 {
				k = 1
			}
			o := &run.Operations[k]
			o.Scheduled++
			o.Attempts++
			room := &detail.ByRoom[rng.IntN(20)]
			if rng.Float64() < assumed.failing {
				o.Failed++
				p.Failed++
				room.Failed++
				continue
			}
			ns := int64(float64(assumed.p50) * math.Exp(assumed.spread*rng.NormFloat64()))
			_ = histograms[k].RecordValue(ns)
			_ = h.RecordValue(ns)
			exact[k].Min, exact[k].Max, exact[k].Sum = min(exact[k].Min, ns), max(exact[k].Max, ns), exact[k].Sum+ns
			o.OK++
			o.Bytes += 180
			p.OK++
			p.Bytes += 180
			room.OK++
			inside += float64(ns)
		}
		if rundoc.Supports(p.OK, 500) {
			p.P50NS = h.ValueAtPercentile(50)
		}
		if rundoc.Supports(p.OK, 990) {
			p.P99NS = h.ValueAtPercentile(99)
		}
		p.InFlight = new(float64(clients))
		run.Series = append(run.Series, p)
	}
	var scheduled, ok int64
	for k := range run.Operations {
		o := &run.Operations[k]
		o.ResponseTime = rundoc.Summarize(histograms[k], exact[k])
		o.ServiceTime, o.FirstAttempt = o.ResponseTime, o.ResponseTime
		o.RatePerS, o.BytesPerS = float64(o.OK)/window.Seconds(), float64(o.Bytes)/window.Seconds()
		scheduled, ok = scheduled+o.Scheduled, ok+o.OK
	}
	for i := range detail.ByRoom {
		r := &detail.ByRoom[i]
		r.RatePerS = float64(r.OK) / window.Seconds()
		if r.OK > 0 {
			p50 := at(1).p50
			r.Times, r.MeanNS = r.OK, p50+p50/20
			if rundoc.Supports(r.Times, 500) {
				r.P50NS = p50 + int64(i)*p50/500
			}
			if rundoc.Supports(r.Times, 990) {
				r.P99NS = 3 * p50
			}
		}
	}
	run.Detail = detail
	mean := int64(inside / math.Max(1, float64(ok)))
	run.Phases = []rundoc.Phase{
		{Name: rundoc.PhaseWarmup, Started: run.Started, DurationNS: 2212 * ms, Operations: 32000, OK: 32000, RatePerS: 14466, MeanNS: 2180 * us},
		{Name: rundoc.PhaseConnect, Started: start.Add(-38 * time.Millisecond), DurationNS: 38 * ms},
		{Name: rundoc.PhaseWindow, Started: start, DurationNS: window.Nanoseconds(), Operations: scheduled, OK: ok, RatePerS: float64(ok) / window.Seconds(), MeanNS: mean},
		{Name: rundoc.PhaseDrain, Started: start.Add(window), DurationNS: 2 * ms},
	}
	connect, connectExact := hdrhistogram.New(1, 1<<42, 3), rundoc.Exact{Min: 400 * us}
	for i := range int64(32 + clients) {
		_ = connect.RecordValue(400*us + i*9*us)
		connectExact.Max = 400*us + i*9*us
		connectExact.Sum += connectExact.Max
	}
	run.Connections = rundoc.Connections{Opened: int64(32 + clients), ConnectTime: rundoc.Summarize(connect, connectExact)}
	all := int64(clients) * window.Nanoseconds()
	preparing, sending, waiting := all/200, all/25, all/50
	run.Ledger = rundoc.Ledger{Clients: clients, WindowNS: window.Nanoseconds(), States: map[string]int64{
		rundoc.StatePreparing: preparing, rundoc.StateSending: sending, rundoc.StateWaiting: waiting,
		rundoc.StateAwaiting: all - preparing - sending - waiting,
	}}
	run.Little = rundoc.Little{Samples: int64(window / (10 * time.Millisecond)), InFlightPredicted: float64(clients) * 0.975, InFlightSampled: float64(clients) * 0.979}
	run.Little.Difference = run.Little.InFlightSampled/run.Little.InFlightPredicted - 1
	cpu := int64(float64(window.Nanoseconds()) * 0.4)
	run.Generator = rundoc.Generator{
		CPUUserNS: cpu, CPUSystemNS: 3 * cpu, CPUShare: 0.31, CPUs: 8, MachineShare: 0.72, GCPauseNS: 310 * us,
		ThrottledNS: new(int64(0)), MaxRSSBytes: 38 << 20, ClockStepNS: 3100, OwnLate: new(int64(0)),
	}
	run.Target.CPUUserNS, run.Target.CPUSystemNS = cpu*2, cpu*3
	return run
}

// goodRun: closed model, nothing wrong; its percentiles are known to the last digit, or to a few percent, or further off
// to one side, and one is not known.
func goodRun() *rundoc.Run {
	run := simulate(32, 10*time.Second, func(s float64) second {
		return second{rate: 48_000, p50: 621 * us, spread: 0.3}
	})
	total, err := run.Totals()
	if err != nil {
		panic(err)
	}
	off := map[int64][2]float64{500: {.9999, 1.0001}, 900: {.993, 1.008}, 950: {.97, 1.03}, 990: {.96, 1.11}}
	total.ResponseTime.SetIntervals(func(permille int64) *rundoc.Interval {
		share, known := off[permille]
		if !known {
			return nil
		}
		at := map[int64]*int64{500: total.ResponseTime.P50NS, 900: total.ResponseTime.P90NS, 950: total.ResponseTime.P95NS,
			990: total.ResponseTime.P99NS}[permille]
		return &rundoc.Interval{LowNS: int64(float64(*at) * share[0]), HighNS: int64(float64(*at) * share[1]), Effective: 4000}
	}, nil)
	total.ServiceTime.Intervals = total.ResponseTime.Intervals
	run.Total = &rundoc.Totals{ResponseTime: &total.ResponseTime, ServiceTime: &total.ServiceTime}
	return run
}

// failingRun: open model at 5,000/s; the target stalls, closes connections and falls behind.
func failingRun() *rundoc.Run {
	run := simulate(64, 34400*time.Millisecond, func(s float64) second {
		switch {
		case s >= 12 && s < 14:
			return second{}
		case s >= 14 && s < 20:
			return second{rate: 5_600, p50: 1400 * ms, spread: 0.3, failing: 0.04}
		}
		return second{rate: 4_700, p50: 6 * ms, spread: 0.8, failing: 0.004}
	})
	run.Target = rundoc.Target{URL: "wss://chat.example.com/chat/{room}"}
	run.Plan = json.RawMessage(`{"url":"wss://chat.example.com/chat/{room}","load":{"seed":1,"clients":64,"pipeline":1,"duration_ns":34400000000,` +
		`"rate_per_s":5000,"arrivals":"poisson","max_waiting":5000,"drain_ns":5000000000,"retry":{"timeout_ns":2000000000,"max_retries":3}},` +
		`"dial":{"headers":{"Authorization":"…"},"insecure":true}}`)
	var unfinished int64
	for i := range run.Operations {
		o := &run.Operations[i]
		o.Unsent, o.Unfinished = o.OK/40, 0
		o.Retries = o.OK / 30
		o.Scheduled += o.Unsent
		o.Attempts += o.Retries
		o.Causes = []rundoc.Cause{
			{Cause: "closed-by-peer:1006", Count: o.Retries/2 + o.Failed},
			{Cause: "timeout", Count: o.Retries - o.Retries/2},
		}
		unfinished += o.Unfinished
		run.Phases[2].Operations += o.Unsent
		run.Retries = append(run.Retries, rundoc.CauseTime{})
		o.SendDelay = delays(o.ResponseTime.Count)
	}
	var first, second int64
	for _, o := range run.Operations {
		first, second = first+o.Retries/2, second+o.Retries-o.Retries/2
	}
	run.Retries = []rundoc.CauseTime{
		{Cause: "timeout", Count: second, TimeNS: second * 90 * ms},
		{Cause: "closed-by-peer:1006", Count: first, TimeNS: first * 52 * ms},
	}
	run.Connections.Reconnects = []rundoc.CauseTime{{Cause: "closed-by-peer:1006", Count: 1310, TimeNS: 1310 * 41 * ms}}
	run.Connections.Failed = 17
	l := run.Ledger.States
	l[rundoc.StateBackingOff] = 240_000 * ms
	l[rundoc.StateReconnecting] = 53_710 * ms
	l[rundoc.StateAwaiting] -= 240_000*ms + 53_710*ms
	run.Generator.SendDelayP99NS, run.Generator.OwnDelayP99NS, run.Generator.OwnLate = 1900*ms, 310*us, new(int64(12))
	run.Generator.CPUShare = 0.88
	detail := run.Chat()
	detail.Replies = rundoc.Replies{Late: 211, Duplicate: 3, Unmatched: 1, Unreadable: 2, Example: `<html>502 Bad Gateway</html>`}
	detail.Samples = &rundoc.SamplesFile{Path: "samples.csv", Written: 100_000, Lost: 53_000, Error: "no space left on device"}
	return run
}

// delays is a send delay for n operations.
func delays(n int64) rundoc.Summary {
	rng := rand.New(rand.NewPCG(3, 5))
	h := hdrhistogram.New(1, 1<<42, 3)
	exact := rundoc.Exact{Min: math.MaxInt64}
	for range n {
		ns := int64(2e6 * math.Exp(1.9*rng.NormFloat64()))
		_ = h.RecordValue(ns)
		exact.Min, exact.Max, exact.Sum = min(exact.Min, ns), max(exact.Max, ns), exact.Sum+ns
	}
	return rundoc.Summarize(h, exact)
}

// tinyRun: seven messages in a third of a second.
func tinyRun() *rundoc.Run {
	run := simulate(1, 320*time.Millisecond, func(float64) second {
		return second{rate: 22, p50: 44 * ms, spread: 0.2}
	})
	run.Phases = run.Phases[1:]
	return run
}

// interruptedRun: a signal ended the window.
func interruptedRun() *rundoc.Run {
	run := simulate(32, 23417*time.Millisecond, func(s float64) second {
		return second{rate: 3_000, p50: 10 * ms, spread: 0.05}
	})
	run.Interrupted = true
	run.Operations[0].Unfinished = 32
	run.Operations[0].OK -= 32
	run.Phases[2].OK -= 32
	run.Operations[0].Bytes -= 32 * 180
	run.Operations[0].RatePerS = float64(run.Operations[0].OK) / 23.417
	run.Operations[0].BytesPerS = float64(run.Operations[0].Bytes) / 23.417
	run.Phases[2].RatePerS -= 32 / 23.417
	room := &run.Chat().ByRoom[0]
	room.OK, room.RatePerS = room.OK-32, room.RatePerS-32/23.417
	run.Series[23].OK -= 32
	run.Series[23].Bytes -= 32 * 180
	return run
}

// strangerRun: a workload that this program does not know, with operations of two names.
func strangerRun() *rundoc.Run {
	run := simulate(4, 9*time.Second, func(s float64) second {
		return second{rate: 40, p50: 90 * ms, spread: 0.1}
	})
	run.Workload = "weather"
	run.Operations[0].Name, run.Operations[0].Labels = "forecast", nil
	run.Operations[1].Name, run.Operations[1].Labels = "report", map[string]string{"station": "north\x1b[31m"}
	run.Operations[2].Name, run.Operations[2].Labels = "report", map[string]string{"station": "south|east"}
	run.Plan = json.RawMessage(`[1,2]`)
	run.Detail = rundoc.RawDetail(`{"by_room":7}`)
	run.Ledger.States["dreaming"], run.Ledger.States[rundoc.StateWaiting] = run.Ledger.States[rundoc.StateWaiting], 0
	return run
}

// goalsRun: a run that was to reach something, and did so in part.
func goalsRun() *rundoc.Run {
	run := frozenRun()
	var goals []threshold.Threshold
	for _, text := range []string{"p99<500ms", "p50<1ms", "p99.99<1s", "failed<0.1%", "rate>10/s", `max{type="TEXT"}<1s`} {
		goal, err := threshold.Parse(text, chat.ReportKind().Known(run.Workload))
		if err != nil {
			panic(err)
		}
		goals = append(goals, goal)
	}
	run.Thresholds = threshold.Judge(run, goals)
	return run
}

// laterRun: the same, with a goal of a later program.
func laterRun() *rundoc.Run {
	run := goalsRun()
	run.Thresholds = append(run.Thresholds[:1], rundoc.Threshold{Expr: "p99 of TEXT ~ 50ms", Unit: "ns", Limit: 50e6, Value: new(61e6)})
	return run
}

// improvedRun: the same, after somebody has changed it.
func improvedRun() *rundoc.Run {
	run := goalsRun()
	run.Thresholds[1].Met, run.Thresholds[1].Value = true, new(0.9e6)
	return run
}

// emptyRun: hardly a document.
func emptyRun() *rundoc.Run { return &rundoc.Run{Schema: rundoc.Schema} }

// hourRun: for charts.
func hourRun() *rundoc.Run {
	rng := rand.New(rand.NewPCG(1, 2))
	run := &rundoc.Run{Workload: "chat", Target: rundoc.Target{URL: "ws://10.0.0.7:8080/chat/{room}"}}
	run.Ledger = rundoc.Ledger{Clients: 500, WindowNS: 3600e9}
	o := rundoc.Operation{Name: "send"}
	for s := range int64(3600) {
		load := 20_000 + 8_000*math.Sin(float64(s)/600)
		p := rundoc.Point{Second: s, OK: int64(load + 300*rng.NormFloat64())}
		p.P50NS = int64(3e6 * (1 + 0.2*rng.NormFloat64()) * load / 20_000)
		p.P99NS = int64(float64(p.P50NS) * (4 + rng.ExpFloat64()))
		if s > 2000 && s < 2100 {
			p.Failed = int64(500 * rng.Float64())
			p.P99NS = 900e6
		}
		o.OK, o.Failed = o.OK+p.OK, o.Failed+p.Failed
		run.Series = append(run.Series, p)
	}
	o.RatePerS = float64(o.OK) / 3600
	run.Operations = []rundoc.Operation{o}
	return run
}

var fixtures = []reporttest.Fixed{
	{Name: "good", Make: goodRun}, {Name: "failing", Make: failingRun}, {Name: "tiny", Make: tinyRun},
	{Name: "interrupted", Make: interruptedRun}, {Name: "stranger", Make: strangerRun}, {Name: "empty", Make: emptyRun},
	{Name: "goals", Make: goalsRun}, {Name: "later", Make: laterRun}, {Name: "improved", Make: improvedRun},
	{Name: "quiet", Make: quietRun}, {Name: "frozen", Make: frozenRun}, {Name: "blind", Make: blindRun},
}

// fixture reads a fixed document.
func fixture(t testing.TB, name string) *rundoc.Run {
	t.Helper()
	return reporttest.Document(t, name)
}
