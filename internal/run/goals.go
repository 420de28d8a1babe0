package run

import (
	"errors"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/threshold"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Goals are the settings of every kind's command that say what a run is to reach.
type Goals struct {
	Thresholds  []threshold.Threshold // once the settings were checked
	AbortOnMiss bool
	Strict      bool // the worse end of a figure's confidence interval is held against its limit

	texts []string
}

// Settings declares them, for a kind with these figures.
func (g *Goals) Settings(known figure.Known) []*setting.Setting {
	goals := setting.List(&g.texts, "threshold", "condition", "condition such as 'p99<50ms', 'failed<0.1%' or "+
		"'p95{operation=NAME}<20ms'; exit status 3 if missed; repeatable; see 'plimsoll help metrics'").
		Rule(func(flag string) error { return g.read(flag, known) }).
		Offer(figure.Names(known)...).OfResults().AlsoCalled("slo")
	goals.Unended = true // a comparison follows
	return []*setting.Setting{
		goals,
		setting.Switch(&g.Strict, "strict", "compare --threshold with the worse end of the 95% confidence "+
			"interval").OfResults().
			Rule(func(flag string) error {
				if g.Strict && len(g.texts) == 0 {
					return fault.New(fault.Usage, "%s needs --threshold", flag).
						Hint("add a threshold such as --threshold 'p99<50ms'")
				}
				return nil
			}),
		setting.Switch(&g.AbortOnMiss, "abort-on-miss", "stop the run as soon as a --threshold is missed").OfResults().
			Rule(func(flag string) error {
				if g.AbortOnMiss && len(g.texts) == 0 {
					return fault.New(fault.Usage, "%s needs --threshold", flag).
						Hint("add a threshold such as --threshold 'p99<50ms'")
				}
				return nil
			}),
	}
}

// read reads the thresholds. One that is given twice is one.
func (g *Goals) read(flag string, known figure.Known) error {
	g.Thresholds = nil
	seen := map[string]bool{}
	var texts []string
	for _, text := range g.texts {
		texts = append(texts, threshold.Split(text)...)
	}
	for _, text := range texts {
		goal, err := threshold.Parse(text, known)
		if err != nil {
			return fault.New(fault.Usage, "%s %.80q: %w", flag, text, err)
		}
		if g.Strict {
			goal = goal.Strictly()
		}
		if !seen[goal.Expr()] {
			g.Thresholds = append(g.Thresholds, goal)
		}
		seen[goal.Expr()] = true
	}
	return nil
}

// FigureOf says of the error of a threshold, whose figure the kind k does not have, which of the other kinds has it.
func FigureOf(kinds []Kind, k Kind, err error) error {
	unknown, is := errors.AsType[*figure.Unknown](err)
	if !is {
		return err
	}
	for _, other := range kinds {
		spec, none := figure.Parse(unknown.Name, other.Report.Known(other.Name))
		if none == nil && spec.Own() && other.Name != k.Name {
			return fault.New(fault.CodeOf(err), "%s%s is a metric of %s, not of %s",
				strings.TrimSuffix(err.Error(), unknown.Error()), spec, other.Name, k.Name).
				Hint("'plimsoll help metrics %s' lists the metrics of this kind", k.Name)
		}
	}
	return err
}

// missed is the error of a run that did not reach what it was to: a goal was missed, or, where none was, the
// measurement cannot tell of one. Every goal that was missed is named.
func missed(doc *rundoc.Run, c *Conclusion) error {
	bad := unreached(doc)
	untold := threshold.Sentences(doc, threshold.Untold)
	switch all := append(slices.Clone(bad), untold...); {
	case len(all) == 0:
		return nil
	case len(all) > 1 && c.answered: // their values stand above
		return fault.New(codeOfGoals(bad), "%s", threshold.Named(doc))
	default:
		return tooFew(fault.New(codeOfGoals(bad), "%s", strings.Join(all, "; ")), doc)
	}
}

// tooFew adds what to do to the error of goals that cannot be told for want of operations alone.
func tooFew(err *fault.Error, doc *rundoc.Run) error {
	for i := range doc.Thresholds {
		if doc.Aborted == "" && strings.HasPrefix(doc.Thresholds[i].Why, "too few ") {
			return err.Hint("measure longer, or use a lower percentile")
		}
	}
	return err
}

// unreached says of each goal that was missed what it was, also of one that was missed only when the run was ended.
func unreached(doc *rundoc.Run) []string {
	return slices.Concat(threshold.Sentences(doc, threshold.Missed), threshold.Sentences(doc, threshold.Then))
}

// codeOfGoals is the exit status of goals of which these were missed.
func codeOfGoals(bad []string) fault.Code {
	if len(bad) == 0 {
		return fault.Untrusted
	}
	return fault.Missed
}

// besides adds to an error which goals were missed besides.
func besides(err error, doc *rundoc.Run) error {
	bad := unreached(doc)
	if err == nil || len(bad) == 0 {
		return err
	}
	return fault.New(fault.CodeOf(err), "%w; and %s", err, strings.Join(bad, "; "))
}

// gravest is the graver of two errors, and tells the other one behind it; either may be nil.
func gravest(one, other error) error {
	switch {
	case one == nil:
		return other
	case other == nil:
		return one
	case Graver(other, one):
		one, other = other, one
	}
	return fault.New(fault.CodeOf(one), "%w; and %s", one, other)
}
