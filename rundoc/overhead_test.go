package rundoc_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/rundoc"
)

func sampleAround(n int64, median float64) rundoc.Sample {
	s := rundoc.Sample{
		N: n, MinNS: 0.8 * median, AvgNS: 1.2 * median, MedNS: median, P90NS: 1.3 * median, P99NS: 3 * median,
		MaxNS:  9 * median,
		Values: []int64{int64(median)},
	}
	s.LeaveOut()
	return s
}

// soundOverhead is the detail of a run of two operations.
func soundOverhead() *rundoc.OverheadDetail {
	return &rundoc.OverheadDetail{
		Mode: rundoc.OverheadSDK,
		Rows: []rundoc.OverheadRow{
			{Service: "S3", Operation: "HeadObject", Overhead: sampleAround(2000, 160_000),
				SDKTime: sampleAround(2000, 75_000), AllocationsPerCall: 500},
			{Service: "SNS", Operation: "Publish", Overhead: sampleAround(992, 230_000),
				SDKTime: sampleAround(992, 120_000), Failed: 6},
		},
		Null:        &rundoc.OverheadRow{Service: "null client", Overhead: sampleAround(2000, 12_000)},
		Environment: rundoc.OverheadEnvironment{Concurrency: 1},
	}
}

// wholeCalls is a sound detail with what is known of whole calls, as each has since there is a client time.
func wholeCalls() *rundoc.OverheadDetail {
	d := soundOverhead()
	for _, r := range []*rundoc.OverheadRow{&d.Rows[0], &d.Rows[1], d.Null} {
		n, median := r.Overhead.N, r.Overhead.MedNS
		r.ClientTime, r.Call = sampleAround(n, median+20_000), sampleAround(n, median+50_000)
		r.Call.Values = nil
		r.CPUPerCallNS = 90_000
	}
	d.Rows[0].StagedCalls, d.Rows[0].StagedCallNS = 250, 210_000
	d.Rows[0].Stages = map[string]float64{rundoc.StageSerialize: 180_000, rundoc.StageWait: 30_000, rundoc.StageOther: 0}
	return d
}

// What is known of whole calls is held together by laws, of which documents of before have nothing to break.
func TestJudgeWholeCalls(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func(d *rundoc.OverheadDetail)
		says string // "" for nothing
	}{
		{"sound", func(*rundoc.OverheadDetail) {}, ""},
		{"without client time", func(d *rundoc.OverheadDetail) {
			for _, r := range []*rundoc.OverheadRow{&d.Rows[0], &d.Rows[1], d.Null} {
				r.ClientTime, r.Call, r.StagedCalls, r.StagedCallNS = rundoc.Sample{}, rundoc.Sample{}, 0, 0
			}
		}, ""},
		{"stages of a document of before", func(d *rundoc.OverheadDetail) {
			d.Rows[0].StagedCalls, d.Rows[0].StagedCallNS, d.Rows[0].Stages[rundoc.StageHTTP] = 0, 0, 1
		}, ""},
		{"a rounded sum", func(d *rundoc.OverheadDetail) { d.Rows[0].StagedCallNS++ }, ""},
		{"a sum that is not the call", func(d *rundoc.OverheadDetail) { d.Rows[0].StagedCallNS += 1.5 },
			"the stages of S3 HeadObject sum to 210000 ns, and its calls took 210002 ns"},
		{"a call without stages", func(d *rundoc.OverheadDetail) { d.Rows[0].Stages = nil }, "sum to 0 ns"},
		{"a mean of no calls", func(d *rundoc.OverheadDetail) { d.Rows[1].StagedCallNS = 5 }, "sum to 0 ns"},
		{"stages of no time", func(d *rundoc.OverheadDetail) { d.Rows[0].StagedCallNS = 1e300 }, "are out of range"},
		{"stages without end", func(d *rundoc.OverheadDetail) {
			d.Rows[0].StagedCallNS, d.Rows[0].Stages[rundoc.StageOther] = 1e18, 1e18-210_000
		}, "are out of range"},
		{"a negative stage", func(d *rundoc.OverheadDetail) {
			d.Rows[0].Stages[rundoc.StageOther], d.Rows[0].Stages[rundoc.StageWait] = -1, 30_001
		}, `S3 HeadObject: the stage "other" takes -1 ns`},
		{"more stages than calls", func(d *rundoc.OverheadDetail) { d.Rows[0].StagedCalls = 2001 },
			"S3 HeadObject has the stages of 2001 calls of 2000"},
		{"negative staged calls", func(d *rundoc.OverheadDetail) { d.Rows[1].StagedCalls = -1 }, "SNS Publish has a negative value"},
		{"negative CPU", func(d *rundoc.OverheadDetail) { d.Rows[1].CPUPerCallNS = -1 }, "SNS Publish has a negative value"},
		{"another number of calls", func(d *rundoc.OverheadDetail) { d.Rows[1].Call.N++ },
			"SNS Publish has the client time of 992 calls, the duration of 993 and the overhead of 992"},
		{"another number of attempts", func(d *rundoc.OverheadDetail) { d.Rows[1].Overhead.N++ },
			"SNS Publish has the client time of 992 calls, the duration of 992 and the overhead of 993"},
		{"overhead above client time", func(d *rundoc.OverheadDetail) { d.Rows[0].Overhead.MedNS += 21_000 },
			"the overhead is more than the client time, which contains it"},
		{"client time above the call", func(d *rundoc.OverheadDetail) { d.Rows[0].ClientTime.MedNS += 31_000 },
			"the client time is more than the call, which contains it"},
		{"a least client time above the call's", func(d *rundoc.OverheadDetail) { d.Rows[0].ClientTime.MinNS = d.Rows[0].Call.MinNS + 1 },
			"the client time is more than the call, which contains it"},
		{"a null client's overhead above its client time", func(d *rundoc.OverheadDetail) { d.Null.Overhead = sampleAround(2000, 33_000) },
			"null client: the overhead is more than the client time"},
		{"falling percentiles", func(d *rundoc.OverheadDetail) { d.Rows[0].Call.P99NS = 1 }, "the call of S3 HeadObject: n 2000"},
		{"falling percentiles of the client time", func(d *rundoc.OverheadDetail) { d.Rows[0].ClientTime.P99NS = 1 },
			"the client time of S3 HeadObject: n 2000"},
		{"of a foreign client", func(d *rundoc.OverheadDetail) {
			d.Mode = rundoc.OverheadExec
			d.Rows[1].Overhead, d.Rows[1].SDKTime = rundoc.Sample{}, d.Rows[1].ClientTime
		}, ""},
		{"a dear null client", func(d *rundoc.OverheadDetail) {
			d.Null.ClientTime, d.Null.Call = sampleAround(2000, 95_000), sampleAround(2000, 99_000)
		},
			"The null client, which only sends the same request, has a median of 95.0 µs, more than half of the fastest row's 180 µs"},
		{"a null client that is dear by its overhead alone", func(d *rundoc.OverheadDetail) {
			d.Null.Overhead, d.Null.ClientTime, d.Null.Call = sampleAround(2000, 85_000), sampleAround(2000, 89_000), sampleAround(2000, 99_000)
		}, ""},
	} {
		d := wholeCalls()
		tt.edit(d)
		got := rundoc.Judge(overheadRun(t, d))
		text := strings.Join(got.Reasons, "\n")
		if !strings.Contains(text, tt.says) || tt.says == "" && text != "" {
			t.Errorf("%s: %s: %q", tt.name, got.Validity, text)
		}
	}
}

func overheadRun(t testing.TB, d any) *rundoc.Run {
	run := soundRun(t)
	run.Workload = rundoc.WorkloadOverhead
	raw, err := json.Marshal(d)
	if err != nil {
		t.Fatal(err)
	}
	run.Detail = rundoc.DecodeDetail(run.Workload, raw)
	return run
}

func TestOverheadDetailIsRead(t *testing.T) {
	want := soundOverhead()
	if diff := cmp.Diff(want, overheadRun(t, want).Overhead()); diff != "" {
		t.Error(diff)
	}
	other := reread(t, overheadRun(t, want), rundoc.WorkloadChat)
	broken := overheadRun(t, []int{1})
	empty := overheadRun(t, want)
	empty.Detail = nil
	for name, run := range map[string]*rundoc.Run{"chat": other, "broken": broken, "empty": empty} {
		if d := run.Overhead(); d != nil {
			t.Errorf("%s: %+v", name, d)
		}
	}
}

func TestJudgeOverhead(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func(d *rundoc.OverheadDetail)
		want rundoc.Validity
		says string
	}{
		{"sound", func(*rundoc.OverheadDetail) {}, rundoc.Valid, ""},
		{"no null client", func(d *rundoc.OverheadDetail) { d.Null = nil }, rundoc.Valid, ""},
		{"one figure", func(d *rundoc.OverheadDetail) { d.Rows[0].Overhead = rundoc.Sample{} }, rundoc.Valid, ""},
		{"below 0 after a correction", func(d *rundoc.OverheadDetail) { d.Rows[0].SDKTime.MinNS = -300 },
			rundoc.Valid, ""},
		{"foreign client", func(d *rundoc.OverheadDetail) {
			d.Mode, d.Rows[0].SDKTime = rundoc.OverheadExec, sampleAround(2000, 200_000)
		}, rundoc.Valid, ""},
		{"no row", func(d *rundoc.OverheadDetail) { d.Rows = nil }, rundoc.Suspect, "there is no overhead"},
		{"empty row", func(d *rundoc.OverheadDetail) {
			d.Rows[1].Overhead, d.Rows[1].SDKTime = rundoc.Sample{}, rundoc.Sample{}
		},
			rundoc.Suspect, "No attempt of SNS Publish succeeded"},
		{"dear null client", func(d *rundoc.OverheadDetail) { d.Null.Overhead = sampleAround(2000, 90_000) },
			rundoc.Suspect,
			"The null client, which only sends the same request, has a median of 90.0 µs, more than half of the fastest " +
				"row's 160 µs"},
		{"min above median", func(d *rundoc.OverheadDetail) { d.Rows[0].Overhead.MinNS = 1e9 }, rundoc.Invalid,
			"are inconsistent"},
		{"falling percentiles", func(d *rundoc.OverheadDetail) { d.Rows[0].SDKTime.P99NS = 1 }, rundoc.Invalid,
			"the SDK time of S3 HeadObject"},
		{"mean above max", func(d *rundoc.OverheadDetail) { d.Rows[0].Overhead.AvgNS = 1e12 }, rundoc.Invalid,
			"are inconsistent"},
		{"negative n", func(d *rundoc.OverheadDetail) { d.Rows[0].Overhead.N = -1 }, rundoc.Invalid,
			"are inconsistent"},
		{"figures of nothing", func(d *rundoc.OverheadDetail) { d.Rows[0].Overhead.N = 0 }, rundoc.Invalid,
			"are inconsistent"},
		{"negative failures", func(d *rundoc.OverheadDetail) { d.Rows[0].Failed = -1 }, rundoc.Invalid,
			"S3 HeadObject has a negative value"},
		{"null client's figures", func(d *rundoc.OverheadDetail) { d.Null.Overhead.MaxNS = 0 }, rundoc.Invalid,
			"the overhead of null client"},
		{"more values than there were",
			func(d *rundoc.OverheadDetail) { d.Rows[0].Overhead.Values = make([]int64, 2001) },
			rundoc.Invalid, "has 2001 individual values of 2000"},
		{"rounds of fewer values", func(d *rundoc.OverheadDetail) {
			d.Rows[0].Overhead.Values, d.Rows[0].Overhead.Rounds = make([]int64, 20), []int{9, 10}
		}, rundoc.Invalid, "the rounds of the overhead of S3 HeadObject do not sum to its 20 individual values"},
		{"rounds beyond all bounds", func(d *rundoc.OverheadDetail) {
			d.Rows[0].Overhead.Values, d.Rows[0].Overhead.Rounds = make([]int64, 20),
				[]int{math.MaxInt, math.MaxInt, 22}
		}, rundoc.Invalid, "do not sum to its 20 individual values"},
		{"more connections than calls", func(d *rundoc.OverheadDetail) { d.Rows[0].Connections = 2001 }, rundoc.Invalid,
			"has 2001 new connections of 2000 attempts"},
		{"all connections new", func(d *rundoc.OverheadDetail) { d.Rows[0].Connections = 2000 }, rundoc.Valid, ""},
		{"negative connections", func(d *rundoc.OverheadDetail) { d.Rows[0].Connections = -1 }, rundoc.Invalid,
			"S3 HeadObject has a negative value"},
		{"few left out", func(d *rundoc.OverheadDetail) { d.Rows[0].Unseen, d.Rows[0].Resent = 100, 100 },
			rundoc.Valid, ""},
		{"many left out", func(d *rundoc.OverheadDetail) { d.Rows[0].Unseen, d.Rows[0].Resent = 100, 400 },
			rundoc.Suspect, "20% of the successful attempts of S3 HeadObject are excluded"},
		{"all left out", func(d *rundoc.OverheadDetail) {
			d.Rows[0].Overhead, d.Rows[0].SDKTime, d.Rows[0].Resent = rundoc.Sample{}, rundoc.Sample{}, 93
		}, rundoc.Suspect, "100% of the successful attempts of S3 HeadObject are excluded"},
		{"SDK time above overhead", func(d *rundoc.OverheadDetail) { d.Rows[0].SDKTime = sampleAround(2000, 200_000) },
			rundoc.Invalid, "the SDK time is more than the overhead"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := soundOverhead()
			tt.edit(d)
			got := rundoc.Judge(overheadRun(t, d))
			text := strings.Join(got.Reasons, "\n")
			if got.Validity != tt.want || !strings.Contains(text, tt.says) || tt.says == "" && text != "" {
				t.Errorf("%s: %s\nwant %s: %s", got.Validity, text, tt.want, tt.says)
			}
		})
	}
	if got := rundoc.Judge(overheadRun(t, 3)); got.Validity != rundoc.Suspect {
		t.Errorf("without a detail: %+v", got)
	}
}

// How long a foreign client waited for a processor is known by the kernel's count, and taken off: only where that was
// much on a busy machine its figures are doubted, and nothing that is known is called unknown.
func TestJudgeAForeignClientOnABusyMachine(t *testing.T) {
	for _, tt := range []struct {
		machine, waited float64
		want            string // "" for nothing
	}{
		{0.95, 40_000, ""},
		{0.89, 90_000, ""},
		{0.95, 90_000, "95% busy (limit 90%; generator 45%): calls of S3 HeadObject waited 90.0 µs for a CPU on average (limit 0.5 " +
			"times"},
	} {
		d := soundOverhead()
		d.Mode = rundoc.OverheadExec
		for i := range d.Rows {
			r := &d.Rows[i]
			r.MedianFromNS, r.MedianToNS = r.SDKTime.MedNS/2, r.SDKTime.MedNS*2
		}
		d.Rows[0].WaitedNS = tt.waited
		run := overheadRun(t, d)
		run.Generator.MachineShare, run.Target.SameHost, run.Target.Embedded = tt.machine, true, true
		run.Host.CPUs = 2
		run.Generator.CPUUserNS = run.Ledger.WindowNS * 9 / 10
		text := strings.Join(rundoc.Judge(run).Reasons, "\n")
		if !strings.Contains(text, tt.want) || tt.want == "" && text != "" || strings.Contains(text, "unknown") {
			t.Errorf("%v, %v: %s", tt.machine, tt.waited, text)
		}
	}
}

// What a busy machine means for calls is not what it means for a target's limit, and whether a foreign client had to
// wait is not what this program's own threads tell.
func TestJudgeOverheadOnABusyMachine(t *testing.T) {
	for _, tt := range []struct {
		mode     string
		foreign  bool // what answers is not ours
		runDelay int64
		want     string // "" for nothing
	}{
		{rundoc.OverheadSDK, true, 5_000 * ms, "The target's address is on this machine, which was 95% busy (limit 90%; generator 45%, target unknown)"},
		{rundoc.OverheadSDK, false, 5_000 * ms, "and the generator waited 5.00 s for a CPU, 0.556 times as long as it ran"},
		{rundoc.OverheadSDK, false, 4_400 * ms, ""},
		{rundoc.OverheadExec, false, 0, "Client and server share this machine, which was 95% busy (limit 90%; generator 45%), and whether they " +
			"waited for each other is unknown"},
	} {
		d := soundOverhead()
		d.Mode = tt.mode
		run := overheadRun(t, d)
		g := &run.Generator
		g.MachineShare, run.Target.SameHost, run.Target.Embedded = 0.95, true, !tt.foreign
		run.Host.CPUs = 2
		g.CPUUserNS = run.Ledger.WindowNS * 9 / 10
		g.RunDelayNS = &tt.runDelay
		g.GCPauseNS, g.GCShare, g.CPUShare = run.Ledger.WindowNS/20, 0.5, 0.45 // the SDK's garbage: no doubt
		text := strings.Join(rundoc.Judge(run).Reasons, "\n")
		if !strings.Contains(text, tt.want) || tt.want == "" && text != "" || strings.Contains(text, "its limit") ||
			strings.Contains(text, "Garbage") {
			t.Errorf("%s, %d: %s", tt.mode, tt.runDelay, text)
		}
	}
}

// A client that needs all of its CPU is what is measured; several of them wait for one another.
func TestJudgeOverheadWithoutSpareCPU(t *testing.T) {
	for clients, want := range map[int]bool{1: false, 2: true} {
		run := overheadRun(t, soundOverhead())
		run.Ledger.Clients = clients
		run.Ledger.States = map[string]int64{rundoc.StateAwaiting: int64(clients) * run.Ledger.WindowNS}
		run.Generator.CPUShare, run.Generator.CPUs, run.Generator.RunDelayNS = 0.99, 1, new(int64)
		run.Little.InFlightSampled, run.Little.InFlightPredicted = 1, 1
		text := strings.Join(rundoc.Judge(run).Reasons, "\n")
		if strings.Contains(text, "without kernel timestamps") != want || !want && text != "" {
			t.Errorf("%d clients: %s", clients, text)
		}
	}
}

func TestOverheadWarnings(t *testing.T) {
	for _, tt := range []struct {
		name string
		edit func(d *rundoc.OverheadDetail)
		want []rundoc.Warning
	}{
		{"sound", func(*rundoc.OverheadDetail) {}, nil},
		{"few", func(d *rundoc.OverheadDetail) { d.Rows[0].Overhead.N, d.Rows[0].SDKTime.N = 99, 99 }, []rundoc.Warning{
			{Code: rundoc.WarnSmallSample,
				Message: "Fewer than 100 attempts, too few for a meaningful p99: S3 HeadObject. " +
					"Measure longer (--duration)."},
		}},
		{"few of a foreign client", func(d *rundoc.OverheadDetail) {
			d.Mode, d.Rows[0].Overhead.N, d.Rows[0].SDKTime.N = rundoc.OverheadExec, 99, 99
		}, []rundoc.Warning{
			{Code: rundoc.WarnSmallSample,
				Message: "Fewer than 100 attempts, too few for a meaningful p99: S3 HeadObject. Have " +
					"the command make more calls."},
		}},
		{"few connections", func(d *rundoc.OverheadDetail) { d.Rows[0].Connections = 20 }, nil},
		{"connections", func(d *rundoc.OverheadDetail) { d.Rows[0].Connections = 21 }, []rundoc.Warning{
			{Code: rundoc.WarnConnected,
				Message: "The overhead of these includes new connections: S3 HeadObject " +
					"(1.05%)."},
		}},
		{"concurrent", func(d *rundoc.OverheadDetail) { d.Environment.Concurrency = 4 }, []rundoc.Warning{
			{Code: rundoc.WarnConcurrent,
				Message: "4 clients ran at the same time: the values include the time they " +
					"waited for CPUs and for each other."},
		}},
		{"foreign processes", func(d *rundoc.OverheadDetail) {
			d.Mode, d.Environment.Concurrency = rundoc.OverheadExec, 4
		}, nil},
		{"many", func(d *rundoc.OverheadDetail) {
			for range 5 {
				d.Rows = append(d.Rows, rundoc.OverheadRow{Operation: "X", Overhead: sampleAround(2, 1)})
			}
		}, []rundoc.Warning{
			{Code: rundoc.WarnSmallSample,
				Message: "Fewer than 100 attempts, too few for a meaningful p99: X, X, X, X, and 1 " +
					"more. Measure longer (--duration)."},
		}},
	} {
		d := soundOverhead()
		tt.edit(d)
		if diff := cmp.Diff(tt.want, rundoc.Warnings(overheadRun(t, d))); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
}
