package loadline

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/search"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// Rules is the number of the rules by which a load line follows from its probes. It is raised by a change after which a
// set may have another one, so that nobody takes it for a change of the set.
const Rules = 4

// Search is a search that goes on.
type Search struct {
	line       search.Line
	doc        setdoc.Loadline
	processors map[int]string // of probes that failed, what Processors says of them
}

// New begins a search, of which asked says what it is for.
func New(asked setdoc.Loadline) *Search {
	s := &Search{doc: setdoc.Loadline{
		Rules: Rules, Workload: asked.Workload, Vary: asked.Vary, Unit: asked.Unit, SLO: slices.Clone(asked.SLO),
		Start: asked.Start, Lowest: asked.Lowest, Highest: asked.Highest, Whole: asked.Whole, Within: asked.Within,
		Most: asked.Most, LongestNS: asked.LongestNS, MaxTimeNS: asked.MaxTimeNS,
	}, processors: map[int]string{}}
	s.line = search.Line{
		Start: asked.Start, Lowest: asked.Lowest, Highest: asked.Highest, Whole: asked.Whole, Within: asked.Within,
		Most: asked.Most,
	}
	return s
}

// Next is the load to try; false when there is nothing more to find, or to be had from this generator. A load of which
// a probe told nothing is tried again.
func (s *Search) Next() (load float64, ok bool) {
	if s.doc.TimeUp || s.stuck() {
		return 0, false
	}
	load, ok = s.line.Next()
	return s.round(load), ok
}

// round is a load that a person can read: with four digits, which is more than any probe can tell.
func (s *Search) round(load float64) float64 {
	switch { // exactly the ends, since the search ends there
	case load <= s.doc.Lowest:
		return s.doc.Lowest
	case load >= s.doc.Highest:
		return s.doc.Highest
	}
	// By way of its text: a product of a step such as 0.1 has the digits 463.70000000000005.
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(load, 'g', 4, 64), 64) // of what was written just now
	return min(max(rounded, s.doc.Lowest), s.doc.Highest)
}

// Take takes what a probe found.
func (s *Search) Take(p setdoc.Probe) {
	s.doc.Probes = append(s.doc.Probes, p)
	if p.Result == setdoc.ProbeTellsNothing {
		return
	}
	s.line.Took(p.Load, p.Result == setdoc.ProbeMet)
}

// Note records how busy the processors were in the last probe that was taken, whose run this is. The document has it of
// the lowest load that failed.
func (s *Search) Note(run *rundoc.Run) {
	last := len(s.doc.Probes) - 1
	if p := &s.doc.Probes[last]; p.Result == setdoc.ProbeFailed {
		s.processors[last] = Processors(&s.doc, p.Load, run)
	}
}

// Stop ends the search because its time is up.
func (s *Search) Stop() { s.doc.TimeUp = true }

// Left estimates how many more probes the search takes.
func (s *Search) Left() int { return s.line.Left() }

// ownTries is how many probes are made of a load while the generator keeps each of them from telling anything.
const ownTries = 3

// stuck reports whether the generator kept ownTries probes of one load in a row from telling anything.
func (s *Search) stuck() bool {
	n := len(s.doc.Probes)
	if n < ownTries {
		return false
	}
	last := s.doc.Probes[n-ownTries:]
	return !slices.ContainsFunc(last, func(p setdoc.Probe) bool { return !p.Own || p.Load != last[0].Load })
}

// Counted returns the probes that the load line follows from: those since the target last changed. Earlier ones are
// forgotten.
func Counted(l *setdoc.Loadline) []setdoc.Probe { return l.Probes[forgotten(l):] }

// forgotten returns the number of probes at the beginning that no longer count.
func forgotten(l *setdoc.Loadline) int {
	if len(l.Drift) == 0 {
		return 0
	}
	return min(max(l.Drift[len(l.Drift)-1], 0), len(l.Probes)) // a document may say anything
}

// Gone reports whether the target seems not to be there, or to refuse all that it is sent: nothing ended ok in the last
// two probes, at loads that were no reason for it, since the target bore more before, or nothing ever did.
func Gone(l *setdoc.Loadline) bool {
	n := len(l.Probes)
	if n < 2 {
		return false
	}
	last, before := &l.Probes[n-1], &l.Probes[n-2]
	if !nothing(last) || !nothing(before) {
		return false
	}
	borne, ever := 0.0, false
	for i := range l.Probes {
		p := &l.Probes[i]
		ever = ever || !nothing(p)
		if p.Result == setdoc.ProbeMet {
			borne = max(borne, p.Load)
		}
	}
	return !ever || max(last.Load, before.Load) <= borne
}

// nothing reports whether a probe failed in which nothing ended ok.
func nothing(p *setdoc.Probe) bool { return p.Result == setdoc.ProbeFailed && p.Rate == nil }

// Doc is what is known so far.
func (s *Search) Doc() *setdoc.Loadline {
	doc := s.doc
	doc.Probes = slices.Clone(doc.Probes)
	found := s.line.Found()
	doc.Ending = found.Ending
	if found.Load > 0 {
		doc.Load, doc.Range, doc.Spread = &found.Load, []float64{found.Low, found.High}, &found.Spread
	}
	doc.Drift = s.told(found.Drift)
	switch {
	case s.stuck():
		doc.Ending = setdoc.LineGenerator
	case doc.Ending == "" && doc.TimeUp:
		doc.Ending = setdoc.LineTimeUp
	case doc.Ending == "":
		doc.Ending = setdoc.LineCutShort
	}
	switch doc.Ending {
	case setdoc.LineBelow, setdoc.LineAbove:
		doc.Load, doc.Range, doc.Spread = nil, nil, nil
	}
	doc.Limits = limits(Counted(&doc))
	doc.Processors = s.lowestFailed(&doc)
	doc.Why = why(&doc)
	doc.Doubts = doubts(&doc)
	return &doc
}

// told puts the numbers of told probes into those of all.
func (s *Search) told(list []int) []int {
	var at, all []int
	for i := range s.doc.Probes {
		if s.doc.Probes[i].Result != setdoc.ProbeTellsNothing {
			at = append(at, i)
		}
	}
	for _, n := range list {
		all = append(all, at[n])
	}
	return all
}

// lowestFailed returns a sentence on CPU use in the counted probe of the lowest load that failed.
func (s *Search) lowestFailed(doc *setdoc.Loadline) (text string) {
	lowest := math.Inf(1)
	for i := forgotten(doc); i < len(doc.Probes); i++ {
		if p := &doc.Probes[i]; s.processors[i] != "" && p.Load < lowest {
			lowest, text = p.Load, s.processors[i]
		}
	}
	return text
}

// limits counts what probes failed by.
func limits(probes []setdoc.Probe) []setdoc.Limit {
	var list []setdoc.Limit
	for i := range probes {
		if probes[i].Result != setdoc.ProbeFailed {
			continue
		}
		for _, by := range probes[i].Missed {
			at := slices.IndexFunc(list, func(l setdoc.Limit) bool { return l.By == by })
			if at < 0 {
				at, list = len(list), append(list, setdoc.Limit{By: by})
			}
			list[at].Probes++
		}
	}
	slices.SortStableFunc(list, func(a, b setdoc.Limit) int { return cmp.Compare(b.Probes, a.Probes) })
	return list
}

// Analyze works out again what follows from the probes of a document.
func Analyze(l *setdoc.Loadline) *setdoc.Loadline {
	s := New(*l)
	for _, p := range l.Probes {
		s.Take(p)
	}
	s.doc.TimeUp = l.TimeUp
	return s.Doc()
}

// Amount is a load with its unit.
func Amount(l *setdoc.Loadline, load float64) string {
	text := units.PerSecond(load)
	if l.Whole {
		text = units.Number(int64(math.Round(load)))
	}
	unit := units.Clean(l.Unit)
	if l.Whole && math.Round(load) == 1 {
		unit = strings.TrimSuffix(unit, "s")
	}
	if unit != "" {
		text += " " + unit
	}
	return text
}

// why returns a sentence on why the search did not reach the requested precision, or "" if it did.
func why(l *setdoc.Loadline) string {
	last := func(result string) string {
		for _, p := range slices.Backward(l.Probes) {
			if p.Result == result && p.Why != "" {
				return ": " + p.Why
			}
		}
		return ""
	}
	switch l.Ending {
	case setdoc.LineBelow:
		return fmt.Sprintf("The SLO is not met at %s, the lowest load tried%s.", Amount(l, l.Lowest),
			last(setdoc.ProbeFailed))
	case setdoc.LineAbove:
		return fmt.Sprintf("The SLO is still met at %s, the highest load allowed (--highest).", Amount(l, l.Highest))
	case setdoc.LineGenerator:
		p := &l.Probes[len(l.Probes)-1]
		return fmt.Sprintf("At %s the load generator or its machine was the limit, not the target, in %d probes in a "+
			"row: %s.",
			Amount(l, p.Load), ownTries, strings.TrimSuffix(p.Why, "."))
	case setdoc.LineWide:
		return fmt.Sprintf("%d probes were not enough: %s.", len(l.Probes), imprecise(l))
	case setdoc.LineTimeUp:
		return fmt.Sprintf("The time limit of %v was reached: %s.", time.Duration(l.MaxTimeNS), imprecise(l))
	case setdoc.LineCutShort:
		if Gone(l) {
			return fmt.Sprintf("The search was stopped, because no operation succeeded in two probes in a row%s.",
				last(setdoc.ProbeFailed))
		}
		return "The search was interrupted."
	}
	return ""
}

// imprecise compares the precision reached with the requested one.
func imprecise(l *setdoc.Loadline) string {
	if l.Load == nil {
		return "no load was found that meets the SLO together with one that does not"
	}
	return fmt.Sprintf("the result is known to within %s, and --within asks for %s", units.Percent3(Precision(l)),
		units.Percent3(l.Within))
}

// Precision returns the distance from the load line to the farther end of its interval, as a share of the load; 0
// without a load line.
func Precision(l *setdoc.Loadline) float64 {
	if l.Load == nil || len(l.Range) != 2 || *l.Load <= 0 {
		return 0
	}
	return max(*l.Load-l.Range[0], l.Range[1]-*l.Load) / *l.Load
}

// doubts returns what a reader should know before using the result.
func doubts(l *setdoc.Loadline) (list []string) {
	for _, at := range l.Drift {
		list = append(list, fmt.Sprintf("The target changed before probe %d: earlier probes contradict later ones and are "+
			"ignored.", at+1))
	}
	silent := 0
	for i := range l.Probes {
		if l.Probes[i].Own {
			silent++
		}
	}
	if silent > 0 && l.Ending != setdoc.LineGenerator {
		list = append(list, fmt.Sprintf("%s inconclusive because of the load generator or its machine; %s repeated.",
			units.Count(int64(silent), "probe was", "probes were"), map[bool]string{true: "it was",
				false: "they were"}[silent == 1]))
	}
	if text := Crowded(l); text != "" {
		list = append(list, text)
	}
	return list
}

// Crowded is the doubt that it is the number of the clients that limits, and not the target; "" where that is not so,
// as in a search for their number.
func Crowded(l *setdoc.Loadline) string {
	p := highestMet(l)
	if l.Whole || p == nil || p.SlotsUsed == nil || *p.SlotsUsed < manySlots || l.Ending == setdoc.LineAbove {
		return ""
	}
	return fmt.Sprintf("At %s, the highest load that met the SLO, %s of the clients were busy: their number may be the "+
		"limit, not the target. Search again with more clients.", Amount(l, p.Load), units.Percent3(*p.SlotsUsed))
}

// manySlots is the share of what the clients can have under way from which operations wait for a free one now and then.
const manySlots = 0.8

// highestMet returns the counted probe of the highest load that met the SLO, or nil if none did.
func highestMet(l *setdoc.Loadline) (best *setdoc.Probe) {
	counted := Counted(l)
	for i := range counted {
		if p := &counted[i]; p.Result == setdoc.ProbeMet && (best == nil || p.Load > best.Load) {
			best = p
		}
	}
	return best
}
