package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/rundoc"
)

// plan shows the settings of the plan that are not zero, whatever workload it is for: a
// line for each of its parts.
func (v *view) plan() section {
	s := section{title: "Plan"}
	var parts map[string]any
	d := json.NewDecoder(strings.NewReader(string(v.run.Plan)))
	d.UseNumber() // a seed has more digits than a float64
	if d.Decode(&parts) != nil {
		return s
	}
	t := table{columns: columnsOf("<", "<")}
	if load, ok := parts["load"].(map[string]any); ok && v.bandwidth != nil {
		// The same for every transfer: its requests are retried by the store's client.
		maps.DeleteFunc(load, func(name string, _ any) bool { return slices.Contains([]string{"clients", "pipeline", "retry"}, name) })
	}
	if v.overhead != nil {
		v.overheadPlan(parts)
	}
	own := ""
	switch {
	case v.bandwidth != nil:
		own = "transfer"
	case v.overhead != nil:
		own = "calls"
	case v.updates != nil:
		own = "updates"
	}
	if own != "" {
		// Its own settings are on the plan's first level: one line for all of them.
		first := map[string]any{}
		for name, value := range parts {
			if _, part := value.(map[string]any); !part {
				first[name] = value
				delete(parts, name)
			}
		}
		t.add(own, clean(settings(first)))
	}
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		part, ok := parts[name].(map[string]any)
		if !ok {
			for _, line := range appendSetting(nil, name, parts[name]) {
				t.add("", clean(line))
			}
			continue
		}
		if line := settings(part); line != "" {
			t.add(clean(name), clean(line))
		}
	}
	s.tables = []table{t}
	return s
}

// overheadPlan leaves out what no call of an overhead run has to do with.
func (v *view) overheadPlan(parts map[string]any) {
	if load, ok := parts["load"].(map[string]any); ok { // there is one attempt, and --concurrency says how many clients
		maps.DeleteFunc(load, func(name string, _ any) bool {
			return slices.Contains([]string{"clients", "drain_ns", "pipeline", "retry"}, name)
		})
	}
	delete(parts, "output") // there are no buckets
	if parts["baseline"] == nil {
		delete(parts, "min_effect")
	}
	if v.overhead.Mode == rundoc.OverheadExec { // the command decides
		delete(parts, "timeout_ns")
		delete(parts, "concurrency")
	}
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
			text = setting(n)
		} else if err == nil && strings.HasSuffix(name, "_bytes") {
			text = exactSize(n)
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
