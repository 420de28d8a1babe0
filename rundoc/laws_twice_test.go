package rundoc

import (
	"errors"
	"slices"
	"testing"
	"time"
)

func TestEdgesOfHistograms(t *testing.T) {
	// of has one exact figure that is not its histogram's, of times from 1 µs on or around 1 s.
	of := func(s Summary, edit func(*Summary)) Run {
		return Run{Connections: Connections{ConnectTime: edited(s, edit)}}
	}
	law := func(j *judgement) {
		s := &j.run.Connections.ConnectTime
		h, err := j.samples.of(s)
		if err != nil {
			t.Fatal(err)
		}
		j.byHistogram("time", s, h)
	}
	few, long := timesOf(1000, 1000), timesOf(1<<29, 1<<29)
	part := func(perTenThousand int64) func(*Summary) {
		return func(s *Summary) { s.MinNS -= s.MinNS / 10_000 * perTenThousand }
	}
	hold(t, law, []edge{
		{"sound", of(few, func(*Summary) {}), ""},
		{"2 ns and 0.2 % off", of(few, func(s *Summary) { s.MinNS -= 4 }), ""},
		{"3 ns and 0.2 % off", of(few, func(s *Summary) { s.MinNS -= 5 }), "the minimum is 995 ns, but 1.00 µs by its histogram"},
		{"a maximum 2 ns and 0.2 % off", of(few, func(s *Summary) { s.MaxNS += 4 }), ""},
		{"a maximum further off", of(few, func(s *Summary) { s.MaxNS += 5 }), "the maximum is"},
		{"a mean further off", of(few, func(s *Summary) { s.MeanNS += 5 }), "the mean is"},
		{"a deviation of 2 ns of none", of(few, func(s *Summary) { s.StddevNS += 2 }), ""},
		{"a deviation further off", of(few, func(s *Summary) { s.StddevNS += 3 }), "the deviation is"},
		{"0.19 % off", of(long, part(19)), ""},
		{"0.21 % off", of(long, part(21)), "the minimum is"},
		{"no minimum", of(few, func(s *Summary) { s.MinNS = 0 }), ""},
		{"a minimum of a ns", of(few, func(s *Summary) { s.MinNS = 1 }), "the minimum is 1.00 ns"},
		{"a maximum above what it can have", of(timesOf(1<<42, 1<<42), func(s *Summary) { s.MaxNS *= 2 }), ""},
	})
}

func TestEdgesOfRates(t *testing.T) {
	of := func(window int64, o Operation) Run { return Run{Ledger: lasts(window), Operations: []Operation{o}} }
	hold(t, (*judgement).rates, []edge{
		{"an operation more than ended", of(second, Operation{OK: 5, Carried: 5, RatePerS: 11}), ""},
		{"more than that", of(second, Operation{OK: 5, Carried: 5, RatePerS: 11.5}), "11.5/s"},
		{"a millionth more", of(second, Operation{OK: 1e9, RatePerS: 1e9 + 1e3}), ""},
		{"a millionth and a half more", of(second, Operation{OK: 1e9, RatePerS: 1e9 + 1.5e3}), "1.000002e+09/s"},
		{"a byte more than was sent", of(second, Operation{Bytes: 10, BytesPerS: 11}), ""},
		{"more bytes than that", of(second, Operation{Bytes: 10, BytesPerS: 11.5}), "11.5 B/s"},
		{"a millionth more bytes", of(second, Operation{Bytes: 1e9, BytesPerS: 1e9 + 1e3}), ""},
		{"a millionth and a half more bytes", of(second, Operation{Bytes: 1e9, BytesPerS: 1e9 + 1.5e3}), "1.000002e+09 B/s"},
		{"bytes of what was carried", of(second, Operation{Carried: 1, BytesPerS: 500}), ""},
		{"a rate below zero", of(second, Operation{RatePerS: -1}), "-1/s"},
		{"bytes below zero", of(second, Operation{BytesPerS: -1}), "-1 B/s"},
		{"the shortest window", of(1, Operation{RatePerS: 3e9}), "3e+09/s"},
		{"a window that is not known", of(0, Operation{RatePerS: -1}), ""},
	})
}

func TestEdgesOfWhatIsSaidTwice(t *testing.T) {
	window := func(ledger, phase int64) Run {
		return Run{Ledger: lasts(ledger), Phases: []Phase{{Name: PhaseWindow, DurationNS: phase}}}
	}
	rate := func(phase, operations float64) Run {
		r := window(second, second)
		r.Phases[0].RatePerS, r.Operations = phase, []Operation{{OK: 1e9, RatePerS: operations}}
		return r
	}
	little := func(sampled, difference float64) Run {
		return Run{Little: Little{InFlightSampled: sampled, InFlightPredicted: 1, Difference: difference}}
	}
	connections := func(opened int64, times Summary) Run {
		return Run{Connections: Connections{Opened: opened, ConnectTime: times}}
	}
	hold(t, (*judgement).twice, []edge{
		{"a window as long as the ledger's", window(5, 5), ""},
		{"a window longer than the shortest of a ledger", window(1, 5), "the window is 5.00 ns long, but 1.00 ns by the ledger"},
		{"a window without a ledger", window(0, 5), ""},
		{"a rate that the window has not", rate(0, 1e6), ""},
		{"a rate a millionth less", rate(1e6-0.9, 1e6), ""},
		{"a rate two millionths less", rate(1e6-2, 1e6), "the window has 999998/s"},
		{"connections without a time", connections(3, Summary{}), ""},
		{"a connection that has no time", connections(3, timesOf(5, 6)), "3 were opened, and 2 have a time"},
		{"one opened, and no more", connections(2, timesOf(5)), "2 were opened, and 1 have a time"},
		{"a difference that is not known", little(3, 0), ""},
		{"a difference of nothing predicted", Run{Little: Little{InFlightSampled: 3, Difference: 1}}, ""},
		{"a difference within two millionths", little(2.0000019, 1), ""},
		{"a difference beyond them", little(2.0000021, 1), "do not differ by 1"},
		{"a difference below, within them", little(0.1+1.8e-6, -0.9), ""},
		{"a difference below, beyond them", little(0.1+2e-6, -0.9), "do not differ by -0.9"},
	})
}

func TestEdgesOfPhases(t *testing.T) {
	start := time.Unix(1e9, 0)
	// lasting has a run of 10 s, and phases of so many.
	lasting := func(s float64, clockStep int64) Run {
		return Run{Started: start, Ended: start.Add(10 * time.Second), Generator: Generator{ClockStepNS: clockStep},
			Phases: []Phase{{Name: PhaseWindow, DurationNS: int64(s * second)}}}
	}
	of := func(p Phase) Run { return Run{Phases: []Phase{p}} }
	hold(t, (*judgement).phases, []edge{
		{"a second longer than the run", lasting(11, 0), ""},
		{"more than that", lasting(11.1, 0), "they last 11.1 s in all, but the run lasted 10 s"},
		{"a second and a step longer", lasting(12, -second), ""},
		{"more than that step", lasting(12.1, second), "they last 12.1 s"},
		{"a run of which nobody knows when", of(Phase{DurationNS: 99 * second}), ""},
		{"all ok", of(Phase{Operations: 1, OK: 1}), ""},
		{"nothing", of(Phase{}), ""},
		{"one ok too many", of(Phase{Operations: 1, OK: 2}), "1 operations, 2 of them ok"},
		{"ok below zero", of(Phase{OK: -1}), "-1 of them ok"},
		{"operations below zero", of(Phase{OK: -2, Operations: -1}), "-1 operations"},
		{"no time", of(Phase{DurationNS: -1}), "in -1.00 ns"},
		{"a mean below zero", of(Phase{MeanNS: -1}), "0 operations"},
		{"a rate below zero", of(Phase{RatePerS: -1}), "0 operations"},
	})
}

func TestEdgesOfWhatWasUsed(t *testing.T) {
	// of has a machine with so many CPUs, of which the generator may use some, and used so many seconds.
	of := func(window int64, cpus int, may, used float64) Run {
		return Run{Ledger: lasts(window), Host: Host{CPUs: cpus},
			Generator: Generator{CPUs: may, CPUUserNS: int64(used * second)}}
	}
	share := func(cpus int, may, used, machine float64) Run {
		return Run{Host: Host{CPUs: cpus}, Generator: Generator{CPUs: may, CPUShare: used, MachineShare: machine}}
	}
	within := func(window int64, r Run) Run {
		r.Ledger = lasts(window)
		return r
	}
	late := func(n int64) Run {
		return Run{Operations: []Operation{{Scheduled: 3}}, Generator: Generator{OwnLate: &n}}
	}
	hold(t, (*judgement).used, []edge{
		{"a tenth and a second more than a CPU", of(second, 1, 1, 2.09), ""},
		{"more than that", of(second, 1, 1, 2.11), "it used 2.11 s of CPU in a window of 1.00 s on 1 CPUs"},
		{"what it may use of CPUs that were switched off since", of(second, 1, 2, 3.19), ""},
		{"more than it may use", of(second, 1, 2, 3.21), "it used 3.21 s"},
		{"on CPUs that nobody counted", of(second, 0, 0, 9), ""},
		{"in the shortest window", of(1, 1, 1, 9), "it used 9 s"},
		{"in a window that is not known", of(0, 1, 1, 9), ""},
		{"less than nothing in its own code", Run{Generator: Generator{CPUUserNS: -1}}, "it used -1e-09 s of CPU"},
		{"less than nothing in the system", Run{Generator: Generator{CPUSystemNS: -1}}, "it used -1e-09 s of CPU"},
		{"less than nothing of its CPUs", share(2, 2, -0.01, 0), "it used -1"},
		{"less than nothing of the machine's", share(2, 2, 0, -0.01), "were -1"},
		{"a tenth more of its CPUs, and of the machine's", share(2, 2, 1.1, 1.1), ""},
		{"more of its CPUs", share(2, 2, 1.11, 0), "it used 111 %"},
		{"more of the machine's", share(2, 2, 0, 1.11), "111 % busy"},
		{"its CPUs, and the machine's others", share(4, 2, 2.19, 0), ""},
		{"more than those", share(4, 2, 2.21, 0), "it used 221 %"},
		{"half a CPU of one, and the rest of it", share(1, 0.5, 2.19, 0), ""},
		{"more than that one", share(1, 0.5, 2.21, 0), "it used 221 %"},
		{"CPUs that are not known", share(4, 0, 1.11, 0), "it used 111 %"},
		{"a tick more of its CPUs", within(second/10, share(2, 2, 1.19, 0)), ""},
		{"more than a tick more", within(second/10, share(2, 2, 1.21, 0)), "it used 121 %"},
		{"a tick in the shortest window", within(1, share(2, 2, 9e6, 0)), ""},
		{"a tick more of the machine's, which are counted in ticks", within(second/10, share(2, 2, 0, 1.19)), "119 % busy"},
		{"all of them late", late(3), ""},
		{"one more late", late(4), "4 operations started late, of 3"},
	})
}

func TestEdgesOfCourses(t *testing.T) {
	// of has a point, and operations of at most 10 µs.
	of := func(p50, p99, carried int64) Run {
		return Run{Series: []Point{{P50NS: p50, P99NS: p99}},
			Operations: []Operation{{Carried: carried, ResponseTime: timesOf(10_000)}}}
	}
	unreadable := func(j *judgement) {
		j.totalErr = errors.New("a histogram that cannot be read")
		j.courses()
	}
	hold(t, (*judgement).courses, []edge{
		{"as fast as each other", of(5000, 5000, 0), ""},
		{"a p50 above the p99", of(5001, 5000, 0), "a p50 of 5.00 µs and a p99 of 5.00 µs"},
		{"a p50 above the shortest p99", of(2, 1, 0), "a p50 of 2.00 ns and a p99 of 1.00 ns"},
		{"no p99", of(5000, 0, 0), ""},
		{"2 % and 100 ns above the slowest", of(0, 10_300, 0), ""},
		{"more than that above", of(0, 10_301, 0), "a p99 of 10.3 µs, and the slowest operation took 10.0 µs"},
		{"a p50 more than that above", of(10_301, 0, 0), "a p50 of 10.3 µs"},
		{"above the slowest, where some were carried", of(0, 99_000, 1), ""},
	})
	hold(t, unreadable, []edge{{"above a slowest that is not known", of(0, 99_000, 0), ""}})
}

func TestEdgesOfSlices(t *testing.T) {
	// of has slices from these seconds on, of a second each and the last of so many.
	of := func(window, last int64, from ...int64) Run {
		r := Run{Ledger: lasts(window)}
		for _, s := range from {
			r.Slices = append(r.Slices, Slice{FromS: s, Seconds: 1})
		}
		r.Slices[len(from)-1].Seconds = last
		return r
	}
	var most []int64
	for i := range int64(MaxSlices) {
		most = append(most, i)
	}
	hold(t, (*judgement).slices, []edge{
		{"none", Run{}, ""},
		{"seconds of a window", of(2*second, 1, 0, 1), ""},
		{"a slice of no time", of(2*second, 0, 0, 1), "slices: one of 0 s from second 1"},
		{"a slice beyond a part of a second", of(second+1, 1, 0, 1), ""},
		{"a slice beyond the window", of(second, 1, 0, 1), "from second 1 follows second 1 in a window of 1.00 s"},
		{"a slice beyond the shortest window", of(1, 1, 0, 1), "from second 1 follows second 1"},
		{"slices of a window that is not known", of(0, 1, 0, 1), ""},
		{"the most slices", of(0, 1, most...), ""},
		{"one more", of(0, 1, append(slices.Clone(most), MaxSlices)...), "there are 121, more than 120"},
	})
}

func TestEdgesOfTheTimesOfSlices(t *testing.T) {
	// of has twenty times in a slice, and in the operations.
	of := func(slice, operations int64) Run {
		h := NewSliceHistogram()
		if err := h.RecordValues(min(slice, sliceMost), 20); err != nil {
			t.Fatal(err)
		}
		return Run{Slices: []Slice{{Seconds: 1, ResponseTime: SummarizeSlice(h)}},
			Operations: []Operation{{ResponseTime: same(operations, 20)}}}
	}
	// A slice counts in steps of 128 ns, and a percentile is the end of one.
	hold(t, (*judgement).slices, []edge{
		{"the same", of(10_000, 10_000), ""},
		{"4 % and two steps less", of(128*40-1, 5598), ""},
		{"more than that less", of(128*40-1, 5599), "the p50 of all is 5.12 µs, but 5.60 µs by the operations"},
		{"three steps above nothing", of(383, 100), "the p50 of all is 383 ns"},
		{"two steps above", of(255, 100), ""},
		{"longer than a slice can tell", of(100, sliceMost), ""},
	})
}

func TestEdgesOfWhatIsOffered(t *testing.T) {
	of := func(scheduled int64, points ...Point) Run {
		return Run{Series: points, Operations: []Operation{{Scheduled: scheduled, Causes: []Cause{
			{Cause: "a", Count: 9}, {Cause: "b", Count: 1}}}}}
	}
	all := func(n int64) []Cause {
		return slices.Repeat([]Cause{{Cause: "a", Count: 1}}, int(n))
	}
	own := func(longest, p99 int64) Run {
		r := of(0, Point{OwnP99NS: p99})
		r.Generator.OwnDelay = new(timesOf(longest))
		return r
	}
	hold(t, (*judgement).offeredOverTime, []edge{
		{"none offered", of(0, Point{Offered: new(int64(0))}), ""},
		{"less than none", of(-1, Point{Offered: new(int64(-1))}), "offered in second 0 are negative"},
		{"one offered", of(1, Point{Offered: new(int64(1))}), ""},
		{"one told of two", of(1, Point{Offered: new(int64(1))}, Point{Second: 1}), "1 of 2 points say"},
		{"the most causes", of(0, Point{Causes: all(9)}), ""},
		{"one more", of(0, Point{Causes: append(all(9), Cause{Cause: "b", Count: 1})}), "10 causes, more than 9"},
		{"a cause as often as can be", of(0, Point{Causes: []Cause{{Cause: "a", Count: 9}}}), ""},
		{"own delays 4 % and two steps longer", own(10_000, 10_656), ""},
		{"own delays longer than that", own(10_000, 10_657), "the own delay of second 0 has a p99 of 10.7 µs"},
		{"own delays of no known length", of(0, Point{OwnP99NS: 99_000}), ""},
	})
}
