package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// PlanShape says how the plan of a kind is shown.
type PlanShape struct {
	// Own is what the kind's own settings are called: they are on the plan's first level, and
	// have one line. "": a line for each.
	Own string
	// Without leaves out what a run of the kind has nothing to do with; nil: nothing.
	Without func(plan map[string]any)
}

// WithoutLoad leaves settings of the load out of a plan.
func WithoutLoad(plan map[string]any, names ...string) {
	if load, ok := plan["load"].(map[string]any); ok {
		maps.DeleteFunc(load, func(name string, _ any) bool { return slices.Contains(names, name) })
	}
}

// Plan shows the settings of the run's plan.
func (v *View) Plan(shape PlanShape) Section { return PlanOf(v.Run.Plan, shape) }

// PlanOf shows the settings of a plan that are not zero: a line for each of its parts.
func PlanOf(plan json.RawMessage, shape PlanShape) Section {
	s := Section{Title: "Plan"}
	var parts map[string]any
	d := json.NewDecoder(strings.NewReader(string(plan)))
	d.UseNumber() // a seed has more digits than a float64

	// A plan that is null has no settings either.
	if d.Decode(&parts) != nil || parts == nil {
		return s
	}
	if shape.Without != nil {
		shape.Without(parts)
	}
	var t Pairs
	if shape.Own != "" {
		first := map[string]any{}
		for name, value := range parts {
			if _, part := value.(map[string]any); !part {
				first[name] = value
				delete(parts, name)
			}
		}
		t.Add(shape.Own, units.Clean(settings(first)))
	}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		part, ok := parts[name].(map[string]any)
		if !ok {
			for _, line := range appendSetting(nil, name, parts[name]) {
				t.Add("", units.Clean(line))
			}
			continue
		}
		if line := settings(part); line != "" {
			t.Add(units.Clean(name), units.Clean(line))
		}
	}
	s.Tables = []Table{t.Table()}
	return s
}

func settings(part map[string]any) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(part)) {
		if inner, ok := part[name].(map[string]any); ok {
			if line := settings(inner); line != "" {
				list = append(list, label(name)+" ("+line+")")
			}
			continue
		}
		list = appendSetting(list, name, part[name])
	}
	return strings.Join(list, ", ")
}

// appendSetting adds "name value", unless the value is zero and so not set.
func appendSetting(list []string, name string, value any) []string {
	text := ""
	switch value := value.(type) {
	case nil:
		return list
	case bool:
		if !value {
			return list
		}
		return append(list, label(name))
	case string:
		text = value
	case json.Number:
		if value == "0" {
			return list
		}
		text = value.String()
		if n, err := value.Int64(); err == nil && strings.HasSuffix(name, "_ns") {
			text = units.Setting(n)
		} else if err == nil && strings.HasSuffix(name, "_bytes") {
			text = units.ExactSize(n)
		}
	default:
		raw, err := json.Marshal(value)
		if err != nil {
			return list
		}
		text = string(raw)
	}
	if text == "" || text == "[]" {
		return list
	}
	return append(list, fmt.Sprintf("%s %s", label(name), text))
}

// Difference is a setting in which two plans differ, and its value in either; "" where it is not set.
type Difference struct{ Name, A, B string }

// Differences are the settings in which two plans differ, in the order of their names, but for those that are left
// out by the names of their fields.
func Differences(a, b json.RawMessage, without ...string) []Difference {
	var flat [2]map[string]string
	names := map[string]bool{}
	for i, plan := range []json.RawMessage{a, b} {
		var parts map[string]any
		d := json.NewDecoder(strings.NewReader(string(plan)))
		d.UseNumber()
		if d.Decode(&parts) != nil {
			return nil
		}
		flat[i] = map[string]string{}
		flatten(flat[i], "", parts, without)
		for name := range flat[i] {
			names[name] = true
		}
	}
	var list []Difference
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if x, y := flat[0][name], flat[1][name]; x != y {
			list = append(list, Difference{units.Clean(name), units.Clean(x), units.Clean(y)})
		}
	}
	return list
}

// flatten has each setting by its name. The name of the part of the plan that it stands in is left out.
func flatten(into map[string]string, in string, part map[string]any, without []string) {
	for name, value := range part {
		if slices.Contains(without, name) {
			continue
		}
		if inner, is := value.(map[string]any); is {
			flatten(into, strings.TrimSpace(in+" "+label(name)), inner, without)
			continue
		}
		full := label(name)
		if _, within, nested := strings.Cut(in, " "); nested {
			full = within + " " + full
		}
		for _, line := range appendSetting(nil, name, value) {
			if text := strings.TrimSpace(strings.TrimPrefix(line, label(name))); text != "" {
				into[full] = text
			} else {
				into[full] = "on"
			}
		}
	}
}

// label makes a field's name readable; the unit stands at the value.
func label(name string) string {
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(name, "_ns"), "_bytes"), "_", " ")
}

// LoadOf says in a line how much load the plan of a run asks for, as far as its common part says it.
func LoadOf(run *rundoc.Run) string {
	var p struct {
		Load struct {
			Clients    int64             `json:"clients"`
			Pipeline   int64             `json:"pipeline"`
			RatePerS   float64           `json:"rate_per_s"`
			Arrivals   string            `json:"arrivals"`
			Stages     []json.RawMessage `json:"stages"`
			ThinkNS    int64             `json:"think_time_ns"`
			Changes    []json.RawMessage `json:"client_stages"`
			DurationNS int64             `json:"duration_ns"`
			Operations int64             `json:"operations"`
		} `json:"load"`
	}
	if json.Unmarshal(run.Plan, &p) != nil {
		return "" // a plan of another shape
	}
	l := &p.Load
	var parts []string
	add := func(is bool, text string) {
		if is {
			parts = append(parts, text)
		}
	}
	add(l.RatePerS > 0, strings.TrimSpace(units.PerSecond(l.RatePerS)+"/s "+units.Clean(l.Arrivals)))
	add(len(l.Stages) > 0, units.Count(int64(len(l.Stages)), "stage", "stages"))
	add(len(l.Changes) > 0, units.Count(int64(len(l.Changes)), "client stage", "client stages"))
	add(l.Clients > 0, units.Count(l.Clients, "client", "clients"))
	add(l.Pipeline > 1, "pipeline "+units.Number(l.Pipeline))
	add(l.ThinkNS > 0, "think time "+units.Setting(l.ThinkNS))
	add(l.Operations > 0, units.Count(l.Operations, "operation", "operations"))
	add(l.DurationNS > 0, units.Setting(l.DurationNS))
	return strings.Join(parts, ", ")
}
