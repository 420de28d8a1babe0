package report

import (
	"fmt"
	"maps"
	"slices"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Ledger says where the clients' time went.
func (v *View) Ledger() Section {
	l := &v.Run.Ledger
	s := Section{Title: "Where the clients' time went"}
	all := v.clientTime()
	if len(l.States) == 0 || all <= 0 {
		return s
	}
	states := slices.Clone(rundoc.States)
	for _, state := range slices.Sorted(maps.Keys(l.States)) {
		if !slices.Contains(states, state) {
			states = append(states, state)
		}
	}
	states = slices.DeleteFunc(states, func(state string) bool { return l.States[state] == 0 })
	s.Tables = []Table{TableOf(states,
		Left("state", units.Clean),
		Right("client time", func(state string) string { return units.Digits3(float64(l.States[state])/1e9) + " s" }),
		Right("share", func(state string) string { return units.Share(float64(l.States[state]), all) }),
		Bars(func(state string) float64 { return float64(l.States[state]) / all }),
	)}
	s.Notes = []string{fmt.Sprintf("%s × %s = %s s of client time.",
		units.Count(int64(l.Clients), "client", "clients"), units.Length(v.WindowNS), units.Digits3(all/1e9))}
	return s
}

// Little compares the number in flight, counted in two ways.
func (v *View) Little() Section {
	l := &v.Run.Little
	s := Section{Title: "Little's law"}
	if l.Samples == 0 || l.InFlightPredicted <= 0 {
		return s
	}
	verdict := "too few in flight to compare them"
	if l.Judged() {
		verdict = fmt.Sprintf("they differ by %+.2f %%", 100*(l.InFlightSampled/l.InFlightPredicted-1))
	}
	s.Intro = []string{fmt.Sprintf("%s in flight on average by %s, %s by throughput × time: %s.",
		units.Digits3(l.InFlightSampled), units.Count(l.Samples, "independent sample", "independent samples"),
		units.Digits3(l.InFlightPredicted), verdict)}
	return s
}

// Instrument is what the generator used itself, and an embedded target.
func (v *View) Instrument() Section { return v.InstrumentPer(float64(v.Total.OK), v.Words.One) }

// InstrumentPer is what the generator used itself, in all and for each of so many things.
func (v *View) InstrumentPer(each float64, of string) Section {
	g := &v.Run.Generator
	s := Section{Title: "The generator itself"}
	if g.CPUs == 0 {
		return s
	}
	var t Pairs
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
	t.Add("GC pauses", v.pauses(g.GCPauseNS))
	if g.ThrottledNS != nil {
		t.Add("throttled", v.pauses(*g.ThrottledNS))
	}
	t.Add("memory", units.Size(g.MaxRSSBytes)+" at most")
	if v.Open {
		t.Add("send delay p99", fmt.Sprintf("%s, of which %s is its own",
			units.Duration(g.SendDelayP99NS), units.Duration(g.OwnDelayP99NS)))
		if g.OwnLate != nil {
			t.Add("late by its own fault", units.Count(*g.OwnLate, v.Words.One, v.Words.Many))
		}
	}
	t.Add("clock step", clockStep(g.ClockStepNS))
	s.Tables = []Table{t.Table()}
	return s
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

// Phases lists the parts of the run.
func (v *View) Phases() Section {
	// A phase without operations has no figures of them.
	figure := func(show func(rundoc.Phase) string) func(rundoc.Phase) string {
		return func(p rundoc.Phase) string {
			if p.Operations <= 0 {
				return units.Dash
			}
			return show(p)
		}
	}
	columns := []Column[rundoc.Phase]{
		Left("phase", func(p rundoc.Phase) string { return units.Clean(p.Name) }),
		Right("duration", func(p rundoc.Phase) string { return units.Length(p.DurationNS) }),
		Right(v.Words.Many, figure(func(p rundoc.Phase) string { return units.Number(p.Operations) })),
		Right("ok", figure(func(p rundoc.Phase) string { return units.Number(p.OK) })),
	}
	if !v.kind.Mixed {
		columns = append(columns,
			Right(v.Words.Short+"/s", figure(func(p rundoc.Phase) string { return units.PerSecond(p.RatePerS) })),
			Right("mean service time", figure(func(p rundoc.Phase) string { return units.Nonzero(p.MeanNS) })))
	}
	return Section{Title: "Phases", Tables: []Table{TableOf(v.Run.Phases, columns...)}}
}

// FileRow is a file or an object among those that a report points to.
type FileRow struct {
	Name string // what it is; "" is one more of what is above
	Path string // the file is not shown again; "": none
	Text string
}

// StreamedFile is the row of a file that was written while the run went on, with what became of it;
// none for nil.
func StreamedFile(name string, f *rundoc.SamplesFile, one, many string) []FileRow {
	if f == nil {
		return nil
	}
	text := units.Clean(f.Path) + ": " + units.Count(f.Written, one, many) + " written"
	if f.Lost > 0 {
		text += fmt.Sprintf(", %s lost", units.Number(f.Lost))
	}
	if f.Error != "" {
		text += " (" + units.Clean(f.Error) + ")"
	}
	return []FileRow{{Name: name, Path: f.Path, Text: text}}
}

// Files says what made the report, and where more is.
func (v *View) Files(own ...FileRow) Section {
	var t Pairs
	if v.Run.ID != "" {
		t.Add("id", units.Clean(v.Run.ID))
	}
	if tool := v.Run.Tool; tool.Version != "" {
		t.Add("tool", units.Clean("Plimsoll "+tool.Version+", "+tool.Go))
	}
	if h := v.Run.Host; h.OS != "" {
		text := fmt.Sprintf("%s/%s, %s", h.OS, h.Arch, units.Count(int64(h.CPUs), "CPU", "CPUs"))
		if h.CPU != "" {
			text += " (" + h.CPU + ")"
		}
		t.Add("host", units.Clean(text))
	}
	for _, f := range own {
		t.Add(f.Name, f.Text)
	}
	for _, f := range v.Options.Files {
		if !slices.ContainsFunc(own, func(o FileRow) bool { return o.Path != "" && o.Path == f.Path }) {
			t.Add(units.Clean(f.What), units.Clean(f.Path))
		}
	}
	return Section{Title: "Run", Tables: []Table{t.Table()}}
}
