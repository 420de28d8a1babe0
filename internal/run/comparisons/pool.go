package comparisons

import (
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// pool has the times of a row from launches that had too few of them for its percentile, each by itself.
type pool struct {
	sides    [2]*figure.Pool // nil: there are none
	launches int
}

// merge gives a launch that counts the percentiles of it and of those before it that had too few times for them, as
// soon as there are enough on both sides. Until then it has none.
func (c *Comparison) merge(l *setdoc.Launch, docs [2]*rundoc.Run) (merged bool) {
	if len(c.pools) != len(c.rows) {
		c.pools = make([]pool, len(c.rows))
	}
	for i, one := range c.rows {
		p, needs := &c.pools[i], one.spec.Needs()
		counts := [2]int64{one.spec.Count(docs[0]), one.spec.Count(docs[1])}
		least := min(counts[0], counts[1])
		if needs == 0 || least == 0 || least >= needs && p.launches == 0 {
			continue
		}
		merged = true
		var values [2]figure.Value
		for side, doc := range docs {
			if p.launches == 0 {
				p.sides[side] = figure.NewPool(one.spec)
			}
			p.sides[side].Add(doc)
			values[side] = p.sides[side].Value()
		}
		p.launches++
		if values[0].Why == "" && values[1].Why == "" {
			for side := range values {
				l.Values[side][i] = setdoc.Known{Value: &values[side].Raw, Launches: p.launches}
			}
			*p = pool{}
			continue
		}
		why := l.Values[0][i].Why
		if counts[1] < counts[0] {
			why = l.Values[1][i].Why
		}
		for side := range values {
			l.Values[side][i] = setdoc.Known{Why: why, Merged: true}
		}
	}
	return merged
}
