package show_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/stats"
	"github.com/plimsoll/plimsoll/internal/workload/overhead/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

// edited is a run with another detail.
func edited(run *rundoc.Run, edit func(*rundoc.OverheadDetail)) *rundoc.Run {
	d := run.Overhead()
	edit(d)
	setDetail(run, *d)
	return run
}

func compared(t *testing.T, now, before *rundoc.Run) *show.Comparison {
	t.Helper()
	c, err := show.Compare(now, before, show.DefaultMinEffect)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func outcomes(c *show.Comparison) map[stats.Outcome]int {
	counts := map[stats.Outcome]int{}
	for _, r := range c.Rows {
		counts[r.Outcome]++
	}
	return counts
}

func comparisonText(t *testing.T, c *show.Comparison) string {
	t.Helper()
	var out bytes.Buffer
	if err := show.ComparisonText(&out, c); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

var twoCalls = []call{{"S3", "HeadObject", 160, 75}, {"DynamoDB", "GetItem", 196, 95}}

// pair is a run, and one of other values of the same calls.
func pair() (now, before *rundoc.Run) {
	return overheadOf(overheadDetail(21, twoCalls, 1000)), overheadOf(overheadDetail(22, twoCalls, 1000))
}

func TestCompareSameRun(t *testing.T) {
	now, before := pair()
	for name, other := range map[string]*rundoc.Run{"itself": now, "again": before} {
		c := compared(t, now, other)
		if diff := cmp.Diff(map[stats.Outcome]int{stats.Same: 2}, outcomes(c)); diff != "" || c.Worse() || len(c.Unlike) != 0 {
			t.Errorf("%s: %s %v", name, diff, c.Unlike)
		}
	}
}

func TestCompareFindsKnownShift(t *testing.T) {
	_, before := pair()
	slower := []call{{"S3", "HeadObject", 170, 85}, {"DynamoDB", "GetItem", 180, 79}}
	c := compared(t, overheadOf(overheadDetail(23, slower, 1000)), before)
	if diff := cmp.Diff([]string{"HeadObject client time worse", "GetItem client time better"}, judged(c)); diff != "" || !c.Worse() {
		t.Error(diff)
	}
	if s := c.Summary(); !strings.Contains(s, "1 metric worse") || !strings.Contains(s, "S3 HeadObject client time +4.8%") {
		t.Errorf("summary %q", s)
	}
}

// judged are the outcomes by figure.
func judged(c *show.Comparison) (list []string) {
	for _, r := range c.Rows {
		list = append(list, r.Operation+" "+r.Figure+" "+string(r.Outcome))
	}
	return list
}

// older takes from a run what documents did not have before there was a client time.
func older(run *rundoc.Run) *rundoc.Run {
	return edited(run, func(d *rundoc.OverheadDetail) {
		d.Rows = slices.Clone(d.Rows)
		null := *d.Null
		d.Null = &null
		for _, r := range append([]*rundoc.OverheadRow{d.Null}, pointers(d.Rows)...) {
			r.ClientTime, r.Call, r.CPUPerCallNS, r.StagedCalls, r.StagedCallNS = rundoc.Sample{}, rundoc.Sample{}, 0, 0, 0
		}
	})
}

func pointers(rows []rundoc.OverheadRow) (list []*rundoc.OverheadRow) {
	for i := range rows {
		list = append(list, &rows[i])
	}
	return list
}

// share makes a machine that busy, and what of it the run itself had.
func share(run *rundoc.Run, busy, own float64) {
	all := float64(run.Host.CPUs) * float64(run.Ledger.WindowNS)
	run.Generator.MachineShare = busy
	run.Generator.CPUUserNS, run.Generator.CPUSystemNS = int64(own*all)-1e6, 0
	run.Target.SameHost, run.Target.CPUUserNS, run.Target.CPUSystemNS = true, 1e6, 0
}

func TestCompareReportsDifferences(t *testing.T) {
	for _, tt := range []struct {
		name   string
		edit   func(run *rundoc.Run, d *rundoc.OverheadDetail)
		unlike bool
		want   string
	}{
		{"latency", func(_ *rundoc.Run, d *rundoc.OverheadDetail) { d.Environment.LatencyNS = 1e6 }, true, "service latency: 0s before, 1ms now"},
		{"protocol", func(_ *rundoc.Run, d *rundoc.OverheadDetail) { d.Environment.Protocol = "HTTP/2.0" }, true, "protocol: HTTP/1.1 before, HTTP/2.0 now"},
		{"TLS", func(_ *rundoc.Run, d *rundoc.OverheadDetail) { d.Environment.TLS = true }, true, "TLS: off before, on now"},
		{"clients", func(_ *rundoc.Run, d *rundoc.OverheadDetail) { d.Environment.Concurrency = 8 }, true, "concurrent clients: 1 before, 8 now"},
		{"server", func(_ *rundoc.Run, d *rundoc.OverheadDetail) {
			d.Environment.Embedded, d.Environment.Endpoint = false, "https://a.example"
		}, true, "responder: the demo server before, https://a.example now"},
		{"mode", func(_ *rundoc.Run, d *rundoc.OverheadDetail) { d.Mode = rundoc.OverheadExec }, true, "mode: sdk before, exec now"},
		{"host", func(r *rundoc.Run, _ *rundoc.OverheadDetail) { r.Host.CPU = "Other CPU" }, true, "CPU: 8 × Example CPU amd64 before, 8 × Other CPU amd64 now"},
		{"invalid", func(r *rundoc.Run, _ *rundoc.OverheadDetail) { r.Verdict.Validity = rundoc.Invalid }, true, "This run is invalid"},
		{"suspect", func(r *rundoc.Run, _ *rundoc.OverheadDetail) { r.Verdict.Validity = rundoc.Suspect }, false, "This run is suspect"},
		{"a full machine", func(r *rundoc.Run, _ *rundoc.OverheadDetail) { share(r, 0.95, 0.9) }, false, ""},
		{"a machine with others", func(r *rundoc.Run, _ *rundoc.OverheadDetail) { share(r, 0.89, 0.5) }, false, ""},
		{"a full machine with others", func(r *rundoc.Run, _ *rundoc.OverheadDetail) { share(r, 0.95, 0.8) }, true, "This run shared a busy machine with other programs"},
		{"a moment of that", func(r *rundoc.Run, _ *rundoc.OverheadDetail) {
			short := int64(rundoc.MinMachineWindowNS - 1)
			r.Ledger.WindowNS, r.Ledger.States, r.Phases = short, map[string]int64{rundoc.StateAwaiting: short}, nil
			r.Verdict = rundoc.Verdict{Validity: rundoc.Valid}
			share(r, 0.95, 0.8)
		}, false, ""},
		{"interrupted", func(r *rundoc.Run, _ *rundoc.OverheadDetail) { r.Interrupted = true }, false, "This run was interrupted"},
		{"aborted", func(r *rundoc.Run, _ *rundoc.OverheadDetail) { r.Aborted = "failed<1%" }, false, "This run was ended early by a threshold"},
		{"port", func(_ *rundoc.Run, d *rundoc.OverheadDetail) { d.Environment.Endpoint = "http://127.0.0.1:1" }, false, ""},
		{"SDK", func(_ *rundoc.Run, d *rundoc.OverheadDetail) { d.Environment.SDK = "aws-sdk-go-v2 v1.50.0" }, false, "SDK: aws-sdk-go-v2 v1.47.7 before, aws-sdk-go-v2 v1.50.0 now"},
		{"module", func(_ *rundoc.Run, d *rundoc.OverheadDetail) { d.Environment.Modules[1] = "service/s3 v1.200.0" }, false, "before service/s3 v1.114.8, now service/s3 v1.200.0"},
		{"Go", func(r *rundoc.Run, _ *rundoc.OverheadDetail) { r.Tool.Go = "go1.27.0" }, false, "Go: go1.26.0 before, go1.27.0 now"},
		{"values", func(_ *rundoc.Run, d *rundoc.OverheadDetail) { d.Rows[0].ClientTime.Values = nil }, false, "S3 HeadObject client time (the run has no individual values)"},
		{"kept", func(_ *rundoc.Run, d *rundoc.OverheadDetail) {
			r := &d.Rows[0]
			r.ClientTime.N, r.Call.N, r.Overhead.N = 90_000, 90_000, 90_000
		}, false, "Compared using 5,000 evenly spaced values (of more) of: S3 HeadObject."},
		{"few", func(_ *rundoc.Run, d *rundoc.OverheadDetail) {
			d.Rows[0].ClientTime.Values = d.Rows[0].ClientTime.Values[:7]
		}, false, "too few values: 7, at least 20 are needed on each side"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			now, before := pair()
			d := now.Overhead()
			// Everything is much slower, which must not count where it is not comparable.
			rng := rand.New(rand.NewPCG(5, 5))
			for i := range d.Rows {
				d.Rows[i] = overheadRow(rng, call{d.Rows[i].Service, d.Rows[i].Operation, 400, 300}, 1000)
			}
			tt.edit(now, d)
			setDetail(now, *d)
			c := compared(t, now, before)
			text := strings.Join(strings.Fields(comparisonText(t, c)), " ")
			if !strings.Contains(text, tt.want) {
				t.Errorf("no %q in\n%s", tt.want, text)
			}
			if c.Worse() == tt.unlike || (len(c.Unlike) > 0) != tt.unlike {
				t.Errorf("worse %v, unlike %v", c.Worse(), c.Unlike)
			}
		})
	}
}

// Where the null client got slower by as much, or by a little less, it is not the SDK.
func TestNullClientIsControl(t *testing.T) {
	_, before := pair()
	slower := overheadOf(overheadDetail(23, []call{{"S3", "HeadObject", 180, 84.5}, {"DynamoDB", "GetItem", 300, 180}}, 1000))
	if c := compared(t, slower, before); outcomes(c)[stats.Worse] != 2 {
		t.Error(comparisonText(t, c))
	}
	edited(slower, func(d *rundoc.OverheadDetail) {
		nullOf(d, 14)
	})
	c := compared(t, slower, before)
	if got := outcomes(c); got[stats.Worse] != 1 || got[stats.CannotTell] != 1 {
		t.Error(comparisonText(t, c))
	}
	text := strings.Join(strings.Fields(comparisonText(t, c)), " ")
	for _, want := range []string{"The median of the null client, which uses no SDK, also changed by +1", "- the null client also changed by +1"} {
		if !strings.Contains(text, want) {
			t.Error(text)
		}
	}
}

// nullOf gives a run a null client of such a median in µs.
func nullOf(d *rundoc.OverheadDetail, median float64) {
	values := latencies(rand.New(rand.NewPCG(9, 9)), 1000, median)
	d.Null.Overhead = sampleOf(values)
	wholeCalls(d.Null, values, 1)
}

// Of a foreign client there is one figure, and the null client's is the control all the same.
func TestNullClientIsControlOfForeignClient(t *testing.T) {
	foreign := func(seed uint64, sdk, null float64) *rundoc.Run {
		d := overheadDetail(seed, []call{{"S3", "HeadObject", 600, sdk}}, 1000)
		d.Mode = rundoc.OverheadExec
		d.Rows[0].Overhead, d.Null.Overhead = rundoc.Sample{}, rundoc.Sample{}
		d.Null.ClientTime, d.Null.Call = rundoc.Sample{}, rundoc.Sample{}
		d.Rows[0].ClientTime, d.Rows[0].Call, d.Rows[0].Stages, d.Rows[0].StagedCalls, d.Rows[0].StagedCallNS = rundoc.Sample{}, rundoc.Sample{}, nil, 0, 0
		d.Null.SDKTime = sampleOf(latencies(rand.New(rand.NewPCG(seed, 2)), 1000, null))
		return overheadOf(d)
	}
	before := foreign(31, 300, 10)
	if c := compared(t, foreign(32, 330, 10), before); outcomes(c)[stats.Worse] != 1 {
		t.Error(comparisonText(t, c))
	}
	if c := compared(t, foreign(33, 330, 40), before); outcomes(c)[stats.CannotTell] != 1 {
		t.Error(comparisonText(t, c))
	}
}

func TestCompareRejectsOtherRuns(t *testing.T) {
	now, before := pair()
	for _, tt := range []struct {
		name string
		edit func(r *rundoc.Run)
		want string
	}{
		{"workload", func(r *rundoc.Run) { r.Workload = "chat" }, `the baseline is a "chat" run`},
		{"detail", func(r *rundoc.Run) { r.Detail = nil }, "the baseline has no call data"},
		{"broken", func(r *rundoc.Run) { r.Detail = rundoc.RawDetail(`[3]`) }, "the baseline has no call data"},
		{"definition", func(r *rundoc.Run) { r.Definitions = map[string]int{rundoc.FigureSDKTime: 2} },
			"the baseline uses another definition of sdk_time: version 2 instead of 1"},
	} {
		b := *before
		tt.edit(&b)
		_, err := show.Compare(now, &b, 0.03)
		if err == nil || !strings.Contains(err.Error(), tt.want) || fault.CodeOf(err) != fault.Usage || fault.HintOf(err) == "" {
			t.Errorf("%s: %v", tt.name, err)
		}
		if _, err := show.Compare(&b, before, 0.03); err == nil || !strings.HasPrefix(err.Error(), "the run ") {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	if _, err := show.Compare(now, before, -1); err == nil {
		t.Error("a negative smallest difference was taken")
	}
}

// A document shows its comparison as it was shown when it was made.
func TestSavedComparisonReadsAsTheOriginal(t *testing.T) {
	now, before := pair()
	busy := edited(overheadOf(overheadDetail(23, []call{{"S3", "HeadObject", 170, 85}, {"DynamoDB", "GetItem", 180, 79}}, 1000)),
		func(d *rundoc.OverheadDetail) { d.Environment.LatencyNS = 5e6 })
	_, old := pair()
	for name, before := range map[string]*rundoc.Run{
		"alike": before, "not alike": busy, "older": older(old),
		"too few":  overheadOf(overheadDetail(22, twoCalls, 5)),
		"one more": overheadOf(overheadDetail(22, append(slices.Clone(twoCalls), call{"SNS", "Publish", 100, 50}), 1000)),
	} {
		c := compared(t, now, before)
		d := *now.Overhead()
		d.Baseline = c.Document(before)
		raw, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		read := *now
		read.Detail = rundoc.DecodeDetail(now.Workload, raw)
		saved := show.Saved(read.Overhead())
		if saved == nil {
			t.Fatalf("%s: none", name)
		}
		if diff := cmp.Diff(comparisonText(t, c), comparisonText(t, saved)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	if show.Saved(now.Overhead()) != nil {
		t.Error("a run that was compared with none has a comparison")
	}
}
