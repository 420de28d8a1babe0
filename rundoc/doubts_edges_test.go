package rundoc

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestEdgesOfWhatIsNotOffered(t *testing.T) {
	open := json.RawMessage(`{"load":{"rate_per_s":300}}`)
	of := func(scheduled, unsent, late int64) Run {
		return Run{Plan: open, Operations: []Operation{{Scheduled: scheduled, Unsent: unsent}}, Generator: Generator{OwnLate: &late},
			Ledger: Ledger{Clients: 1, WindowNS: second, States: map[string]int64{StateIdle: second}}}
	}
	hold(t, (*judgement).offered, []edge{
		{"late ones of none", of(0, 0, 1), ""},
		{"the only one late", of(1, 0, 1), "started 1 of 1 operations"},
		{"the only one unsent", of(1, 1, 0), "1 of 1 operations (100 %) were not sent"},
	})
}

func TestStartedLate(t *testing.T) {
	for _, tt := range []struct {
		unsent, late int64
		want         bool
	}{{0, 10, false}, {0, 11, true}, {1, 10, true}, {200, 8, false}, {200, 10, true}} {
		run := Run{Operations: []Operation{{Scheduled: 600}, {Scheduled: 400, Unsent: tt.unsent}},
			Generator: Generator{OwnLate: &tt.late}}
		if got := run.StartedLate(); got != tt.want {
			t.Errorf("%d of 1,000 less %d: %v", tt.late, tt.unsent, got)
		}
	}
	if (&Run{Operations: []Operation{{Scheduled: 600}}}).StartedLate() {
		t.Error("late, of nothing that is known")
	}
}

func TestUnsentWhileIdle(t *testing.T) {
	for _, tt := range []struct {
		name string
		peak float64
		busy float64
		want bool
	}{
		// A tenth of the window is what a fifth of the operations may take at least, at the rate of 10/s that was the mean.
		{"at the mean rate", 10, 0.099, true},
		{"at the mean rate, busy", 10, 0.101, false},
		{"at a peak of twice the mean", 20, 0.049, true},
		{"at a peak of twice the mean, busy", 20, 0.051, false},
		{"at a peak below the mean", 5, 0.101, false},
		{"at no rate", 0, 0.099, true},
	} {
		j := judgement{run: new(Run), window: 10 * second, total: Operation{Scheduled: 100, Unsent: 20}}
		if got := j.unsentWhileIdle(planLoad{RatePerS: tt.peak}, tt.busy); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

// TestUnsentWhilePausing: what is due and not sent is held against the flows that began, and the clients that flows hold
// are busy; recorded times have no highest rate.
func TestUnsentWhilePausing(t *testing.T) {
	of := func(load string, state string, flows ...FlowFigures) Run {
		return Run{Plan: json.RawMessage(load), Operations: []Operation{{Scheduled: 1000, Unsent: 20}}, Flows: flows,
			Ledger: Ledger{Clients: 1, WindowNS: 10 * second, States: map[string]int64{StateSending: second / 20, state: 9 * second}}}
	}
	const constant, recorded = `{"load":{"rate_per_s":10}}`, `{"load":{"rate_per_s":10,"arrivals":"recorded"}}`
	two := []FlowFigures{{Started: 30}, {Started: 50}}
	hold(t, (*judgement).offered, []edge{
		{"waiting, of all operations", of(constant, StateWaiting), ""}, // 2 %
		{"waiting, of flows", of(constant, StateWaiting, two...), "20 of 100 operations (20 %) were not sent although the " +
			"clients were busy for only 10 %"},
		{"pausing", of(constant, StatePausing, two...), ""},
		{"recorded", of(recorded, StateWaiting, two...), ""},
	})
}

// TestEdgesOfFailures: what is in no figure of the others is told from one in a hundred on, and that one exactly is not.
// Of 2,900 a hundredth is a little less than 29 by a multiplication.
func TestEdgesOfFailures(t *testing.T) {
	of := func(ok, failed, unsent, unfinished int64) Run {
		return Run{Operations: []Operation{{Scheduled: ok + failed + unsent + unfinished, OK: ok, Failed: failed,
			Unsent: unsent, Unfinished: unfinished}}}
	}
	hold(t, (*judgement).missing, []edge{
		{"nothing", of(0, 0, 0, 0), ""},
		{"none ok, which is said elsewhere", of(0, 10, 0, 0), ""},
		{"one of a hundred failed", of(99, 1, 0, 0), ""},
		{"29 of 2,900", of(2871, 29, 0, 0), ""},
		{"one more", of(2870, 30, 0, 0), "1.03 % of 2,900 operations failed (more than 1 %): the times are those of the rest."},
		{"one of a hundred unsent", of(99, 0, 1, 0), ""},
		{"more unsent", of(98, 0, 2, 0), "2 % of 100 operations were not sent (more than 1 %): the times are those of the rest."},
		{"both", of(98, 1, 1, 0), "2 % of 100 operations failed or were not sent (more than 1 %)"},
		{"unfinished ones have their own warning", of(50, 0, 0, 50), ""},
		{"less than none of one", of(98, 2, -1, 0), "failed (more than"},
		{"less than none of the other", of(98, -1, 2, 0), "were not sent (more than"},
		{"one kind of operation, among many of another", among(990, 6, 1),
			"14.3 % of 7 operations (delete) failed (more than 1 %): the times are those of the rest."},
		{"one in a hundred of one kind", among(10_000, 99, 1), ""},
		{"all of one kind", among(990, 0, 2), "100 % of 2 operations (delete) failed"},
		{"of all together, where that is much", among(90, 6, 1), "1.03 % of 97 operations failed"},
		{"the worst of two kinds", Run{Operations: []Operation{{Name: "open", Scheduled: 100, OK: 98, Failed: 2},
			{Name: "read", Scheduled: 9_000, OK: 9_000}, {Name: "close", Scheduled: 100, OK: 97, Unsent: 3}},
			Workload: WorkloadBandwidth}, "3 % of 100 operations (close) were not sent"},
		{"a group of alike ones", Run{Operations: among(990, 6, 1).Operations, Workload: WorkloadChat}, ""},
	})
}

// TestEdgesOfTheRest: times are also those of what timed out, but of no more than failed.
func TestEdgesOfTheRest(t *testing.T) {
	for _, tt := range []struct {
		times int64
		want  string
	}{
		{90, "the times are those of the rest"},
		{95, "the times are those of the rest"},
		{96, "the times are those of the rest and of 1 that timed out"},
		{99, "the times are those of the rest and of 3 that timed out"},
	} {
		o := Operation{Scheduled: 100, OK: 93, Failed: 3, Unfinished: 2, Unsent: 2, ResponseTime: Summary{Count: tt.times}}
		if got := new(Run).Rest(&o); got != tt.want {
			t.Errorf("%d times: %q, want %q", tt.times, got, tt.want)
		}
		updates, want := Run{Workload: WorkloadUpdates}, strings.Replace(tt.want, "times", "times of publishing", 1)
		if got := updates.Rest(&o); got != want {
			t.Errorf("%d times of updates: %q, want %q", tt.times, got, want)
		}
	}
}

// among is a run with two kinds of operation: of the first, all are ok.
func among(many, ok, failed int64) Run {
	return Run{Workload: WorkloadBandwidth, Operations: []Operation{{Name: "block", Scheduled: many, OK: many},
		{Name: "delete", Scheduled: ok + failed, OK: ok, Failed: failed}}}
}

func TestEdgesOfShortWindows(t *testing.T) {
	hold(t, (*judgement).shortWindow, []edge{
		{"the shortest window", Run{Ledger: lasts(1)}, "The window lasted only 1.00 ns"},
		{"a window that is not known", Run{}, ""},
		{"a window that is long enough", Run{Ledger: lasts(MinWindowNS)}, ""},
	})
}

// Nothing that the generator did is told twice.
func TestEdgesOfOwnDoubts(t *testing.T) {
	of := func(window int64, g Generator) Run {
		return Run{Ledger: lasts(window), Host: Host{CPUs: 2}, Target: Target{SameHost: true, CPUUserNS: 1}, Generator: g}
	}
	own := func(count, sum int64) Generator {
		return Generator{OwnDelay: &Summary{Count: count}, OwnTimeNS: sum, ResponseTimeNS: sum}
	}
	gaps := func(h Hiccups) Generator { return Generator{Hiccups: &h} }
	hold(t, func(j *judgement) { j.ownDoubts(j.run.apart()) }, []edge{
		{"nothing", of(second, Generator{}), ""},

		{"own delays of just 250 µs", of(second, own(2, 2*MinOwnClosedNS)), "The generator's own delay was 100 %"},
		{"own delays of less", of(second, own(2, 2*MinOwnClosedNS-1)), ""},
		{"an own delay", of(second, own(1, MinOwnClosedNS)), "250 µs of each operation"},
		{"own delays of no operation", of(second, own(0, MinOwnClosedNS)), ""},

		{"one long gap, not listed", of(second, gaps(Hiccups{Long: 1, LongNS: LongGapNS})), "for 50.0 ms, in one gap"},
		{"long gaps, not counted",
			of(second, gaps(Hiccups{LongNS: 2 * LongGapNS, Longest: []Gap{{NS: LongGapNS}, {NS: LongGapNS}, {NS: 1}}})), "in 2 gaps"},
		{"a gap in the shortest window", of(1, gaps(Hiccups{Long: 1, LongNS: LongGapNS})), "in one gap"},
		{"a gap in a window that is not known", of(0, gaps(Hiccups{Long: 1, LongNS: LongGapNS})), ""},

		{"throttled in the shortest window", of(1, Generator{ThrottledNS: new(int64(1))}), "throttled the generator for 1.00 ns"},
		{"throttled in a window that is not known", of(0, Generator{ThrottledNS: new(int64(second))}), ""},

		{"used up, without a run delay", of(second, Generator{CPUShare: 0.9}), "how long it waited for one is not known"},
		{"used up, and it waited", of(second, Generator{CPUShare: 0.9, RunDelayNS: new(int64(second))}),
			"The generator's threads waited 1.00 s"},
		{"used up, and it waited on a busy machine",
			of(second, Generator{CPUShare: 0.9, MachineShare: 0.95, RunDelayNS: new(int64(second))}), "Target and generator share"},
		{"used up, and it did not wait", of(second, Generator{CPUShare: 0.9, RunDelayNS: new(int64(0))}),
			"without the kernel's stamps"},
	})
}

func TestWhoUsedABusyMachine(t *testing.T) {
	of := func(cpus int, target int64) *judgement {
		j := judgementOf(&Run{Ledger: lasts(second), Host: Host{CPUs: cpus}, Generator: Generator{CPUUserNS: second},
			Target: Target{SameHost: true, CPUUserNS: target}})
		return &j
	}
	for want, j := range map[string]*judgement{
		"":                                  of(0, 0),
		" (generator 50 %)":                 of(2, 0),
		" (generator 50 %, target 5e-08 %)": of(2, 1),
		" (generator 50 %, target 25 %)":    of(2, second/2),
	} {
		if got := j.whoUsed(neighbour{}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// spans are percentiles in ms, each with and without the generator's own delay; 0 where there is none.
func TestWidestSpan(t *testing.T) {
	type span struct{ raw, free int64 }
	for _, tt := range []struct {
		name                string
		p50, p95, p99, p999 span
		want                string // its name; "" for none
	}{
		{name: "no percentile"},
		{name: "none wide", p50: span{10, 10}, p99: span{20, 16}},
		{name: "p50 wide", p50: span{20, 10}, p99: span{40, 32}, want: "p50"},
		{name: "p99 wide", p50: span{10, 10}, p99: span{40, 20}, want: "p99"},
		{name: "both wide, p99 by more", p50: span{20, 10}, p99: span{80, 40}, want: "p99"},
		{name: "both wide, p50 by more", p50: span{40, 10}, p99: span{80, 55}, want: "p50"},
		{name: "both wide by as much", p50: span{40, 20}, p99: span{60, 40}, want: "p50"},
		{name: "p95 wide, and no p99", p50: span{10, 10}, p95: span{40, 20}, want: "p95"},
		{name: "p95 wide, and p99 not", p50: span{10, 10}, p95: span{40, 20}, p99: span{50, 45}},
		{name: "p99.9 wide", p50: span{10, 10}, p99: span{20, 20}, p999: span{90, 20}},
		{name: "p99 with own delay alone", p50: span{10, 10}, p99: span{90, 0}},
		{name: "p99 without own delay alone", p50: span{10, 10}, p99: span{0, 90}},
	} {
		ms := func(n int64) *int64 {
			if n == 0 {
				return nil
			}
			return new(n * 1e6)
		}
		raw := Summary{P50NS: ms(tt.p50.raw), P95NS: ms(tt.p95.raw), P99NS: ms(tt.p99.raw), P999NS: ms(tt.p999.raw)}
		free := Summary{P50NS: ms(tt.p50.free), P95NS: ms(tt.p95.free), P99NS: ms(tt.p99.free), P999NS: ms(tt.p999.free)}
		got := ""
		if s := raw.widest(&free); s != nil {
			got = s.name
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// TestEdgesOfShares: of one that failed all is missing, and of none nothing.
func TestEdgesOfShares(t *testing.T) {
	for _, tt := range []struct {
		o    Operation
		want float64
	}{
		{Operation{Scheduled: 1, Failed: 1}, 1}, {Operation{Failed: 3}, 0}, {Operation{}, 0},
		{Operation{Scheduled: 4, Failed: 1, Unsent: 2}, 0.75},
	} {
		if got := tt.o.Missing(); got != tt.want {
			t.Errorf("%d of %d: %v, want %v", tt.o.Failed+tt.o.Unsent, tt.o.Scheduled, got, tt.want)
		}
	}
}
