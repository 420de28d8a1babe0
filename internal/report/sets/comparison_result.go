package sets

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/internal/contrast"
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/setdoc"
)

// result returns the answer: which side is worse, if one is, and which metrics have no result.
func (v contrastView) result() report.Fact {
	f := report.Fact{Key: "Result", Strong: true}
	bad, good, unknown := Found(v.of, setdoc.Worse), Found(v.of, setdoc.Better), v.unknown()
	const most = 3
	switch {
	case len(bad) > 0:
		f.Value, f.Tone = "B is "+Comparative(v.of, setdoc.Worse)+": "+units.FirstOf(bad, most), report.Bad
		if len(good) > 0 {
			f.Value += "; but better: " + units.FirstOf(good, most)
		}
	case len(good) > 0:
		f.Value, f.Tone = "B is "+Comparative(v.of, setdoc.Better)+": "+units.FirstOf(good, most), report.Good
	case !Told(v.of):
		f.Value, f.Tone = "No result: "+Untold(v.of), report.Doubtful
		return f
	default:
		f.Value = v.noneShown()
	}
	if len(unknown) > 0 {
		f.Value += "; no result for " + units.FirstOf(unknown, most)
	}
	return f
}

// noneShown returns the answer if no metric differs significantly, with the smallest detectable changes.
func (v contrastView) noneShown() string {
	var could []string
	last := ""
	for _, r := range v.rows() {
		if r.Outcome == setdoc.NoneShown && r.Smallest != nil {
			last = units.Percent(*r.Smallest)
			could = append(could, last+" in "+v.figureName(r))
		}
	}
	const most = 6 // as many as kinds have of themselves
	switch {
	case len(could) == 0:
		return "No significant difference"
	case len(could) == 1 && contrast.Judged(v.of.Figures) == 1:
		return "No significant difference; smallest detectable: " + last
	}
	return "No significant difference; smallest detectable: " + units.FirstOf(could, most)
}

// unknown returns the metrics without a result.
func (v contrastView) unknown() (names []string) {
	for _, r := range v.rows() {
		if r.Outcome == setdoc.Unknown && r.Absent != setdoc.NoneOnEither {
			names = append(names, v.figureName(r))
		}
	}
	return names
}

// Told reports whether a comparison can tell of any figure whether it is worse, or has nothing of any on either side.
// That nothing failed says nothing of the others.
func Told(c *setdoc.Comparison) bool {
	unknown, none, judged := 0, 0, len(c.Rows)
	for i := range c.Rows {
		switch r := &c.Rows[i]; {
		case r.Outcome == setdoc.NotJudged:
			judged--
		case r.Absent == setdoc.NoneOnEither:
			none++
		case r.Outcome == setdoc.Unknown || r.Outcome == "":
			unknown++
		}
	}
	return unknown+none < judged || unknown == 0 && none > 0 && counted(c) >= contrast.Least
}

// Untold says why a comparison can tell of no figure whether it is worse.
func Untold(c *setdoc.Comparison) string {
	made, good := len(c.Launches), counted(c)
	switch {
	case len(c.Looks) > 0 && good < contrast.Least && c.Dropped > 0:
		return fmt.Sprintf("%s of %s dropped because other programs used more than %s of the CPUs",
			units.Number(int64(c.Dropped)),
			units.Count(int64(made), "launch was", "launches were"), units.Percent3(c.BusyLimit))
	case good < contrast.Least:
		return fmt.Sprintf("%s too few for a test: at least %s are needed", units.Count(int64(good), "launch is",
			"launches are"),
			units.Number(contrast.Least))
	}
	for i := range c.Rows {
		if r := &c.Rows[i]; r.Absent != "" && r.Absent != setdoc.NoneOnEither && r.Outcome != setdoc.NotJudged {
			return units.Clean(c.Figures[r.Figure].Name + ": " + r.Absent)
		}
	}
	return "nothing was compared"
}

// counted are the launches that count.
func counted(c *setdoc.Comparison) (n int) {
	for i := range c.Launches {
		if l := &c.Launches[i]; l.Lost == "" && !l.Dropped {
			n++
		}
	}
	return n
}

// Comparative returns what B is by the metrics with this outcome: slower or faster if all of them are times of
// operations or rates, else worse or better.
func Comparative(c *setdoc.Comparison, outcome string) string {
	for i := range c.Rows {
		f := &c.Figures[c.Rows[i].Figure]
		speed := f.Unit == string(figure.Time) && !strings.Contains(f.Name, "cpu") || f.Unit == string(figure.PerSecond) ||
			f.Unit == string(figure.BytesPerSec)
		if c.Rows[i].Outcome == outcome && !speed {
			return outcome
		}
	}
	if outcome == setdoc.Worse {
		return "slower"
	}
	return "faster"
}

// Found returns the metrics with this outcome and their changes: "p99 +7.2% (95% CI +4.1% to +10.6%)", and "failed 0%
// to 2.5%".
func Found(c *setdoc.Comparison, outcome string) (list []string) {
	for i := range c.Rows {
		r := &c.Rows[i]
		if r.Outcome != outcome {
			continue
		}
		f := &c.Figures[r.Figure]
		text := units.Clean(f.Name)
		if f.Unit == string(figure.Share) && r.A != nil && r.B != nil { // the ratio of few to none is a large one
			list = append(list, text+" "+shortly(f.Figure, *r.A)+" to "+shortly(f.Figure, *r.B))
			continue
		}
		if r.Ratio != nil {
			text += " " + changeOf(r)
		}
		if interval := intervalOf(r); interval != units.Dash {
			text += " (95% CI " + interval + ")"
		}
		list = append(list, text)
	}
	return list
}
