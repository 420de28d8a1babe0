package sweep

import (
	"fmt"
	"slices"

	"github.com/plimsoll/plimsoll/internal/docfile"
	"github.com/plimsoll/plimsoll/setdoc"
)

// Reread says where a set that was read has a verdict that is not that of its runs, where its sweep does not follow
// from its rows, and where these are not those of its members; nil where all is as it has to be. Sentences are not
// compared: another version may put them otherwise. Neither are the levels of a set that was made by other rules.
func Reread(set *setdoc.Set) []string {
	s := set.Sweep
	var wrong []string
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if made := set.Validity(); set.Verdict.Validity != made {
		say("the verdict is %.40q, but the verdicts of its runs give %.40q", set.Verdict.Validity, made)
	}
	if s == nil {
		return wrong
	}
	if set.Kind != setdoc.KindSweep {
		say("its kind is %.40q, but it contains a sweep", set.Kind)
	}
	if !permutation(s.Order, len(s.Rows)) {
		say("the order of the runs does not match its %d rows", len(s.Rows))
		return wrong
	}
	members(set, say)
	if s.Rules != Rules {
		return wrong // its levels are those of other rules
	}
	made := make([]setdoc.Row, len(s.Rows))
	for i, at := range s.Order {
		made[i] = s.Rows[at]
	}
	again := Analyze(Plan{s.Workload, s.Vary, s.Repeats, s.Seed, s.Figure}, made)
	if len(again.Levels) != len(s.Levels) {
		say("it has %d levels, but its rows give %d", len(s.Levels), len(again.Levels))
		return wrong
	}
	named := &analysis{}
	for _, v := range s.Vary {
		named.axes = append(named.axes, axis{Vary: v})
	}
	for i := range s.Levels {
		if !docfile.Alike(s.Levels[i], again.Levels[i], exact) {
			say("level %d (%s) does not follow from its rows", i+1, named.name(&level{Level: &s.Levels[i]}))
		}
	}
	for _, c := range []struct {
		what      string
		had, made any
		room      float64
	}{
		{"the base of the prediction", s.Base, again.Base, exact},
		{"the highest throughput", s.Peak, again.Peak, exact},
		{"the best setting", s.Best, again.Best, exact},
		{"the ending", s.Ending, again.Ending, exact},
		{"the first setting that fails", s.FailsFrom, again.FailsFrom, exact},
		{"the scaling law", law(s.Scaling), law(again.Scaling), searched},
	} {
		if !docfile.Alike(c.had, c.made, c.room) {
			say("%s does not follow from the levels", c.what)
		}
	}
	return wrong
}

// By how much figures may differ, as a share: those that follow by a formula, in their last digits on another kind of
// processor, and those that are searched for.
const (
	exact    = 1e-6
	searched = 1e-3
)

// law is what a scaling says in figures.
func law(s *setdoc.Scaling) *setdoc.Scaling {
	if s == nil {
		return nil
	}
	figures := *s
	for _, text := range []*string{&figures.Refused, &figures.NoPeak} {
		if *text != "" {
			*text = "for a reason"
		}
	}
	return &figures
}

func permutation(order []int, n int) bool {
	sorted := slices.Sorted(slices.Values(order))
	for i, v := range sorted {
		if v != i {
			return false
		}
	}
	return len(order) == n
}

// members holds the rows against what the set says of the runs that they are of.
func members(set *setdoc.Set, say func(string, ...any)) {
	by := map[string]*setdoc.Member{}
	for i := range set.Members {
		by[set.Members[i].ID] = &set.Members[i]
	}
	lost := 0
	for i := range set.Sweep.Rows {
		r := &set.Sweep.Rows[i]
		if r.Member == "" {
			lost++
			continue
		}
		m := by[r.Member]
		switch {
		case m == nil:
			say("row %d belongs to a run that is not in the set", i+1)
		case string(m.Verdict.Validity) != r.Validity || m.Repeat != r.Repeat:
			say("row %d does not match its run, %s", i+1, r.Member)
		}
		delete(by, r.Member)
	}
	for i := range set.Members {
		if set.Members[i].ID == "" {
			lost--
		}
	}
	if lost != 0 {
		say("its rows and its runs disagree on how many runs produced no result")
	}
}
