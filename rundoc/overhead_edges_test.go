package rundoc

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
)

// flat is a sample of n equal values, none of which is listed.
func flat(n int64, ns float64) Sample {
	s := Sample{N: n, MinNS: ns, AvgNS: ns, MedNS: ns, P90NS: ns, P99NS: ns, MaxNS: ns}
	s.LeaveOut()
	return s
}

// even is a sample of so many values, each listed and 1 µs above the one before it.
func even(n int) Sample {
	at := func(p float64) float64 { return 1000 + 1000*p*float64(n-1) }
	s := Sample{N: int64(n), MinNS: at(0), AvgNS: at(.5), MedNS: at(.5), P90NS: at(.9), P99NS: at(.99), MaxNS: at(1)}
	for i := range n {
		s.Values = append(s.Values, int64(1000+1000*i))
	}
	s.LeaveOut()
	return s
}

func TestEdgesOfASample(t *testing.T) {
	of := func(s Sample, edits ...func(*Sample)) Run {
		for _, edit := range edits {
			edit(&s)
		}
		return Run{Detail: &OverheadDetail{Rows: []OverheadRow{{Service: "S3", Overhead: s}}}}
	}
	const senseless, byValues, rounds = "make no sense together", "by its single values", "the rounds of the overhead"
	low := Sample{N: 100, MinNS: -5, AvgNS: 5.5, MedNS: -5, MaxNS: 100,
		Values: append(slices.Repeat([]int64{-5}, 90), slices.Repeat([]int64{100}, 10)...)} // its p90 is 5.5
	hold(t, func(j *judgement) { j.run.Overhead().laws(j) }, []edge{
		{"nothing", of(Sample{}), ""},
		{"one value", of(even(1)), ""},
		{"two values", of(even(2)), ""},
		{"too few for p90", of(even(99)), ""},
		{"just enough for p90", of(even(100)), ""},
		{"too few for p99", of(even(999)), ""},
		{"just enough for p99", of(even(1000)), ""},
		{"values that are not listed", of(flat(1, 5)), ""},

		{"a value of nothing", of(Sample{Values: []int64{0}}), senseless},
		{"fewer than nothing", of(Sample{N: -1}), senseless},
		{"a mean of nothing", of(Sample{AvgNS: 1}), senseless},
		{"a p90 of too few, out of order", of(flat(5, 10), func(s *Sample) { s.P90NS = 11 }), senseless},
		{"a p99 of too few, out of order", of(flat(5, 10), func(s *Sample) { s.P99NS = 11 }), senseless},
		{"no p90, of many", of(flat(100, 10), func(s *Sample) { s.P90NS = 0 }), senseless},
		{"no p99, of many", of(flat(1000, 10), func(s *Sample) { s.P99NS = 0 }), senseless},
		{"a mean that is off in its last digit", of(flat(5, 1e9), func(s *Sample) { s.AvgNS += 0.9 }), ""},
		{"a mean above all", of(flat(5, 1e9), func(s *Sample) { s.AvgNS += 2 }), senseless},
		{"a mean below all", of(flat(5, 1e9), func(s *Sample) { s.AvgNS -= 2 }), senseless},
		{"no least value", of(flat(5, 0), func(s *Sample) { s.MinNS = math.Inf(-1) }), senseless},
		{"no largest value", of(flat(5, 0), func(s *Sample) { s.MaxNS = math.Inf(1) }), senseless},

		{"more values than there were", of(flat(1, 5), func(s *Sample) { s.Values = []int64{5, 5} }), "2 single values of 1"},
		{"a figure of one value", of(flat(1, 5), func(s *Sample) { s.Values = []int64{9} }), byValues},
		{"another least", of(even(2), func(s *Sample) { s.MinNS = 900 }), "is 900 ns, but 1000 ns by its"},
		{"another largest", of(even(2), func(s *Sample) { s.MaxNS = 2100 }), "is 2100 ns, but 2000 ns by its"},
		{"another mean", of(even(2), func(s *Sample) { s.AvgNS = 1600 }), "is 1600 ns, but 1500 ns by its"},
		{"a p90 of too few", of(even(2), func(s *Sample) { s.P90NS = 1500 }), "is 1500 ns, but 1900 ns by its"},
		{"another p90", of(even(1000), func(s *Sample) { s.P90NS -= 500 }), "is 899600 ns, but 900100 ns by its"},
		{"another p99", of(even(1000), func(s *Sample) { s.P99NS -= 500 }), "is 989510 ns, but 990010 ns by its"},
		{"p90 absent where there is one", of(low), "is 0 ns, but 6 ns by its"},
		{"less than a nanosecond off", of(even(2), func(s *Sample) { s.MedNS += 0.9 }), ""},
		{"more than a nanosecond off", of(even(2), func(s *Sample) { s.MedNS += 1.6 }), "is 1502 ns, but 1500 ns"},
		{"less than a millionth off",
			of(flat(1, 1e9), func(s *Sample) { s.Values, s.MaxNS = []int64{1e9}, 1e9+900 }), ""},
		{"more than a millionth off",
			of(flat(1, 1e9), func(s *Sample) { s.Values, s.MaxNS = []int64{1e9}, 1e9+2000 }), byValues},

		{"a round without a value", of(even(2), func(s *Sample) { s.Rounds = []int{0, 2} }), ""},
		{"too few in rounds", of(even(2), func(s *Sample) { s.Rounds = []int{1} }), rounds},
		{"too many in rounds", of(even(2), func(s *Sample) { s.Rounds = []int{1, 2} }), rounds},
		{"a round of fewer than none", of(even(2), func(s *Sample) { s.Rounds = []int{-1, 2, 1} }), rounds},
		{"a round of no values", of(flat(2, 5), func(s *Sample) { s.Rounds = []int{1} }), rounds},
		{"no rounds", of(even(2), func(s *Sample) { s.Rounds = []int{} }), rounds},
	})
}

func TestEdgesOfOverhead(t *testing.T) {
	// sound is a row of two calls, whose parts are no longer than what contains them, and just as long as that.
	sound := OverheadRow{Service: "S3", Operation: "HeadObject", SDKTime: flat(2, 10), Overhead: flat(2, 10),
		ClientTime: flat(2, 10), Call: flat(2, 10), Connections: 2, StagedCalls: 2, StagedCallNS: 6e17,
		Stages: map[string]float64{StageSign: 6e17}}
	in := func(mode string, edits ...func(*OverheadRow)) Run {
		r := sound
		for _, edit := range edits {
			edit(&r)
		}
		return Run{Detail: &OverheadDetail{Mode: mode, Rows: []OverheadRow{r}}}
	}
	of := func(edit func(*OverheadRow)) Run { return in(OverheadSDK, edit) }
	const negative, median = "has a negative figure", "the bounds of the median of S3 HeadObject make no sense"
	const sdk, client, call = "the SDK time is more", "the overhead is more", "the client time is more"
	hold(t, func(j *judgement) { j.run.Overhead().laws(j) }, []edge{
		{"sound", in(OverheadSDK), ""},
		{"sound, of a foreign client", in(OverheadExec), ""},
		{"a foreign client's overhead below its SDK time",
			in(OverheadExec, func(r *OverheadRow) { r.Overhead = flat(2, 9) }), ""},

		{"an error below 0", of(func(r *OverheadRow) { r.ErrorNS = -1 }), negative},
		{"allocations below 0", of(func(r *OverheadRow) { r.AllocationsPerCall = -1 }), negative},
		{"bytes that are no number", of(func(r *OverheadRow) { r.BytesPerCall = math.NaN() }), negative},
		{"unseen below 0", of(func(r *OverheadRow) { r.Unseen = -1 }), negative},
		{"median from below 0", of(func(r *OverheadRow) { r.MedianFromNS = -1 }), median},
		{"median to before it begins", of(func(r *OverheadRow) { r.MedianFromNS, r.MedianToNS = 5, 4 }), median},
		{"median at one place", of(func(r *OverheadRow) { r.MedianFromNS, r.MedianToNS = 5, 5 }), ""},
		{"waited below 0", of(func(r *OverheadRow) { r.WaitedNS = -1 }), median},
		{"a connection of no attempt", of(func(r *OverheadRow) { *r = OverheadRow{Connections: 1} }), "1 new connections of 0"},
		{"more connections than attempts", of(func(r *OverheadRow) { r.Connections++ }), "3 new connections of 2 attempts"},

		{"least SDK time above the overhead", of(func(r *OverheadRow) { r.Overhead.MinNS-- }), sdk},
		{"median SDK time above the overhead", of(func(r *OverheadRow) { r.SDKTime.MinNS, r.Overhead.MinNS, r.Overhead.MedNS = 9, 9, 9 }),
			sdk},
		{"longest SDK time above the overhead", of(func(r *OverheadRow) { r.SDKTime.MaxNS++ }), sdk},
		{"SDK time of other attempts", of(func(r *OverheadRow) { r.SDKTime = flat(1, 11) }), ""},
		{"senseless SDK time", of(func(r *OverheadRow) { r.SDKTime.MaxNS = math.Inf(1) }), "the SDK time of S3 HeadObject: n 2"},
		{"senseless overhead", of(func(r *OverheadRow) { r.Overhead.MedNS = 9 }), "the overhead of S3 HeadObject: n 2"},

		{"least overhead above the client time", of(func(r *OverheadRow) { r.ClientTime.MinNS-- }), client},
		{"median overhead above the client time", of(func(r *OverheadRow) {
			r.SDKTime.MinNS, r.Overhead.MinNS, r.ClientTime.MinNS, r.ClientTime.MedNS = 9, 9, 9, 9
		}), client},
		{"longest overhead above the client time", of(func(r *OverheadRow) { r.Overhead.MaxNS++ }), client},
		{"least client time above the call", of(func(r *OverheadRow) { r.Call.MinNS-- }), call},
		{"median client time above the call", of(func(r *OverheadRow) {
			r.SDKTime.MinNS, r.Overhead.MinNS, r.ClientTime.MinNS, r.Call.MinNS, r.Call.MedNS = 9, 9, 9, 9, 9
		}), call},
		{"longest client time above the call", of(func(r *OverheadRow) { r.ClientTime.MaxNS++ }), call},
		{"client time of no calls", of(func(r *OverheadRow) { r.Call, r.StagedCalls, r.StagedCallNS = Sample{}, 0, 0 }),
			"client time of 2 calls, the duration of 0"},
		{"calls without a client time", of(func(r *OverheadRow) { r.ClientTime = Sample{} }), ""},
		{"one call", of(func(r *OverheadRow) {
			r.SDKTime, r.Overhead, r.ClientTime, r.Call = flat(1, 10), flat(1, 11), flat(1, 10), flat(1, 11)
			r.Connections, r.StagedCalls = 1, 1
		}), client},
		{"senseless client time", of(func(r *OverheadRow) { r.ClientTime.MedNS = 9 }), "the client time of S3 HeadObject: n 2"},
		{"senseless calls", of(func(r *OverheadRow) { r.Call.MedNS = 9 }), "the call of S3 HeadObject: n 2"},

		{"a stage that is no number", of(func(r *OverheadRow) {
			r.Stages, r.StagedCallNS = map[string]float64{StageSign: -1, StageOther: 1}, 0
		}), `the stage "signing" takes -1 ns`},
		{"more stages than calls", of(func(r *OverheadRow) { r.StagedCalls++ }), "the stages of 3 calls of 2"},
		{"one staged call without a duration", of(func(r *OverheadRow) { r.StagedCalls, r.StagedCallNS = 1, 0 }), "sum to 6"},
	})
	null := Run{Detail: &OverheadDetail{Rows: []OverheadRow{sound}, Null: &OverheadRow{Service: "null", Failed: -1}}}
	hold(t, func(j *judgement) { j.run.Overhead().laws(j) }, []edge{{"the null client", null, "null " + negative}})
	if (&OverheadDetail{}).alike() {
		t.Error("all calls are alike")
	}
}

// says are the reasons that a doubt gives of a detail.
func says(run *Run, doubt func(*judgement)) []string {
	j := judgementOf(run)
	doubt(&j)
	return j.reasons
}

func TestEdgesOfOverheadDoubts(t *testing.T) {
	few, failed := "Fewer than 10 attempts ended ok, of which a median is chance: X (", "Attempts failed, and are in no figure: X ("
	for _, tt := range []struct {
		n, failed int64
		want      []string // how each begins
	}{
		{0, 0, nil}, {0, 5, nil}, {10, 0, nil}, {990, 10, nil}, {990, 11, []string{failed + "1.1 %)."}},
		{1, 0, []string{few + "1)."}}, {9, 0, []string{few + "9)."}}, {1, 1, []string{failed + "50 %).", few + "1)."}},
	} {
		d := &OverheadDetail{Rows: []OverheadRow{{Operation: "X", SDKTime: Sample{N: tt.n}, Failed: tt.failed}}}
		got := says(&Run{Detail: d}, d.missing)
		if !slices.EqualFunc(got, tt.want, strings.HasPrefix) {
			t.Errorf("%d values, %d failed: %q, want %q", tt.n, tt.failed, got, tt.want)
		}
	}

	with := func(overhead, client int64) *OverheadRow {
		return &OverheadRow{Overhead: Sample{N: overhead}, ClientTime: Sample{N: client}}
	}
	for _, tt := range []struct {
		row, null *OverheadRow
		client    bool
	}{
		{with(1, 1), with(1, 1), true}, {with(2, 2), with(2, 2), true}, {with(2, 2), with(2, 0), false},
		{with(2, 0), with(2, 2), false}, {with(2, 2), nil, false}, {with(2, 0), with(2, 0), false},
	} {
		want := &tt.row.Overhead
		if tt.client {
			want = &tt.row.ClientTime
		}
		if got := tt.row.own(tt.null); got != want {
			t.Errorf("%+v beside %+v: %+v", tt.row, tt.null, got)
		}
	}

	told, untold := OverheadRow{MedianToNS: 1}, OverheadRow{}
	for _, tt := range []struct {
		name string
		d    *OverheadDetail
		want bool
	}{
		{"no detail", nil, false},
		{"no rows", &OverheadDetail{Mode: OverheadExec}, false},
		{"one row", &OverheadDetail{Mode: OverheadExec, Rows: []OverheadRow{told}}, true},
		{"a row that does not say", &OverheadDetail{Mode: OverheadExec, Rows: []OverheadRow{told, untold}}, false},
		{"the SDK", &OverheadDetail{Mode: OverheadSDK, Rows: []OverheadRow{told}}, false},
	} {
		if got := tt.d.knowsWaits(); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestEdgesOfOverheadWarnings(t *testing.T) {
	row := func(n, connections int64) OverheadDetail {
		return OverheadDetail{Mode: OverheadSDK,
			Rows: []OverheadRow{{Operation: "X", SDKTime: Sample{N: n}, Connections: connections}}}
	}
	concurrent := func(n int) OverheadDetail {
		return OverheadDetail{Mode: OverheadSDK, Environment: OverheadEnvironment{Concurrency: n}}
	}
	for _, tt := range []struct {
		name   string
		d      OverheadDetail
		window int64 // ns
		same   bool  // host
		want   string
	}{
		{"nothing", OverheadDetail{}, 0, true, ""},
		{"the shortest window", OverheadDetail{}, 1, true, WarnBusyUnknown},
		{"just too short a window", OverheadDetail{}, MinMachineWindowNS - 1, true, WarnBusyUnknown},
		{"a window that is long enough", OverheadDetail{}, MinMachineWindowNS, true, ""},
		{"a short window, with a target elsewhere", OverheadDetail{}, 1, false, ""},
		{"no attempt", row(0, 0), 0, false, ""},
		{"one attempt", row(1, 0), 0, false, WarnSmallSample},
		{"just too few attempts", row(99, 0), 0, false, WarnSmallSample},
		{"attempts enough", row(100, 1), 0, false, ""},
		{"many new connections", row(100, 2), 0, false, WarnConnected},
		{"one client", concurrent(1), 0, false, ""},
		{"two clients", concurrent(2), 0, false, WarnConcurrent},
	} {
		run := &Run{Detail: &tt.d, Ledger: lasts(tt.window), Target: Target{SameHost: tt.same}}
		w := warnings{run: run, total: new(Operation)}
		tt.d.warn(&w)
		got := ""
		for _, warning := range w.list {
			got += warning.Code
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

// A sample that cannot be read is none, and one that is too small has no high percentiles.
func TestEdgesOfReadingASample(t *testing.T) {
	for _, tt := range []struct {
		n        int64
		p90, p99 float64
	}{{99, 0, 0}, {100, 1, 0}, {999, 1, 0}, {1000, 1, 2}} {
		s := Sample{N: tt.n, P90NS: 1, P99NS: 2}
		if s.LeaveOut(); s.P90NS != tt.p90 || s.P99NS != tt.p99 {
			t.Errorf("of %d values: %+v", tt.n, s)
		}
	}
	if err := json.Unmarshal([]byte(`{"n":"two"}`), new(Sample)); err == nil {
		t.Error("no error")
	}
}

// These words stand in documents that others read, and in those of before: they stay.
func TestEdgesOfTheWordsOfOverhead(t *testing.T) {
	for is, want := range map[string]string{
		WorkloadOverhead: "overhead", OverheadSDK: "sdk", OverheadExec: "exec", StageSerialize: "serialization",
		StageEndpoint: "endpoint resolution", StageCredentials: "credentials", StageSign: "signing",
		StageHTTP: "HTTP client", StageWait: "wait", StageDeserialize: "deserialization", StageOther: "other",
	} {
		if is != want {
			t.Errorf("%q, want %q", is, want)
		}
	}
}
