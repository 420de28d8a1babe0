package report_test

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll/plimsoll/rundoc"
)

// The documents of this file are those of runs in which the generator watched itself.

// sample is a histogram with its exact figures.
type sample struct {
	h *hdrhistogram.Histogram
	rundoc.Exact
}

func newSample() *sample {
	return &sample{hdrhistogram.New(1, 1<<42, 3), rundoc.Exact{Min: math.MaxInt64}}
}

func (s *sample) add(ns, n int64) {
	_ = s.h.RecordValues(ns, n)
	s.Min, s.Max, s.Sum = min(s.Min, ns), max(s.Max, ns), s.Sum+ns*n
}

func (s *sample) summary() rundoc.Summary { return rundoc.Summarize(s.h, s.Exact) }

// without gives a run the times that it would have had without the generator's own delay, of which each
// operation that took so long had a part.
func without(run *rundoc.Run, own func(ns int64) int64) {
	delays, g := newSample(), &run.Generator
	for i := range run.Operations {
		o := &run.Operations[i]
		h, err := o.ResponseTime.Histogram()
		if err != nil {
			panic(err)
		}
		raw, free := newSample(), newSample()
		for _, bar := range h.Distribution() {
			if bar.Count > 0 {
				part := own(bar.From)
				raw.add(bar.From, bar.Count)
				free.add(bar.From-part, bar.Count)
				delays.add(part, bar.Count)
			}
		}
		o.FirstAttempt = raw.summary()
		o.ResponseTime, o.ServiceTime = o.FirstAttempt, o.FirstAttempt
		o.ResponseTime.Free, o.ServiceTime.Free = new(free.summary()), new(free.summary())
		g.ResponseTimeNS += raw.Sum
	}
	g.OwnDelay, g.OwnTimeNS = new(delays.summary()), delays.Sum
}

// watched gives a run what a generator sees of itself that is quiet but for these gaps.
func watched(run *rundoc.Run, slots int64, gaps ...rundoc.Gap) {
	g, window := &run.Generator, run.Ledger.WindowNS
	late := newSample()
	rng := rand.New(rand.NewPCG(5, 8))
	for range window / (1100 * us) {
		late.add(40*us+int64(60e3*rng.ExpFloat64()), 1)
	}
	h := &rundoc.Hiccups{Longest: gaps}
	for _, gap := range gaps {
		late.add(gap.NS, 1)
		h.Gaps, h.GapsNS, h.LongNS = h.Gaps+1, h.GapsNS+gap.NS, h.LongNS+gap.NS
	}
	h.Lateness = late.summary()
	g.Hiccups = h
	g.CPUUserNS, g.CPUSystemNS, g.CPUShare, g.CPUs = window/20, window/10, 0.075, 2
	g.MachineShare, g.Processors, g.GCShare = 0.14, []float64{0.19, 0.11}, 0.008
	g.RunDelayNS, g.Stamps = new(window/200), &rundoc.Stamps{Used: run.Phases[2].OK}
	run.Target.CPUUserNS, run.Target.CPUSystemNS = window/20, window/10
	run.Host.CPUs = 2
	l := &run.Little
	l.InFlightPredicted, l.InFlightSampled, l.Slots = 0.452, 0.447, slots
	l.Variance, l.Difference = 0.46, l.InFlightSampled/l.InFlightPredicted-1
}

// openPlan is the open model at this rate.
func openPlan(run *rundoc.Run, rate int) {
	run.Plan = json.RawMessage(fmt.Sprintf(`{"url":"","load":{"seed":1,"clients":%d,"pipeline":1,"duration_ns":%d,`+
		`"rate_per_s":%d,"arrivals":"poisson","max_waiting":5000,"drain_ns":5000000000,"retry":{"timeout_ns":5000000000}}}`,
		run.Ledger.Clients, run.Ledger.WindowNS, rate))
	for i := range run.Operations {
		delay := newSample()
		for n := range run.Operations[i].ResponseTime.Count {
			delay.add(400+20*n%2000, 1)
		}
		run.Operations[i].SendDelay = delay.summary()
	}
}

func steady(float64) second { return second{rate: 2000, p50: 210 * us, spread: 0.3} }

// quietRun: open model on a quiet machine; everything was watched, and nothing found.
func quietRun() *rundoc.Run {
	run := simulate(64, 10*time.Second, steady)
	openPlan(run, 2000)
	watched(run, 64)
	without(run, func(ns int64) int64 { return 300 + ns/400 })
	run.Generator.SendDelayP99NS, run.Generator.OwnDelayP99NS = 2380, 1900
	return run
}

// frozenRun: the same, and the generator was stopped for a second; what had waited came at once after that.
func frozenRun() *rundoc.Run {
	run := simulate(64, 10*time.Second, func(s float64) second {
		switch s {
		case 5:
			return second{}
		case 6:
			return second{rate: 4000, p50: 350 * ms, spread: 0.4}
		}
		return steady(s)
	})
	openPlan(run, 2000)
	watched(run, 64, rundoc.Gap{AtNS: 5000 * ms, NS: 1000 * ms})
	without(run, func(ns int64) int64 {
		if ns < 5*ms {
			return 300 + ns/400
		}
		return ns - 300*us - ns/1000
	})
	g := &run.Generator
	g.SendDelayP99NS, g.OwnDelayP99NS, g.OwnLate = 720*ms, 719900*us, new(int64(1890))
	return run
}

// blindRun: closed model, on a system that tells little, with a gap that is too short for a doubt.
func blindRun() *rundoc.Run {
	run := simulate(4, 40*time.Second, func(s float64) second {
		if s == 7 {
			return second{rate: 2000, p50: 210 * us, spread: 1.6}
		}
		return steady(s)
	})
	watched(run, 4, rundoc.Gap{AtNS: 7300 * ms, NS: 62 * ms})
	without(run, func(ns int64) int64 {
		if ns < 5*ms {
			return 300 + ns/400
		}
		return ns * 9 / 10
	})
	g := &run.Generator
	g.RunDelayNS, g.ThrottledNS, g.Processors, g.OwnLate = nil, nil, nil, nil
	g.Stamps = &rundoc.Stamps{Missing: run.Phases[2].OK}
	g.Unseen = []string{"run delay: not on darwin", "throttling: not on darwin", "kernel stamps: not on darwin"}
	return run
}
