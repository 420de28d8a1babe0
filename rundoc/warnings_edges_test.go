package rundoc

import (
	"strings"
	"testing"
)

// warned are the warnings of a run by one of their kind, each with its code.
func warned(run *Run, total *Operation, by func(*warnings)) (all []string) {
	w := warnings{run: run, total: total}
	by(&w)
	for _, warning := range w.list {
		all = append(all, warning.Code+" "+warning.Message)
	}
	return all
}

// holdWarning wants one warning, which begins so, or none where that is "".
func holdWarning(t *testing.T, name string, got []string, want string) {
	t.Helper()
	if want == "" && len(got) > 0 || want != "" && (len(got) != 1 || !strings.HasPrefix(got[0], want)) {
		t.Errorf("%s: %q, want %q", name, got, want)
	}
}

// These codes stand in documents that others read: they stay.
func TestEdgesOfTheCodesOfWarnings(t *testing.T) {
	for is, want := range map[string]string{
		WarnInterrupted: "interrupted", WarnAborted: "aborted", WarnClientsLost: "clients-lost", WarnDeadSeconds: "dead-seconds",
		WarnTargetBehind: "target-behind", WarnGenerator: "generator-behind", WarnTooFew: "clients-too-few",
		WarnLoadBehind: "load-behind", WarnWaited: "waited-for-client", WarnUnfinished: "unfinished",
		WarnSmallSample: "percentiles-absent", WarnSamplesLost: "samples-lost", WarnGaps: "gaps", WarnFilesFailed: "files-failed",
		WarnCloseSlow: "close-slow", WarnChecksum: "checksum-mismatch", WarnOwnTime: "instrument-slow", WarnStandstill: "standstill",
		WarnReopened: "reopened", WarnFilesLeft: "files-left", WarnRedelivered: "redelivered", WarnUnreadable: "unreadable",
		WarnBacklog: "backlog", WarnLeftOut: "left-out", WarnSpread: "times-spread", WarnOwnStamps: "own-stamps",
		WarnReadLate: "read-late", WarnReceiversAway: "receivers-away", WarnNoRule: "no-rule", WarnConcurrent: "concurrent",
		WarnConnected: "new-connections", WarnBusyUnknown: "busy-unknown",
	} {
		if is != want {
			t.Errorf("%q, want %q", is, want)
		}
	}
}

func TestEdgesOfWarnings(t *testing.T) {
	lost := func(ns int64) Run {
		return Run{Ledger: Ledger{Clients: 1, WindowNS: 1000, States: map[string]int64{StateConnecting: ns}}}
	}
	gaps := func(ns int64) Run {
		return Run{Ledger: lasts(1000), Generator: Generator{Hiccups: &Hiccups{Long: 1, LongNS: ns}}}
	}
	none := Run{}
	interrupted, aborted := Run{Interrupted: true, Ledger: lasts(second)}, Run{Aborted: "p99<1ms", Ledger: lasts(second)}
	file := func(s *SamplesFile) func(*warnings) { return func(w *warnings) { w.fileLost("rows", s) } }
	clients := func(w *warnings) { w.clientsLost("client") }
	for _, tt := range []struct {
		name  string
		run   Run
		total Operation
		by    func(*warnings)
		want  string
	}{
		{"a twentieth of the time away", lost(50), Operation{}, clients, ""},
		{"more away", lost(51), Operation{}, clients, WarnClientsLost + " The clients spent 5.1 %"},
		{"a fifth away", lost(200), Operation{}, clients, WarnClientsLost},
		{"more than is a warning", lost(201), Operation{}, clients, ""},
		{"no gap", gaps(0), Operation{}, (*warnings).gaps, ""},
		{"a short gap", gaps(1), Operation{}, (*warnings).gaps, WarnGaps + " The generator did not run for 1.00 ns, in one gap"},
		{"a gap of two thousandths", gaps(2), Operation{}, (*warnings).gaps, WarnGaps},
		{"more than is a warning", gaps(3), Operation{}, (*warnings).gaps, ""},
		{"one unfinished", none, Operation{Unfinished: 1}, (*warnings).outcomes, WarnUnfinished + " 1 operations had not ended"},
		{"all finished", none, Operation{}, (*warnings).outcomes, ""},
		{"no times", none, Operation{}, (*warnings).sample, ""},
		{"one time", none, Operation{ResponseTime: Summary{Count: 1, P50NS: new(int64)}}, (*warnings).sample,
			WarnSmallSample + " 1 response times are too few for p90, p95, p99, p99.9: a percentile is shown if 10 of them"},
		{"a p99", none, Operation{ResponseTime: Summary{Count: 1, P99NS: new(int64)}}, (*warnings).sample, ""},
		{"no file", none, Operation{}, file(nil), ""},
		{"a whole file", none, Operation{}, file(&SamplesFile{Path: "x", Written: 5}), ""},
		{"a file without one", none, Operation{}, file(&SamplesFile{Path: "x", Written: 5, Lost: 1}), WarnSamplesLost +
			" 1 rows were not written to x; it holds 5."},
		{"a file with an error", none, Operation{}, file(&SamplesFile{Path: "x", Error: "full"}), WarnSamplesLost +
			" 0 rows were not written to x (full); it holds 0."},
	} {
		holdWarning(t, tt.name, warned(&tt.run, &tt.total, tt.by), tt.want)
	}
	for want, run := range map[string]*Run{"interrupted": &interrupted, "aborted": &aborted} {
		if list := Warnings(run); len(list) != 1 || list[0].Code != want {
			t.Errorf("%s: %+v", want, list)
		}
	}
}

func TestEdgesOfDeadSeconds(t *testing.T) {
	at := func(second, ok int64) Point { return Point{Second: second, OK: ok} }
	long := func(second, seconds, ok int64) Point { return Point{Second: second, Seconds: seconds, OK: ok} }
	stages := func(ns, rate string) string {
		return `{"load":{"stages":[{"duration_ns":` + ns + `,"rate_per_s":` + rate + `},{"duration_ns":9000000000,"rate_per_s":` + rate + `}]}}`
	}
	one := `{"load":{"stages":[{"duration_ns":2000000000,"rate_per_s":20}]}}`
	const in, last = WarnDeadSeconds + " Not one operation ended ok in ", WarnDeadSeconds + " Not one operation ended ok in the last "
	for _, tt := range []struct {
		name   string
		window int64
		plan   string
		points []Point
		want   string
	}{
		{"no series", 2 * second, "", nil, ""},
		{"less than a second", second - 1, "", []Point{at(0, 1000)}, ""},
		{"no dead second", 2 * second, "", []Point{at(0, 19), at(1, 1)}, ""},
		{"the last dead", 2 * second, "", []Point{at(0, 20)}, last + "1 s of 2, although 10/s did"},
		{"the last dead, of one second", second, "", []Point{at(0, 0), at(1, 9)}, ""},
		{"the last dead, at a rate that is rounded up", 2 * second, "", []Point{at(0, 21)}, last + "1 s of 2, although 11/s did"},
		{"the last two dead", 4 * second, "", []Point{at(0, 20), at(1, 20)}, last + "2 s of 4"},
		{"the first dead", 2 * second, "", []Point{at(1, 20)}, in + "1 s of 2, the first of them 0 s after the start, although 10/s did"},
		{"the first dead, at a rate that is rounded up", 2 * second, "", []Point{at(1, 21)}, in + "1 s of 2, the first of them 0 s after " +
			"the start, although 11/s did"},
		{"two apart dead", 4 * second, "", []Point{at(0, 20), at(2, 20)}, in + "2 s of 4, the first of them 1 s after"},
		{"two in the middle dead", 4 * second, "", []Point{at(0, 20), at(3, 20)}, in + "2 s of 4, the first of them 1 s after"},
		{"a second with one", 2 * second, "", []Point{at(0, 30), at(1, 1)}, ""},
		{"a second with nothing", 2 * second, "", []Point{at(0, 20), at(1, 0)}, last + "1 s of 2"},
		{"at a low rate", 2 * second, "", []Point{at(0, 19)}, ""},
		{"with a second after the window", 2 * second, "", []Point{at(0, 19), at(2, 9)}, ""},
		{"with a second before it", 2 * second, "", []Point{at(-1, 9), at(0, 19)}, ""},
		{"points of two seconds", 4 * second, "", []Point{long(0, 2, 20), long(2, 2, 20)}, ""},
		{"a point of two seconds, and one", 4 * second, "", []Point{long(0, 2, 20), at(2, 20)}, last + "1 s of 4"},
		{"points that overlap", 3 * second, "", []Point{long(0, 2, 20), long(1, 2, 20)}, ""},
		{"a point of all time", 2 * second, "", []Point{long(1, 1<<62, 20)}, in + "1 s of 2"},

		{"of a stage that begins slowly", 3 * second, stages("2000000000", "20"), []Point{at(1, 20), at(2, 20)}, ""},
		{"of a stage that begins quickly", 3 * second, stages("1000000000", "20"), []Point{at(1, 20), at(2, 20)}, in + "1 s of 3"},
		{"of one stage", 3 * second, one, []Point{at(1, 20), at(2, 20)}, ""},
	} {
		run := Run{Ledger: lasts(tt.window), Series: tt.points, Plan: []byte(tt.plan)}
		holdWarning(t, tt.name, warned(&run, new(Operation), (*warnings).deadSeconds), tt.want)
	}
}

// loaded is a run of a second, with so many operations, of which ten were not sent, and 32 slots of which so many were in
// use. Each operation took 100 ms, and one in ten no longer than that; quick is 0 where that is not known.
func loaded(operations int64, inUse float64, quick int64) *Run {
	free := Summary{Count: 100, MeanNS: 1e8}
	if quick > 0 {
		free = edited(same(quick, 100), func(s *Summary) { s.MeanNS = 1e8 })
	} else {
		free.Count = 0
	}
	return &Run{Ledger: Ledger{Clients: 32, WindowNS: second}, Plan: []byte(`{"load":{"rate_per_s":330}}`),
		Little: Little{Slots: 32, InFlightPredicted: inUse},
		Operations: []Operation{{Scheduled: operations, Unsent: 10,
			ServiceTime: Summary{Count: 100, MeanNS: 1e8, P50NS: new(int64(1e8)), Free: &free}}}}
}

func TestEdgesOfTheOpenModel(t *testing.T) {
	late := loaded(330, 28.8, 0)
	late.Generator.OwnLate, late.Generator.OwnDelayP99NS, late.Generator.SendDelayP99NS = new(int64(9)), 9, 10
	pausing := loaded(330, 16, 0)
	pausing.Flows, pausing.Ledger.States = []FlowFigures{{Started: 320}}, map[string]int64{StatePausing: 32 * 4e8}
	sent := loaded(1000, 0, 0)
	hardly := loaded(999, 0, 0)
	unfinished := loaded(1000, 0, 0)
	unfinished.Operations[0].Unfinished = 1
	for _, tt := range []struct {
		name string
		run  *Run
		want string
	}{
		{"a hundredth not sent", sent, ""},
		{"more not sent", hardly, WarnLoadBehind + " The load was not carried in full: 10 of 999 operations were not sent"},
		{"one unfinished besides", unfinished, WarnLoadBehind},
		{"too few clients", loaded(330, 28.8, 0), WarnTooFew + " The clients were too few for the load: 10 of 330 operations were not sent " +
			"and 0 unfinished (3.03 %). 330 a second of 100 ms each are 33 at the same time, and 32 may be. Raise --clients to 42 or more"},
		{"too few clients, which were not busy", loaded(330, 28.79, 0), WarnLoadBehind},
		{"a target that was quicker", loaded(330, 28.8, 96_000_000), WarnTargetBehind + " The target did not keep up with the load: 10"},
		{"a target that was quicker, and not busy", loaded(330, 28.79, 96_000_000), WarnLoadBehind},
		{"a target that was just enough", loaded(320, 28.8, 96_000_000), WarnLoadBehind},
		{"a late generator", late, WarnGenerator + " The generator did not keep up with the load: 10"},
		{"too few clients, which paused", pausing, WarnTooFew},
	} {
		total := tt.run.Operations[0]
		holdWarning(t, tt.name, warned(tt.run, &total, func(w *warnings) { w.behind("client") }), tt.want)
	}
	one := loaded(1, 0, 0)
	none, closed := loaded(0, 0, 0), loaded(1, 0, 0)
	closed.Plan = nil
	for want, run := range map[string]*Run{"one": one, "": none, "closed": closed} {
		total := run.Operations[0]
		got := warned(run, &total, func(w *warnings) { w.openModel("client") })
		if (len(got) > 0) != (want == "one") {
			t.Errorf("%q: %q", want, got)
		}
	}
}

func TestEdgesOfALateGenerator(t *testing.T) {
	for _, tt := range []struct {
		late, own, send int64
		want            bool
	}{
		{5, 0, 0, false}, {6, 0, 0, true}, {60, 0, 1, false}, {60, 1, 1, true}, {1, 51, 100, true}, {0, 51, 100, false},
		{1, 50, 100, false}, {1, 0, 100, false},
	} {
		g := Generator{OwnLate: &tt.late, OwnDelayP99NS: tt.own, SendDelayP99NS: tt.send}
		w := warnings{run: &Run{Generator: g}, total: &Operation{Scheduled: 13, Unsent: 3}}
		if got := w.generatorLate(); got != tt.want {
			t.Errorf("%+v: %t", tt, got)
		}
	}
	hundredth := warnings{run: &Run{Generator: Generator{OwnLate: new(int64(1)), OwnDelayP99NS: 9, SendDelayP99NS: 9}},
		total: &Operation{Scheduled: 100}}
	if hundredth.generatorLate() {
		t.Error("late, by one of a hundred")
	}
}

func TestEdgesOfWaiting(t *testing.T) {
	// waiting is loaded, and the p99 of the wait is so much of which the generator itself caused so much.
	waiting := func(run *Run, send, own int64) *Run {
		run.Generator.SendDelayP99NS, run.Generator.OwnDelayP99NS = send, own
		return run
	}
	unknown := func(send int64) *Run {
		run := waiting(loaded(330, 16, 0), send, 0)
		run.Little.Slots = 0
		return run
	}
	mean := func(run *Run, response int64) *Run {
		run.Operations[0].ResponseTime.Free = &Summary{MeanNS: response}
		return run
	}
	noP50 := unknown(2e8)
	noP50.Operations[0].ServiceTime.P50NS = nil
	noFree := unknown(0)
	noFree.Operations[0].ServiceTime.Free = nil
	soon := mean(unknown(1), 9e8)
	soon.Operations[0].ServiceTime.P50NS = new(int64)
	const waited = WarnWaited + " One operation in a hundred waited "
	for _, tt := range []struct {
		name string
		run  *Run
		want string
	}{
		{"no longer than the service", unknown(1e8), ""},
		{"longer than the service", unknown(1e8 + 1), waited + "100 ms or more for a free client. The response times"},
		{"longer, but for the generator", waiting(loaded(330, 16, 0), 2e8, 1e8), ""},
		{"longer than nobody knows what", noP50, ""},
		{"longer on average", mean(unknown(0), 2e8+1), WarnWaited + " The operations waited 100 ms on average for a free client. The response"},
		{"no longer on average", mean(unknown(0), 2e8), ""},
		{"on average, and nobody knows of the service", mean(noFree, 3e8), ""},
		{"nobody knows", unknown(0), ""},
		{"for a nanosecond", soon, waited + "1.00 ns or more"},
		{"for too few clients", waiting(loaded(330, 16, 0), 2e8, 0), waited + "200 ms or more for a free client. The clients were too few: 330"},
		{"for too few clients, or a slow target", waiting(loaded(330, 16, 96_000_000), 2e8, 0), waited + "200 ms or more for a free client. " +
			"The clients were too few, or the target too slow: 330"},
		{"for clients that were enough", waiting(loaded(320, 16, 0), 2e8, 0), waited + "200 ms or more for a free client. On average the clients " +
			"were enough: 320"},
	} {
		total := tt.run.Operations[0]
		holdWarning(t, tt.name, warned(tt.run, &total, func(w *warnings) { w.waited("client") }), tt.want)
	}
}

func TestEdgesOfDemand(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func(*Run)
		want bool
	}{
		{"known", func(*Run) {}, true},
		{"used up", func(r *Run) { r.Generator.CPUShare = 0.9 }, false},
		{"used up, and stamped", func(r *Run) { r.Generator.CPUShare, r.Generator.Stamps = 0.9, &Stamps{Used: 1} }, true},
		{"no free times", func(r *Run) { r.Operations[0].ServiceTime.Free = nil }, false},
		{"no mean", func(r *Run) { r.Operations[0].ServiceTime.MeanNS = 0 }, false},
		{"a mean of nothing", func(r *Run) { r.Operations[0].ServiceTime.MeanNS = 1 }, true},
		{"no slots", func(r *Run) { r.Little.Slots = 0 }, false},
		{"one slot", func(r *Run) { r.Little.Slots = 1 }, true},
		{"no window", func(r *Run) { r.Ledger.WindowNS = 0 }, false},
		{"the shortest window", func(r *Run) { r.Ledger.WindowNS = 1 }, true},
	} {
		run := loaded(330, 16, 50_000_000)
		tt.edit(run)
		w := warnings{run: run, total: &run.Operations[0]}
		if d := w.demand(); d.known != tt.want || !tt.want && d != (demand{}) {
			t.Errorf("%s: %+v", tt.name, d)
		}
	}
	run := loaded(330, 16, 50_000_000)
	w := warnings{run: run, total: &run.Operations[0]}
	want := demand{known: true, rate: 330, each: 1e8, quick: 50_003_967, inFlight: 33, slots: 32, busy: 0.5}
	if d := w.demand(); d != want {
		t.Errorf("%+v, want %+v", d, want)
	}
	if got := want.needed(); got != "330 a second of 100 ms each are 33 at the same time, and 32 may be" {
		t.Errorf("%q", got)
	}
	if got := want.raise("client", 64); !strings.HasPrefix(got, "Raise --clients to 83 or more") { // 1.25 · 33 · 64 ÷ 32 = 82.5
		t.Errorf("%q", got)
	}

	for _, tt := range []struct {
		inFlight float64
		quick    int64
		rate     float64
		want     bool
	}{
		{33, 0, 320, true}, {32, 0, 320, false}, {33, 100_000_000, 320, false}, {33, 100_000_000, 330, true}, {33, 1, 320, false},
		{32, 100_000_000, 330, false},
	} {
		d := demand{inFlight: tt.inFlight, slots: 32, quick: tt.quick, rate: tt.rate}
		if got := d.capped(); got != tt.want {
			t.Errorf("%+v: %t", tt, got)
		}
	}

	for _, tt := range []struct {
		name           string
		flows          int64
		clients        int
		quick          int64
		each, quickest int64
		pausing        float64
	}{
		{"no flow", 0, 1, 5, 10, 5, 0}, {"no client", 1, 0, 5, 10, 5, 0},
		// Of two slots, of which each paused for half of the second: a second of pauses in all.
		{"one flow of three steps", 1, 1, 5, 1_000_000_030, 1_000_000_015, 0.5}, {"quick by a nanosecond", 1, 1, 1, 1_000_000_030, 1_000_000_003, 0.5},
		{"not known how quick", 1, 1, 0, 1_000_000_030, 0, 0.5}, {"three flows", 3, 2, 5, 166_666_676, 166_666_671, 0.25},
	} {
		d := demand{each: 10, quick: tt.quick, slots: 2}
		run := Run{Ledger: Ledger{Clients: tt.clients, WindowNS: second, States: map[string]int64{StatePausing: second / 2}}}
		if tt.flows > 0 {
			run.Flows = []FlowFigures{{Started: tt.flows}}
		}
		if d.hold(&run, 3); d.each != tt.each || d.quick != tt.quickest || d.pausing != tt.pausing {
			t.Errorf("%s: %+v", tt.name, d)
		}
	}
}

func TestEdgesOfHowQuick(t *testing.T) {
	free := func(s Summary) Operation { return Operation{ServiceTime: Summary{Free: &s}} }
	var rising []int64
	for ns := range int64(99) {
		rising = append(rising, ns+2)
	}
	most := timesOf(rising...)
	for _, tt := range []struct {
		name string
		all  []Operation
		want int64
	}{
		{"nothing", nil, 0}, {"too few", []Operation{free(most)}, 0}, {"just enough", []Operation{free(most), free(timesOf(1))}, 10},
		{"with others", []Operation{{}, free(Summary{}), free(most), free(timesOf(1))}, 10},
		{"with one that cannot be read", []Operation{free(most), free(timesOf(1)), free(Summary{Count: 1, HDR: "x"})}, 0},
	} {
		if got := (&Run{Operations: tt.all}).quick(); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}
