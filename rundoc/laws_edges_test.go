package rundoc

import (
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// edge is a document, of which a law says one thing or nothing: most are just within what the law allows, or just
// beyond it.
type edge struct {
	name string
	run  Run
	say  string // part of what is broken; "" for nothing
}

// hold has one law judge each document.
func hold(t *testing.T, law func(*judgement), edges []edge) {
	t.Helper()
	decoded := newSamples() // of all: most have the same times
	for _, e := range edges {
		j := judgementOf(&e.run)
		j.samples = decoded
		j.total, j.totalErr = e.run.sum(j.samples, noText)
		law(&j)
		said := strings.Join(j.reasons, "\n")
		if e.say == "" && said != "" || e.say != "" && (len(j.reasons) != 1 || !strings.Contains(said, e.say)) {
			t.Errorf("%s: %q, want %q", e.name, j.reasons, e.say)
		}
	}
}

// timesOf sums up some times, in ns.
func timesOf(times ...int64) Summary {
	h := hdrhistogram.New(1, 1<<42, 3)
	exact := Exact{Min: math.MaxInt64}
	for _, ns := range times {
		if err := h.RecordValue(ns); err != nil {
			panic(err)
		}
		exact.Min, exact.Max, exact.Sum = min(exact.Min, ns), max(exact.Max, ns), exact.Sum+ns
	}
	return Summarize(h, exact)
}

// same is one time, so often.
func same(ns int64, times int) Summary { return timesOf(slices.Repeat([]int64{ns}, times)...) }

// edited is a summary of which one thing is not as it was.
func edited(s Summary, edit func(*Summary)) Summary {
	edit(&s)
	return s
}

// lasts is the ledger of a window without clients.
func lasts(ns int64) Ledger { return Ledger{WindowNS: ns} }

const second = 1_000_000_000 // ns

func TestEdgesOfTheLedger(t *testing.T) {
	hold(t, (*judgement).ledger, []edge{
		{"no clients", Run{Ledger: lasts(second)}, ""},
		{"a state that nobody was in",
			Run{Ledger: Ledger{Clients: 1, WindowNS: 9, States: map[string]int64{StateIdle: 9, StateSending: 0}}}, ""},
		{"clients in no state", Run{Ledger: Ledger{Clients: 1, WindowNS: 9}}, "1 clients"},
		{"a state of no clients", Run{Ledger: Ledger{WindowNS: 9, States: map[string]int64{StateIdle: 9}}}, "0 clients"},
	})
}

func TestEdgesOfTimes(t *testing.T) {
	one := timesOf(10)
	of := func(sendDelay, firstAttempt Summary) Run {
		return Run{Operations: []Operation{{Scheduled: 1, OK: 1, ResponseTime: one, ServiceTime: one,
			SendDelay: sendDelay, FirstAttempt: firstAttempt}}}
	}
	hold(t, (*judgement).times, []edge{
		{"neither send delay nor first attempt", of(Summary{}, Summary{}), ""},
		{"all times of all operations", of(one, one), ""},
	})
}

func TestEdgesOfASummary(t *testing.T) {
	law := func(j *judgement) { j.summary("time", &j.run.Connections.ConnectTime) }
	of := func(s Summary) Run { return Run{Connections: Connections{ConnectTime: s}} }
	hold(t, law, []edge{
		{"sound", of(timesOf(10, 20, 30)), ""},
		{"from 0 on", of(timesOf(0, 10)), ""},
		{"a mean that is out of order is told once", of(edited(timesOf(10, 20, 30), func(s *Summary) { s.MeanNS = 9 })),
			"not in order"},
	})
}

func TestEdgesOfTheSeries(t *testing.T) {
	// with has points of a window, and all operations at these rates.
	with := func(window int64, rate, bytes float64, points ...Point) Run {
		return Run{Series: points, Ledger: lasts(window),
			Operations: []Operation{{OK: 1e9, Bytes: 1e9, RatePerS: rate, BytesPerS: bytes}}}
	}
	hold(t, (*judgement).series, []edge{
		{"a second before the first", with(second, 0, 0, Point{Second: -1}), "second -1 follows second -1"},
		{"a window that is not known", with(0, 0, 0, Point{Second: 7}), ""},
		{"seconds of a window that is not known", with(0, 0, 0, Point{Second: 7}, Point{Second: 7}), "second 7 follows"},
		{"rates of a window that is not known", with(0, 5, 5, Point{OK: 5, Bytes: 5}), ""},
		{"the shortest window", with(1, 0, 0, Point{Second: 1}), "second 1 follows"},
		{"the rate of the shortest window", with(1, 0, 0, Point{OK: 2}), "2 ok"},
		{"a byte less than the rate", with(second, 0, 101, Point{Bytes: 100}), ""},
		{"more than a byte less", with(second, 0, 101.5, Point{Bytes: 100}), "100 bytes, but 101.5 B/s"},
		{"an operation less than the rate", with(second, 101, 0, Point{OK: 100}), ""},
		{"more than an operation less", with(second, 101.5, 0, Point{OK: 100}), "100 ok, but 101.5/s"},
		{"a millionth less than both rates", with(second, 1e9, 1e9, Point{OK: 1e9 - 1e3, Bytes: 1e9 - 1e3}), ""},
		{"a millionth and a half less bytes", with(second, 0, 1e9, Point{Bytes: 1e9 - 1.5e3}), "999998500 bytes, but"},
		{"a millionth and a half less operations", with(second, 1e9, 0, Point{OK: 1e9 - 1.5e3}), "999998500 ok, but"},
	})
}

func TestEdgesOfFreeTimes(t *testing.T) {
	law := func(j *judgement) { j.spanned("time", &j.run.Connections.ConnectTime) }
	of := func(raw, free Summary) Run {
		raw.Free = &free
		return Run{Connections: Connections{ConnectTime: raw}}
	}
	low := Summary{Count: 20, MinNS: 100, MeanNS: 1000, MaxNS: 1000, P50NS: new(int64(100))}
	half := timesOf(slices.Concat(slices.Repeat([]int64{100}, 9), slices.Repeat([]int64{500}, 11))...)
	unsupported := edited(low, func(s *Summary) { s.P50NS = nil })
	hold(t, law, []edge{
		{"2 ns and 0.2 % above", of(timesOf(100, 100), timesOf(90, 102)), ""},
		{"3 ns above", of(timesOf(100, 100), timesOf(90, 103)), "the maximum of 103 ns is more than with the own delay, 100 ns"},
		{"a percentile above", of(low, half), "the p50 of 500 ns is more"},
		{"a percentile that the raw times have not", of(unsupported, half), ""},
		{"a percentile that the free times have not",
			of(edited(low, func(s *Summary) { s.Count = 2 }), timesOf(100, 500)), ""},
	})
}

func TestEdgesOfOwnTimes(t *testing.T) {
	// of has operations of a raw time and a free one, and a generator that counted these own delays and their sum.
	of := func(raw, free Summary, own *Summary, ownSum, responseSum int64) Run {
		raw.Free = &free
		return Run{Operations: []Operation{{ResponseTime: raw}, {Name: "none"}},
			Generator: Generator{OwnDelay: own, OwnTimeNS: ownSum, ResponseTimeNS: responseSum}}
	}
	unknown := Run{Operations: []Operation{{ResponseTime: timesOf(100)}},
		Generator: Generator{OwnDelay: new(timesOf(10)), OwnTimeNS: 50, ResponseTimeNS: 100}}
	hundred, ninety := same(100, 10), same(90, 10)
	hold(t, (*judgement).ownTimes, []edge{
		{"nothing counted", of(hundred, ninety, nil, 0, 0), ""},
		{"sound", of(hundred, ninety, new(same(10, 10)), 100, 1000), ""},
		{"sums of no operations", Run{Generator: Generator{OwnDelay: new(timesOf(10)), OwnTimeNS: 10}}, ""},
		{"free times that one operation has not", unknown, ""},
		{"another sum, and an operation without times", of(hundred, ninety, new(same(10, 10)), 100, 1020),
			"the response times sum to"},
		{"an own delay below zero", of(hundred, ninety, nil, -1, 0), "is negative"},
		{"a response time below zero", of(hundred, ninety, nil, 0, -1), "is negative"},
		// 1.5 ns an operation more than by the means of both times, half a ns by its own.
		{"own delays within what two means are rounded by", of(hundred, ninety, new(same(11, 10)), 115, 1000), ""},
		{"own delays beyond that", of(hundred, ninety, new(same(12, 10)), 125, 1000), "the own delays sum to"},
	})
}

func TestEdgesOfTheInstrument(t *testing.T) {
	hold(t, (*judgement).instrument, []edge{
		{"all shares are whole", Run{Generator: Generator{GCShare: 1, Processors: []float64{1, 0}}}, ""},
		{"a share that is not a number", Run{Generator: Generator{Processors: []float64{math.NaN()}}}, "no share of a CPU"},
	})
}

func TestEdgesOfStarts(t *testing.T) {
	// of has a longest send delay of 100 ns.
	of := func(p99, own int64, definition int) Run {
		return Run{Operations: []Operation{{Scheduled: 3, Unsent: 1, SendDelay: timesOf(50, 100)}},
			Definitions: map[string]int{FigureOwnStart: definition},
			Generator:   Generator{SendDelayP99NS: p99, OwnDelayP99NS: own}}
	}
	hold(t, (*judgement).starts, []edge{
		{"2 ns and 0.2 % above", of(102, 102, 2), ""},
		{"3 ns above", of(103, 0, 2), "the longest send delay is 100 ns"},
		{"own 3 ns above", of(0, 103, 2), "the longest send delay is 100 ns"},
		{"own, as it was defined first", of(0, 103, 1), ""},
	})
}

func TestEdgesOfHiccups(t *testing.T) {
	// of has some wake-ups, and gaps of all told lengths in a window.
	of := func(window, wakeUps int64, h Hiccups) Run {
		h.Lateness = same(1000, int(wakeUps))
		return Run{Ledger: lasts(window), Generator: Generator{Hiccups: &h}}
	}
	// at has gaps of a ns.
	at := func(window int64, at ...int64) Run {
		h := Hiccups{Gaps: int64(len(at)), GapsNS: int64(len(at))}
		for _, ns := range at {
			h.Longest = append(h.Longest, Gap{AtNS: ns, NS: 1})
		}
		return of(window, 9, h)
	}
	const long = LongGapNS
	full := Hiccups{Gaps: MaxGaps, GapsNS: MaxGaps}
	for i := range int64(MaxGaps) {
		full.Longest = append(full.Longest, Gap{AtNS: i, NS: 1})
	}
	hold(t, (*judgement).hiccups, []edge{
		{"two gaps more than wake-ups", of(second, 3, Hiccups{Gaps: 5, GapsNS: 5}), ""},
		{"three more", of(second, 3, Hiccups{Gaps: 6, GapsNS: 6}), "6 gaps"},
		{"gaps of a second more than the window", of(second, 3, Hiccups{Gaps: 3, GapsNS: 2 * second}), ""},
		{"of more than that", of(second, 3, Hiccups{Gaps: 3, GapsNS: 2*second + 1}), "3 gaps of 2.00 s"},
		{"of more than that in the shortest window", of(1, 3, Hiccups{Gaps: 3, GapsNS: second + 2}), "3 gaps of 1.00 s"},
		{"of any time in a window that is not known", of(0, 3, Hiccups{Gaps: 3, GapsNS: 9 * second}), ""},

		{"a gap of a ns, just before the window", at(second, -second), ""},
		{"a gap further before it", at(second, -second-1), "not in the window"},
		{"a gap just behind it", at(second, 5, 2*second), ""},
		{"a gap further behind it", at(second, 5, 2*second+1), "not in the window"},
		{"a gap further behind the shortest window", at(1, second+2), "not in the window"},
		{"a gap of a window that is not known", at(0, 9*second), ""},
		{"a gap of no time", of(second, 9, Hiccups{Gaps: 1, GapsNS: 1, Longest: []Gap{{NS: 0}}}), "the gap of 0 ns"},

		{"as many gaps as can be listed", of(second, MaxGaps, full), ""},
		{"one gap, just long",
			of(second, 9, Hiccups{Gaps: 1, GapsNS: long, Long: 1, LongNS: long, Longest: []Gap{{NS: long}}}), ""},
		{"one in 10¹⁰ more than all is listed",
			of(0, 9, Hiccups{Gaps: 2, GapsNS: 1e12, LongNS: 1e12, Longest: []Gap{{NS: 1e12 + 100}}}), "the longest gaps sum to"},
		{"all that is listed is more", of(second, 9, Hiccups{Gaps: 2, GapsNS: 2, Longest: []Gap{{NS: 3}}}),
			"the longest gaps sum to 3.00 ns"},
		{"what is listed and long is more",
			of(second, 9, Hiccups{Gaps: 2, GapsNS: 3 * long, LongNS: long, Longest: []Gap{{NS: 2 * long}}}), "100 ms of them long"},
	})
}

func TestEdgesOfWhatIsInFlight(t *testing.T) {
	of := func(clients int, l Little) Run { return Run{Ledger: Ledger{Clients: clients}, Little: l} }
	hold(t, (*judgement).inFlight, []edge{
		{"no slots", of(0, Little{InFlightSampled: 5}), ""},
		{"slots of no clients", of(0, Little{Slots: 3}), ""},
		{"slots of one client", of(1, Little{Slots: 3}), ""},
		{"slots of half a client", of(2, Little{Slots: 3}), "3 slots of 2 clients"},
		{"all in flight", of(1, Little{Slots: 1, InFlightSampled: 1.01, InFlightPredicted: 1.01}), ""},
		{"more by samples", of(1, Little{Slots: 1, InFlightSampled: 1.02}), "1.02 in flight by samples"},
		{"more by throughput and time", of(1, Little{Slots: 1, InFlightPredicted: 1.02}), "1.02 by throughput"},
		// None of two in flight, or both, half of the time each: 1, and n ÷ (n−1) times that of a sample.
		{"the most variance of many", of(1, Little{Slots: 2, Samples: 1e9, Variance: 1.0099}), ""},
		{"more variance of many", of(1, Little{Slots: 2, Samples: 1e9, Variance: 1.0101}), "a variance of 1.01"},
		{"the most variance of three", of(1, Little{Slots: 2, Samples: 3, Variance: 1.514}), ""},
		{"more variance of three", of(1, Little{Slots: 2, Samples: 3, Variance: 1.516}), "a variance of 1.516"},
		{"the most variance of two", of(1, Little{Slots: 2, Samples: 2, Variance: 2.019}), ""},
		{"the most variance of one", of(1, Little{Slots: 2, Samples: 1, Variance: 1.009}), ""},
		{"more variance of one", of(1, Little{Slots: 2, Samples: 1, Variance: 1.011}), "a variance of 1.011"},
	})
}

func TestEdgesOfStages(t *testing.T) {
	of := func(send, wait, body Summary, change func(o *Operation)) Run {
		o := Operation{OK: 3, Scheduled: 4, Failed: 1, Attempts: 4, ResponseTime: same(60, 3), ServiceTime: same(60, 3),
			Stages: &Stages{send, wait, body}}
		if change != nil {
			change(&o)
		}
		return Run{Operations: []Operation{o}}
	}
	hold(t, (*judgement).times, []edge{
		{"as long as the whole", of(same(10, 3), same(20, 3), same(30, 3), nil), ""},
		{"shorter", of(same(10, 3), same(20, 3), same(5, 3), nil), ""},
		{"of fewer", of(same(10, 2), same(20, 2), same(30, 2), nil), ""},
		{"of none", of(Summary{}, Summary{}, Summary{}, nil), ""},
		{"rounded", of(same(10, 3), same(20, 3), same(33, 3), nil), ""}, // 9 ns of the 3 that each mean may be off
		{"longer", of(same(10, 3), same(20, 3), same(34, 3), nil), "last 1.92e-07 s in all, longer than their operations, 1.8e-07 s"},
		{"longer sending", of(same(14, 3), same(20, 3), same(30, 3), nil), "longer than their operations"},
		{"longer waiting", of(same(10, 3), same(24, 3), same(30, 3), nil), "longer than their operations"},
		{"one more was sent", of(same(10, 3), same(20, 2), same(20, 2), nil), "count 3, 2 and 2 operations, of 3"},
		{"one more has a body", of(same(10, 2), same(20, 2), same(20, 3), nil), "count 2, 2 and 3"},
		{"more than ended ok", of(same(10, 3), same(20, 3), same(20, 3), func(o *Operation) { o.OK, o.Failed = 2, 2 }), "of 2 that ended ok"},
		{"a wrong send", of(edited(same(10, 3), func(s *Summary) { s.MaxNS = 5 }), same(20, 3), same(30, 3), nil), "the send of"},
		{"a wrong wait", of(same(10, 3), edited(same(20, 3), func(s *Summary) { s.MaxNS = 5 }), same(30, 3), nil), "the wait of"},
		{"a wrong body", of(same(10, 3), same(20, 3), edited(same(30, 3), func(s *Summary) { s.MaxNS = 5 }), nil), "the body of"},
	})
}

func TestEdgesOfFlows(t *testing.T) {
	of := func(change func(r *Run)) Run {
		r := Run{
			Operations: []Operation{{Name: "login", OK: 9, Failed: 3}, {Name: "cart", OK: 4, Failed: 2}},
			Flows: []FlowFigures{
				{Name: "buy", Started: 12, Completed: 4, Failed: 5, Cut: 3, ResponseTime: same(50, 8),
					FailedAt: []FlowFailure{{"login", 3}, {"cart", 2}}},
				{Name: "look", Started: 2, Completed: 2, ResponseTime: same(30, 2)},
			},
		}
		change(&r)
		return r
	}
	hold(t, (*judgement).flows, []edge{
		{"as they must be", of(func(*Run) {}), ""},
		{"none", Run{Operations: []Operation{{OK: 1}}}, ""},
		{"failures that have a time", of(func(r *Run) { r.Flows[0].ResponseTime = same(50, 12) }), ""},
		{"failures of another flow, too", of(func(r *Run) { r.Operations[0].Failed = 4 }), ""},
		{"one end too many", of(func(r *Run) { r.Flows[0].Cut++ }), "started 12, but completed 4 + failed 5 + cut off 4"},
		{"one end too few", of(func(r *Run) { r.Flows[0].Started++ }), "started 13"},
		{"a negative number completed", of(func(r *Run) { r.Flows[1] = FlowFigures{Name: "look", Completed: -1, Cut: 1, ResponseTime: Summary{}} }),
			"completed -1"},
		{"a negative number cut", of(func(r *Run) { r.Flows[1].Completed, r.Flows[1].Cut = 3, -1; r.Flows[1].ResponseTime = same(30, 2) }), "cut off -1"},
		{"a failure at no operation", of(func(r *Run) { r.Flows[0].FailedAt = r.Flows[0].FailedAt[:1] }), "5 failed, but 3 did so at an operation"},
		{"more at an operation than it failed", of(func(r *Run) { r.Operations[1].Failed = 1 }), `2 failed at "cart", none or more than`},
		{"all at another operation", of(func(r *Run) {
			r.Operations[0].Failed, r.Operations[1].Failed = 3, 2
			r.Flows[0].FailedAt[1].Operation = "out"
		}),
			`2 failed at "out", none or more than`},
		{"one at an operation", of(func(r *Run) {
			r.Flows[0].FailedAt[0].Count, r.Flows[0].Failed, r.Flows[0].Started = 1, 3, 10
		}), ""},
		{"none at an operation", of(func(r *Run) {
			r.Flows[0].FailedAt[0].Count, r.Flows[0].Failed, r.Flows[0].Started = 0, 2, 9
		}), `0 failed at "login", none or more`},
		{"as many as operations", of(func(r *Run) { r.Operations[0].OK, r.Operations[1].OK = 7, 2 }), ""},
		{"unfinished operations", of(func(r *Run) { r.Operations[0].OK, r.Operations[1].OK, r.Operations[1].Unfinished = 4, 2, 3 }), ""},
		{"more than operations", of(func(r *Run) { r.Operations[0].OK, r.Operations[1].OK = 6, 2 }), "14 flows started, but 13 operations did"},
		{"a completed one without a time", of(func(r *Run) { r.Flows[0].ResponseTime = same(50, 6) }), "6 have a response time, but 7 were"},
		{"a time too many", of(func(r *Run) { r.Flows[0].ResponseTime = same(50, 13) }), "13 have a response time"},
		{"a wrong time", of(func(r *Run) { r.Flows[0].ResponseTime.MaxNS = 40 }), "response time of the flow buy"},
		{"free of a part", of(func(r *Run) { r.Flows[0].ResponseTime.Free = new(same(40, 7)) }), "response time of the flow buy"},
		{"free of all", of(func(r *Run) { r.Flows[0].ResponseTime.Free = new(same(40, 8)) }), ""},
	})
}

// TestEdgesOfSummaries: how many observations a percentile takes, rounded up, and how means are rounded.
func TestEdgesOfSummaries(t *testing.T) {
	for permille, want := range map[int64]int64{500: 20, 900: 100, 950: 200, 990: 1000, 999: 10_000, 993: 1429, 100: 12} {
		if got := Needs(permille); got != want {
			t.Errorf("the %d‰ take %d observations, want %d", permille, got, want)
		}
	}
	for _, tt := range []struct{ sum, count, want int64 }{{5, 2, 3}, {4, 3, 1}, {5, 3, 2}, {7, 8, 1}, {3, 8, 0}, {4, 8, 1}} {
		if got := meanOf(big.NewInt(tt.sum), tt.count); got != tt.want {
			t.Errorf("%d of %d are %d each, want %d", tt.sum, tt.count, got, tt.want)
		}
	}
	for name, h := range map[string]*hdrhistogram.Histogram{"none": nil, "an empty one": hdrhistogram.New(1, 1<<42, 3)} {
		if got := Summarize(h, Exact{Min: 5}); got != (Summary{}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
