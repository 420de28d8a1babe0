package prom

import (
	"maps"
	"slices"
	"strings"
)

// keys are the keys of labels, in order.
func keys(of map[string]string) []string { return slices.Sorted(maps.Keys(of)) }

// labelName makes the name of a label of an operation's label: what Prometheus does not take becomes an underscore, and
// what we use ourselves, or it does, has the operation before it.
func labelName(key string) string {
	name := strings.Map(func(r rune) rune {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			return r
		}
		return '_'
	}, key)
	own := []string{"run", "workload", "operation", "outcome", "cause", "le", "quantile", "job", "instance", ""}
	if slices.Contains(own, name) || strings.HasPrefix(name, "__") || name[0] >= '0' && name[0] <= '9' {
		return "operation_" + strings.TrimLeft(name, "_")
	}
	return name
}
