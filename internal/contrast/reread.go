package contrast

import (
	"fmt"
	"slices"

	"github.com/plimsoll/plimsoll/internal/docfile"
	"github.com/plimsoll/plimsoll/setdoc"
)

// exact is by how much figures may differ, as a share: in their last digits, on another kind of processor.
const exact = 1e-6

// Reread says where the comparison of a set that was read does not follow from its launches, and where these are not of
// its members; nil where all is as it has to be. Sentences are not compared: another version may put them otherwise.
// Neither are the rows of a set that was made by other rules.
func Reread(set *setdoc.Set) []string {
	c := set.Comparison
	if c == nil {
		return nil
	}
	var wrong []string
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if set.Kind != setdoc.KindCompare {
		say("its kind is %.40q, but it contains a comparison", set.Kind)
	}
	members(set, say)
	if c.Rules != Rules {
		return wrong // its rows are those of other rules
	}
	if n := len(c.Looks); n == 0 || !slices.Equal(c.Looks, Looks(c.Looks[n-1])) {
		say("its interim analyses do not follow the rules")
	} else if !docfile.Alike(c.Alphas, Alphas(c.Looks, Judged(c.Figures)), exact) {
		say("the significance levels do not match the number of rows")
	}
	again := *c
	again.Launches = slices.Clone(c.Launches)
	Analyze(&again)
	for i := range c.Launches {
		if c.Launches[i].Dropped != again.Launches[i].Dropped {
			say("whether launch %d is dropped does not follow from the CPU use of other programs", i+1)
		}
	}
	if len(again.Rows) != len(c.Rows) {
		say("it has %d rows, but compares %d metrics", len(c.Rows), len(again.Rows))
		return wrong
	}
	for i := range c.Rows {
		had, made := figuresOf(c.Rows[i]), figuresOf(again.Rows[i])
		if !docfile.Alike(had, made, exact) {
			say("the result for %.40s does not follow from its launches", c.Figures[i].Name)
		}
	}
	for _, f := range []struct {
		what      string
		had, made any
	}{
		{"the number of dropped launches", c.Dropped, again.Dropped},
		{"the number of launches used", c.Judged, again.Judged},
		{"the decision to stop", c.Decided != "", again.Decided != ""},
		{"the variation between rounds", c.Rounds, again.Rounds},
	} {
		if !docfile.Alike(f.had, f.made, exact) {
			say("%s does not follow from its launches", f.what)
		}
	}
	return wrong
}

// figuresOf is what a row says in figures.
func figuresOf(r setdoc.Contrast) setdoc.Contrast {
	if r.Absent != "" {
		r.Absent = "for a reason"
	}
	return r
}

// members holds the launches against what the set says of the runs that they are of.
func members(set *setdoc.Set, say func(string, ...any)) {
	there := map[string]bool{}
	for i := range set.Members {
		there[set.Members[i].ID] = true
	}
	seen := map[string]bool{}
	for i := range set.Comparison.Launches {
		l := &set.Comparison.Launches[i]
		for side, id := range l.Members {
			switch {
			case id == "" && l.Lost == "":
				say("launch %d has values for side %d, but no run", i+1, side+1)
			case id != "" && !there[id]:
				say("launch %d belongs to a run that is not in the set", i+1)
			case id != "" && seen[id]:
				say("launch %d shares its run with another launch", i+1)
			}
			seen[id] = true
		}
	}
}
