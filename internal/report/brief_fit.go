package report

import (
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
)

// fit leaves out what there is no room for: first what the rest of the report says as well, then what must be.
func (b *brief) fit(facts []Fact, most int) []Fact {
	return b.cut(b.gently(facts, most), most, b.barePoints, b.fewerPoints, b.shortest)
}

// gently leaves out what a reader of the answer misses least.
func (b *brief) gently(facts []Fact, most int) []Fact {
	return b.cut(facts, most, b.fewerNotes, b.shorterPoints, b.fewerReasons, b.plainPoints, b.fewerFacts)
}

// cut takes one step after the other, until the facts fit.
func (b *brief) cut(facts []Fact, most int, steps ...func([]Fact, int) []Fact) []Fact {
	for _, step := range steps {
		if b.height(facts) > most {
			facts = step(facts, most)
		}
	}
	return facts
}

// least is how many lines the facts take that no run should lack.
func (b *brief) least(facts []Fact) int {
	facts = slices.Clone(facts)
	for i := range facts {
		facts[i].Points = slices.Clone(facts[i].Points)
	}
	return b.height(b.gently(facts, 0))
}

// prepared returns facts in which every word has room.
func (b *brief) prepared(facts []Fact) []Fact {
	facts = slices.Clone(facts)
	for i := range facts {
		f := &facts[i]
		lines := unlimited
		if f.Key == keyGoals {
			lines = 1 // a run may have many; the full report has them all
		}
		f.Value = b.clipValue(f.Value, lines)
		var points []string
		for _, p := range f.Points {
			points = append(points, b.clipPoint(p, unlimited))
		}
		f.Points = points
	}
	return facts
}

// unlimited is more lines than a text has.
const unlimited = 1 << 20

func (b *brief) clipValue(value string, lines int) string {
	return clip(value, b.factRoom(), lines, atClause, atWord)
}

func (b *brief) clipPoint(point string, lines int) string {
	return clip(point, b.factRoom()-len("- "), lines, atPart, atWord)
}

// moreOf says how many points are left out, and how all are to be had.
func (b *brief) moreOf(n int, one, many string) string {
	text := units.Count(int64(n), one, many)
	if b.more == "" {
		return text
	}
	return text + ": " + b.more
}

// fewerNotes keeps the notes that fit, or says how many there are, if they are to be had.
func (b *brief) fewerNotes(facts []Fact, most int) []Fact {
	i := slices.IndexFunc(facts, func(f Fact) bool { return f.Key == keyNote })
	if i < 0 {
		return facts
	}
	all := facts[i].Points
	for n := min(len(all)-1, most); n >= 0; n-- {
		one, many := "more", "more"
		if n == 0 {
			one, many = "note", "notes"
		}
		if n == 0 && b.more == "" {
			break
		}
		facts[i].Points = append(slices.Clone(all[:n]), b.moreOf(len(all)-n, one, many))
		if b.height(facts) <= most {
			return facts
		}
	}
	return slices.Delete(facts, i, i+1)
}

// shorterPoints shortens the sentences below values, but for the verdict's reasons.
func (b *brief) shorterPoints(facts []Fact, most int) []Fact {
	for lines := 3; lines > 0 && b.height(facts) > most; lines-- {
		for i := range facts {
			for j, p := range facts[i].Points {
				if facts[i].Key != keyVerdict && !ofParts(p) {
					facts[i].Points[j] = b.clipPoint(p, lines)
				}
			}
		}
	}
	return facts
}

// fewerReasons keeps the first of the verdict's reasons that fit, and of the first at least three lines.
func (b *brief) fewerReasons(facts []Fact, most int) []Fact {
	f := verdictOf(facts)
	if f == nil || len(f.Points) == 0 {
		return facts
	}
	all := f.Points
	for n := min(len(all)-1, max(1, most)); n > 0; n-- {
		f.Points = append(slices.Clone(all[:n]), b.moreOf(len(all)-n, "more", "more"))
		if b.height(facts) <= most {
			return facts
		}
	}
	return b.shorterReason(facts, most, 4, 3)
}

// shorterReason shortens the verdict's first reason to so many lines.
func (b *brief) shorterReason(facts []Fact, most, from, to int) []Fact {
	f := verdictOf(facts)
	for lines := from; f != nil && len(f.Points) > 0 && lines >= to && b.height(facts) > most; lines-- {
		f.Points[0] = b.clipPoint(f.Points[0], lines)
	}
	return facts
}

func verdictOf(facts []Fact) *Fact {
	i := slices.IndexFunc(facts, func(f Fact) bool { return f.Key == keyVerdict })
	if i < 0 {
		return nil
	}
	return &facts[i]
}

// plainPoints leaves the intervals out of points that have no corrected values.
func (b *brief) plainPoints(facts []Fact, most int) []Fact {
	return b.withoutBrackets(facts, most, func(p string) bool { return !strings.Contains(p, " corrected)") })
}

// barePoints leaves the intervals and corrected values out of points.
func (b *brief) barePoints(facts []Fact, most int) []Fact {
	return b.withoutBrackets(facts, most, func(string) bool { return true })
}

func (b *brief) withoutBrackets(facts []Fact, most int, may func(point string) bool) []Fact {
	b.eachFact(facts, most, func(f *Fact) {
		for j, p := range f.Points {
			if f.Key != keyVerdict && may(p) {
				f.Points[j] = withoutBrackets(p)
			}
		}
	})
	return facts
}

// eachFact shortens one fact after the other, the last first, until they fit.
func (b *brief) eachFact(facts []Fact, most int, shorten func(*Fact)) {
	for i := len(facts) - 1; i >= 0 && b.height(facts) > most; i-- {
		shorten(&facts[i])
	}
}

// fewerFacts leaves out facts that are not strong, the last one first.
func (b *brief) fewerFacts(facts []Fact, most int) []Fact {
	return b.dropFacts(facts, most, func(f *Fact) bool { return !f.Strong })
}

func (b *brief) dropFacts(facts []Fact, most int, may func(*Fact) bool) []Fact {
	for i := len(facts) - 1; i >= 0 && b.height(facts) > most; i-- {
		if f := &facts[i]; may(f) && !slices.Contains([]string{keyVerdict, KeyErrors, keyGoals}, f.Key) {
			facts = slices.Delete(facts, i, i+1)
		}
	}
	return facts
}

// fewerPoints leaves out how many reasons more there are, then sentences below values, the first ones first: those of
// the failures, which say why, stay longest.
func (b *brief) fewerPoints(facts []Fact, most int) []Fact {
	if f := verdictOf(facts); f != nil {
		f.Points = f.Points[:min(1, len(f.Points))]
	}
	for i := range facts {
		f := &facts[i]
		for j := len(f.Points) - 1; j >= 0 && b.height(facts) > most; j-- {
			if f.Key != keyVerdict && !ofParts(f.Points[j]) {
				f.Points = slices.Delete(f.Points, j, j+1)
			}
		}
	}
	return facts
}

// shortest is for the narrowest terminals, and for documents that make no sense: what must stay, in as few lines as it
// takes. Percentiles go after the reasons for a verdict, which the report has, too.
func (b *brief) shortest(facts []Fact, most int) []Fact {
	values := func(lines int) {
		b.eachFact(facts, most, func(f *Fact) { f.Value = b.clipValue(f.Value, lines) })
	}
	points := func(shorten func([]string) []string) {
		b.eachFact(facts, most, func(f *Fact) {
			if f.Key != keyVerdict {
				f.Points = shorten(f.Points)
			}
		})
	}
	b.eachFact(facts, most, func(f *Fact) { f.Value = withoutBrackets(f.Value) })
	facts = b.shorterReason(facts, most, 2, 1)
	points(func(list []string) []string {
		for j, p := range list {
			list[j] = b.clipPoint(p, 1)
		}
		return list
	})
	points(func([]string) []string { return nil })
	values(3)
	values(2)
	facts = b.dropFacts(facts, most, func(*Fact) bool { return true })
	values(1)
	return facts
}
