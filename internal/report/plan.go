package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
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

// Plan shows the settings of the plan that are not zero: a line for each of its parts.
func (v *View) Plan(shape PlanShape) Section {
	s := Section{Title: "Plan"}
	var parts map[string]any
	d := json.NewDecoder(strings.NewReader(string(v.Run.Plan)))
	d.UseNumber() // a seed has more digits than a float64
	if d.Decode(&parts) != nil {
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

// label makes a field's name readable; the unit stands at the value.
func label(name string) string {
	return strings.ReplaceAll(strings.TrimSuffix(strings.TrimSuffix(name, "_ns"), "_bytes"), "_", " ")
}
