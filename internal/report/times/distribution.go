package times

import (
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Line is a distribution.
type Line struct {
	Name string
	Role graph.Role
	Of   *rundoc.Summary
	// Below counts what came besides, and is less than all of Of, and Never what is more than all of it: what never
	// arrived. Neither has a value, and both have ranks.
	Below, Never int64
}

// Distribution adds to a panel the value at each quantile, as far as a document may name one: up to where too few are
// above it. Behind a gap is the longest. A line without a value is left out.
func Distribution(p graph.Panel, lines ...Line) graph.Panel {
	p.X = graph.Axis{Name: "percentile", Unit: graph.Quantile, Scale: graph.Tail}
	p.Y = graph.Axis{Unit: graph.Nanoseconds, Scale: graph.Log}
	for _, l := range lines {
		if s := l.series(); len(s.X) > 0 {
			p.Series = append(p.Series, s)
		}
	}
	p.Intro += " Logarithmic in the distance from 100%. A line ends where fewer than " + strconv.Itoa(rundoc.MinAbove) +
		" values are above it; the dot after it is the maximum."
	if len(p.Series) == 0 && p.Empty == "" {
		p.Empty = "too few values for a percentile"
	}
	return p
}

// named are the percentiles that a summary has itself.
func named(s *rundoc.Summary) map[float64]int64 {
	all := map[float64]int64{}
	for q, ns := range map[float64]*int64{0.5: s.P50NS, 0.9: s.P90NS, 0.95: s.P95NS, 0.99: s.P99NS, 0.999: s.P999NS} {
		if ns != nil {
			all[q] = *ns
		}
	}
	return all
}

func (l Line) series() graph.Series {
	s := graph.Series{Name: l.Name, Role: l.Role}
	add := func(q float64, ns int64) { s.X, s.Y = append(s.X, q), append(s.Y, float64(ns)) }
	own := named(l.Of)
	whole := l.Below == 0 && l.Never == 0
	h, err := l.Of.Histogram()
	if err != nil || h == nil {
		if !whole {
			return graph.Series{} // the document's percentiles are those of other ranks
		}
		for _, q := range slices.Sorted(maps.Keys(own)) {
			add(q, own[q])
		}
		return s
	}
	n := l.Of.Count
	all := float64(l.Below) + float64(n) + float64(l.Never)
	for _, q := range quantiles(all) {
		rank := int64(q*all+0.5) - l.Below // the nearest, which a document's percentiles are of, too
		ns, has := own[q]
		switch {
		case rank < 1:
			continue
		case rank > n:
			return s
		case !whole || !has:
			ns = max(l.Of.MinNS, min(h.ValueAtPercentile(100*float64(rank)/float64(n)), l.Of.MaxNS))
		}
		add(q, ns)
	}
	if l.Never == 0 && len(s.X) > 0 { // behind a gap, since what is between is too few
		s.X, s.Y = append(s.X, 1-math.Sqrt(rundoc.MinAbove)/all), append(s.Y, math.NaN())
		add(1-1/all, l.Of.MaxNS)
	}
	return s
}

// quantiles are those of a line over so many values: twenty for each further nine, and those that have names, up to
// the last with rundoc.MinAbove of them above it.
func quantiles(n float64) []float64 {
	const each = 20
	list := []float64{0.5, 0.95}
	for i := range 12 * each {
		list = append(list, 1-math.Pow(10, -float64(i)/each)) // of a whole nine just what is written as 0.9, 0.99, 0.999
	}
	slices.Sort(list)
	return slices.DeleteFunc(list, func(q float64) bool { return n-math.Ceil(q*n-1e-9) < rundoc.MinAbove })
}
