package show_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll/plimsoll/internal/report/reporttest"
	"github.com/plimsoll/plimsoll/rundoc"
)

const (
	sec = int64(time.Second)
	ms  = int64(time.Millisecond)
	us  = int64(time.Microsecond)
)

// updateTimes collects the durations of a stage.
type updateTimes struct{ values []int64 }

func (u *updateTimes) add(ns int64) { u.values = append(u.values, ns) }

// stage sums them up as the server does: the negative ones apart, and in the ranks.
func (u *updateTimes) stage(name string) rundoc.NamedStage {
	h, exact := hdrhistogram.New(1, 1<<42, 3), rundoc.Exact{Min: math.MaxInt64}
	s := rundoc.NamedStage{Name: name}
	for _, v := range u.values {
		if v < 0 {
			s.Negative, s.NegativeMin = s.Negative+1, min(s.NegativeMin, v)
			continue
		}
		_ = h.RecordValue(v)
		exact.Min, exact.Max, exact.Sum = min(exact.Min, v), max(exact.Max, v), exact.Sum+v
	}
	s.Summary = rundoc.Summarize(h, exact)
	if s.Negative > 0 {
		sorted := slices.Sorted(slices.Values(u.values))
		at := func(p float64) *int64 {
			rank := int(math.Ceil(p * float64(len(sorted))))
			if len(sorted)-rank < rundoc.MinAbove || sorted[rank-1] < 0 {
				return nil
			}
			return &sorted[rank-1]
		}
		s.Summary.P50NS, s.Summary.P90NS, s.Summary.P95NS, s.Summary.P99NS, s.Summary.P999NS = at(.5), at(.9), at(.95), at(.99), at(.999)
	}
	return s
}

// updatesOf is what the simulation assumes of a run.
type updatesOf struct {
	rate, seconds int64
	batch         int64
	lost          []rundoc.LostSpan // of the window's batches, by two publishers in turn
	error         int64             // ns that the clocks' offset is off by
	noClock       int64             // every so many batches; 0: none
	broker        bool              // its messages carry its time
}

// simulateUpdates makes a document that keeps all laws: batches at equal distances on their way.
func simulateUpdates(o updatesOf) (*rundoc.Run, *rundoc.UpdatesDetail) {
	rng := rand.New(rand.NewPCG(5, uint64(o.rate)))
	skewed := func(median int64, spread float64) int64 {
		return int64(float64(median) * math.Exp(spread*rng.NormFloat64()))
	}
	n := o.rate * o.seconds
	window := o.seconds * sec
	names := []string{
		rundoc.StagePublish, rundoc.StageTransit, rundoc.StageReceiveIdle, rundoc.StageReceiveBusy, rundoc.StageReading,
		rundoc.StageQueued, rundoc.StageApply, rundoc.StageProcessing, rundoc.StageAcknowledge, rundoc.StageE2ESent, rundoc.StageE2EScheduled, rundoc.StageE2EBroker,
	}
	times := map[string]*updateTimes{}
	for _, name := range names {
		times[name] = &updateTimes{}
	}
	d := &rundoc.UpdatesDetail{
		Transport: "NATS", Client: "github.com/nats-io/nats.go", Server: "http://127.0.0.1:40124", Batch: int(o.batch), MessageSize: 43 * o.batch,
		Listeners: 4, Receive: 10, Publishers: 2, Clock: rundoc.UpdateClock{Shared: true},
		Notes: []string{"Core NATS delivers at most once: what a subscriber cannot take, or misses while it is away, is lost."},
	}
	lost := func(i int64) bool {
		return slices.ContainsFunc(o.lost, func(s rundoc.LostSpan) bool {
			return int64(s.Publisher) == i%2 && s.First <= uint64(i/2) && uint64(i/2) <= s.Last
		})
	}
	var response, delays updateTimes
	seconds := map[int64]*updateTimes{}
	series := map[int64]*rundoc.UpdateSecond{}
	last := int64(0)
	for i := range n {
		due := i * sec / o.rate
		delay, publish := skewed(4000, .3), skewed(190*us, .3)
		delays.add(delay)
		times[rundoc.StagePublish].add(publish)
		response.add(delay + publish)
		if lost(i) {
			continue
		}
		transit, queued, apply := skewed(160*us, .4), skewed(9*us, .9), skewed(430*us, .35)
		if rng.Float64() < 0.02 {
			transit += skewed(2*ms, .5)
		}
		times[rundoc.StageQueued].add(queued)
		times[rundoc.StageApply].add(apply)
		times[rundoc.StageProcessing].add(queued + apply)
		if acknowledge := skewed(12*us, .3); o.broker { // core NATS has neither
			times[rundoc.StageAcknowledge].add(acknowledge)
		}
		reading, busy := sec/o.rate, min(transit, sec/o.rate)
		times[rundoc.StageReading].add(reading)
		times[rundoc.StageReceiveIdle].add(reading - busy)
		times[rundoc.StageReceiveBusy].add(busy)
		d.Receives, d.Messages = d.Receives+1, d.Messages+1
		sent := transit + queued + apply
		at := due + delay + sent
		last = max(last, at)
		s := at / sec
		if series[s] == nil {
			series[s], seconds[s] = &rundoc.UpdateSecond{Second: s}, &updateTimes{}
		}
		series[s].Batches, series[s].Applied = series[s].Batches+1, series[s].Applied+o.batch
		if o.noClock > 0 && i%o.noClock == 0 {
			d.NoClock++
			continue
		}
		seconds[s].add(delay + sent)
		times[rundoc.StageTransit].add(transit + o.error)
		times[rundoc.StageE2ESent].add(sent + o.error)
		times[rundoc.StageE2EScheduled].add(delay + sent + o.error)
		if o.broker {
			times[rundoc.StageE2EBroker].add(sent - transit/3)
		}
	}
	for _, name := range names {
		if len(times[name].values) > 0 {
			d.Stages = append(d.Stages, times[name].stage(name))
		}
	}
	applied := int64(0)
	for s := range last/sec + 1 {
		if series[s] == nil {
			continue
		}
		of := seconds[s].stage("")
		if p := of.Summary.P50NS; p != nil {
			series[s].E2EP50NS = *p
		}
		if p := of.Summary.P99NS; p != nil {
			series[s].E2EP99NS = *p
		}
		series[s].E2EMaxNS = of.Summary.MaxNS
		d.Series = append(d.Series, *series[s])
		applied += series[s].Applied
	}
	d.AppliedPerS = float64(applied) / (float64(max(window, last)) / 1e9)
	proveUpdates(d, n, o)
	received := d.Stage(rundoc.StageApply).Summary.Count
	accountFor(d, n, sec, rundoc.Fates{Received: received, Lost: n - received})
	return updatesRunOf(d, n, window, o, &response, &delays), d
}

// accountFor adds what became of the batches that were due.
func accountFor(d *rundoc.UpdatesDetail, due, within int64, f rundoc.Fates) {
	d.Due, _ = rundoc.NewDueBatches(due, within, d.Stage(rundoc.StageE2EScheduled), f)
}

// proveUpdates adds the manifest and the proof: half a second of warm-up by two publishers, and the
// window by two others.
func proveUpdates(d *rundoc.UpdatesDetail, n int64, o updatesOf) {
	warm := o.rate / 2
	m := &d.Manifest
	*m = rundoc.Manifest{Run: 1593575013117939437, Batches: n + warm, Updates: (n + warm) * o.batch, Live: (n + warm) * o.batch, Digest: 0x0ecef71a2a474e55}
	for p, of := range []int64{(n + 1) / 2, n / 2, (warm + 1) / 2, warm / 2} {
		m.Publishers = append(m.Publishers, rundoc.Published{Publisher: uint32(p), Next: uint64(of)})
	}
	p := &rundoc.Proof{
		Complete: true, Published: m.Batches, Received: m.Batches, Updates: m.Updates, Applied: m.Updates, StateKnown: true,
		Expected: rundoc.StateSum{Live: m.Live, Digest: m.Digest}, Found: rundoc.StateSum{Live: m.Live, Digest: m.Digest},
	}
	d.Proof = p
	if len(o.lost) == 0 {
		return
	}
	for _, s := range o.lost {
		p.Lost += int64(s.Last-s.First) + 1
	}
	p.LostSpans, p.Complete = o.lost, false
	p.Received -= p.Lost
	p.Updates -= p.Lost * o.batch
	p.Applied, p.Found = p.Updates, rundoc.StateSum{Live: p.Updates, Digest: 0x71c2d0cc52b1f00d}
	p.Problems = []string{
		fmt.Sprintf("%d of the %d batches that the broker acknowledged were not received: publisher 0: %d–%d, and more. This transport delivers a message at most once, and can lose it.",
			p.Lost, p.Published, o.lost[0].First, o.lost[0].Last),
		fmt.Sprintf("The server's state is not the one that the updates lead to: %d keys with the digest %016x, not %d with %016x. It is the state of what was received, and right as far as that goes.",
			p.Found.Live, p.Found.Digest, p.Expected.Live, p.Expected.Digest),
	}
}

// updatesRunOf is the document around the detail.
func updatesRunOf(d *rundoc.UpdatesDetail, n, window int64, o updatesOf, response, delays *updateTimes) *rundoc.Run {
	started := time.Date(2026, 11, 22, 8, 0, 0, 0, time.UTC)
	rate := float64(n) / (float64(window) / 1e9)
	service := d.Stages[0].Summary
	connect := updateTimes{[]int64{261 * us, 640 * us, 712 * us, 958 * us}}
	run := &rundoc.Run{
		Schema: rundoc.Schema, ID: "20261122T080000Z-85f1", Workload: rundoc.WorkloadUpdates, Started: started,
		Ended:  started.Add(time.Duration(window) + time.Second),
		Tool:   rundoc.Tool{Version: "0.5.0", Commit: "0123456", Go: "go1.26.0"},
		Host:   rundoc.Host{OS: "linux", Arch: "amd64", Kernel: "6.12.0", CPU: "Example CPU", CPUs: 2},
		Target: rundoc.Target{URL: "nats://127.0.0.1:33405", Embedded: true, SameHost: true, CPUUserNS: window / 20, CPUSystemNS: window / 80},
		Plan: json.RawMessage(fmt.Sprintf(`{"url":"","load":{"seed":2458771412,"clients":2,"pipeline":8,"duration_ns":%d,"rate_per_s":%d,"arrivals":"constant",`+
			`"max_waiting":10000,"drain_ns":5000000000,"retry":{"timeout_ns":5000000000,"max_retries":5}},"batch":%d,"codec":"compact","key_length":30,"value_length":10,`+
			`"listeners":4,"receive_batch":10,"settle_ns":30000000000,"output":{"bucket_ns":10000000000}}`, window, o.rate, o.batch)),
		Phases: []rundoc.Phase{
			{Name: rundoc.PhaseWarmup, Started: started, DurationNS: sec / 2, Operations: o.rate / 2, OK: o.rate / 2, RatePerS: float64(o.rate), MeanNS: 210 * us},
			{Name: rundoc.PhaseWindow, Started: started.Add(time.Second / 2), DurationNS: window, Operations: n, OK: n, RatePerS: rate, MeanNS: service.MeanNS},
		},
		Operations: []rundoc.Operation{{
			Name: "publish", Scheduled: n, OK: n, Attempts: n, Bytes: n * d.MessageSize, RatePerS: rate, BytesPerS: rate * float64(d.MessageSize),
			ServiceTime: service, FirstAttempt: service, ResponseTime: response.stage("").Summary, SendDelay: delays.stage("").Summary,
		}},
		Connections: rundoc.Connections{Opened: 4, ConnectTime: connect.stage("").Summary},
		Ledger: rundoc.Ledger{Clients: 2, WindowNS: window, States: map[string]int64{
			rundoc.StateWaiting: 2*window - window/20, rundoc.StateAwaiting: window / 20,
		}},
		Generator: rundoc.Generator{
			CPUUserNS: window / 30, CPUSystemNS: window / 90, CPUShare: 0.03, CPUs: 2, MachineShare: 0.21, GCPauseNS: 300 * us, MaxRSSBytes: 83 << 20,
			SendDelayP99NS: 7 * us, OwnDelayP99NS: 7 * us, OwnLate: new(int64(0)), ThrottledNS: new(int64(0)),
		},
	}
	for s := range window / sec {
		run.Series = append(run.Series, rundoc.Point{Second: s, OK: o.rate, Bytes: o.rate * d.MessageSize, P50NS: *service.P50NS, InFlight: new(0.01)})
	}
	setUpdates(run, d)
	return run
}

func setUpdates(run *rundoc.Run, d *rundoc.UpdatesDetail) { run.Detail = d }

// updatesRun: 420 batches of 125 a second, long enough for a p99.9.
func updatesRun() *rundoc.Run {
	run, _ := simulateUpdates(updatesOf{rate: 420, seconds: 25, batch: 125})
	return run
}

// updatesLostRun: core NATS lost batches in more ranges than a report lists.
func updatesLostRun() *rundoc.Run {
	var lost []rundoc.LostSpan
	for i := range uint64(24) {
		lost = append(lost, rundoc.LostSpan{Publisher: uint32(i / 16), First: 5 + i%16*6, Last: 5 + i%16*6 + i%3})
	}
	run, d := simulateUpdates(updatesOf{rate: 45, seconds: 10, batch: 1000, lost: lost})
	d.Proof.Duplicates, d.Proof.Unreadable = 2, 1
	setUpdates(run, d)
	return run
}

// updatesClocksRun: two machines, by JetStream; the offset is so far off that some times are below
// zero, a few beyond its bound, and some batches cannot be related at all.
func updatesClocksRun() *rundoc.Run {
	run, d := simulateUpdates(updatesOf{rate: 105, seconds: 10, batch: 500, error: -120 * us, noClock: 50, broker: true})
	d.Transport, d.AtLeastOnce, d.Server, d.Notes = "NATS JetStream", true, "http://kv.example.com:8095", nil
	d.Clock = rundoc.UpdateClock{OffsetNS: -72_345_678_901, BoundNS: 84 * us, DriftNS: 3 * us}
	run.Target = rundoc.Target{URL: "nats+js://broker.example.com:4222"}
	setUpdates(run, d)
	return run
}

// updatesRestartedRun: the server was killed, and lost nothing; most keys are hot.
func updatesRestartedRun() *rundoc.Run {
	run, d := simulateUpdates(updatesOf{rate: 45, seconds: 10, batch: 1000, broker: true})
	whole := run.Operations[0]
	later, part := simulateUpdates(updatesOf{rate: 45, seconds: 4, batch: 1000, broker: true})
	_ = later
	for i := range part.Series {
		part.Series[i].Second += 6
	}
	part.Stages[0] = rundoc.NamedStage{Name: rundoc.StagePublish, UpdateStage: rundoc.UpdateStage{Summary: whole.ServiceTime}}
	part.Transport, part.AtLeastOnce, part.Notes = "NATS JetStream", true, []string{"The stream plimsoll-updates is in the broker's memory, and is lost with the broker."}
	part.Manifest, part.Proof, part.AppliedPerS = d.Manifest, d.Proof, 0
	p := part.Proof
	p.Restarted, p.Duplicates = true, 17
	p.Stale, p.Applied = p.Applied/5, p.Applied-p.Applied/5
	part.Manifest.Live = 20_000
	p.Expected.Live, p.Found.Live = 20_000, 20_000
	accountFor(part, whole.Scheduled, sec, rundoc.Fates{Received: whole.Scheduled})
	setUpdates(run, part)
	return run
}

// updatesPublishRun: no server was asked.
func updatesPublishRun() *rundoc.Run {
	run, d := simulateUpdates(updatesOf{rate: 45, seconds: 10, batch: 1000})
	*d = rundoc.UpdatesDetail{
		Transport: "Kafka", Client: "github.com/twmb/franz-go", AtLeastOnce: true, Batch: d.Batch, MessageSize: d.MessageSize, Publishers: 2,
		Stages: d.Stages[:1], Manifest: d.Manifest, Samples: &rundoc.SamplesFile{Path: "samples.csv", Written: 440, Lost: 10, Error: "no space left on device"},
	}
	accountFor(d, run.Operations[0].Scheduled, 0, rundoc.Fates{Unknown: run.Operations[0].Scheduled})
	run.Target = rundoc.Target{URL: "kafka://broker.example.com:9092/updates"}
	setUpdates(run, d)
	return run
}

// updatesMaxRun: what a search for the largest rate came to.
func updatesMaxRun() *rundoc.Run {
	run, d := simulateUpdates(updatesOf{rate: 1180, seconds: 3, batch: 1000})
	d.Listeners = 1
	d.Search = []rundoc.UpdateTrial{
		{RatePerS: 640, AppliedPerS: 639_800, E2EP99NS: 4 * ms, Sustained: true},
		{RatePerS: 1280, AppliedPerS: 1_170_000, E2EP99NS: 410 * ms, BacklogNS: 380 * ms, Why: "the last batch was applied 380ms after the end of the window"},
		{RatePerS: 1180, AppliedPerS: 1_179_000, E2EP99NS: 20 * ms, BacklogNS: 2 * ms, Sustained: true},
	}
	d.Notes = append(d.Notes, "At 1280 batches a second, the lowest rate that was not sustained, the last batch was applied 380ms after the end of the window. "+
		"The publisher used 31 % of 2 CPUs, the server with its broker 62 % of 2: this machine was 97 % busy, and that is the limit.")
	run.Generator.CPUShare, run.Generator.MachineShare = 0.31, 0.93
	run.Generator.CPUUserNS, run.Generator.CPUSystemNS = sec+sec/2, 2*sec/5
	run.Target.CPUUserNS, run.Target.CPUSystemNS = 3*sec, sec/2
	setUpdates(run, d)
	return run
}

// updatesFewRun: interrupted after a quarter of a second, before the server could be asked.
func updatesFewRun() *rundoc.Run {
	run, d := simulateUpdates(updatesOf{rate: 45, seconds: 1, batch: 1000})
	run.Interrupted = true
	d.Stages, d.Series, d.AppliedPerS, d.Receives, d.Messages = d.Stages[:1], nil, 0, 0, 0
	d.Proof = &rundoc.Proof{
		Unknown: true, Published: d.Manifest.Batches, Expected: rundoc.StateSum{Live: d.Manifest.Live, Digest: d.Manifest.Digest},
		Problems: []string{"The server could not be asked what it received: GET http://127.0.0.1:40124/v1/runs/1593575013117939437: connection refused."},
	}
	accountFor(d, run.Operations[0].Scheduled, sec, rundoc.Fates{Unknown: run.Operations[0].Scheduled})
	setUpdates(run, d)
	return run
}

// updatesReadRun: two servers, and reads beside the updates, of which some failed and some batches were never found.
func updatesReadRun() *rundoc.Run {
	run, d := simulateUpdates(updatesOf{rate: 420, seconds: 5, batch: 125})
	n := d.Stage(rundoc.StageApply).Summary.Count
	var first, last, spread, read, resolution, response updateTimes
	for i := range n {
		first.add(600*us + i%37*10*us)
		spread.add(150*us + i%23*us)
		last.add(750*us + i%37*10*us + i%23*us)
		if i >= 3 {
			read.add(2*ms + i%41*20*us)
			resolution.add(ms + i%17*30*us)
		}
	}
	var servers []rundoc.UpdateServer
	for i, url := range []string{"http://kv-1.example.com:8095", "http://kv-2.example.com:8095"} {
		s, proof := rundoc.ServerOf(d), *d.Proof
		s.URL, s.Proof = url, &proof
		if i == 0 {
			s.First = n
		} else {
			s.Last = n
		}
		servers = append(servers, s)
	}
	d.Stages = []rundoc.NamedStage{d.Stages[0], first.stage(rundoc.StageFirst), last.stage(rundoc.StageE2EScheduled),
		spread.stage(rundoc.StageSpread)}
	d.NoClock, d.Receives, d.Messages, d.Spread = 0, 0, 0, &rundoc.UpdateSpread{Batches: n}
	d.SetServers(servers, nil, d.Manifest.Batches)
	accountFor(d, run.Operations[0].Scheduled, sec, rundoc.Fates{Received: n})
	const reads, failed, unsent = 5000, 100, 10
	for i := range int64(reads - failed - unsent) {
		response.add(300*us + i%97*10*us)
	}
	times := response.stage("").Summary
	d.Reads = &rundoc.UpdateReads{
		Keys: rundoc.ReadRecent, RatePerS: 1000, Readers: 50, Asked: 9000, Found: 7000,
		Operation: rundoc.Operation{Name: "read", Scheduled: reads, OK: times.Count, Failed: failed, Unsent: unsent,
			Attempts: reads - unsent, ResponseTime: times, ServiceTime: times, FirstAttempt: times,
			Causes: []rundoc.Cause{{Cause: "refused", Count: failed}}},
		Batches: &rundoc.ReadBatches{Batches: n, Seen: n - 3, Times: read.stage("").UpdateStage,
			Resolution: resolution.stage("").UpdateStage},
	}
	for s := range int64(5) {
		d.Reads.Series = append(d.Reads.Series, rundoc.Point{Second: s, OK: times.Count / 5, Failed: failed / 5,
			P50NS: *times.P50NS + s*10*us, P99NS: *times.P99NS})
	}
	setUpdates(run, d)
	return run
}

// updatesBareRun: a document without a detail.
func updatesBareRun() *rundoc.Run {
	run, _ := simulateUpdates(updatesOf{rate: 45, seconds: 2, batch: 1000})
	run.Detail = nil
	return run
}

var updatesFixtures = []reporttest.Fixed{
	{Name: "updates", Make: updatesRun}, {Name: "updates-lost", Make: updatesLostRun}, {Name: "updates-clocks", Make: updatesClocksRun}, {Name: "updates-restarted", Make: updatesRestartedRun},
	{Name: "updates-publish", Make: updatesPublishRun}, {Name: "updates-max", Make: updatesMaxRun}, {Name: "updates-few", Make: updatesFewRun}, {Name: "updates-bare", Make: updatesBareRun},
	{Name: "updates-read", Make: updatesReadRun},
}
