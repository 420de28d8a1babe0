package rundoc

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
)

// OpenModel reports whether the run's plan is an open model: its load has a rate or stages.
func (r *Run) OpenModel() bool { return r.load().open() }

// planLoad is what must be known of the plan here: every workload's plan has its load.
type planLoad struct {
	Arrivals string  `json:"arrivals"`
	RatePerS float64 `json:"rate_per_s"`
	Stages   []struct {
		DurationNS int64   `json:"duration_ns"`
		RatePerS   float64 `json:"rate_per_s"`
	} `json:"stages"`
}

func (r *Run) load() planLoad {
	var plan struct {
		Load planLoad `json:"load"`
	}
	// A plan that cannot be read has no rate: it is judged as a closed model.
	_ = json.Unmarshal(r.Plan, &plan)
	return plan.Load
}

func (l planLoad) open() bool { return l.RatePerS > 0 || len(l.Stages) > 0 }

// recorded reports whether operations are due when they once came: any number at once, whatever the rate is.
func (l planLoad) recorded() bool { return l.Arrivals == "recorded" }

// peak is the highest rate that the plan asks for.
func (l planLoad) peak() float64 {
	peak := l.RatePerS
	for _, s := range l.Stages {
		peak = max(peak, s.RatePerS)
	}
	return peak
}

// stagesRate is the rate of the stages so many seconds after the start of the window: each
// moves it linearly to its own.
func (l planLoad) stagesRate(at float64) float64 {
	rate := l.RatePerS
	for _, s := range l.Stages {
		length := seconds(s.DurationNS)
		if at < length {
			return rate + (s.RatePerS-rate)*at/length
		}
		rate, at = s.RatePerS, at-length
	}
	return rate
}

// lostShare is the share of the clients' time that they spent backing off or without a
// connection; 0 when the ledger does not say.
func (l Ledger) lostShare() float64 {
	all := float64(l.Clients) * float64(l.WindowNS)
	if all <= 0 {
		return 0
	}
	return float64(l.States[StateBackingOff]+l.States[StateReconnecting]+l.States[StateConnecting]) / all
}

// OthersShare is the share of the machine's CPUs, 0 to 1, that neither the generator nor the
// target used within the window, and whether the document tells. It does when it has the
// machine's share, and either the CPU of the target or a target on another machine. The
// kernel's own work on the network is often in nobody's account but the machine's, and so it
// is in here.
func (r *Run) OthersShare() (share float64, known bool) {
	g, t := &r.Generator, &r.Target
	all := float64(r.Host.CPUs) * float64(r.window())
	if g.MachineShare <= 0 || all <= 0 || t.SameHost && t.CPUUserNS+t.CPUSystemNS == 0 {
		return 0, false
	}
	used := g.CPUUserNS + g.CPUSystemNS
	if t.SameHost {
		used += t.CPUUserNS + t.CPUSystemNS
	}
	return max(0, g.MachineShare-float64(used)/all), true
}

// MachineShare is how busy the machine of the generator was, and whether the window was long enough
// for that to be known.
func (r *Run) MachineShare() (share float64, known bool) {
	window := r.window()
	return r.Generator.MachineShare, r.Generator.MachineShare > 0 && (window == 0 || window >= MinMachineWindowNS)
}

// forgetZeros makes unknown what documents of before the rules had a number may have written as 0
// because it was not known. Other fields of theirs have no pointer, and are read as 0 either way.
func (r *Run) forgetZeros() {
	g := &r.Generator
	if g.ThrottledNS != nil && *g.ThrottledNS == 0 {
		g.ThrottledNS = nil
	}
	if !r.OpenModel() {
		g.OwnLate = nil
	}
	for i := range r.Series {
		if p := &r.Series[i]; p.InFlight != nil && *p.InFlight == 0 {
			p.InFlight = nil
		}
	}
}

// forgetUnsupported leaves out percentiles that documents of before they were left out have of too few operations. How
// many ended is the most that there can be of times.
func (r *Run) forgetUnsupported() {
	for i := range r.Series {
		p := &r.Series[i]
		forgetFew(p.OK+p.Failed, 500, &p.P50NS)
		forgetFew(p.OK+p.Failed, 990, &p.P99NS, &p.OwnP99NS)
	}
	var started int64
	for i := range r.Operations {
		started += r.Operations[i].Scheduled - r.Operations[i].Unsent
	}
	forgetFew(started, 990, &r.Generator.SendDelayP99NS, &r.Generator.OwnDelayP99NS)
}

func forgetFew(count, permille int64, figures ...*int64) {
	for _, f := range figures {
		if !Supports(count, permille) {
			*f = 0
		}
	}
}

// ownLate is OwnLate, or 0 where it is not known.
func (g *Generator) ownLate() int64 {
	if g.OwnLate == nil {
		return 0
	}
	return *g.OwnLate
}

// lateBy says by how much the latest hundredth started late, if there are enough for that.
func (g *Generator) lateBy() string {
	if g.OwnDelayP99NS == 0 {
		return ""
	}
	return ", one in a hundred by " + units.Duration(g.OwnDelayP99NS) + " or more"
}

// busyShare is the share of the clients' time that was spent on operations and connections,
// and whether the ledger says so.
func (l Ledger) busyShare() (share float64, known bool) {
	all := float64(l.Clients) * float64(l.WindowNS)
	if all <= 0 {
		return 0, false
	}
	idle := float64(l.States[StateWaiting]) + float64(l.States[StateIdle])
	return 1 - idle/all, true
}

// arrivals is how many operations the schedule gave: of flows the first ones.
func (r *Run) arrivals(total *Operation) int64 {
	if len(r.Flows) == 0 {
		return total.Scheduled
	}
	return r.started() + total.Unsent
}

// started is how many flows began.
func (r *Run) started() (n int64) {
	for i := range r.Flows {
		n += r.Flows[i].Started
	}
	return n
}

// window is the length of the measurement window: the ledger's, or the window phase's if
// there is no ledger, or 0.
func (r *Run) window() int64 {
	if r.Ledger.WindowNS > 0 {
		return r.Ledger.WindowNS
	}
	if p := r.phase(PhaseWindow); p != nil {
		return p.DurationNS
	}
	return 0
}

func (r *Run) phase(name string) *Phase {
	if i := slices.IndexFunc(r.Phases, func(p Phase) bool { return p.Name == name }); i >= 0 {
		return &r.Phases[i]
	}
	return nil
}

// String is the operation's name and labels: "send type=TEXT".
func (o *Operation) String() string {
	var b strings.Builder
	b.WriteString(o.Name)
	for _, k := range slices.Sorted(maps.Keys(o.Labels)) {
		b.WriteString(" " + k + "=" + o.Labels[k])
	}
	return b.String()
}

func seconds(ns int64) float64 { return float64(ns) / 1e9 }

func orAbsent(ns *int64) string {
	if ns == nil {
		return "absent"
	}
	return units.Duration(*ns)
}
