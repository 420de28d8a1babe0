package report_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/rundoc"
)

// The documents of this file are those of runs in which the generator watched itself. Each operation of theirs
// is played, and recorded as the engine does, so that all figures are of the same ones.

// play is a generator that does not run in some gaps, and its target.
type play struct {
	clients int
	window  int64
	rate    float64 // of the open model; 0: closed
	target  func(rng *rand.Rand, waited int64) int64
	gaps    []rundoc.Gap
	stamps  record.Stamps // of each answer

	ops    []record.Operation
	ledger record.Ledger
}

// slot is a client: when it is free, and when it would be if the generator took no time.
type slot struct{ free, v int64 }

// awake is the first time from at on in which the generator runs.
func (p *play) awake(at int64) int64 {
	for _, g := range p.gaps {
		if at >= g.AtNS && at < g.AtNS+g.NS {
			return g.AtNS + g.NS
		}
	}
	return at
}

func (p *play) overlap(from, to int64) (ns int64) {
	for _, g := range p.gaps {
		ns += max(0, min(to, g.AtNS+g.NS)-max(from, g.AtNS))
	}
	return ns
}

// perform plays all operations. The next is that of the client that is free first.
func (p *play) perform() {
	rng := rand.New(rand.NewPCG(7, 11))
	slots := make([]slot, p.clients)
	var due, last int64
	for {
		s := &slots[0]
		for i := range slots {
			if slots[i].free < s.free {
				s = &slots[i]
			}
		}
		intended := s.free + 3*us
		if p.rate > 0 {
			due += int64(rng.ExpFloat64() / p.rate * 1e9)
			intended = due
		}
		start := p.awake(max(intended, s.free, last)) + 300 + int64(400*rng.ExpFloat64())
		if intended >= p.window || start >= p.window {
			break
		}
		last = start + 4*us // one after the other
		p.operation(rng, s, intended, start)
	}
	for i := range slots {
		p.ledger.Add(record.Waiting, slots[i].free, p.window, 0, p.window)
	}
}

func (p *play) operation(rng *rand.Rand, s *slot, intended, start int64) {
	if p.rate == 0 {
		intended = start
	}
	ready := max(intended, s.v)
	sent := p.awake(start + 6*us)
	came := sent + p.target(rng, start-intended)
	end := p.awake(came) + 4*us + int64(3000*rng.ExpFloat64())
	prepare := max(s.free, start-2*us)
	for state, times := range map[record.State][2]int64{
		record.Waiting: {s.free, prepare}, record.Preparing: {prepare, start}, record.Sending: {start, sent},
		record.Awaiting: {sent, end},
	} {
		p.ledger.Add(state, times[0], times[1], 0, p.window)
	}
	s.v, s.free = ready+came-start-p.overlap(start, sent), end
	kind := 0
	if u := rng.Float64(); u > .95 {
		kind = 2
	} else if u > .9 {
		kind = 1
	}
	p.ops = append(p.ops, record.Operation{Kind: kind, Group: rng.IntN(20), Bytes: 180, Intended: intended, Ready: ready,
		Start: start, End: end, Own: end - s.v, FirstEnd: end, Attempts: 1})
}

// record is the run, as the engine would have recorded it.
func (p *play) record() *record.Run {
	p.perform()
	start := time.Date(2026, 5, 4, 9, 30, 2, 250_000_000, time.UTC)
	r := &record.Run{
		Started: start.Add(-2250 * time.Millisecond), Ended: start.Add(time.Duration(p.window + 40*ms)),
		Clients: p.clients, Slots: 1, End: p.window, Scheduled: int64(len(p.ops)), Begun: make([]int64, 3),
		Unsent: make([]int64, 3), Kinds: []record.Kind{messages("TEXT"), messages("JOIN"), messages("LEAVE")},
		Ledger: p.ledger, Connections: record.NewConnections(), Stamps: &p.stamps,
	}
	r.Window = record.New(record.Config{Kinds: r.Kinds, Groups: 20, Open: p.rate > 0, Series: true, Gaps: p.overlap})
	r.Window.End(p.window)
	for i := range 32 + p.clients {
		r.Connections.Opened(400*us + int64(i)*9*us)
	}
	p.pour(r)
	r.Phases = phases(r, start)
	return r
}

// pour records the operations in the order of their ends, and the time in flight as time goes on.
func (p *play) pour(r *record.Run) {
	const step = 10 * ms
	flown := make([]int64, p.window/step)
	for i := range p.ops {
		o := &p.ops[i]
		for at := o.Start / step; at < int64(len(flown)) && at*step < o.End; at++ {
			flown[at] += min(o.End, (at+1)*step) - max(o.Start, at*step)
		}
		r.Begun[o.Kind]++
	}
	slices.SortFunc(p.ops, func(a, b record.Operation) int { return int(a.End - b.End) })
	next := 0
	for i, sum := range flown {
		at := int64(i+1) * step
		for ; next < len(p.ops) && p.ops[next].End <= at; next++ {
			r.Window.Record(0, &p.ops[next])
		}
		r.FlightTime += sum
		r.Window.AddFlightTime(at-step, at, sum)
		r.Window.Collect(at)
	}
	for ; next < len(p.ops); next++ {
		r.Window.Record(0, &p.ops[next])
	}
}

func phases(r *record.Run, start time.Time) []record.Phase {
	return []record.Phase{
		{Name: rundoc.PhaseWarmup, Started: r.Started, Length: 2212 * time.Millisecond, Mean: 2180 * time.Microsecond,
			Operations: 32000, OK: 32000, Inside: 32000},
		{Name: rundoc.PhaseConnect, Started: start.Add(-38 * time.Millisecond), Length: 38 * time.Millisecond},
		{Name: rundoc.PhaseWindow, Started: start, Length: time.Duration(r.End), Operations: r.Scheduled, OK: r.Window.OK(),
			Inside: r.Window.Inside(), Mean: time.Duration(r.Window.Mean())},
		{Name: rundoc.PhaseDrain, Started: start.Add(time.Duration(r.End)), Length: 2 * time.Millisecond},
	}
}

func messages(of string) record.Kind {
	return record.Kind{Name: "send", Labels: map[string]string{"type": of}}
}

// document is the run's, of a generator that is quiet but for the gaps.
func (p *play) document(on rundoc.Host, stamped bool) *rundoc.Run {
	r := p.record()
	if p.rate > 0 {
		r.Pacing = "spin"
	}
	p.stamps.Missing = r.Window.OK()
	if stamped {
		p.stamps = record.Stamps{Used: r.Window.OK()}
	}
	run, err := r.Document()
	if err != nil {
		panic(err)
	}
	load := ""
	if p.rate > 0 {
		load = fmt.Sprintf(`"rate_per_s":%g,"arrivals":"poisson","max_waiting":5000,`, p.rate)
	}
	run.Plan = json.RawMessage(fmt.Sprintf(`{"url":"","load":{"seed":1,"clients":%d,"pipeline":1,"duration_ns":%d,%s`+
		`"drain_ns":5000000000,"retry":{"timeout_ns":5000000000}}}`, p.clients, p.window, load))
	run.ID, run.Workload, run.Host = "20260504T093000Z-7f3a", "chat", on
	run.Tool = rundoc.Tool{Version: "0.1.0", Commit: "0123456", Go: "go1.26.0"}
	run.Target.URL, run.Target.Embedded, run.Target.SameHost = "ws://127.0.0.1:40123/chat/{room}", true, true
	detail := &rundoc.ChatDetail{}
	for i, g := range r.Groups() {
		detail.ByRoom = append(detail.ByRoom, rundoc.RoomFigures{Room: fmt.Sprint(i + 1), OK: g.OK, Failed: g.Failed,
			RatePerS: g.Rate, Times: g.Times, MeanNS: g.Mean, P50NS: g.P50, P99NS: g.P99})
	}
	if total, _ := run.Totals(); total.ResponseTime.P99NS != nil {
		t := r.Tail(*total.ResponseTime.P99NS)
		detail.Tail = &rundoc.MessageTail{FromNS: *total.ResponseTime.P99NS, Messages: t.Count, Retried: t.Retried,
			Reconnected: t.Reconnected, Waited: t.Waited, OwnDelay: t.Delayed, Other: t.Other}
	}
	run.Detail = detail
	g := &run.Generator
	g.Hiccups = p.hiccups()
	g.CPUUserNS, g.CPUSystemNS, g.CPUShare, g.CPUs = p.window/20, p.window/10, 0.075, 2
	g.GCShare, g.GCPauseNS, g.MaxRSSBytes, g.ClockStepNS = 0.008, 310*us, 38<<20, 3100
	return run
}

// hiccups are those of a sleeper that is seldom late but for the gaps.
func (p *play) hiccups() *rundoc.Hiccups {
	rng := rand.New(rand.NewPCG(5, 8))
	late, exact := hdrhistogram.New(1, 1<<42, 3), rundoc.Exact{Min: math.MaxInt64}
	add := func(ns int64) {
		_ = late.RecordValue(ns)
		exact.Min, exact.Max, exact.Sum = min(exact.Min, ns), max(exact.Max, ns), exact.Sum+ns
	}
	h := &rundoc.Hiccups{Longest: p.gaps}
	for _, gap := range p.gaps {
		add(gap.NS)
		h.Gaps, h.GapsNS, h.Long, h.LongNS = h.Gaps+1, h.GapsNS+gap.NS, h.Long+1, h.LongNS+gap.NS
	}
	for range (p.window - h.GapsNS) / (1100 * us) {
		add(40*us + int64(60e3*rng.ExpFloat64()))
	}
	h.Lateness = rundoc.Summarize(late, exact)
	return h
}

// spread is a time around a median, ns.
func spread(rng *rand.Rand, p50 int64, width float64) int64 {
	return int64(float64(p50) * math.Exp(width*rng.NormFloat64()))
}

// open is the open model at 2,000 a second on a machine of which all is known.
func open(target func(*rand.Rand, int64) int64, gaps ...rundoc.Gap) *rundoc.Run {
	p := &play{clients: 64, window: 10_000 * ms, rate: 2000, target: target, gaps: gaps}
	run := p.document(rundoc.Host{OS: "linux", Arch: "amd64", CPU: "Example CPU", CPUs: 2}, true)
	g := &run.Generator
	g.MachineShare, g.Processors = 0.17, []float64{0.19, 0.15}
	g.RunDelayNS, g.ThrottledNS = new(p.window/200), new(int64(0))
	run.Target.CPUUserNS, run.Target.CPUSystemNS = p.window/20, p.window/10
	return run
}

// quietRun: open model on a quiet machine; everything was watched, and nothing found.
func quietRun() *rundoc.Run {
	return open(func(rng *rand.Rand, _ int64) int64 { return spread(rng, 200*us, 0.3) })
}

// frozenRun: the same, and the generator was stopped for a second. What had waited came at once after that, and the
// target was slower meanwhile.
func frozenRun() *rundoc.Run {
	return open(func(rng *rand.Rand, waited int64) int64 {
		if waited > ms {
			return spread(rng, 1600*us, 0.3)
		}
		return spread(rng, 200*us, 0.3)
	}, rundoc.Gap{AtNS: 5000 * ms, NS: 1000 * ms})
}

// blindRun: closed model, on a system that tells little, with a gap that is too short for a doubt.
func blindRun() *rundoc.Run {
	p := &play{clients: 4, window: 40_000 * ms, gaps: []rundoc.Gap{{AtNS: 7300 * ms, NS: 62 * ms}}}
	p.target = func(rng *rand.Rand, _ int64) int64 { return spread(rng, 2100*us, 0.3) }
	p.stamps.Unseen = "the kernel's receive stamps are read on Linux alone"
	run := p.document(rundoc.Host{OS: "darwin", Arch: "arm64", CPU: "Example CPU", CPUs: 2}, false)
	var unseen []string
	for _, watch := range []string{"run delay", "throttling", "processors"} {
		unseen = append(unseen, watch+": not known on darwin")
	}
	run.Generator.Unseen = append(unseen, run.Generator.Unseen...)
	return run
}
