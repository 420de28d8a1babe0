package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Instrument returns the resource use of the load generator and of a built-in target.
func (v *View) Instrument() Section { return v.InstrumentPer(float64(v.Total.OK), v.Words.One) }

// InstrumentPer returns the resource use of the load generator, in total and per unit of work, what kept it from
// running, and its delay. Values that were not measured have no line.
func (v *View) InstrumentPer(each float64, of string) Section {
	s := Section{Title: "Load generator"}
	if v.Run.Generator.CPUs == 0 {
		return s
	}
	var t Pairs
	v.used(&t, each, of)
	v.machine(&t)
	v.kept(&t)
	if n := v.Run.Generator.MaxRSSBytes; n > 0 {
		t.Add("memory", units.Size(n)+" peak")
	}
	v.ownTimes(&t)
	t.Add("clock step", clockStep(v.Run.Generator.ClockStepNS))
	if turn := v.Run.InTurn; turn != nil {
		t.Add("interleaved", fmt.Sprintf("with another run, in %s; paused for %s",
			units.Count(int64(turn.Slices), "slice", "slices"), units.Duration(max(0, turn.HeldNS))))
	}
	if unseen := v.Run.Generator.Unseen; len(unseen) > 0 {
		t.Add("not checked", unwatched(unseen))
	}
	s.Tables = []Table{t.Table()}
	return s
}

// used adds the CPU time of the generator and of a built-in target.
func (v *View) used(t *Pairs, each float64, of string) {
	g := &v.Run.Generator
	t.Add("CPU", fmt.Sprintf("%s; %s of %s available",
		cpuTimes(g.CPUUserNS, g.CPUSystemNS, 1), units.Percent(g.CPUShare), someCPUs(g.CPUs)))
	if each > 0 {
		t.Add("CPU per "+of, cpuTimes(g.CPUUserNS, g.CPUSystemNS, each))
	}
	if user, system := v.Run.Target.CPUUserNS, v.Run.Target.CPUSystemNS; user+system > 0 {
		t.Add("target CPU", cpuTimes(user, system, 1))
		if each > 0 {
			t.Add("target CPU per "+of, cpuTimes(user, system, each))
		}
	}
}

// machine adds how busy the machine was.
func (v *View) machine(t *Pairs) {
	g := &v.Run.Generator
	if g.MachineShare > 0 {
		t.Add("machine", units.Percent(g.MachineShare)+" of all CPUs busy")
	}
	if others, known := v.Run.OthersShare(); known {
		what := "neither generator nor target"
		if !v.Run.Target.SameHost {
			what = "not the generator"
		}
		t.Add("other programs", units.Percent(others)+" of all CPUs ("+what+")")
	}
	if len(g.Processors) > 0 {
		t.Add("busiest CPU", fmt.Sprintf("%s busy, of %s", units.Percent(slices.Max(g.Processors)),
			units.Count(int64(len(g.Processors)), "available CPU", "available CPUs")))
	}
}

// kept adds what kept the generator from running.
func (v *View) kept(t *Pairs) {
	g := &v.Run.Generator
	pauses := v.pauses(g.GCPauseNS)
	if g.GCShare > 0 {
		pauses += "; " + units.Percent(g.GCShare) + " of the generator's CPU time"
	}
	t.Add("GC pauses", pauses)
	if g.ThrottledNS != nil {
		t.Add("throttled", v.pauses(*g.ThrottledNS))
	}
	if g.RunDelayNS != nil {
		t.Add("run delay", v.runDelay(*g.RunDelayNS))
	}
	if h := g.Hiccups; h != nil {
		t.Add("pauses", v.gaps())
		if l := &h.Lateness; l.P99NS != nil {
			t.Add("timer wake-up delay", fmt.Sprintf("p99 %s, max %s", units.Duration(*l.P99NS), units.Duration(l.MaxNS)))
		}
	}
}

// ownTimes adds the generator delay.
func (v *View) ownTimes(t *Pairs) {
	g := &v.Run.Generator
	if d := g.OwnDelay; d != nil && d.Count > 0 {
		text := "mean " + units.Duration(d.MeanNS)
		if d.P50NS != nil && d.P99NS != nil {
			text = "p50 " + units.Duration(*d.P50NS) + ", p99 " + units.Duration(*d.P99NS)
		}
		if g.ResponseTimeNS > 0 {
			text += "; " + units.Share(float64(g.OwnTimeNS), float64(g.ResponseTimeNS)) + " of all response time"
		}
		t.Add("generator delay", text)
	}
	enough := rundoc.Supports(v.Total.Scheduled-v.Total.Unsent, 990) // starts, for a p99 of their delays
	switch {
	case !v.Open:
	case v.Run.Definition(rundoc.FigureOwnStart) < 2: // the generator delay was a part of the send delay
		if enough {
			t.Add("send delay p99", fmt.Sprintf("%s, including %s of generator delay",
				units.Duration(g.SendDelayP99NS), units.Duration(g.OwnDelayP99NS)))
		}
		if g.OwnLate != nil {
			t.Add("started late", units.Count(*g.OwnLate, v.Words.One, v.Words.Many))
		}
	default:
		var parts []string
		if enough {
			parts = append(parts, "p99 "+units.Duration(g.OwnDelayP99NS))
		}
		if g.OwnLate != nil {
			parts = append(parts, units.Count(*g.OwnLate, v.Words.One, v.Words.Many)+" started late")
		}
		if len(parts) > 0 {
			t.Add("start delay", strings.Join(parts, ", "))
		}
		if way, known := map[string]string{
			"spin": "spin before each start", "sleep": "sleep until each start",
		}[g.Pacing]; known {
			t.Add("pacing", way)
		}
		if enough {
			t.Add("send delay", "p99 "+units.Duration(g.SendDelayP99NS))
		}
	}
	if words := stamps(g); words != "" {
		t.Add("kernel timestamps", words)
	}
}

// stamps returns how many responses have a kernel timestamp, or that this kind of traffic has none. Where timestamps
// are possible but not available, Unseen names them.
func stamps(g *rundoc.Generator) string {
	switch s := g.Stamps; {
	case s != nil && s.Used+s.Missing+s.Refused > 0:
		return fmt.Sprintf("%s used, %s missing, %s refused", units.Number(s.Used), units.Number(s.Missing),
			units.Number(s.Refused))
	case s == nil && g.Hiccups != nil && g.OwnDelay != nil && !slices.ContainsFunc(g.Unseen, ofStamps):
		return "not available for this kind of traffic; times end when the generator reads a response"
	}
	return ""
}

func ofStamps(unseen string) bool { return strings.HasPrefix(unseen, "kernel stamps") }

// runDelay returns how long all threads waited for a CPU, per second and relative to their CPU time.
func (v *View) runDelay(ns int64) string {
	if ns == 0 {
		return "none"
	}
	text := units.Duration(ns)
	if v.WindowNS > 0 {
		text += ", " + units.Duration(int64(float64(ns)/float64(v.WindowNS)*1e9)) + " per second"
	}
	g := &v.Run.Generator
	if ran := g.CPUUserNS + g.CPUSystemNS; ran > 0 {
		text += fmt.Sprintf(", %s of the generator's CPU time", units.Share(float64(ns), float64(ran)))
	}
	return text
}

// gaps returns when the generator did not run at all.
func (v *View) gaps() string {
	h := v.Run.Generator.Hiccups
	if h.Gaps == 0 {
		return "none"
	}
	text := units.Duration(h.GapsNS) + " in " + units.Count(h.Gaps, "pause", "pauses")
	if v.WindowNS > 0 { // more digits than elsewhere: a few thousandths matter
		text += ", " + units.Percent3(float64(h.GapsNS)/float64(v.WindowNS)) + " of the window"
	}
	if longest := longestGap(h); h.Gaps > 1 && longest > 0 {
		text += "; longest " + units.Duration(longest)
	}
	return text
}

// longestGap returns the longest of the listed gaps, or 0.
func longestGap(h *rundoc.Hiccups) int64 {
	longest := int64(0)
	for _, g := range h.Longest {
		longest = max(longest, g.NS)
	}
	return longest
}

// cpuTimes is the CPU time of each of n.
func cpuTimes(user, system int64, n float64) string {
	return fmt.Sprintf("%s user, %s system", cpuTime(user, n), cpuTime(system, n))
}

// clockTick is the unit in which a kernel counts the CPU time of another process.
const clockTick = 10_000_000

// cpuTime is the CPU time of each of n. None at all is less than one tick.
func cpuTime(ns int64, n float64) string {
	if ns == 0 {
		return "< " + units.Duration(max(1, int64(clockTick/n)))
	}
	return units.Duration(int64(float64(ns) / n))
}

func (v *View) pauses(ns int64) string {
	if ns == 0 {
		return "none"
	}
	return units.Duration(ns) + ", " + units.Share(float64(ns), float64(v.WindowNS)) + " of the window"
}

// clockStep formats the step of the wall clock. Below 1 ms it is drift.
func clockStep(ns int64) string {
	if ns > -1e6 && ns < 1e6 {
		return "none"
	}
	return units.Duration(ns)
}

func someCPUs(n float64) string {
	if n == 1 {
		return "1 CPU"
	}
	return fmt.Sprintf("%.3g CPUs", n)
}
