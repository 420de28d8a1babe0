package sets

import (
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/setdoc"
)

// Tiles returns the values at the best setting of a sweep. A set of unlike runs has none.
func (v *View) Tiles() []report.Tile {
	best := v.level(v.sweep.Best)
	if best == nil || best.Throughput == nil {
		return nil
	}
	top := report.TileOf("Best "+figureName(v.sweep.Figure), v.figure(best.Throughput))
	top.Notes = []string{"at " + v.name(best.Values)}
	tiles := []report.Tile{top}
	for _, p := range []struct {
		name string
		ns   *int64
	}{{"p50", best.ResponseP50NS}, {"p99", best.ResponseP99NS}} {
		if p.ns != nil {
			t := report.TileOf(p.name, units.Duration(*p.ns))
			t.Notes = []string{"at the best setting"}
			tiles = append(tiles, t)
		}
	}
	if best.Scheduled > 0 {
		t := report.TileOf("Errors", units.Share(float64(best.Scheduled-best.OK), float64(best.Scheduled)))
		t.Notes = []string{"at the best setting"}
		if best.OK < best.Scheduled {
			t.Tone = report.Doubtful
		}
		tiles = append(tiles, t)
	}
	return tiles
}

// Tiles returns the load line and the number of probes.
func (v lineView) Tiles() []report.Tile {
	l := v.line
	var t report.Tile
	switch {
	case l.Ending == setdoc.LineBelow:
		t = report.TileOf("Load line", "< "+v.amount(l.Lowest))
		t.Tone = report.Bad
	case l.Ending == setdoc.LineAbove:
		t = report.TileOf("Load line", "> "+v.amount(l.Highest))
	case l.Load == nil:
		return nil
	default:
		t = report.TileOf("Load line", v.amount(*l.Load))
		if len(l.Range) == 2 {
			t.Notes = []string{"98% CI " + v.plain(l.Range[0]) + "–" + v.plain(l.Range[1])}
		}
		if l.Ending != setdoc.LineFound {
			t.Tone = report.Doubtful
		}
	}
	probes := report.TileOf("Probes", units.Number(int64(len(l.Probes))))
	probes.Notes = []string{units.Number(int64(len(v.met()))) + " met the SLO",
		units.Number(int64(len(v.missed()))) + " missed it"}
	return []report.Tile{t, probes}
}

// Tiles returns the changes of the metrics that were judged.
func (v contrastView) Tiles() []report.Tile {
	const most = 4
	var tiles []report.Tile
	for _, r := range v.rows() {
		if len(tiles) == most || r.Ratio == nil || r.Outcome == setdoc.NotJudged || r.Outcome == setdoc.Unknown {
			continue
		}
		t := report.TileOf(v.figureName(r), changeOf(r))
		switch r.Outcome {
		case setdoc.Worse:
			t.Tone, t.Notes = report.Bad, []string{"B is worse"}
		case setdoc.Better:
			t.Tone, t.Notes = report.Good, []string{"B is better"}
		default:
			t.Notes = []string{"not significant"}
		}
		if interval := intervalOf(r); interval != units.Dash {
			t.Notes = append(t.Notes, "95% CI "+interval)
		}
		t.Notes = append(t.Notes, "A "+v.value(r, r.A)+", B "+v.value(r, r.B))
		tiles = append(tiles, t)
	}
	return tiles
}
