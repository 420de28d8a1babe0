package report

import (
	"fmt"
	"maps"
	"slices"

	"github.com/plimsoll/plimsoll/rundoc"
)

// ledger says where the clients' time went.
func (v *view) ledger() section {
	l := &v.run.Ledger
	s := section{title: "Where the clients' time went"}
	all := float64(l.Clients) * float64(v.windowNS)
	if len(l.States) == 0 || all <= 0 {
		return s
	}
	t := table{columns: columnsOf("<state", "client time", "share", "|")}
	known := map[string]bool{}
	row := func(state string) {
		ns := l.States[state]
		known[state] = true
		if ns != 0 {
			t.add(clean(state), digits3(float64(ns)/1e9)+" s", shareOf(float64(ns), all), bar(float64(ns)/all))
		}
	}
	for _, state := range rundoc.States {
		row(state)
	}
	for _, state := range slices.Sorted(maps.Keys(l.States)) {
		if !known[state] {
			row(state)
		}
	}
	s.tables = []table{t}
	s.notes = []string{fmt.Sprintf("%s × %s = %s s of client time.",
		some(int64(l.Clients), "client", "clients"), length(v.windowNS), digits3(all/1e9))}
	return s
}

// little compares the number in flight, counted in two ways.
func (v *view) little() section {
	l := &v.run.Little
	s := section{title: "Little's law"}
	if l.Samples == 0 || l.InFlightPredicted <= 0 {
		return s
	}
	verdict := "too few in flight to compare them"
	if l.Judged() {
		verdict = fmt.Sprintf("they differ by %+.2f %%", 100*(l.InFlightSampled/l.InFlightPredicted-1))
	}
	s.intro = []string{fmt.Sprintf("%s in flight on average by %s, %s by throughput × time: %s.",
		digits3(l.InFlightSampled), some(l.Samples, "independent sample", "independent samples"),
		digits3(l.InFlightPredicted), verdict)}
	return s
}

// instrument is what the generator used itself, and an embedded target.
func (v *view) instrument() section {
	g := &v.run.Generator
	s := section{title: "The generator itself"}
	if *g == (rundoc.Generator{}) {
		return s
	}
	t := table{columns: columnsOf("<", "<")}
	t.add("CPU", fmt.Sprintf("%s user, %s system; %s of %s that it may use",
		cpuTime(g.CPUUserNS, 1), cpuTime(g.CPUSystemNS, 1), percent(g.CPUShare), someCPUs(g.CPUs)))
	each, of := v.perWhat()
	if each > 0 {
		t.add("CPU per "+of, perEach(g.CPUUserNS, g.CPUSystemNS, each))
	}
	if user, system := v.run.Target.CPUUserNS, v.run.Target.CPUSystemNS; user+system > 0 {
		t.add("target's CPU", fmt.Sprintf("%s user, %s system", cpuTime(user, 1), cpuTime(system, 1)))
		if each > 0 {
			t.add("target's CPU per "+of, perEach(user, system, each))
		}
	}
	if g.MachineShare > 0 {
		t.add("machine", percent(g.MachineShare)+" of all its CPUs busy")
	}
	if others, known := v.run.OthersShare(); known {
		what := "; neither the generator nor the target"
		if !v.run.Target.SameHost {
			what = "; not the generator"
		}
		t.add("others", percent(others)+" of all its CPUs"+what)
	}
	t.add("GC pauses", v.pauses(g.GCPauseNS))
	t.add("throttled", v.pauses(g.ThrottledNS))
	t.add("memory", size(g.MaxRSSBytes)+" at most")
	if v.open {
		t.add("send delay p99", duration(g.SendDelayP99NS)+", of which "+duration(g.OwnDelayP99NS)+" is its own")
		t.add("late by its own fault", some(g.OwnLate, v.words.one, v.words.many))
	}
	t.add("clock step", clockStep(g.ClockStepNS))
	s.tables = []table{t}
	return s
}

// perWhat is what CPU time is divided by: how many operations ended ok, or GiB were moved.
func (v *view) perWhat() (float64, string) {
	if v.bandwidth == nil {
		return float64(v.total.OK), v.words.one
	}
	bytes := 0.0
	for _, t := range v.bandwidth.Transfers() {
		bytes += float64(t.Bytes)
	}
	return bytes / (1 << 30), "GiB moved"
}

func perEach(user, system int64, n float64) string {
	return fmt.Sprintf("%s user, %s system", cpuTime(user, n), cpuTime(system, n))
}

// clockTick is the unit in which a kernel counts the CPU of another process.
const clockTick = 10_000_000

// cpuTime is the CPU time of each of n. None at all is less than one tick.
func cpuTime(ns int64, n float64) string {
	if ns == 0 {
		return "< " + duration(max(1, int64(clockTick/n)))
	}
	return duration(int64(float64(ns) / n))
}

func (v *view) pauses(ns int64) string {
	if ns == 0 {
		return "none"
	}
	return duration(ns) + ", " + shareOf(float64(ns), float64(v.windowNS)) + " of the window"
}

// clockStep is how far the wall clock stepped. Below 1 ms it only drifted.
func clockStep(ns int64) string {
	if ns > -1e6 && ns < 1e6 {
		return "none"
	}
	return duration(ns)
}

func someCPUs(n float64) string {
	if n == 1 {
		return "1 CPU"
	}
	return fmt.Sprintf("%.3g CPUs", n)
}

// phases lists the parts of the run.
func (v *view) phases() section {
	heads := []string{"<phase", "duration", v.words.many, "ok", v.words.short + "/s", "mean service time"}
	if v.bandwidth != nil || v.overhead != nil {
		heads = heads[:4] // their operations are of many kinds
	}
	t := table{columns: columnsOf(heads...)}
	for _, p := range v.run.Phases {
		cells := []string{clean(p.Name), length(p.DurationNS), dash, dash, dash, dash}
		if p.Operations > 0 {
			cells = append(cells[:2], number(p.Operations), number(p.OK), perSecond(p.RatePerS), nonzero(p.MeanNS))
		}
		t.add(cells[:len(heads)]...)
	}
	return section{title: "Phases", tables: []table{t}}
}

// files says what made the report, and where more is.
func (v *view) files() section {
	s := section{title: "Run"}
	t := table{columns: columnsOf("<", "<")}
	if v.run.ID != "" {
		t.add("id", clean(v.run.ID))
	}
	if tool := v.run.Tool; tool.Version != "" {
		t.add("tool", clean("Plimsoll "+tool.Version+", "+tool.Go))
	}
	if h := v.run.Host; h.OS != "" {
		text := fmt.Sprintf("%s/%s, %s", h.OS, h.Arch, some(int64(h.CPUs), "CPU", "CPUs"))
		if h.CPU != "" {
			text += " (" + h.CPU + ")"
		}
		t.add("host", clean(text))
	}
	samples := v.samples()
	if samples != nil {
		t.add("samples", clean(samples.Path)+": "+writtenNote(samples, "sample", "samples"))
	}
	if v.bandwidth != nil {
		v.bandwidthFiles(&t)
	}
	for _, f := range v.opt.Files {
		if v.bandwidth != nil && v.bandwidth.CSV != nil && f.Path == v.bandwidth.CSV.Path {
			continue
		}
		if samples != nil && f.Path == samples.Path {
			continue // shown above, with what became of it
		}
		t.add(clean(f.What), clean(f.Path))
	}
	s.tables = []table{t}
	return s
}

// samples is the file of the single operations; nil where there is none.
func (v *view) samples() *rundoc.SamplesFile {
	switch {
	case v.chat != nil:
		return v.chat.Samples
	case v.updates != nil:
		return v.updates.Samples
	}
	return nil
}
