package threshold

import (
	"fmt"
	"math"
	"strings"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Result is what became of a goal.
type Result int

// The results, from best to worst.
const (
	Met    Result = iota
	Untold        // the measurement cannot tell: there is no value, or the generator's own delay may be why it was missed
	Then          // it was missed while the run went on, which ended it; the figures of the end do not say so
	Missed        // by the free figure, too, where there is one
)

// Of is what became of a goal.
func Of(t *rundoc.Threshold) Result {
	switch {
	case t.Met:
		return Met
	case t.Value == nil || t.Strict && t.Checked == nil && t.Why != "":
		return Untold
	}
	free := t.Free
	if t.Checked != nil {
		free = t.CheckedFree
	}
	if free != nil && holds(t.Expr, *free, t.Limit) {
		return Untold
	}
	return Missed
}

// In is what became of a goal in a run that the goal aborted ended early; "": none did.
func In(t *rundoc.Threshold, aborted string) Result {
	if result := Of(t); result == Missed || aborted == "" || t.Expr != aborted {
		return result
	}
	return Then
}

// holds compares as a goal in its plain form does; false for one that has no comparison.
func holds(expr string, v, limit float64) bool {
	_, rest := cutFigure(expr)
	op, _, err := cutOp("", rest)
	return err == nil && Threshold{op: op, limit: limit}.Holds(v)
}

// FigureOf is the figure that a goal in its plain form is about.
func FigureOf(expr string) string {
	name, _ := cutFigure(expr)
	return name
}

// Judge holds a run against several goals.
func Judge(run *rundoc.Run, goals []Threshold) []rundoc.Threshold {
	var all []rundoc.Threshold
	for _, t := range goals {
		all = append(all, t.Judge(run))
	}
	return all
}

// Values are the figure and its limit in words, and the free figure where that matters: "" where there is none.
func Values(t *rundoc.Threshold) (value, limit, free string) {
	unit := figure.Unit(t.Unit)
	limit = unit.Text(t.Limit)
	if t.Value != nil {
		value = unit.TextBeside(*t.Value, t.Limit)
	}
	if t.Checked != nil && t.Value != nil && *t.Checked != *t.Value {
		value += ", at worst " + unit.TextBeside(*t.Checked, t.Limit)
	}
	if t.Free != nil && Of(t) != Met {
		free = unit.TextBeside(*t.Free, t.Limit)
		if t.CheckedFree != nil && *t.CheckedFree != *t.Free {
			free += ", at worst " + unit.TextBeside(*t.CheckedFree, t.Limit)
		}
	}
	return value, limit, free
}

// Sentence says what became of a goal that was not met: "p99<50ms was missed: p99 was 61.2 ms".
func Sentence(t *rundoc.Threshold) string {
	expr := units.Clean(t.Expr)
	name, _ := cutFigure(expr)
	value, _, free := Values(t)
	switch {
	case t.Met:
		return fmt.Sprintf("%s was met: %s was %s", expr, name, value)
	case t.Value == nil:
		return fmt.Sprintf("%s cannot be evaluated: %s", expr, units.Clean(t.Why))
	case t.Strict && t.Checked == nil && t.Why != "":
		return fmt.Sprintf("%s cannot be evaluated strictly: %s was %s; %s", expr, name, value, units.Clean(t.Why))
	case Of(t) == Untold:
		return fmt.Sprintf("%s cannot be evaluated: %s was %s, but %s corrected", expr, name, value, free)
	}
	text := fmt.Sprintf("%s was missed: %s was %s", expr, name, value)
	if free != "" && free != value {
		text += fmt.Sprintf(" (%s corrected)", free)
	}
	return text
}

// Sentences are those of the goals of a run with a result.
func Sentences(run *rundoc.Run, result Result) []string {
	var list []string
	for i := range run.Thresholds {
		switch t := &run.Thresholds[i]; {
		case In(t, run.Aborted) != result:
		case result == Then:
			list = append(list, units.Clean(t.Expr)+" was missed, which ended the run")
		default:
			list = append(list, Sentence(t))
		}
	}
	return list
}

// Named names the goals of a run that were not met.
func Named(run *rundoc.Run) string {
	plain := func(t *rundoc.Threshold) string { return units.Clean(t.Expr) }
	return strings.Join(unmet(run.Thresholds, run.Aborted, plain), "; ")
}

// unmet are the goals that were not met, the worst first: a text for each result.
func unmet(all []rundoc.Threshold, aborted string, word func(*rundoc.Threshold) string) []string {
	var texts []string
	for _, result := range []Result{Missed, Then, Untold} {
		var list []string
		for i := range all {
			if In(&all[i], aborted) == result {
				list = append(list, word(&all[i]))
			}
		}
		if len(list) > 0 {
			texts = append(texts, result.words()+": "+strings.Join(list, ", "))
		}
	}
	return texts
}

// Reading is what is found when a document's goals are held against it again.
type Reading struct {
	All []rundoc.Threshold // to be shown: as its figures have them, or its own where they cannot be judged
	// Foreign are those, in their plain form, that this program cannot read.
	Foreign []string
	// Edited says in a sentence that they do not follow from the document's figures: it was changed, or written wrongly.
	// "": they do, or it was judged by later rules.
	Edited string
}

// Reread judges the goals of a document again, from its own figures.
func Reread(run *rundoc.Run, known figure.Known) Reading {
	r := Reading{}
	var edited []string
	for i := range run.Thresholds {
		own := &run.Thresholds[i]
		goal, err := Parse(own.Expr, known)
		goal.strict = own.Strict
		if err != nil {
			r.All, r.Foreign = append(r.All, *own), append(r.Foreign, units.Clean(own.Expr))
			continue
		}
		again := goal.Judge(run)
		if own.Expr != again.Expr || !same(own, &again) {
			if run.Verdict.Rules > rundoc.Rules { // whose figures may be others
				r.All = append(r.All, *own)
				continue
			}
			edited = append(edited, units.Clean(own.Expr))
		}
		r.All = append(r.All, again)
	}
	if run.Aborted != "" && !named(run, run.Aborted) {
		edited = append(edited, units.Clean(run.Aborted))
	}
	if len(edited) > 0 {
		r.Edited = "Thresholds contradict the values in the document: " + units.FirstOf(edited, 5) +
			". It was modified after the run."
	}
	return r
}

// named reports whether a run has a goal.
func named(run *rundoc.Run, expr string) bool {
	for i := range run.Thresholds {
		if run.Thresholds[i].Expr == expr {
			return true
		}
	}
	return false
}

// same reports whether two judgements agree. The words of why there is none may change.
func same(a, b *rundoc.Threshold) bool {
	return a.Met == b.Met && a.Unit == b.Unit && near(&a.Limit, &b.Limit) && near(a.Value, b.Value) &&
		near(a.Free, b.Free) && near(a.Checked, b.Checked) && near(a.CheckedFree, b.CheckedFree) &&
		(a.Why == "") == (b.Why == "")
}

// near reports whether two values are the same, but for the last digits of a sum.
func near(a, b *float64) bool {
	if a == nil || b == nil {
		return a == b
	}
	return math.Abs(*a-*b) <= 1e-9*max(math.Abs(*a), math.Abs(*b))
}

// Answer is what became of all goals of a run that the goal aborted ended early, in a line: how many were met, and
// those that were not. "": none ended it.
func Answer(all []rundoc.Threshold, aborted string) string {
	met := 0
	for i := range all {
		if In(&all[i], aborted) == Met {
			met++
		}
	}
	switch {
	case met < len(all):
		return fmt.Sprintf("%d of %d met · %s", met, len(all), strings.Join(unmet(all, aborted, short), " · "))
	case met == 1:
		value, _, _ := Values(&all[0])
		return "met: " + units.Clean(all[0].Expr) + " (" + value + ")"
	}
	return fmt.Sprintf("all %d met", met)
}

// words are what a result that is not good is called.
func (r Result) words() string {
	switch r {
	case Missed:
		return "missed"
	case Then:
		return "missed, ended the run"
	}
	return "cannot be evaluated"
}

// short is a goal that was not met, with its value.
func short(t *rundoc.Threshold) string {
	value, _, _ := Values(t)
	expr := units.Clean(t.Expr)
	switch {
	case t.Value == nil:
		return expr
	case t.Strict && t.Checked == nil && t.Why != "":
		return fmt.Sprintf("%s (%s, no interval)", expr, value)
	}
	return fmt.Sprintf("%s (%s)", expr, value)
}
