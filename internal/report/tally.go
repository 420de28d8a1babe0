package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Tally adds up counts by name.
type Tally map[string]int64

// Add adds the counts of causes.
func (t Tally) Add(causes []rundoc.Cause) {
	for _, c := range causes {
		t[c.Cause] += c.Count
	}
}

// Text lists the counts, the largest first, at most five.
func (t Tally) Text() string {
	const most = 5
	var names []string
	for name, n := range t {
		if n != 0 {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(t[b], t[a]), cmp.Compare(a, b)) })
	var parts []string
	for i, name := range names {
		if i == most {
			parts = append(parts, fmt.Sprintf("%d more", len(names)-most))
			break
		}
		parts = append(parts, Cause(name)+" "+units.Number(t[name]))
	}
	return strings.Join(parts, ", ")
}
