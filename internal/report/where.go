package report

import (
	"fmt"
	"maps"
	"slices"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Ledger returns the time breakdown: the clients' time by state.
func (v *View) Ledger() Section {
	l := &v.Run.Ledger
	s := Section{Title: "Time breakdown"}
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

// Little compares the sampled number in flight with the one that follows from throughput and service time.
func (v *View) Little() Section {
	l := &v.Run.Little
	s := Section{Title: "Little's law"}
	if l.Samples == 0 && l.InFlightSampled == 0 || l.InFlightPredicted <= 0 {
		return s
	}
	bound, judged := l.Bound()
	verdict := fmt.Sprintf("difference %+.2f%%", 100*(l.InFlightSampled/l.InFlightPredicted-1))
	switch {
	case l.Slots == 0 && !judged: // an older document, without the variance
		verdict = "too few in flight for a comparison"
	case l.Slots == 0:
	case judged:
		verdict += ", limit " + units.Percent3(bound/l.InFlightPredicted)
	default:
		verdict = "too few samples for a comparison"
	}
	by := "measured"
	if l.Samples > 0 {
		by = "from " + units.Count(l.Samples, "independent sample", "independent samples")
	}
	s.Intro = []string{fmt.Sprintf("Mean number in flight: %s %s, %s from throughput × service time: %s.",
		units.Digits3(l.InFlightSampled), by, units.Digits3(l.InFlightPredicted), verdict)}
	if l.Dropped > 0 {
		s.Notes = []string{units.Count(l.Dropped, "sample was", "samples were") + " too late and left out."}
	}
	return s
}

// Phases returns the table of the phases of the run.
func (v *View) Phases() Section {
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

// A FileRow is a file or an object that a report names.
type FileRow struct {
	Name string // "" if it is the same as that of the row above
	Path string // a file with this path is not listed again; "": none
	Text string
}

// StreamedFile returns the row of a file that was written during the run, or no row for nil.
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

// Files returns the table with the id of the run, the tool, the host and the files that were written.
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
