package rundoc_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/rundoc"
)

// ownRun is a sound document whose operations took raw, and free without the generator's own delay: at gives both,
// of the i-th of all 2,996 that have a time.
func ownRun(t testing.TB, run *rundoc.Run, at func(i int) (raw, free int64)) *rundoc.Run {
	t.Helper()
	g := &run.Generator
	g.OwnTimeNS, g.ResponseTimeNS = 0, 0
	var owns []int64
	i := 0
	for o := range run.Operations {
		op := &run.Operations[o]
		var raws, frees []int64
		for range op.OK + 2 {
			raw, free := at(i)
			i++
			raws, frees, owns = append(raws, raw), append(frees, free), append(owns, raw-free)
			g.ResponseTimeNS += raw
			g.OwnTimeNS += raw - free
		}
		times := summaryOf(t, raws...)
		op.FirstAttempt = times
		times.Free = new(summaryOf(t, frees...))
		op.ResponseTime, op.ServiceTime = times, times
	}
	g.OwnDelay = new(summaryOf(t, owns...))
	return run
}

// inFlight makes the operations' time so many times that of those which were answered.
func inFlight(run *rundoc.Run, times float64) {
	mean := times * float64(run.Generator.ResponseTimeNS) / float64(run.Ledger.WindowNS)
	run.Little.InFlightPredicted, run.Little.InFlightSampled = mean, mean
}

// spread are times from 10 ms to 20 ms, of which so much of one in a hundred and one is the generator's own.
func spread(own int64) func(int) (int64, int64) {
	return func(i int) (int64, int64) {
		free := 10*ms + int64(i)*3_000
		if i%50 == 0 {
			return free + own, free
		}
		return free, free
	}
}

// all are times of so much, of which own is the generator's.
func all(raw, own int64) func(int) (int64, int64) {
	return func(int) (int64, int64) { return raw, raw - own }
}

// tenth are times of which one in ten takes so long, and the others as long as each other, with such a mean.
func tenth(quick, mean int64) func(int) (int64, int64) {
	return func(i int) (int64, int64) {
		if i%10 == 0 {
			return quick, quick
		}
		return (10*mean - quick) / 9, (10*mean - quick) / 9
	}
}

// slowTail are times of a target that takes 10 ms in most cases and 80 ms in some, the generator's own part not counted:
// the p50 has half as much of that as the p99.
func slowTail(own int64) func(int) (int64, int64) {
	return func(i int) (int64, int64) {
		if i%25 == 0 {
			return 80*ms + 2*own, 80 * ms
		}
		return 10*ms + own, 10 * ms
	}
}

// oneIn are times of 10 ms, and one in so many of 100 ms, of which the target had 10.
func oneIn(n int) func(int) (int64, int64) {
	return func(i int) (int64, int64) {
		if i%n == 0 {
			return 100 * ms, 10 * ms
		}
		return 10 * ms, 10 * ms
	}
}

// fewer leaves a sound run so many operations of each name that ended ok.
func fewer(run *rundoc.Run, n int64) {
	run.Series = nil
	for i := range run.Operations {
		o := &run.Operations[i]
		gone := o.OK - n
		for _, count := range []*int64{&o.OK, &o.Scheduled, &o.Attempts, &run.Phases[0].OK, &run.Phases[0].Operations} {
			*count -= gone
		}
		o.RatePerS, o.Bytes, o.BytesPerS = float64(n)/10, 0, 0
	}
}

// watched adds to a sound document what the instrument saw of a machine with two CPUs.
func watched(run *rundoc.Run) *rundoc.Run {
	run.Host.CPUs = 2
	g := &run.Generator
	g.CPUs, g.CPUUserNS, g.CPUSystemNS = 2, 3_000*ms, 1_000*ms
	g.RunDelayNS, g.ThrottledNS = new(int64(0)), new(int64(0))
	g.Hiccups = &rundoc.Hiccups{Lateness: rundoc.Summary{}}
	return run
}

// watchedDocument has all that a generator may tell of itself, in a run that nothing is wrong with.
func watchedDocument(t testing.TB) *rundoc.Run {
	run := ownRun(t, watched(openRun(t)), spread(40*ms))
	lasting(run, 10)
	stopped(t, run, 10*ms, 60*ms, 10*ms)
	run.Series, run.Little = nil, rundoc.Little{
		InFlightSampled: 30, InFlightPredicted: 30, Samples: 10_000, Variance: 2, Slots: 32, Dropped: 3,
	}
	var times []int64
	for i := range 2996 {
		raw, _ := spread(40 * ms)(i)
		times = append(times, raw)
	}
	run.Slices = []rundoc.Slice{{FromS: 1, Seconds: 2, ResponseTime: timesOf(times...)}}
	delayed(t, run)
	g := &run.Generator
	g.Hiccups.Long, g.Processors, g.Pacing = 1, []float64{0.5, 0.2}, "spin"
	g.RunDelayNS, g.ThrottledNS, g.CPUShare, g.MachineShare = new(int64(900*ms)), new(int64(300*ms)), 0.02, 0.3
	g.GCPauseNS, g.GCShare, g.MaxRSSBytes = 2*ms, 0.02, 60<<20
	g.SendDelayP99NS, g.OwnDelayP99NS, g.OwnLate = 1_970_000, 3_000, new(int64(4))
	g.Stamps = &rundoc.Stamps{Used: 2_900, Missing: 20, Refused: 3}
	run.Conclude()
	return run
}

// delayed gives the operations that have a time a send delay of up to 1.998 ms.
func delayed(t testing.TB, run *rundoc.Run) {
	for i := range run.Operations {
		o := &run.Operations[i]
		o.SendDelay = summaryOf(t, count(int(o.OK+2))...)
	}
	run.Conclude()
}

// TestWatchedFixtureIsValid is what the documents that are made of it rely on.
func TestWatchedFixtureIsValid(t *testing.T) {
	if run := watchedDocument(t); run.Verdict.Validity != rundoc.Valid || len(run.Verdict.Reasons) != 0 {
		t.Errorf("%+v", run.Verdict)
	}
}

// stopped adds gaps, one a second.
func stopped(t testing.TB, run *rundoc.Run, gaps ...int64) {
	h := &rundoc.Hiccups{Lateness: summaryOf(t, slices.Concat(count(100), gaps)...), Gaps: int64(len(gaps))}
	for i, ns := range gaps {
		h.GapsNS += ns
		if ns >= rundoc.LongGapNS {
			h.LongNS += ns
		}
		h.Longest = append(h.Longest, rundoc.Gap{AtNS: int64(i) * 1_000 * ms, NS: ns})
	}
	run.Generator.Hiccups = h
}

// lasting makes the window of a sound closed run so many times as long.
func lasting(run *rundoc.Run, times int64) {
	run.Ledger.WindowNS *= times
	run.Phases[0].DurationNS *= times
	for state := range run.Ledger.States {
		run.Ledger.States[state] *= times
	}
	for i := range run.Operations {
		run.Operations[i].RatePerS /= float64(times)
		run.Operations[i].BytesPerS /= float64(times)
	}
}

// TestJudgeGeneratorThresholds has each doubt of the generator itself, just below its threshold and just above.
func TestJudgeGeneratorThresholds(t *testing.T) {
	for _, tt := range []struct {
		name string
		open bool
		edit func(*rundoc.Run)
		want rundoc.Validity
		say  string
	}{
		{name: "nothing", edit: func(*rundoc.Run) {}, want: rundoc.Valid},

		{name: "p50 wide, in the open model", open: true, edit: func(r *rundoc.Run) { ownRun(t, r, all(40*ms, 10*ms+200_000)) },
			want: rundoc.Suspect, say: "The response time's p50 is 40.0 ms, but 29.8 ms without the generator delay, " +
				"which was 25.5% of all response time (limit 10%)"},
		{name: "p50 not so wide", open: true, edit: func(r *rundoc.Run) { ownRun(t, r, all(40*ms, 9_900_000)) },
			want: rundoc.Valid},
		{name: "p50 wide, by less than 5 ms", open: true, edit: func(r *rundoc.Run) { ownRun(t, r, all(10*ms, 4_900_000)) },
			want: rundoc.Valid},
		{name: "p50 wide, by more than 5 ms", open: true, edit: func(r *rundoc.Run) { ownRun(t, r, all(10*ms, 5_100_000)) },
			want: rundoc.Suspect, say: "p50 is 10.0 ms, but 4.9"},
		{name: "p99 wide, and own delay of a tenth", edit: func(r *rundoc.Run) { ownRun(t, r, spread(90*ms)) },
			want: rundoc.Suspect, say: "The response time's p99 is "},
		{name: "p99 wide, and own delay of less", edit: func(r *rundoc.Run) { ownRun(t, r, spread(75*ms)) },
			want: rundoc.Valid},

		{name: "own delay of 60%, and as much time of rejected operations", edit: func(r *rundoc.Run) {
			inFlight(ownRun(t, r, all(1*ms, 601_000)), 2)
		}, want: rundoc.Valid},
		{name: "own delay of 60% in the closed model", edit: func(r *rundoc.Run) {
			inFlight(ownRun(t, r, all(1*ms, 601_000)), 1)
		}, want: rundoc.Suspect, say: "The generator delay was 60.1% of all response time (limit 60%) and 601 µs per operation " +
			"(limit 250 µs), so the throughput is the generator's limit"},
		{name: "own delay of less", edit: func(r *rundoc.Run) { ownRun(t, r, all(1*ms, 599_000)) }, want: rundoc.Valid},
		{name: "own delay of 60% that is small", edit: func(r *rundoc.Run) { ownRun(t, r, all(300_000, 249_000)) },
			want: rundoc.Valid},
		{name: "own delay of 60% that is no longer small", edit: func(r *rundoc.Run) {
			inFlight(ownRun(t, r, all(300_000, 251_000)), 1)
		}, want: rundoc.Suspect, say: "251 µs per operation"},
		{name: "own delay of 60% in the open model", open: true, edit: func(r *rundoc.Run) { ownRun(t, r, all(1*ms, 900_000)) },
			want: rundoc.Valid},

		{name: "a gap of 50 ms in a window of 10 s", edit: func(r *rundoc.Run) { stopped(t, r, 50*ms) },
			want: rundoc.Suspect, say: "The generator was paused for 50.0 ms (one pause of 50.0 ms or more), 0.5% of " +
				"the window (limit 0.2%)"},
		{name: "gaps that are short", edit: func(r *rundoc.Run) { stopped(t, r, 49*ms, 49*ms, 49*ms) }, want: rundoc.Valid},
		{name: "gaps of just 0.2%", edit: func(r *rundoc.Run) { lasting(r, 10); stopped(t, r, 100*ms, 100*ms) },
			want: rundoc.Valid},
		{name: "gaps of more", edit: func(r *rundoc.Run) { lasting(r, 10); stopped(t, r, 100*ms, 101*ms) },
			want: rundoc.Suspect, say: "for 201 ms (2 pauses"},

		{name: "more gaps than are listed", edit: func(r *rundoc.Run) {
			stopped(t, r, slices.Repeat([]int64{60 * ms}, 120)...)
			h := r.Generator.Hiccups
			h.Longest, h.Long = h.Longest[:9], 120
		}, want: rundoc.Suspect, say: "for 7.20 s (120 pauses of 50.0 ms or more)"},
		{name: "as many gaps as are listed, not counted", edit: func(r *rundoc.Run) {
			lasting(r, 100)
			stopped(t, r, slices.Repeat([]int64{60 * ms}, 120)...)
			h := r.Generator.Hiccups
			h.Longest = h.Longest[:100]
		}, want: rundoc.Suspect, say: "(at least 100 pauses of 50.0 ms or more)"},

		{name: "run delay of 2 times what it ran", edit: func(r *rundoc.Run) { r.Generator.RunDelayNS = new(int64(8_000 * ms)) },
			want: rundoc.Valid},
		{name: "run delay of more", edit: func(r *rundoc.Run) { r.Generator.RunDelayNS = new(int64(8_100 * ms)) },
			want: rundoc.Suspect, say: "The generator waited 8.10 s for a CPU, 2.02 times as long as it ran (limit 2 times, and " +
				"500 ms per second)"},
		{name: "run delay of half a second in each", edit: func(r *rundoc.Run) {
			r.Generator.CPUUserNS, r.Generator.CPUSystemNS, r.Generator.RunDelayNS = 100*ms, 0, new(int64(5_000*ms))
		}, want: rundoc.Valid},
		{name: "run delay of more than that", edit: func(r *rundoc.Run) {
			r.Generator.CPUUserNS, r.Generator.CPUSystemNS, r.Generator.RunDelayNS = 100*ms, 0, new(int64(5_001*ms))
		}, want: rundoc.Suspect, say: "waited 5.00 s for a CPU"},
		{name: "garbage collection of a nearly idle generator", edit: func(r *rundoc.Run) {
			r.Generator.GCShare, r.Generator.CPUShare = 0.58, 0.03
		}, want: rundoc.Valid},
		{name: "garbage collection of a tenth", edit: func(r *rundoc.Run) {
			r.Generator.GCShare, r.Generator.CPUShare = 0.25, 0.4
		}, want: rundoc.Valid},
		{name: "garbage collection of more", edit: func(r *rundoc.Run) {
			r.Generator.GCShare, r.Generator.CPUShare = 0.25, 0.44
		}, want: rundoc.Suspect, say: "Garbage collection used 11% of the generator's available CPU time (limit 10%)"},
		{name: "garbage collection of more that delayed nothing", edit: func(r *rundoc.Run) {
			ownRun(t, r, func(int) (int64, int64) { return 10 * ms, 9_500_000 })
			r.Generator.GCShare, r.Generator.CPUShare = 0.25, 0.44
		}, want: rundoc.Valid},
		{name: "garbage collection of more that delayed some", edit: func(r *rundoc.Run) {
			ownRun(t, r, oneIn(50))
			r.Generator.GCShare, r.Generator.CPUShare = 0.25, 0.44
		}, want: rundoc.Suspect, say: "Garbage collection used 11%"},

		{name: "p50 wide, and p99 by more that is less of it", edit: func(r *rundoc.Run) { ownRun(t, r, slowTail(10*ms)) },
			want: rundoc.Suspect, say: "The response time's p50 is 20.0 ms, but 10.0 ms without"},
		{name: "p50 not wide, and p99 by more that is less of it", edit: func(r *rundoc.Run) { ownRun(t, r, slowTail(4_900_000)) },
			want: rundoc.Valid},

		{name: "no p99, and the p95 is wide", edit: func(r *rundoc.Run) { fewer(r, 200); ownRun(t, r, oneIn(16)) },
			want: rundoc.Suspect, say: "The response time's p95 is 100 ms, but 10.0 ms without"},
		{name: "no p99, and what is wide is above the p95", edit: func(r *rundoc.Run) { fewer(r, 200); ownRun(t, r, oneIn(25)) },
			want: rundoc.Suspect, say: "1.47% of 408 operations failed"}, // and nothing of own delay

		{name: "CPUs used up without waiting, and the kernel stamped what came", edit: func(r *rundoc.Run) {
			r.Generator.CPUShare, r.Generator.Stamps = 0.99, &rundoc.Stamps{Used: 2_000, Missing: 500, Refused: 496}
		}, want: rundoc.Valid},
		{name: "CPUs used up, and half have no stamp", edit: func(r *rundoc.Run) {
			r.Generator.CPUShare, r.Generator.Stamps = 0.99, &rundoc.Stamps{Used: 1_498, Missing: 1_498}
		}, want: rundoc.Suspect, say: "without kernel timestamps"},
		{name: "CPUs used up, in a kind without stamps", edit: func(r *rundoc.Run) { r.Generator.CPUShare = 0.86 },
			want: rundoc.Suspect, say: "The generator used 86% of its 2 CPUs (limit 85%), and without kernel timestamps it is unknown"},
		{name: "CPUs nearly used up, in a kind without stamps", edit: func(r *rundoc.Run) { r.Generator.CPUShare = 0.85 },
			want: rundoc.Valid},
		{name: "throttled for 1% of each CPU", edit: func(r *rundoc.Run) { r.Generator.ThrottledNS = new(int64(200 * ms)) },
			want: rundoc.Valid},
		{name: "throttled for more", edit: func(r *rundoc.Run) { r.Generator.ThrottledNS = new(int64(202 * ms)) },
			want: rundoc.Suspect, say: "throttled the generator for 202 ms (summed over 2 CPUs), 1.01% of the window"},
		{name: "throttled for more, of less than a CPU", edit: func(r *rundoc.Run) {
			r.Generator.CPUs, r.Generator.ThrottledNS = 0.3, new(int64(101*ms))
		}, want: rundoc.Suspect, say: "throttled the generator for 101 ms, 1.01% of the window"},
		{name: "a group throttled on many CPUs, with others in it", edit: func(r *rundoc.Run) {
			r.Generator.ThrottledNS = new(int64(240_000 * ms))
		}, want: rundoc.Suspect, say: "for 240 s (summed over 2 CPUs), 100% of the window"},
		{name: "CPUs used up, and who knows whether it waited", edit: func(r *rundoc.Run) {
			r.Generator.CPUShare, r.Generator.RunDelayNS = 0.86, nil
		}, want: rundoc.Suspect, say: "used 86% of its 2 CPUs (limit 85%), and how long it waited for a CPU is unknown"},
		{name: "CPUs nearly used up, likewise", edit: func(r *rundoc.Run) {
			r.Generator.CPUShare, r.Generator.RunDelayNS = 0.85, nil
		}, want: rundoc.Valid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			run := soundRun(t)
			if tt.open {
				run = openRun(t)
			}
			tt.edit(watched(run))
			got := rundoc.Judge(run)
			if text := strings.Join(got.Reasons, "\n"); got.Validity != tt.want || !strings.Contains(text, tt.say) ||
				tt.want == rundoc.Valid && text != "" {
				t.Errorf("%s: %s, want %s with %q", got.Validity, text, tt.want, tt.say)
			}
			own := run.OwnReasons()
			if failed := strings.Contains(tt.say, "failed"); (len(own) > 0) != (tt.want != rundoc.Valid && !failed) {
				t.Errorf("its own reasons are %q", own)
			}
		})
	}
}

// Each operation of a kind whose operations are of many sorts has its own span, and the garbage of what is measured
// is no doubt there.
func TestJudgeChecksEachOperationsGeneratorDelay(t *testing.T) {
	run := ownRun(t, watched(overheadRun(t, soundOverhead())), func(i int) (int64, int64) {
		if i >= 1998 {
			return 40 * ms, 20 * ms
		}
		return 2 * ms, 2 * ms
	})
	got := rundoc.Judge(run)
	if len(got.Reasons) != 1 || !strings.Contains(got.Reasons[0], "The response time's p50 of send type=JOIN is 40.0 ms, but 20.0") {
		t.Errorf("%q", got.Reasons)
	}
}

// What the machine was busy with is only held against a generator that had to wait for it.
func TestJudgeSharedMachine(t *testing.T) {
	for _, tt := range []struct {
		name     string
		edit     func(*rundoc.Run)
		want     string
		unsaid   string
		noReason bool
	}{
		{name: "it waited for half of what it ran", noReason: true,
			edit: func(r *rundoc.Run) { r.Generator.RunDelayNS = new(int64(2_000 * ms)) }},
		{name: "it waited for more", edit: func(r *rundoc.Run) { r.Generator.RunDelayNS = new(int64(2_001 * ms)) },
			want: "Target and generator share this machine, which was 91% busy (limit 90%; generator 20%, target 60%, others " +
				"11%), and the generator waited 2.00 s for a CPU, 0.500 times as long as it ran (limit 0.5 times). Stop " +
				"other programs. Move the target"},
		{name: "the machine was not so busy", noReason: true,
			edit: func(r *rundoc.Run) { r.Generator.RunDelayNS, r.Generator.MachineShare = new(int64(3_000*ms)), 0.9 }},
		{name: "the target is elsewhere", noReason: true,
			edit: func(r *rundoc.Run) { r.Generator.RunDelayNS, r.Target.SameHost = new(int64(3_000*ms)), false }},
		{name: "the target is elsewhere, and it waited for long", unsaid: "share",
			edit: func(r *rundoc.Run) { r.Generator.RunDelayNS, r.Target.SameHost = new(int64(9_000*ms)), false },
			want: "Stop other programs on its CPUs"},
		{name: "the target's part is not known", unsaid: "share this machine", edit: func(r *rundoc.Run) {
			r.Generator.RunDelayNS, r.Target.CPUUserNS = new(int64(3_000*ms)), 0
		}, want: "The target's address is on this machine, which was 91% busy (limit 90%; generator 20%, target unknown), " +
			"and the generator waited"},
		{name: "hardly any of the target's part is known", edit: func(r *rundoc.Run) {
			r.Generator.RunDelayNS, r.Target.CPUUserNS = new(int64(3_000*ms)), 1
		}, want: "Target and generator share this machine"},
		{name: "nor whether it waited", unsaid: "share this machine", edit: func(r *rundoc.Run) {
			r.Generator.RunDelayNS, r.Target.CPUUserNS = nil, 0
		}, want: "is on this machine, which was 91% busy"},
		{name: "the part of a server of ours is not known", edit: func(r *rundoc.Run) {
			r.Generator.RunDelayNS, r.Target.CPUUserNS, r.Target.Embedded = new(int64(3_000*ms)), 0, true
		}, want: "Target and generator share this machine, which was 91% busy (limit 90%; generator 20%), and"},
		{name: "nobody knows whether it waited", edit: func(r *rundoc.Run) { r.Generator.RunDelayNS = nil },
			want: "whether they waited for each other is unknown.", unsaid: "limit 0.5 times"},
	} {
		run := watched(soundRun(t))
		run.Generator.MachineShare, run.Target.SameHost, run.Target.CPUUserNS = 0.91, true, 12_000*ms
		tt.edit(run)
		text := strings.Join(rundoc.Judge(run).Reasons, "\n")
		if tt.noReason != (text == "") || !strings.Contains(text, tt.want) ||
			tt.unsaid != "" && strings.Contains(text, tt.unsaid) {
			t.Errorf("%s: %s", tt.name, text)
		}
		if run.SharedMachine() != (strings.Contains(text, "share this machine")) {
			t.Errorf("%s: shared %v", tt.name, run.SharedMachine())
		}
	}
}

// A watch that was not to be had is named, and nothing is plainly valid then.
func TestVerdictNamesMissingProbes(t *testing.T) {
	unseen := []string{"run delay: not Linux"}
	run := watched(soundRun(t))
	run.Generator.Unseen = unseen
	if diff := cmp.Diff(rundoc.Verdict{Validity: rundoc.Seen, Reasons: []string{}, Unseen: unseen, Rules: rundoc.Rules},
		rundoc.Judge(run)); diff != "" {
		t.Error(diff)
	}
	run.Conclude()
	if r := rundoc.Reread(run); r.Verdict.Validity != rundoc.Seen || len(r.Notes) != 0 {
		t.Errorf("%+v", r)
	}
	run.Generator.Unseen = nil
	if r := rundoc.Reread(run); r.Verdict.Validity != rundoc.Valid || len(r.Notes) != 1 {
		t.Errorf("of a watch that was taken out: %+v", r)
	}
	run.Generator.Unseen, run.Generator.GCShare, run.Generator.CPUShare = unseen, 0.5, 0.5
	if v := rundoc.Judge(run); v.Validity != rundoc.Suspect || len(v.Unseen) != 1 {
		t.Errorf("%+v", v)
	}
}

func TestLittleBound(t *testing.T) {
	for _, tt := range []struct {
		name   string
		little rundoc.Little
		bound  float64
		judged bool
	}{
		// 2% of 30, 4.5 √(100 ÷ 400) and 3 ÷ 400.
		{"by its variance", rundoc.Little{InFlightPredicted: 30, Samples: 400, Variance: 100, Slots: 1000}, 2.8575, true},
		// 30 · (1 − 30/40) = 7.5 is more than the variance.
		{"by its slots", rundoc.Little{InFlightPredicted: 30, Samples: 400, Variance: 1, Slots: 40}, 1.2237, true},
		{"all slots busy", rundoc.Little{InFlightPredicted: 32, Samples: 100, Slots: 32}, 0.67, true},
		{"hardly any in flight", rundoc.Little{InFlightPredicted: 0.02, Samples: 1000, Slots: 32}, 0.0235, false},
		{"few in flight, many samples", rundoc.Little{InFlightPredicted: 0.02, Samples: 10_000, Slots: 32}, 0.0071, true},
		{"two samples", rundoc.Little{InFlightPredicted: 30, Samples: 2, Slots: 32}, 6.46, true},
		{"one sample", rundoc.Little{InFlightPredicted: 30, Samples: 1, Slots: 32}, 9.76, true},
		{"no samples", rundoc.Little{InFlightPredicted: 30, Slots: 32}, 0, false},
		{"nothing in flight", rundoc.Little{Samples: 30, Slots: 32}, 0, false},
		{"measured over time", rundoc.Little{InFlightSampled: 0.02, InFlightPredicted: 0.02, Slots: 32}, 0.0004, true},
		{"not measured", rundoc.Little{InFlightPredicted: 0.02, Slots: 32}, 0, false},
		{"rules 1", rundoc.Little{InFlightPredicted: 100, Samples: 100}, 2, true},
		{"rules 1, few samples", rundoc.Little{InFlightPredicted: 1000, Samples: 99}, 20, false},
		{"rules 1, few in flight", rundoc.Little{InFlightPredicted: 99, Samples: 100}, 1.98, false},
	} {
		bound, judged := tt.little.Bound()
		if judged != tt.judged || bound < 0.99*tt.bound || bound > 1.01*tt.bound || tt.little.Judged() != judged {
			t.Errorf("%s: %.4f, %v", tt.name, bound, judged)
		}
		// Just inside of the bound and just outside.
		for _, off := range []float64{-1.01, -0.99, 0.99, 1.01} {
			run := soundRun(t)
			run.Ledger.Clients, run.Ledger.States = int(tt.little.Slots), nil
			run.Ledger.States = map[string]int64{rundoc.StateIdle: int64(run.Ledger.Clients) * run.Ledger.WindowNS}
			run.Little = tt.little
			run.Little.InFlightSampled = run.Little.InFlightPredicted + off*bound
			// What cannot be is a broken law besides, and nothing else is one.
			slots := float64(tt.little.Slots)
			broken := slots > 0 && run.Little.InFlightSampled > 1.01*slots
			text := strings.Join(rundoc.Judge(run).Reasons, "\n")
			told := strings.Contains(text, "Little's law: ") &&
				(strings.Contains(text, " samples, but ") || strings.Contains(text, "recorded times"))
			if told != (judged && (off < -1 || off > 1)) || strings.Contains(text, "invariant violated") != broken {
				t.Errorf("%s: %+.2f of the bound: %q", tt.name, off, text)
			}
		}
	}
}

// A document of the rules 1 has none of these figures, and is judged by those that it has.
func TestMissingMetricsRaiseNoReason(t *testing.T) {
	run := soundRun(t)
	run.Plan = json.RawMessage(`{"load":{"rate_per_s":300}}`)
	if own := run.OwnReasons(); len(own) != 0 {
		t.Errorf("%q", own)
	}
}
