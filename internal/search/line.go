package search

import (
	"cmp"
	"math"

	"github.com/plimsoll/plimsoll/setdoc"
)

// Line searches for the load at which a probe is as likely to meet a condition as not, with a server that is not the
// same at each probe. It doubles the load until a probe fails, or halves it until one does not, and goes on by
// probabilistic bisection. The zero value with Start, Lowest and Highest is ready. What it does next follows from the
// probes alone: one that is told again what probes found, in their order, is where the first one was.
type Line struct {
	Start           float64 // the first load to try
	Lowest, Highest float64 // it stays within these, which are above 0
	Whole           bool    // loads are whole numbers, such as of clients
	Within          float64 // half of the interval's width, a share of the load; 0: 0.045
	Most            int     // probes behind the doubling; 0: 60

	probes []probe
	from   int       // of the probes, the first that is not forgotten
	climb  int       // of the probes, the first of the doubling that goes on or was last
	behind int       // how many were behind a doubling
	drift  []int     // where probes were forgotten
	inside bool      // the doubling is over
	belief posterior // of all that is not forgotten, as if each told something of its own: where to go on
	sure   posterior // what may be said of it
	ending string
}

type probe struct {
	load   float64
	met    bool
	behind bool // the doubling
}

// Found is what a Line has found.
type Found struct {
	Ending    string // as setdoc has it: LineFound and the like; "" while it goes on
	Load      float64
	Low, High float64 // 98%
	Spread    float64 // of the logarithm
	Probes    int     // behind the doubling
	Drift     []int   // the probes, from 0 on, before which all earlier ones were forgotten
}

const (
	withinLoad = 0.045 // so that the load is known to 5% with what rounding and the grid add
	mostProbes = 60
	// No double has so many octaves of which one of ten is tried twice: this ends what only a document can have.
	mostDoublings = 2500
	// One that ends after fewer has met one side of the line by luck: two false results in a row have a probability of
	// 0.0004 a pair, and there are some pairs.
	leastProbes = 8
	leastOfEach = 3
	tail        = 0.01 // on either side of the interval
)

// Next is the load to try; false when there is nothing more to find.
func (l *Line) Next() (load float64, ok bool) {
	switch {
	case l.ending != "":
		return 0, false
	case l.inside:
		at := [...]float64{0.5, 0.25, 0.75}[l.behind%3]
		return l.allowed(l.belief.quantile(at)), true
	}
	held, exceeded := l.bracket()
	switch {
	case held == 0 && exceeded == 0:
		return l.allowed(l.Start), true
	case exceeded == 0:
		return l.allowed(2 * held), true
	}
	return l.allowed(exceeded / 2), true
}

// Took takes what a probe at a load found. What comes after the end tells nothing, nor does a load that is none, as in
// a document that was changed.
func (l *Line) Took(load float64, met bool) {
	if l.ending != "" || !(load > 1e-100 && load < 1e100) {
		return
	}
	l.probes = append(l.probes, probe{load, met, l.inside})
	if l.inside {
		l.behind++
		l.belief.take(load, met)
		l.forget()
		l.follow()
	}
	if !l.inside {
		l.begin()
	}
	if l.inside {
		l.sure = l.belief.tempered(l.independent())
	}
	l.end()
}

// Found returns what is known so far. The load is unknown unless at least one probe met the condition and one failed:
// an estimate from one side alone would lie beyond the loads that were tried.
func (l *Line) Found() Found {
	f := Found{Ending: l.ending, Probes: l.behind, Drift: l.drift}
	if !l.inside || !l.bothSides() {
		return f
	}
	f.Load, f.Low, f.High = l.sure.quantile(0.5), l.sure.quantile(tail), l.sure.quantile(1-tail)
	f.Spread = l.sure.spread()
	if l.Whole { // the largest that meets it, and the smallest that does not
		f.Load, f.Low, f.High = math.Floor(f.Load+wholeSlack), math.Floor(f.Low+wholeSlack), math.Ceil(f.High-wholeSlack)
	}
	return f
}

// bothSides reports whether some of the probes that count met the condition, and some failed.
func (l *Line) bothSides() bool {
	met, failed := false, false
	for _, p := range l.probes[l.from:] {
		met, failed = met || p.met, failed || !p.met
	}
	return met && failed
}

// A load that is a whole number up to what the grid can tell is that number.
const wholeSlack = 0.02

// allowed is the load that may be tried next to one that is wanted.
func (l *Line) allowed(load float64) float64 {
	load = min(max(load, l.Lowest), l.Highest)
	if l.Whole {
		load = min(max(math.Round(load), math.Ceil(l.Lowest)), math.Floor(l.Highest))
	}
	return load
}

// bracket has the largest load that met the condition in the doubling that goes on, and the smallest that did not; 0
// where there is none.
func (l *Line) bracket() (held, exceeded float64) {
	for _, p := range l.probes[l.climb:] {
		switch {
		case p.met:
			held = max(held, p.load)
		case exceeded == 0 || p.load < exceeded:
			exceeded = p.load
		}
	}
	return held, exceeded
}

// begin ends the doubling where it has found both sides, or has come to the end of what may be tried.
func (l *Line) begin() {
	held, exceeded := l.bracket()
	switch {
	case held == 0 && exceeded <= l.allowed(l.Lowest):
		held = exceeded
	case exceeded == 0 && held >= l.allowed(l.Highest):
		exceeded = held
	case held == 0 || exceeded == 0:
		return
	}
	l.inside = true
	l.belief = newPosterior(min(held, exceeded)/margin, max(held, exceeded)*margin)
	l.believe()
}

// believe makes the posterior anew, of what is not forgotten.
func (l *Line) believe() {
	l.belief = l.belief.nothing()
	for _, p := range l.probes[l.from:] {
		l.belief.take(p.load, p.met)
	}
}

// margin is how far the loads that are thought possible reach beyond the two between which the doubling ended.
const margin = 4

// follow goes after a load that is not where the doubling said, as when its last probe failed by chance: it doubles
// or halves again from where it is.
func (l *Line) follow() {
	low, high := l.belief.ends()
	at := l.belief.quantile(0.5)
	below := at <= low*margin/2 && low*margin > l.Lowest
	above := at >= high/margin*2 && high/margin < l.Highest
	if !below && !above {
		return
	}
	l.climb, l.inside = len(l.probes)-1, false
	l.probes[l.climb].behind = false
}

// end sees whether enough is known.
func (l *Line) end() {
	if !l.inside {
		if len(l.probes) >= mostDoublings {
			l.ending = setdoc.LineWide
		}
		return
	}
	switch {
	case l.sure.below(l.allowed(l.Lowest)) > 1-tail:
		l.ending = setdoc.LineBelow
	case 1-l.sure.below(l.allowed(l.Highest)) > 1-tail:
		l.ending = setdoc.LineAbove
	case l.narrow() && l.enough():
		l.ending = setdoc.LineFound
	case l.behind >= l.most():
		l.ending = setdoc.LineWide
	}
}

func (l *Line) narrow() bool {
	low, high := l.sure.quantile(tail), l.sure.quantile(1-tail)
	if l.Whole && math.Ceil(high-wholeSlack)-math.Floor(low+wholeSlack) <= 1 {
		return true
	}
	at := l.sure.quantile(0.5)
	return high <= at*(1+l.within()) && low >= at*(1-l.within())
}

func (l *Line) within() float64 { return cmp.Or(l.Within, withinLoad) }

func (l *Line) most() int { return cmp.Or(l.Most, mostProbes) }

// typicalProbes is how many probes behind the doubling are needed for ±10% of a server whose spread is 10 %.
const typicalProbes = 12

// Left estimates how many more probes are needed. From the fewest on that are enough, the interval is taken to become
// narrower with the root of their number.
func (l *Line) Left() int {
	if l.ending != "" {
		return 0
	}
	left := typicalProbes - l.behind
	if f := l.Found(); f.Load > 0 && l.behind >= leastProbes {
		wide := max(f.High/f.Load-1, 1-f.Low/f.Load) / l.within()
		left = int(math.Ceil(float64(l.behind) * (wide*wide - 1)))
	}
	return min(max(left, 1), max(l.most()-l.behind, 1))
}

// enough counts those behind the doubling that are not forgotten.
func (l *Line) enough() bool {
	met, failed := 0, 0
	for _, p := range l.probes[l.from:] {
		switch {
		case p.behind && p.met:
			met++
		case p.behind:
			failed++
		}
	}
	return met+failed >= leastProbes && met >= leastOfEach && failed >= leastOfEach
}

// forget leaves out the first half of the probes where the second says something else: the server is no longer what it
// was, as one that has warmed up.
func (l *Line) forget() {
	known := l.probes[l.from:]
	if len(known) < 2*leastProbes || len(known)%looks != 0 {
		return
	}
	half := l.from + len(known)/2
	first, second := l.belief.nothing(), l.belief.nothing()
	for _, p := range l.probes[l.from:half] {
		first.take(p.load, p.met)
	}
	for _, p := range l.probes[half:] {
		second.take(p.load, p.met)
	}
	share := l.independent()
	first, second = first.tempered(share), second.tempered(share)
	if p := first.above(second); p > disagree || p < 1-disagree {
		l.from = half
		l.drift = append(l.drift, half)
		l.believe()
	}
}

const (
	// disagree is how sure it is that the load of one half of the probes lies above that of the other.
	disagree = 0.99
	looks    = 4 // one look after so many probes: each is a chance to forget without a reason
)
