package show

import "github.com/plimsoll/plimsoll/rundoc"

const (
	mostShades = 200 // stretches with a bar behind them
	mostClips  = 40  // stretches of transfers that are drawn apart: of more, each is a sliver as high as its neighbours
)

// clip cuts stretches to the spans in which the transfer was on, so that nothing is drawn where it
// was not. Their rates are of those spans already.
func clip(list []pace, spans []span) []pace {
	if len(spans) == 0 || len(spans) > mostClips {
		return list
	}
	var cut []pace
	for _, p := range list {
		for _, s := range spans {
			part := p
			part.from, part.to = max(p.from, s.from), min(p.to, s.to)
			if part.from < part.to {
				cut = append(cut, part)
			}
		}
	}
	return cut
}

// spanOf is the time of an operation in seconds.
func spanOf(b rundoc.Block) span {
	return span{float64(b.StartNS) / 1e9, float64(b.StartNS+b.DurationNS) / 1e9}
}

// union is what operations cover together, in order and disjoint: streams close at the same time.
func union(list []rundoc.Block) []span {
	spans := make([]span, len(list))
	for i, b := range list {
		spans[i] = spanOf(b)
	}
	return disjoint(spans)
}
