package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Instrument is what the generator used itself, and an embedded target.
func (v *View) Instrument() Section { return v.InstrumentPer(float64(v.Total.OK), v.Words.One) }

// InstrumentPer is what the generator used itself, in all and for each of so many things; what kept it from
// running; and what it did to the times. What was not measured has no line.
func (v *View) InstrumentPer(each float64, of string) Section {
	s := Section{Title: "The generator itself"}
	if v.Run.Generator.CPUs == 0 {
		return s
	}
	var t Pairs
	v.used(&t, each, of)
	v.machine(&t)
	v.kept(&t)
	if n := v.Run.Generator.MaxRSSBytes; n > 0 {
		t.Add("memory", units.Size(n)+" at most")
	}
	v.ownTimes(&t)
	t.Add("clock step", clockStep(v.Run.Generator.ClockStepNS))
	if turn := v.Run.InTurn; turn != nil {
		t.Add("in turn", fmt.Sprintf("with another run: the window is made of %s, and its clock stood still for %s",
			units.Count(int64(turn.Slices), "slice", "slices"), units.Duration(max(0, turn.HeldNS))))
	}
	if unseen := v.Run.Generator.Unseen; len(unseen) > 0 {
		t.Add("not watched", unwatched(unseen))
	}
	s.Tables = []Table{t.Table()}
	return s
}

// used is the CPU time of the generator and of an embedded target.
func (v *View) used(t *Pairs, each float64, of string) {
	g := &v.Run.Generator
	t.Add("CPU", fmt.Sprintf("%s; %s of %s that it may use",
		cpuTimes(g.CPUUserNS, g.CPUSystemNS, 1), units.Percent(g.CPUShare), someCPUs(g.CPUs)))
	if each > 0 {
		t.Add("CPU per "+of, cpuTimes(g.CPUUserNS, g.CPUSystemNS, each))
	}
	if user, system := v.Run.Target.CPUUserNS, v.Run.Target.CPUSystemNS; user+system > 0 {
		t.Add("target's CPU", cpuTimes(user, system, 1))
		if each > 0 {
			t.Add("target's CPU per "+of, cpuTimes(user, system, each))
		}
	}
}

// machine is how busy the machine was, and with what.
func (v *View) machine(t *Pairs) {
	g := &v.Run.Generator
	if g.MachineShare > 0 {
		t.Add("machine", units.Percent(g.MachineShare)+" of all its CPUs busy")
	}
	if others, known := v.Run.OthersShare(); known {
		what := "; neither the generator nor the target"
		if !v.Run.Target.SameHost {
			what = "; not the generator"
		}
		t.Add("others", units.Percent(others)+" of all its CPUs"+what)
	}
	if len(g.Processors) > 0 {
		t.Add("busiest CPU", fmt.Sprintf("%s, of %s that it may run on", units.Percent(slices.Max(g.Processors)),
			units.Number(int64(len(g.Processors)))))
	}
}

// kept is what kept the generator from running.
func (v *View) kept(t *Pairs) {
	g := &v.Run.Generator
	pauses := v.pauses(g.GCPauseNS)
	if g.GCShare > 0 {
		pauses += "; " + units.Percent(g.GCShare) + " of its CPU"
	}
	t.Add("GC pauses", pauses)
	if g.ThrottledNS != nil {
		t.Add("throttled", v.pauses(*g.ThrottledNS))
	}
	if g.RunDelayNS != nil {
		t.Add("waited for a CPU", v.runDelay(*g.RunDelayNS))
	}
	if h := g.Hiccups; h != nil {
		t.Add("did not run", v.gaps())
		if l := &h.Lateness; l.P99NS != nil {
			t.Add("hiccups", fmt.Sprintf("a sleeper woke late by p99 %s, max %s", units.Duration(*l.P99NS),
				units.Duration(l.MaxNS)))
		}
	}
}

// ownTimes is what the generator did to the times, and by what that is known.
func (v *View) ownTimes(t *Pairs) {
	g := &v.Run.Generator
	if d := g.OwnDelay; d != nil && d.Count > 0 {
		text := "mean " + units.Duration(d.MeanNS)
		if d.P50NS != nil && d.P99NS != nil {
			text = "p50 " + units.Duration(*d.P50NS) + ", p99 " + units.Duration(*d.P99NS)
		}
		if g.ResponseTimeNS > 0 {
			text += "; " + units.Share(float64(g.OwnTimeNS), float64(g.ResponseTimeNS)) + " of response time"
		}
		t.Add("own delay", text)
	}
	enough := rundoc.Supports(v.Total.Scheduled-v.Total.Unsent, 990) // starts, for a p99 of their delays
	switch {
	case !v.Open:
	case v.Run.Definition(rundoc.FigureOwnStart) < 2: // what was its own was a part of the send delay then
		if enough {
			t.Add("send delay p99", fmt.Sprintf("%s, of which %s is its own",
				units.Duration(g.SendDelayP99NS), units.Duration(g.OwnDelayP99NS)))
		}
		if g.OwnLate != nil {
			t.Add("late by its own fault", units.Count(*g.OwnLate, v.Words.One, v.Words.Many))
		}
	default:
		var parts []string
		if enough {
			parts = append(parts, "p99 "+units.Duration(g.OwnDelayP99NS))
		}
		if g.OwnLate != nil {
			parts = append(parts, units.Count(*g.OwnLate, v.Words.One, v.Words.Many)+" late by it")
		}
		if len(parts) > 0 {
			t.Add("own start delay", strings.Join(parts, ", "))
		}
		if way, known := map[string]string{
			"spin": "watched the clock before each start", "sleep": "slept until each start",
		}[g.Pacing]; known {
			t.Add("pacing", way)
		}
		if enough {
			t.Add("send delay", "p99 "+units.Duration(g.SendDelayP99NS))
		}
	}
	if words := stamps(g); words != "" {
		t.Add("kernel stamps", words)
	}
}

// stamps says how many arrivals the kernel stamped, or that it could stamp none of this kind of traffic; where they
// were to be had and are not, Unseen names them.
func stamps(g *rundoc.Generator) string {
	switch s := g.Stamps; {
	case s != nil && s.Used+s.Missing+s.Refused > 0:
		return fmt.Sprintf("%s used, %s missing, %s refused", units.Number(s.Used), units.Number(s.Missing),
			units.Number(s.Refused))
	case s == nil && g.Hiccups != nil && g.OwnDelay != nil && !slices.ContainsFunc(g.Unseen, ofStamps):
		return "none of this kind of traffic: an answer came when the generator read it"
	}
	return ""
}

func ofStamps(unseen string) bool { return strings.HasPrefix(unseen, "kernel stamps") }

// runDelay is how long all threads waited for a CPU, against the window and against how long they ran.
func (v *View) runDelay(ns int64) string {
	if ns == 0 {
		return "not at all"
	}
	text := units.Duration(ns)
	if v.WindowNS > 0 {
		text += ", " + units.Duration(int64(float64(ns)/float64(v.WindowNS)*1e9)) + " a second"
	}
	g := &v.Run.Generator
	if ran := g.CPUUserNS + g.CPUSystemNS; ran > 0 {
		text += fmt.Sprintf(", %s of its CPU time", units.Share(float64(ns), float64(ran)))
	}
	return text
}

// gaps is when the generator did not run at all.
func (v *View) gaps() string {
	h := v.Run.Generator.Hiccups
	if h.Gaps == 0 {
		return "no gap"
	}
	text := units.Duration(h.GapsNS) + " in " + units.Count(h.Gaps, "gap", "gaps")
	if v.WindowNS > 0 { // to more digits than elsewhere: what matters of it begins at a few thousandths
		text += ", " + units.Percent3(float64(h.GapsNS)/float64(v.WindowNS)) + " of the window"
	}
	if longest := longestGap(h); h.Gaps > 1 && longest > 0 {
		text += "; the longest " + units.Duration(longest)
	}
	return text
}

// longestGap is the longest of the gaps that are listed, 0 where there is none.
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

// clockTick is the unit in which a kernel counts the CPU of another process.
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

// clockStep is how far the wall clock stepped. Below 1 ms it only drifted.
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
