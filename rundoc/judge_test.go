package rundoc_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/rundoc"
)

const ms = 1_000_000 // ns

// soundRun is a document that keeps every law: 2 operations kinds, 10 s, closed model.
func soundRun(t testing.TB) *rundoc.Run {
	operation := func(kind string, n int64) rundoc.Operation {
		times := summaryOf(t, count(int(n-2))...) // all but two of the failed
		return rundoc.Operation{
			Name: "send", Labels: map[string]string{"type": kind},
			Scheduled: n, OK: n - 4, Failed: 3, Unfinished: 1, Attempts: n + 5, Retries: 5,
			Bytes: 100 * n, RatePerS: float64(n-5) / 10, BytesPerS: 10 * float64(n),
			ResponseTime: times, ServiceTime: times, FirstAttempt: times,
			Causes: []rundoc.Cause{{Cause: "timeout", Count: 2}, {Cause: "reset", Count: 6}},
		}
	}
	run := &rundoc.Run{
		Schema: rundoc.Schema, ID: "x", Workload: "chat",
		Plan:       json.RawMessage(`{"load":{"clients":32}}`),
		Phases:     []rundoc.Phase{{Name: rundoc.PhaseWindow, DurationNS: 10_000 * ms, Operations: 3000, OK: 2992}},
		Operations: []rundoc.Operation{operation("TEXT", 2000), operation("JOIN", 1000)},
		Retries:    []rundoc.CauseTime{{Cause: "timeout", Count: 1}, {Cause: "reset", Count: 9}},
		Connections: rundoc.Connections{
			Opened: 41, ConnectTime: summaryOf(t, count(41)...),
			Reconnects: []rundoc.CauseTime{{Cause: "reset", Count: 9}},
		},
		Ledger: rundoc.Ledger{Clients: 32, WindowNS: 10_000 * ms, States: map[string]int64{
			rundoc.StateAwaiting: 300_000 * ms, rundoc.StateWaiting: 20_000 * ms,
		}},
		Little: rundoc.Little{InFlightSampled: 30, InFlightPredicted: 30, Samples: 1000},
	}
	for s := range int64(10) {
		p := rundoc.Point{Second: s, OK: 299, Bytes: 30_000}
		if s == 9 {
			p.Failed = 6
		}
		run.Series = append(run.Series, p)
	}
	return run
}

// openRun is a sound document of an open model at 300/s.
func openRun(t testing.TB) *rundoc.Run {
	run := soundRun(t)
	run.Plan = json.RawMessage(`{"load":{"rate_per_s":300}}`)
	return run
}

// unsend turns n operations that ended ok into unsent ones.
func unsend(t testing.TB, run *rundoc.Run, n int64) {
	o := &run.Operations[0]
	o.OK -= n
	o.Unsent += n
	o.Attempts -= n
	times := summaryOf(t, count(int(o.OK+2))...)
	o.ResponseTime, o.ServiceTime, o.FirstAttempt = times, times, times
	o.RatePerS -= float64(n) / 10
	run.Phases[0].OK -= n
	run.Series[0].OK -= n % 10
	for i := range run.Series {
		run.Series[i].OK -= n / 10
	}
}

// shorten makes the window of a sound document one of at most a second.
func shorten(run *rundoc.Run, window int64) {
	run.Ledger.WindowNS = window
	run.Ledger.States = map[string]int64{rundoc.StateAwaiting: 32 * window}
	run.Phases[0].DurationNS = window
	run.Series = []rundoc.Point{{OK: 2990, Failed: 6, Bytes: 300_000}}
	for i, n := range []int64{1995, 995} {
		run.Operations[i].BytesPerS = float64(run.Operations[i].Bytes) * 1e9 / float64(window)
		run.Operations[i].RatePerS = float64(n) * 1e9 / float64(window)
	}
}

func TestJudge(t *testing.T) {
	ptr := func(v int64) *int64 { return &v }
	op := func(r *rundoc.Run) *rundoc.Operation { return &r.Operations[0] }
	for _, tt := range []struct {
		name string
		open bool
		edit func(*rundoc.Run)
		want rundoc.Validity
		say  string // part of the first reason
	}{
		{name: "sound", edit: func(*rundoc.Run) {}, want: rundoc.Valid},
		{name: "sound and open", open: true, edit: func(*rundoc.Run) {}, want: rundoc.Valid},
		{name: "interrupted", edit: func(r *rundoc.Run) { r.Interrupted = true }, want: rundoc.Valid},
		{name: "aborted", edit: func(r *rundoc.Run) { r.Aborted = "p99<50ms" }, want: rundoc.Valid},

		{name: "an operation is lost", edit: func(r *rundoc.Run) { op(r).Scheduled++; r.Phases[0].Operations++ },
			want: rundoc.Invalid, say: "invariant violated: conservation: send type=TEXT: scheduled " +
				"2001, but ok 1996 + failed 3 + unsent 0 + unfinished 1 = 2000. This is a bug in Plimsoll"},
		{name: "an operation is counted twice", edit: func(r *rundoc.Run) { op(r).Unsent++ },
			want: rundoc.Invalid, say: "invariant violated: conservation"},
		{name: "a negative count", edit: func(r *rundoc.Run) {
			op(r).Unsent, op(r).Scheduled = -1,
				1999
			r.Phases[0].Operations--
		},
			want: rundoc.Invalid, say: "a count is negative"},
		{name: "the window lacks an operation", edit: func(r *rundoc.Run) { r.Phases[0].Operations-- },
			want: rundoc.Invalid, say: "the window has 2999 operations, 2992 of them ok"},
		{name: "the window has an ok too many", edit: func(r *rundoc.Run) { r.Phases[0].OK++ },
			want: rundoc.Invalid, say: "invariant violated: conservation"},

		{name: "the ledger is 0.1% short",
			edit: func(r *rundoc.Run) { r.Ledger.States[rundoc.StateWaiting] -= 320 * ms }, want: rundoc.Valid},
		{name: "the ledger is over 0.1% short",
			edit: func(r *rundoc.Run) { r.Ledger.States[rundoc.StateWaiting] -= 320*ms + 1000 },
			want: rundoc.Invalid, say: "invariant violated: time breakdown: the states sum to 319.68 " +
				"client-seconds, but 32 clients × 10 s are 320"},
		{name: "the ledger is over 0.1% long",
			edit: func(r *rundoc.Run) { r.Ledger.States["new state"] += 320*ms + 1000 },
			want: rundoc.Invalid, say: "invariant violated: time breakdown"},
		{name: "a state is negative", edit: func(r *rundoc.Run) {
			r.Ledger.States[rundoc.StateWaiting]++
			r.Ledger.States[rundoc.StateSending] = -1
		}, want: rundoc.Invalid, say: `the state "sending" is negative, -1.00 ns`},
		{name: "no clients", edit: func(r *rundoc.Run) { r.Ledger = rundoc.Ledger{WindowNS: 10_000 * ms} },
			want: rundoc.Valid},

		{name: "Little just within 2%", edit: func(r *rundoc.Run) { r.Little.InFlightSampled = 30.59 },
			want: rundoc.Valid},
		{name: "Little over 2% above", edit: func(r *rundoc.Run) { r.Little.InFlightSampled = 30.61 },
			want: rundoc.Suspect, say: "Little's law: 30.61 operations were in flight by " +
				"1,000 samples, but 30 by throughput × service time, a difference of +2.03%"},
		{name: "Little over 2% below", edit: func(r *rundoc.Run) { r.Little.InFlightSampled = 29.3 },
			want: rundoc.Suspect, say: "-2.33%"},
		{name: "Little of a measured time in flight, within 2%", edit: func(r *rundoc.Run) {
			r.Little = rundoc.Little{InFlightSampled: 0.2549, InFlightPredicted: 0.25}
		}, want: rundoc.Valid},
		{name: "a recorder that loses a twentieth", edit: func(r *rundoc.Run) {
			r.Little = rundoc.Little{InFlightSampled: 0.25, InFlightPredicted: 0.2375}
		}, want: rundoc.Suspect, say: "Little's law: the clients had 0.25 operations in flight, but 0.2375 by the recorded times, a " +
			"difference of +5.26% (limit 2%)"},
		{name: "a recorder that counts some twice", edit: func(r *rundoc.Run) {
			r.Little = rundoc.Little{InFlightSampled: 0.25, InFlightPredicted: 0.2625}
		}, want: rundoc.Suspect, say: "a difference of -4.76%"},
		{name: "Little with 99 samples", edit: func(r *rundoc.Run) {
			r.Little = rundoc.Little{InFlightSampled: 500, InFlightPredicted: 300, Samples: 99}
		}, want: rundoc.Valid},
		{name: "Little with hardly any in flight", edit: func(r *rundoc.Run) {
			r.Little = rundoc.Little{InFlightSampled: 2, InFlightPredicted: 9.99, Samples: 1000}
		}, want: rundoc.Valid},

		{name: "a failed attempt without a cause", edit: func(r *rundoc.Run) { op(r).Causes[0].Count-- },
			want: rundoc.Invalid, say: "invariant violated: attribution: send type=TEXT: 7 failed " +
				"attempts have a cause, but there are 5 retries and 3 failed"},
		{name: "an unfinished one had failed", edit: func(r *rundoc.Run) { op(r).Causes[0].Count++ },
			want: rundoc.Valid},
		{name: "a cause too many", edit: func(r *rundoc.Run) { op(r).Causes[0].Count += 2 },
			want: rundoc.Invalid, say: "invariant violated: attribution"},
		{name: "a retry without a cause", edit: func(r *rundoc.Run) { r.Retries[0].Count-- },
			want: rundoc.Invalid, say: "9 retries have a cause, but the operations had 10"},
		{name: "an attempt too few", edit: func(r *rundoc.Run) { op(r).Attempts = 1996 + 5 - 1 },
			want: rundoc.Invalid, say: "invariant violated: attribution: send type=TEXT: 2000 attempts"},
		{name: "as few attempts as can be", edit: func(r *rundoc.Run) { op(r).Attempts = 1996 + 5 },
			want: rundoc.Valid},
		{name: "an attempt too many", edit: func(r *rundoc.Run) { op(r).Attempts++ },
			want: rundoc.Invalid, say: "invariant violated: attribution"},
		{name: "a reconnect without a cause", edit: func(r *rundoc.Run) { r.Connections.Reconnects[0].Cause = "" },
			want: rundoc.Invalid, say: "a reconnect has no cause"},

		{name: "a response time is missing",
			edit: func(r *rundoc.Run) { op(r).ResponseTime = summaryOf(t, count(1996)...) },
			want: rundoc.Invalid, say: "the response time of send type=TEXT counts 1996 " +
				"operations, but ok 1996, failed 3 and unfinished 1 allow 1997 to 2000"},
		{name: "an unfinished one never started", edit: func(r *rundoc.Run) {
			op(r).ServiceTime = summaryOf(t,
				count(1996)...)
		}, want: rundoc.Valid},
		{name: "a response time too many",
			edit: func(r *rundoc.Run) { op(r).ResponseTime = summaryOf(t, count(2001)...) },
			want: rundoc.Invalid, say: "invariant violated: times"},
		{name: "a send delay too many", edit: func(r *rundoc.Run) { op(r).SendDelay = summaryOf(t, count(2001)...) },
			want: rundoc.Invalid, say: "the send delay"},
		{name: "percentiles fall",
			edit: func(r *rundoc.Run) { op(r).ResponseTime.P95NS = ptr(*op(r).ResponseTime.P90NS - 1) },
			want: rundoc.Invalid, say: "p95 is 1.80 ms, less than p90"},
		{name: "a percentile above the maximum",
			edit: func(r *rundoc.Run) { op(r).ResponseTime.P99NS = ptr(op(r).ResponseTime.MaxNS + 1) },
			want: rundoc.Invalid, say: "not in order"},
		{name: "a mean below the minimum", edit: func(r *rundoc.Run) { op(r).ResponseTime.MeanNS = 999 },
			want: rundoc.Invalid, say: "not in order"},
		{name: "a percentile that the histogram does not give",
			edit: func(r *rundoc.Run) { op(r).ResponseTime.P90NS = ptr(*op(r).ResponseTime.P90NS + 1) },
			want: rundoc.Invalid, say: "by its histogram"},
		{name: "a percentile that the sample cannot support",
			edit: func(r *rundoc.Run) { op(r).ResponseTime.P999NS = ptr(op(r).ResponseTime.MaxNS) },
			want: rundoc.Invalid, say: "absent by its histogram"},
		{name: "a histogram that cannot be read", edit: func(r *rundoc.Run) { r.Connections.ConnectTime.HDR = "AAAA" },
			want: rundoc.Invalid, say: "the connect time: histogram"},

		{name: "the series has an ok too many", edit: func(r *rundoc.Run) { r.Series[3].OK += 3 },
			want: rundoc.Invalid, say: "invariant violated: series: it sums to 2993 ok"},
		{name: "operations were carried into the window", edit: func(r *rundoc.Run) {
			op(r).Carried, op(r).RatePerS = 30, op(r).RatePerS+2.9
			r.Series[0].OK += 29
			r.Series[0].Failed++
			r.Series[0].Bytes += 1e9
			op(r).BytesPerS += 1e8
		}, want: rundoc.Valid},
		{name: "more than were carried", edit: func(r *rundoc.Run) {
			op(r).Carried, op(r).RatePerS = 29, op(r).RatePerS+3.2
			r.Series[0].OK += 32
		}, want: rundoc.Invalid, say: "it sums to 3022 ok"},
		{name: "the series has a byte too many", edit: func(r *rundoc.Run) { r.Series[0].Bytes++ },
			want: rundoc.Invalid, say: "300001 bytes, more than"},
		{name: "the rate of bytes is another", edit: func(r *rundoc.Run) { op(r).BytesPerS *= 1000 },
			want: rundoc.Invalid, say: "it sums to 300000 bytes, but 2.001e+07 B/s × 10.0 s are 2.001e+08"},
		{name: "the series has more ok than ended ok", edit: func(r *rundoc.Run) {
			r.Series[3].OK, r.Series[9].Failed, op(r).RatePerS = 302, 5, op(r).RatePerS+0.3
		}, want: rundoc.Invalid, say: "it sums to 2993 ok, 5 failed"},
		{name: "the series and the rate differ", edit: func(r *rundoc.Run) { r.Series[3].OK += 2 },
			want: rundoc.Invalid, say: "invariant violated: series: it sums to 2992 ok, but 299/s × 10.0 s are 2990"},
		{name: "the series has a failed one too many", edit: func(r *rundoc.Run) { r.Series[3].Failed++ },
			want: rundoc.Invalid, say: "invariant violated: series"},
		{name: "the series lacks what ended in the drain", edit: func(r *rundoc.Run) { r.Series[9].Failed = 0 },
			want: rundoc.Valid},
		{name: "the seconds do not rise", edit: func(r *rundoc.Run) { r.Series[5].Second = 4 },
			want: rundoc.Invalid, say: "second 4 follows second 4"},
		{name: "a second after the window", edit: func(r *rundoc.Run) { r.Series[9].Second = 10 },
			want: rundoc.Invalid, say: "second 10 follows"},

		{name: "CPU share at the limit", edit: func(r *rundoc.Run) { r.Generator.CPUShare = 0.85 }, want: rundoc.Valid},
		{name: "a share of more than its CPUs, on a machine with others", edit: func(r *rundoc.Run) {
			r.Host.CPUs, r.Generator.CPUs, r.Generator.CPUShare = 2, 1, 1.9
		}, want: rundoc.Suspect, say: "The generator used 190% of its 1 CPUs"},
		{name: "a share of more than the machine's CPUs", edit: func(r *rundoc.Run) {
			r.Host.CPUs, r.Generator.CPUs, r.Generator.CPUShare = 2, 1, 2.3
		}, want: rundoc.Invalid, say: "invariant violated: generator: it used 230%"},
		{name: "a machine busier than all of it", edit: func(r *rundoc.Run) { r.Generator.MachineShare = 1.2 },
			want: rundoc.Invalid, say: "the CPUs of the machine were 120% busy"},
		{name: "CPU share above", edit: func(r *rundoc.Run) { r.Generator.CPUShare, r.Generator.CPUs = 0.86, 2 },
			want: rundoc.Suspect, say: "The generator used 86% of its 2 CPUs"},
		{name: "GC pauses, which are in the free figures", edit: func(r *rundoc.Run) { r.Generator.GCPauseNS = 2000 * ms },
			want: rundoc.Valid},
		{name: "throttled", edit: func(r *rundoc.Run) { r.Generator.ThrottledNS = new(int64(101 * ms)) },
			want: rundoc.Suspect, say: "A CPU quota throttled the generator for 101 ms, 1.01% of the window"},
		{name: "throttled at the limit", edit: func(r *rundoc.Run) { r.Generator.ThrottledNS = new(int64(100 * ms)) },
			want: rundoc.Valid},
		{name: "own start delay that is not often late", open: true,
			edit: func(r *rundoc.Run) { r.Generator.OwnDelayP99NS = 75_100 }, want: rundoc.Valid},
		{name: "own delay in the closed model", edit: func(r *rundoc.Run) { r.Generator.OwnDelayP99NS = 1000 * ms },
			want: rundoc.Valid},
		{name: "send delay of the target's making", open: true,
			edit: func(r *rundoc.Run) { r.Generator.SendDelayP99NS = 1000 * ms }, want: rundoc.Valid},
		{name: "busy machine, target elsewhere", edit: func(r *rundoc.Run) { r.Generator.MachineShare = 1 },
			want: rundoc.Valid},
		{name: "busy machine at the limit", edit: func(r *rundoc.Run) {
			r.Generator.MachineShare,
				r.Target.SameHost = 0.9, true
		}, want: rundoc.Valid},
		{name: "busy machine, a store of this machine", edit: func(r *rundoc.Run) {
			_, r.Detail = soundBandwidth(t)
			r.Generator.MachineShare, r.Target.SameHost, r.Target.URL = 0.91, true, "mem:///f"
		}, want: rundoc.Suspect, say: "Store and generator share this machine"},
		{name: "busy machine, target on it", edit: func(r *rundoc.Run) {
			r.Generator.MachineShare,
				r.Target.SameHost = 0.91, true
		},
			want: rundoc.Suspect, say: "which was 91% busy"},
		{name: "busy machine, of other programs' making", edit: func(r *rundoc.Run) {
			r.Generator.MachineShare, r.Target.SameHost, r.Host.CPUs = 1, true, 2
			r.Generator.CPUUserNS, r.Target.CPUSystemNS = 8_000*ms, 6_000*ms
		}, want: rundoc.Suspect, say: "others 30%), and whether they waited for each other is unknown. Stop other programs."},
		{name: "busy machine, hardly of other programs' making", edit: func(r *rundoc.Run) {
			r.Generator.MachineShare, r.Target.SameHost, r.Host.CPUs = 1, true, 2
			r.Generator.CPUUserNS, r.Target.CPUSystemNS = 10_000*ms, 8_000*ms
		}, want: rundoc.Suspect, say: "others 10%), and whether they waited for each other is unknown. Move the target"},
		{name: "clients away at the limit", edit: func(r *rundoc.Run) {
			r.Ledger.States = map[string]int64{rundoc.StateAwaiting: 256_000 * ms, rundoc.StateBackingOff: 64_000 * ms}
		}, want: rundoc.Valid},
		{name: "clients away for longer", edit: func(r *rundoc.Run) {
			r.Ledger.States = map[string]int64{rundoc.StateAwaiting: 160_000 * ms, rundoc.StateBackingOff: 100_000 * ms,
				rundoc.StateReconnecting: 60_000 * ms}
		}, want: rundoc.Suspect, say: "The clients spent 50% of their time backing off " +
			"or disconnected (limit 20%)"},
		{name: "a window of a second", edit: func(r *rundoc.Run) { shorten(r, 1000*ms) }, want: rundoc.Valid},
		{name: "a shorter window", edit: func(r *rundoc.Run) { shorten(r, 999*ms) },
			want: rundoc.Suspect, say: "The window was only 999 ms"},
		{name: "the generator's own limit of files",
			edit: func(r *rundoc.Run) { op(r).Causes[0].Cause = "too-many-files" },
			want: rundoc.Suspect, say: "2 of 3,010 attempts failed because the generator reached its limit of open files"},
		{name: "the generator's own limit of ports",
			edit: func(r *rundoc.Run) { op(r).Causes[0].Cause = "no-local-port" },
			want: rundoc.Suspect, say: "2 of 3,010 attempts failed because the generator's machine had no free local port"},
		{name: "clock step at the limit", edit: func(r *rundoc.Run) { r.Generator.ClockStepNS = -10 * ms },
			want: rundoc.Valid},
		{name: "clock step", edit: func(r *rundoc.Run) { r.Generator.ClockStepNS = -11 * ms },
			want: rundoc.Suspect, say: "The wall clock stepped by 11.0 ms"},

		{name: "own late at the limit", open: true, edit: func(r *rundoc.Run) { r.Generator.OwnLate = new(int64(30)) },
			want: rundoc.Valid},
		{name: "own late above", open: true, edit: func(r *rundoc.Run) { r.Generator.OwnLate = new(int64(31)) },
			want: rundoc.Invalid, say: "The generator started 31 of 3,000 operations late (1.03%, limit 1%): "},
		{name: "own late above, by so much", open: true, edit: func(r *rundoc.Run) {
			r.Generator.OwnLate, r.Generator.OwnDelayP99NS = new(int64(31)), 12*ms
		}, want: rundoc.Invalid, say: "late (1.03%, limit 1%), with a p99 start delay of 12.0 ms: "},
		{name: "own late of those that started", open: true, edit: func(r *rundoc.Run) {
			r.Generator.OwnLate = new(int64(25))
			unsend(t, r, 600)
		}, want: rundoc.Invalid, say: "The generator started 25 of 2,400 operations late (1.04%, limit 1%)"},
		{name: "own late in the closed model", edit: func(r *rundoc.Run) { r.Generator.OwnLate = new(int64(31)) },
			want: rundoc.Valid},
		{name: "unsent at a busy target", open: true, edit: func(r *rundoc.Run) { unsend(t, r, 600) },
			want: rundoc.Invalid, say: "All 32 clients were busy: 600 of 3,000 operations were not sent."},
		{name: "unsent with idle clients", open: true, edit: func(r *rundoc.Run) {
			unsend(t, r, 600)
			r.Ledger.States = map[string]int64{rundoc.StateAwaiting: 31_000 * ms, rundoc.StateWaiting: 289_000 * ms}
		}, want: rundoc.Invalid, say: "600 of 3,000 operations (20%) were not sent " +
			"although the clients were busy for only 9.69%"},
		{name: "unsent while the clients were busy for less than that, but not for half", open: true,
			edit: func(r *rundoc.Run) {
				unsend(t, r, 600)
				r.Ledger.States = map[string]int64{rundoc.StateAwaiting: 33_000 * ms, rundoc.StateIdle: 287_000 * ms}
			}, want: rundoc.Invalid, say: "All 32 clients were busy: 600 of 3,000 operations were not sent."},
		{name: "unsent in a short peak", open: true, edit: func(r *rundoc.Run) {
			r.Plan = json.RawMessage(`{"load":{"stages":[{"rate_per_s":100},{"rate_per_s":2000}]}}`)
			unsend(t, r, 600)
			r.Ledger.States = map[string]int64{rundoc.StateAwaiting: 31_000 * ms, rundoc.StateWaiting: 289_000 * ms}
		}, want: rundoc.Invalid, say: "All 32 clients were busy: 600 of 3,000 operations were not sent."},
		{name: "1% unsent with idle clients", open: true, edit: func(r *rundoc.Run) {
			unsend(t, r, 30)
			r.Ledger.States = map[string]int64{rundoc.StateIdle: 320_000 * ms}
		}, want: rundoc.Suspect, say: "1.2% of 3,000 operations failed or were not sent"},

		{name: "an empty document", edit: func(r *rundoc.Run) { *r = rundoc.Run{} },
			want: rundoc.Suspect, say: "None of 0 operations succeeded"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run := soundRun(t)
			if tt.open {
				run = openRun(t)
			}
			tt.edit(run)
			got := rundoc.Judge(run)
			if got.Validity != tt.want {
				t.Errorf("verdict %s, want %s; reasons:\n%s", got.Validity, tt.want, strings.Join(got.Reasons, "\n"))
			}
			if tt.say != "" && (len(got.Reasons) == 0 || !strings.Contains(got.Reasons[0], tt.say)) {
				t.Errorf("reasons %q, want %q in the first", got.Reasons, tt.say)
			}
			if (tt.want == rundoc.Valid) != (len(got.Reasons) == 0) {
				t.Errorf("%s with reasons %q", tt.want, got.Reasons)
			}
		})
	}
}

func TestJudgeReportsAtMostTenBrokenInvariants(t *testing.T) {
	for lost, last := range map[int]string{9: "", 10: "1 more are not shown.", 30: "21 more are not shown."} {
		run := soundRun(t) // it breaks one law more than it has such operations
		for range lost {
			run.Operations = append(run.Operations, rundoc.Operation{Name: "lost", Scheduled: 1})
		}
		reasons, want := rundoc.Judge(run).Reasons, 10
		if last != "" {
			want = 11
		}
		if len(reasons) != want || !strings.HasSuffix(reasons[want-1], last) {
			t.Errorf("%d lost: %d reasons, the last %q", lost, len(reasons), reasons[len(reasons)-1])
		}
	}
}

func TestWarnings(t *testing.T) {
	for _, tt := range []struct {
		name string
		open bool
		edit func(*rundoc.Run)
		want []string // codes
		say  string
	}{
		{name: "one unfinished", edit: func(*rundoc.Run) {}, want: []string{rundoc.WarnUnfinished},
			say: "2 operations did not finish"},
		{name: "interrupted", edit: func(r *rundoc.Run) { r.Interrupted = true },
			want: []string{rundoc.WarnInterrupted, rundoc.WarnUnfinished}, say: "after 10.0 s"},
		{name: "aborted", edit: func(r *rundoc.Run) { r.Aborted = "p99<50ms" },
			want: []string{rundoc.WarnAborted, rundoc.WarnUnfinished},
			say:  "The run was ended after 10.0 s because the threshold p99<50ms was missed."},
		{name: "clients away for just 5% of their time",
			edit: func(r *rundoc.Run) { r.Ledger.States[rundoc.StateBackingOff] = 16_000 * ms },
			want: []string{rundoc.WarnUnfinished}},
		{name: "clients away for more", edit: func(r *rundoc.Run) {
			r.Ledger.States = map[string]int64{rundoc.StateBackingOff: 6_000 * ms, rundoc.StateReconnecting: 5_000 * ms,
				rundoc.StateConnecting: 6_000 * ms}
		}, want: []string{rundoc.WarnClientsLost, rundoc.WarnUnfinished},
			say: "The clients spent 5.31% of their time backing off or disconnected"},
		{name: "clients away for so long that the verdict says so",
			edit: func(r *rundoc.Run) { r.Ledger.States[rundoc.StateBackingOff] = 64_001 * ms },
			want: []string{rundoc.WarnUnfinished}},
		{name: "dead at the end", edit: func(r *rundoc.Run) { r.Series[8].OK, r.Series[9].OK = 0, 0 },
			want: []string{rundoc.WarnDeadSeconds, rundoc.WarnUnfinished},
			say:  "No operation succeeded in the last 2 s of 10; the mean rate is 239/s"},
		{name: "a dead point is missing", edit: func(r *rundoc.Run) { r.Series = r.Series[:7] },
			want: []string{rundoc.WarnDeadSeconds, rundoc.WarnUnfinished}, say: "in the last 3 s of 10"},
		{name: "dead in the middle", edit: func(r *rundoc.Run) { r.Series[3].OK, r.Series[9].OK = 0, 0 },
			want: []string{rundoc.WarnDeadSeconds, rundoc.WarnUnfinished},
			say:  "in 2 s of 10, first 3 s after the start"},
		{name: "too slow to tell", edit: func(r *rundoc.Run) {
			for i := range r.Series {
				r.Series[i].OK = 10 * int64(i%2)
			}
		}, want: []string{rundoc.WarnUnfinished}},
		{name: "a stage that is a pause", open: true, edit: func(r *rundoc.Run) {
			r.Plan = json.RawMessage(`{"load":{"stages":[{"duration_ns":5000000000,"rate_per_s":1000},{"duration_ns":1000000,"rate_per_s":0},{"duration_ns":5000000000,"rate_per_s":0}]}}`)
			for i := range r.Series[:5] {
				r.Series[5+i].OK = 0
			}
		}, want: []string{rundoc.WarnUnfinished}},
		{name: "dead while the stages want much", open: true, edit: func(r *rundoc.Run) {
			r.Plan = json.RawMessage(
				`{"load":{"rate_per_s":1000,"stages":[{"duration_ns":10000000000,"rate_per_s":0}]}}`)
			r.Series[5].OK = 0
		}, want: []string{rundoc.WarnDeadSeconds, rundoc.WarnUnfinished}, say: "in 1 s of 10, first 5 s"},
		{name: "unsent at a slow target", open: true, edit: func(r *rundoc.Run) { unsend(t, r, 30) },
			want: []string{rundoc.WarnUnfinished, rundoc.WarnLoadBehind}},
		{name: "unsent at a generator that is late itself", open: true, edit: func(r *rundoc.Run) {
			unsend(t, r, 30)
			r.Generator.OwnLate, r.Generator.OwnDelayP99NS, r.Generator.SendDelayP99NS = new(int64(900)), 10*ms, 10*ms
		}, want: []string{rundoc.WarnUnfinished, rundoc.WarnGenerator}, say: "The generator did not keep up"},
		{name: "unsent a little", open: true, edit: func(r *rundoc.Run) { unsend(t, r, 28) },
			want: []string{rundoc.WarnUnfinished}},
		{name: "small sample", edit: func(r *rundoc.Run) {
			r.Operations = []rundoc.Operation{{Name: "send", Scheduled: 300, OK: 300,
				ResponseTime: summaryOf(t, count(300)...)}}
		}, want: []string{rundoc.WarnSmallSample}, say: "300 response times are too few for p99, p99.9"},
		{name: "samples lost", edit: func(r *rundoc.Run) {
			r.Detail = &rundoc.ChatDetail{Samples: &rundoc.SamplesFile{Path: "s.csv", Written: 7, Lost: 3,
				Error: "no space left on device"}}
		}, want: []string{rundoc.WarnUnfinished, rundoc.WarnSamplesLost}},
		{name: "detail of another shape", edit: func(r *rundoc.Run) { r.Detail = rundoc.RawDetail(`[{"samples":1}]`) },
			want: []string{rundoc.WarnUnfinished}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run := soundRun(t)
			if tt.open {
				run = openRun(t)
			}
			tt.edit(run)
			var codes []string
			said := false
			for _, w := range rundoc.Warnings(run) {
				codes = append(codes, w.Code)
				said = said || strings.Contains(w.Message, tt.say)
			}
			if diff := cmp.Diff(tt.want, codes); diff != "" {
				t.Error(diff)
			}
			if !said {
				t.Errorf("no warning says %q: %v", tt.say, rundoc.Warnings(run))
			}
		})
	}
}

func TestOthersShare(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func(*rundoc.Run)
		want float64 // -1: not known
	}{
		{"the target's CPU is known", func(*rundoc.Run) {}, 0.25},
		{"the target's CPU is not known", func(r *rundoc.Run) { r.Target.CPUUserNS = 0 }, -1},
		{"the target is elsewhere", func(r *rundoc.Run) { r.Target = rundoc.Target{} }, 0.5},
		{"the machine's share is not known", func(r *rundoc.Run) { r.Generator.MachineShare = 0 }, -1},
		{"the CPUs are not known", func(r *rundoc.Run) { r.Host.CPUs = 0 }, -1},
		{"more than the machine used", func(r *rundoc.Run) { r.Generator.CPUUserNS = 20_000 * ms }, 0},
	} {
		run := &rundoc.Run{Host: rundoc.Host{CPUs: 2}, Ledger: rundoc.Ledger{WindowNS: 10_000 * ms}}
		run.Generator = rundoc.Generator{MachineShare: 0.75, CPUUserNS: 3_000 * ms, CPUSystemNS: 2_000 * ms}
		run.Target = rundoc.Target{SameHost: true, CPUUserNS: 5_000 * ms}
		tt.edit(run)
		got, known := run.OthersShare()
		if !known {
			got = -1
		}
		if got != tt.want {
			t.Errorf("%s: %g, want %g", tt.name, got, tt.want)
		}
	}
}

func TestEveryStateIsListedOnce(t *testing.T) {
	states := slices.Clone(rundoc.States)
	slices.Sort(states)
	if n := len(slices.Compact(states)); n != 9 {
		t.Errorf("%d states", n)
	}
}
