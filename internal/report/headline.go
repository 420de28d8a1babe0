package report

import (
	"strings"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/threshold"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Tile is a headline value of a report, for renderers that show a few values large.
type Tile struct {
	Name  string   // "p99"
	Value string   // "4.21", or "–" where it is unknown
	Unit  string   // "ms"; "": the value has none
	Notes []string // short lines below the value: its interval, the corrected value, what it is a share of
	Tone  Tone     // Bad: it misses a threshold, or too many operations failed
}

// TileOf returns the tile of a value, which it parts from its unit.
func TileOf(name, value string) Tile {
	t := Tile{Name: name}
	t.Value, t.Unit = cutUnit(value)
	return t
}

// ThresholdRow is a threshold of a run with its outcome.
type ThresholdRow struct {
	Name      string // the metric: "p99", "max{type=TEXT}"
	Limit     string // "< 50 ms"
	Value     string // "" where it is unknown
	Corrected string // the value without generator delay, where it could change the outcome; else ""
	Outcome   string // "met"
	Tone      Tone
}

// Tiles returns the headline values of the report, or nil.
func (p Page) Tiles() []Tile {
	if p.view != nil {
		return p.view.Tiles()
	}
	if t, has := p.Shown.(interface{ Tiles() []Tile }); has {
		return t.Tiles()
	}
	return nil
}

// Thresholds returns the thresholds of a run with their outcomes.
func (p Page) Thresholds() []ThresholdRow {
	if p.view == nil {
		return nil
	}
	return p.view.thresholds
}

// Tiles returns the headline values of a run: throughput, p50, p99 and errors, or the headline metrics of its kind. A
// percentile that the sample does not support is replaced by the highest one below it that it does support.
func (v *View) Tiles() []Tile {
	if v.kind.Mixed || v.hasOwnHeadline() {
		return v.ownTiles()
	}
	tiles := []Tile{v.rateTile()}
	if v.Total.ResponseTime.Count > 0 {
		tiles = append(tiles, v.middleTile(), v.tailTile())
	}
	tiles = append(tiles, v.errorTile())
	for i := range tiles {
		v.holdAgainst(&tiles[i])
	}
	return tiles
}

func (v *View) rateTile() Tile {
	t := Tile{Name: "Throughput", Value: units.Dash, Unit: v.Words.Short + "/s"}
	if v.WindowNS <= 0 {
		return t
	}
	t.Value = units.PerSecond(v.Total.RatePerS)
	if half := v.interval.Half; half > 0 && v.interval.Absent == "" {
		t.Notes = append(t.Notes, "95% CI "+units.PerSecond(max(0, v.Total.RatePerS-half))+"–"+
			units.PerSecond(v.Total.RatePerS+half))
	}
	if v.Open && !v.counting {
		scheduled := float64(v.Total.Scheduled) / (float64(v.WindowNS) / 1e9)
		t.Notes = append(t.Notes, "scheduled: "+v.Words.Rate(scheduled))
	}
	return t
}

func (v *View) middleTile() Tile {
	s := &v.Total.ResponseTime
	if s.P50NS == nil {
		return timeTile("mean", s, meanOf, s.MeanInterval())
	}
	return timeTile("p50", s, func(s *rundoc.Summary) *int64 { return s.P50NS }, s.Interval(500))
}

func (v *View) tailTile() Tile {
	s := &v.Total.ResponseTime
	all := Percentiles(Wide)
	for i := len(all) - 1; i > 0; i-- {
		if p := all[i]; p.Permille <= 990 && p.Of(s) != nil {
			t := timeTile(p.Name, s, p.Of, s.Interval(p.Permille))
			if p.Permille < 990 {
				t.Notes = append(t.Notes, "too few "+v.Words.Many+" for p99")
			}
			return t
		}
	}
	t := timeTile("max", s, maxOf, nil)
	t.Notes = append(t.Notes, "too few "+v.Words.Many+" for percentiles")
	return t
}

func timeTile(name string, s *rundoc.Summary, of summaryFigure, within *rundoc.Interval) Tile {
	raw, corrected := of(s), freeOf(s, of)
	t := TileOf(name, units.Duration(*raw))
	if parted(raw, corrected) {
		t.Notes = append(t.Notes, units.Duration(*corrected)+" corrected")
	}
	if within != nil && wider(within, *raw, units.Duration) {
		t.Notes = append(t.Notes, "95% CI "+timeRange(within.LowNS, within.HighNS))
	}
	return t
}

// timeRange formats a range of times in the unit of its upper end.
func timeRange(low, high int64) string {
	u := units.UnitFor(high)
	return u.In(low) + "–" + u.In(high) + " " + u.Name
}

func (v *View) errorTile() Tile {
	t := &v.Total
	bad, all := t.Failed+t.Unsent+t.Unfinished, t.Scheduled
	if v.counting { // what is scheduled is known at the end
		bad, all = t.Failed+t.Unsent, t.OK+t.Failed+t.Unsent
	}
	tile := Tile{Name: "Errors", Value: units.Dash}
	if all <= 0 {
		return tile
	}
	tile.Value, tile.Unit = cutUnit(units.Percent(float64(bad) / float64(all)))
	count := units.Number(bad)
	if bad == 0 {
		count = "none"
	}
	tile.Notes = []string{count + " of " + units.Count(all, v.Words.One, v.Words.Many)}
	switch {
	case bad > 0 && v.Run.Missing(t) != nil:
		tile.Tone = Bad
	case bad > 0:
		tile.Tone = Doubtful
	}
	return tile
}

// cutUnit cuts a value into its number and its unit.
func cutUnit(value string) (number, unit string) {
	if number, cut := strings.CutSuffix(value, "%"); cut {
		return number, "%"
	}
	if strings.HasSuffix(value, "/s") && !strings.Contains(value, " ") {
		return strings.TrimSuffix(value, "/s"), "/s"
	}
	if i := strings.LastIndexByte(value, ' '); i > 0 {
		return value[:i], value[i+1:]
	}
	return value, ""
}

func (v *View) hasOwnHeadline() bool {
	known := v.kind.Known(v.Run.Workload)
	for _, name := range v.kind.Headline {
		if spec, err := figure.Parse(name, known); err == nil && spec.Own() {
			return true
		}
	}
	return false
}

// ownTiles returns the tiles of the headline metrics that a kind defines itself.
func (v *View) ownTiles() []Tile {
	if v.counting { // the metrics of a kind are known at the end
		return nil
	}
	var tiles []Tile
	for _, name := range v.kind.Headline {
		if name == "failed" {
			continue
		}
		if t, known := v.metricTile(name); known {
			v.holdAgainst(&t)
			tiles = append(tiles, t)
		}
	}
	if len(tiles) == 0 {
		return nil
	}
	errors := v.errorTile()
	v.holdAgainst(&errors)
	return append(tiles, errors)
}

// metricTile returns the tile of a metric, or of the highest known percentile below it. It returns false if there is
// none.
func (v *View) metricTile(name string) (Tile, bool) {
	names := []string{name}
	if family, is := strings.CutSuffix(name, "p99"); is {
		names = append(names, family+"p95", family+"p90", family+"p50")
	}
	known := v.kind.Known(v.Run.Workload)
	for _, name := range names {
		spec, err := figure.Parse(name, known)
		if err != nil {
			continue
		}
		value := spec.Of(v.Run)
		if value.Never {
			return Tile{Name: name, Value: "never", Tone: Bad}, true
		}
		if value.Why != "" {
			continue
		}
		t := TileOf(name, spec.Unit().Text(value.Raw))
		if value.Low != nil && value.High != nil && spec.Unit() == figure.Time {
			t.Notes = append(t.Notes, "95% CI "+timeRange(int64(*value.Low), int64(*value.High)))
		}
		return t, true
	}
	return Tile{}, false
}

// noBreak is a space at which a line does not wrap.
const noBreak = "\u00a0"

// holdAgainst marks a tile by the thresholds of the run for the same metric, of all operations.
func (v *View) holdAgainst(t *Tile) {
	metric := t.Name
	switch metric {
	case "Throughput":
		metric = "rate"
	case "Errors":
		metric = "failed"
	}
	for _, row := range v.thresholds {
		if row.Name != metric || row.Tone != Bad && row.Tone != Doubtful {
			continue
		}
		word := "threshold missed: "
		if row.Tone == Doubtful {
			word = "threshold not evaluated: "
		}
		t.Tone = max(t.Tone, row.Tone)
		t.Notes = append(t.Notes, word+strings.ReplaceAll(row.Limit, " ", noBreak))
	}
}

// rows are the thresholds with their outcomes.
func (g *goals) rows() []ThresholdRow {
	var rows []ThresholdRow
	for i := range g.All {
		t := &g.All[i]
		row := ThresholdRow{Outcome: resultWords(t, g.aborted), Tone: Good}
		switch threshold.In(t, g.aborted) {
		case threshold.Missed, threshold.Then:
			row.Tone = Bad
		case threshold.Untold:
			row.Tone = Doubtful
		case threshold.Met:
		}
		row.Name = units.Clean(threshold.FigureOf(t.Expr))
		row.Value, row.Limit, row.Corrected = threshold.Values(t)
		row.Limit = strings.TrimSpace(comparison(t.Expr) + " " + row.Limit)
		rows = append(rows, row)
	}
	return rows
}

// comparison is the sign between the metric and the limit of a threshold.
func comparison(expr string) string {
	rest := strings.TrimSpace(strings.TrimPrefix(expr, threshold.FigureOf(expr)))
	switch sign := rest[:len(rest)-len(strings.TrimLeft(rest, "<>="))]; sign {
	case "<=":
		return "≤"
	case ">=":
		return "≥"
	default:
		return sign
	}
}
