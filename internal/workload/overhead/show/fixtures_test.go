package show_test

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/internal/stats"
	"github.com/plimsoll/plimsoll/rundoc"
)

const (
	sec = int64(time.Second)
	ms  = int64(time.Millisecond)
	us  = int64(time.Microsecond)
)

// call is what the simulation assumes of an operation: its medians in µs.
type call struct {
	service, operation string
	overhead, sdk      float64
}

var defaultCalls = []call{
	{"S3", "HeadObject", 160, 75}, {"S3", "PutObject", 192, 98},
	{"S3 Express", "PutObject", 188, 96}, {"S3 Express", "GetObject", 171, 83},
	{"SNS", "GetTopicAttributes", 243, 131}, {"SNS", "Publish", 239, 126},
	{"STS", "AssumeRole", 236, 128}, {"STS", "GetCallerIdentity", 228, 121},
	{"CloudWatch", "GetMetricData", 211, 109}, {"CloudWatch", "PutMetricData", 203, 102},
	{"CloudWatch Events", "DescribeEventBus", 198, 97}, {"CloudWatch Events", "PutEvents", 202, 99},
	{"DynamoDB", "GetItem", 196, 95}, {"DynamoDB", "PutItem", 197, 96},
	{"Secrets Manager", "GetSecretValue", 199, 98}, {"Secrets Manager", "PutSecretValue", 201, 99},
}

func sampleOf(values []int64) rundoc.Sample {
	f := stats.Describe(values)
	return rundoc.Sample{N: int64(f.N), MinNS: f.Min, AvgNS: f.Mean, MedNS: f.Med, P90NS: f.P90, P99NS: f.P99, MaxNS: f.Max, Values: values}
}

// latencies are skewed, with a tail, around a median in µs.
func latencies(rng *rand.Rand, n int, median float64) []int64 {
	list := make([]int64, n)
	for i := range list {
		ns := 1000 * median * math.Exp(0.09*rng.NormFloat64())
		if rng.Float64() < 0.02 {
			ns *= 1 + 8*rng.ExpFloat64()
		}
		list[i] = int64(ns)
	}
	return list
}

func overheadRow(rng *rand.Rand, c call, n int) rundoc.OverheadRow {
	sdk := latencies(rng, n, c.sdk)
	overhead := make([]int64, n)
	for i := range sdk {
		overhead[i] = sdk[i] + int64(1000*(c.overhead-c.sdk)*math.Exp(0.05*rng.NormFloat64()))
	}
	row := rundoc.OverheadRow{
		Service: c.service, Operation: c.operation, Overhead: sampleOf(overhead), SDKTime: sampleOf(sdk),
		Stages: map[string]float64{
			rundoc.StageSerialize: 8100 + 10*c.sdk, rundoc.StageEndpoint: 9300, rundoc.StageCredentials: 820, rundoc.StageSign: 21400,
			rundoc.StageHTTP: 1000 * (c.overhead - c.sdk), rundoc.StageWait: 27000, rundoc.StageDeserialize: 7700, rundoc.StageOther: 12000,
		},
		StagedCalls: int64((n + 7) / 8), AllocationsPerCall: 400 + c.sdk, BytesPerCall: 41000 + 100*c.sdk, CPUPerCallNS: 1400 * c.sdk,
	}
	for _, ns := range row.Stages {
		row.StagedCallNS += ns
	}
	wholeCalls(&row, overhead, 30)
	return row
}

// wholeCalls adds what whole calls took to a row: before and after the attempt so many µs, and a wait.
func wholeCalls(r *rundoc.OverheadRow, overhead []int64, beside int64) {
	client, call := make([]int64, len(overhead)), make([]int64, len(overhead))
	for i, ns := range overhead {
		client[i] = ns + (beside+int64(i%7))*us
		call[i] = client[i] + int64(25+i%5)*us
	}
	r.ClientTime, r.Call = sampleOf(client), sampleOf(call)
	r.Call.Values = nil
}

// overheadOf makes the run of a detail: one client that did one call after the other.
func overheadOf(d rundoc.OverheadDetail) *rundoc.Run {
	started := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	run := &rundoc.Run{
		Schema: rundoc.Schema, ID: "20261120T080000Z-0a1b", Workload: rundoc.WorkloadOverhead, Started: started,
		Tool:   rundoc.Tool{Version: "0.4.0", Commit: "0123456", Go: "go1.26.0"},
		Host:   rundoc.Host{OS: "linux", Arch: "amd64", Kernel: "6.12.0", CPU: "Example CPU", CPUs: 8},
		Target: rundoc.Target{URL: d.Environment.Endpoint, Embedded: d.Environment.Embedded, SameHost: d.Environment.Embedded},
		Plan: json.RawMessage(`{"load":{"seed":7,"clients":1},"warmup_ns":5000000000,"time_ns":15000000000,"concurrency":1,` +
			`"timeout_ns":10000000000,"output":{"bucket_ns":10000000000}}`),
	}
	window, ok, failed := int64(0), int64(0), int64(0)
	for i := range d.Rows {
		r := &d.Rows[i]
		n := max(r.Overhead.N, r.SDKTime.N)
		if n+r.Failed == 0 {
			continue
		}
		h, exact := hdrhistogram.New(1, 1<<42, 3), rundoc.Exact{Min: math.MaxInt64}
		for _, v := range slices.Concat(r.Overhead.Values, r.SDKTime.Values)[:n] {
			v += 40 * us
			_ = h.RecordValue(v)
			exact.Min, exact.Max, exact.Sum = min(exact.Min, v), max(exact.Max, v), exact.Sum+v
		}
		times := rundoc.Summarize(h, exact)
		o := rundoc.Operation{
			Name: r.Operation, Labels: map[string]string{"service": r.Service}, Scheduled: n + r.Failed, OK: n, Failed: r.Failed, Attempts: n + r.Failed,
			ResponseTime: times, ServiceTime: times, FirstAttempt: times,
		}
		if r.Failed > 0 {
			o.Causes = []rundoc.Cause{{Cause: "timeout", Count: r.Failed}}
		}
		window, ok, failed = window+exact.Sum+r.Failed*ms, ok+n, failed+r.Failed
		run.Operations = append(run.Operations, o)
	}
	window = max(window, sec)
	for i := range run.Operations {
		run.Operations[i].RatePerS = float64(run.Operations[i].OK) / (float64(window) / 1e9)
	}
	run.Ended = started.Add(time.Duration(window))
	run.Phases = []rundoc.Phase{{Name: rundoc.PhaseWindow, Started: started, DurationNS: window, Operations: ok + failed, OK: ok}}
	run.Ledger = rundoc.Ledger{Clients: 1, WindowNS: window, States: map[string]int64{rundoc.StateAwaiting: window}}
	run.Generator = rundoc.Generator{CPUUserNS: window / 2, CPUSystemNS: window / 5, CPUShare: 0.09, CPUs: 8, MachineShare: 0.2, GCPauseNS: 90 * us,
		ThrottledNS: new(int64(0)), MaxRSSBytes: 40 << 20}
	setDetail(run, d)
	return run
}

func setDetail(run *rundoc.Run, d rundoc.OverheadDetail) {
	run.Detail = &d
}

func overheadDetail(seed uint64, calls []call, n int) rundoc.OverheadDetail {
	rng := rand.New(rand.NewPCG(seed, 1))
	d := rundoc.OverheadDetail{
		Mode: rundoc.OverheadSDK,
		Environment: rundoc.OverheadEnvironment{
			SDK: "aws-sdk-go-v2 v1.47.7", Modules: []string{"service/dynamodb v1.73.1", "service/s3 v1.114.8", "service/sns v1.47.9"},
			Endpoint: "http://127.0.0.1:40999", Embedded: true, Protocol: "HTTP/1.1", Concurrency: 1, WarmupNS: 5e9, TimeNS: 15e9,
		},
		Notes: []string{"Pinpoint is left out: its support ended on 30 October 2026."},
	}
	for _, c := range calls {
		d.Rows = append(d.Rows, overheadRow(rng, c, n))
	}
	null := rundoc.OverheadRow{Service: "null client", Overhead: sampleOf(latencies(rng, n, 12)), AllocationsPerCall: 61, BytesPerCall: 5210,
		CPUPerCallNS: 21_300}
	wholeCalls(&null, null.Overhead.Values, 1)
	d.Null = &null
	return d
}

// overheadRun: the default table against the embedded responder.
func overheadRun() *rundoc.Run { return overheadOf(overheadDetail(1, defaultCalls, 240)) }

// overheadFixtures are the run documents under testdata.
var overheadFixtures = []reporttest.Fixed{
	{Name: "overhead"}, {Name: "overhead-aws"}, {Name: "overhead-exec"}, {Name: "overhead-compared"}, {Name: "overhead-bare"},
}
