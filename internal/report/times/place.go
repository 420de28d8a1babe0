package times

import (
	"slices"

	"github.com/plimsoll/plimsoll/internal/report/graph"
)

// Behind puts panels behind the last of those that have one of these names; where there is none, before all.
func Behind(all []graph.Panel, names []string, more ...graph.Panel) []graph.Panel {
	at := 0
	for i := range all {
		if slices.Contains(names, all[i].Name) {
			at = i + 1
		}
	}
	return slices.Insert(slices.Clone(all), at, more...)
}

// Without are the panels but for those of these names.
func Without(all []graph.Panel, names ...string) []graph.Panel {
	return slices.DeleteFunc(slices.Clone(all), func(p graph.Panel) bool { return slices.Contains(names, p.Name) })
}
