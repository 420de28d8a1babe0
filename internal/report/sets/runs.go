package sets

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/threshold"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

type member = *setdoc.Member

func (v *View) members() []member {
	list := make([]member, len(v.Set.Members))
	for i := range list {
		list[i] = &v.Set.Members[i]
	}
	return list
}

// runs lists every run, in the order in which they were made.
func (v *View) runs() report.Section {
	s := report.Section{Title: "Runs in order"}
	at := map[member]int{}
	for i, m := range v.members() {
		at[m] = i + 1
	}
	rows := map[string]*setdoc.Row{}
	for i := range v.sweep.Rows {
		rows[v.sweep.Rows[i].Member] = &v.sweep.Rows[i]
	}
	columns := []report.Column[member]{
		report.Right("", func(m member) string { return strconv.Itoa(at[m]) }),
		report.Left("run", func(m member) string { return units.Clean(m.Name) }),
	}
	if v.isSweep() {
		columns = append(columns, report.Right(v.head(), func(m member) string {
			if row := rows[m.ID]; row != nil {
				return v.cell(row.Throughput)
			}
			return units.Dash
		}))
	} else {
		columns = append(columns, v.launchColumn()...)
		columns = append(columns,
			report.Left("kind", func(m member) string { return units.Clean(m.Workload) }),
			report.Left("rate", rateOf),
			report.Right("p99", func(m member) string { return units.Optional(m.P99NS) }))
	}
	columns = append(columns,
		report.Left("verdict", func(m member) string { return orDash(units.Clean(string(m.Verdict.Validity))) }),
		report.Right("exit", func(m member) string { return strconv.Itoa(m.Exit) }),
		report.Left("id", func(m member) string { return units.Clean(m.ID) }))
	s.Tables = []report.Table{report.TableOf(v.members(), columns...)}
	kept := func(m member) bool { return m.Path != "" }
	if slices.ContainsFunc(v.members(), kept) && v.Name != "" {
		s.Notes = []string{"'plimsoll report " + units.ShellWord(v.Name) + "/N' shows run N."}
	}
	return s
}

// errors say why runs did not end well.
func (v *View) errors() report.Section {
	var bad []member
	for _, m := range v.members() {
		if m.Error != "" {
			bad = append(bad, m)
		}
	}
	return report.Section{Title: "Runs that ended with an error", Tables: []report.Table{report.TableOf(bad,
		report.Left("run", func(m member) string { return units.Clean(m.Name) }),
		report.Right("exit", func(m member) string { return strconv.Itoa(m.Exit) }),
		report.Left("why", func(m member) string { return units.Clean(m.Error) }),
	)}}
}

// planTable lists the runs of a plan file, which are of any kind.
func (v *View) planTable(most int) report.Table {
	columns := append([]report.Column[member]{
		report.Left("run", func(m member) string { return units.Clean(m.Name) }).More(),
	}, v.launchColumn()...)
	return report.First(v.members(), most, append(columns,
		report.Left("kind", func(m member) string { return units.Clean(m.Workload) }),
		report.Left("rate", rateOf),
		report.Right("p99", func(m member) string { return units.Optional(m.P99NS) }),
		report.Left("thresholds", thresholdsMet),
		report.Left("verdict", func(m member) string { return orDash(units.Clean(string(m.Verdict.Validity))) }),
		report.Right("exit", func(m member) string { return strconv.Itoa(m.Exit) }),
		report.Left("target", func(m member) string { return orDash(units.Shorten(units.Clean(m.Target), 32)) }))...)
}

// launchColumn is the figure that launches are about, where no column has it anyway.
func (v *View) launchColumn() []report.Column[member] {
	l := v.Set.Launches
	if l == nil || l.Figure.Name == "rate" || l.Figure.Name == "p99" {
		return nil
	}
	value := v.launchValues()
	return []report.Column[member]{report.Right(units.Clean(l.Figure.Name), func(m member) string {
		if at := value[m]; at != nil {
			return figure.Unit(l.Figure.Unit).Text(*at)
		}
		return units.Dash
	})}
}

// launchValues are those of the figure that launches are about.
func (v *View) launchValues() map[member]*float64 {
	value := map[member]*float64{}
	for i, m := range v.members() {
		if i < len(v.Set.Launches.Values) {
			value[m] = v.Set.Launches.Values[i].Value
		}
	}
	return value
}

// rateOf is how much a run got through, or what its kind says in place of that.
func rateOf(m member) string {
	switch {
	case m.Result != "":
		return units.Shorten(units.Clean(m.Result), 48)
	case m.RatePerS != nil:
		return units.PerSecond(*m.RatePerS) + "/s"
	}
	return units.Dash
}

// thresholdsMet is how many of a run's thresholds were met.
func thresholdsMet(m member) string {
	if len(m.Thresholds) == 0 {
		return units.Dash
	}
	met := 0
	for _, t := range m.Thresholds {
		if t.Met {
			met++
		}
	}
	if met == len(m.Thresholds) {
		return "met"
	}
	return fmt.Sprintf("%d of %d met", met, len(m.Thresholds))
}

// thresholds lists what each run had to meet, with the figure that it had.
func (v *View) thresholds() report.Section {
	type row struct {
		of member
		rundoc.Threshold
	}
	var rows []row
	for _, m := range v.members() {
		for _, t := range m.Thresholds {
			rows = append(rows, row{m, t})
		}
	}
	return report.Section{Title: "Thresholds", Tables: []report.Table{report.TableOf(rows,
		report.Left("run", func(r row) string { return units.Clean(r.of.Name) }),
		report.Left("threshold", func(r row) string { return units.Clean(r.Expr) }),
		report.Right("value", func(r row) string {
			value, _, _ := threshold.Values(&r.Threshold)
			return orDash(value)
		}),
		report.Left("", func(r row) string { return outcome(&r.Threshold) }),
	)}}
}

// outcome is what became of a threshold. One that only the generator's own delay may have missed is not missed.
func outcome(t *rundoc.Threshold) string {
	result := threshold.Of(t)
	_, _, free := threshold.Values(t)
	switch {
	case result == threshold.Met:
		return "met"
	case result == threshold.Missed:
		return "missed"
	case t.Why != "":
		return "cannot be evaluated: " + units.Clean(t.Why)
	case free != "":
		return "cannot be evaluated: only " + free + " corrected for generator delay"
	}
	return "cannot be evaluated"
}

// plan is what was asked for: of a plan file what it gives to each run.
func (v *View) plan() report.Section {
	var file struct {
		File string `json:"file"`
		Runs []struct {
			Name  string   `json:"name"`
			Kind  string   `json:"kind"`
			Given []string `json:"given"`
		} `json:"runs"`
	}
	if v.isSweep() {
		return report.PlanOf(v.Set.Plan, report.PlanShape{Without: v.inWords})
	}
	if v.Set.Launches != nil || json.Unmarshal(v.Set.Plan, &file) != nil {
		return report.PlanOf(v.Set.Plan, report.PlanShape{})
	}
	var t report.Pairs
	t.Add("file", units.Clean(file.File))
	for _, r := range file.Runs {
		given := "(defaults)"
		if len(r.Given) > 0 {
			given = strings.Join(r.Given, ", ")
		}
		t.Add(units.Clean(r.Name), units.Clean(r.Kind+": "+given))
	}
	return report.Section{Title: "Plan", Tables: []report.Table{t.Table()}}
}

// inWords puts what was varied as it is written in a command, and says whose plan the one of a run is.
func (v *View) inWords(parts map[string]any) {
	varied := map[string]any{}
	for _, vary := range v.sweep.Vary {
		varied[vary.Setting] = strings.Join(vary.Values, ", ")
	}
	parts["vary"] = varied
	if run, ok := parts["run"]; ok {
		parts["first setting"] = run
		delete(parts, "run")
	}
}

// files are those that the set is made of, and those that were written just now.
func (v *View) files() report.Section {
	s := report.Section{Title: "Files"}
	var t report.Pairs
	for _, f := range v.options.Files {
		t.Add(units.Clean(f.What), units.Clean(f.Path))
	}
	kept := 0
	first := ""
	for _, m := range v.members() {
		if m.Path != "" {
			kept++
			if first == "" {
				first = m.Path
			}
		}
	}
	switch n := len(v.Set.Members); {
	case n == 0:
	case kept == 0:
		s.Notes = []string{"The documents of the runs were not saved."}
	default:
		s.Notes = []string{fmt.Sprintf("Saved in the directory of the set: %s of %s, the first as %s.",
			units.Number(int64(kept)), units.Count(int64(n), "run", "runs"), units.Clean(first))}
	}
	if made := v.madeBy(); made != "" {
		s.Notes = append(s.Notes, made)
	}
	s.Tables = []report.Table{t.Table()}
	return s
}

// madeBy is the program and the machine.
func (v *View) madeBy() string {
	var parts []string
	if host := hostText(&v.Set.Host); host != "" {
		parts = []string{host}
	}
	if version := units.Clean(v.Set.Tool.Version); version != "" {
		parts = append(parts, "Plimsoll "+version)
	}
	text := strings.Join(parts, ", ")
	switch {
	case text == "":
		return ""
	case len(parts) == 1 && v.Set.Tool.Version != "":
		return "Made by " + text + "."
	}
	return "Made on " + text + "."
}

// hostText is a machine in a line.
func hostText(h *rundoc.Host) string {
	var parts []string
	if h.CPUs > 0 {
		parts = append(parts, units.Count(int64(h.CPUs), "processor", "processors"))
	}
	for _, p := range []string{h.CPU, h.OS + "/" + h.Arch} {
		if p = units.Clean(p); p != "" && p != "/" {
			parts = append(parts, p)
		}
	}
	return strings.Join(parts, ", ")
}
