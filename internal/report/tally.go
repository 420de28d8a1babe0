package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/rundoc"
)

// tally adds up counts by name.
type tally map[string]int64

func newTally() tally { return tally{} }

func (t tally) add(causes []rundoc.Cause) {
	for _, c := range causes {
		t[c.Cause] += c.Count
	}
}

// text lists the counts, the largest first, at most five.
func (t tally) text() string {
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
		parts = append(parts, cause(name)+" "+number(t[name]))
	}
	return strings.Join(parts, ", ")
}
