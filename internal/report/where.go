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

// Little compares the number in flight, measured in two ways.
func (v *View) Little() Section {
	l := &v.Run.Little
	s := Section{Title: "Little's law"}
	if l.Samples == 0 && l.InFlightSampled == 0 || l.InFlightPredicted <= 0 {
		return s
	}
	bound, judged := l.Bound()
	verdict := fmt.Sprintf("they differ by %+.2f%%", 100*(l.InFlightSampled/l.InFlightPredicted-1))
	switch {
	case l.Slots == 0 && !judged: // a document that does not say how they varied
		verdict = "too few in flight to compare them"
	case l.Slots == 0:
	case judged:
		verdict += ", and may by " + units.Percent3(bound/l.InFlightPredicted)
	default:
		verdict = "cannot be judged: chance alone may make them differ by more than all that was in flight"
	}
	by := ""
	if l.Samples > 0 {
		by = " by " + units.Count(l.Samples, "independent sample", "independent samples")
	}
	s.Intro = []string{fmt.Sprintf("%s in flight on average%s, %s by throughput × time: %s.",
		units.Digits3(l.InFlightSampled), by, units.Digits3(l.InFlightPredicted), verdict)}
	if l.Dropped > 0 {
		s.Notes = []string{units.Count(l.Dropped, "sample came too late and counts",
			"samples came too late and count") + " for nothing."}
	}
	return s
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
