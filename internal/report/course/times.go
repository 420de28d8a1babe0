package course

import (
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// mostPoints is about how many points a curve of a distribution has.
const mostPoints = 200

// distribution is how long all operations took, on an axis of percentiles.
func (s *Source) distribution() (graph.Panel, bool) {
	total := s.total()
	p := tailPanel(Distribution, "Response time distribution")
	free := total.ResponseTime.Free
	for _, of := range []struct {
		name string
		role graph.Role
		sum  *rundoc.Summary
	}{
		{"response time", "1", &total.ResponseTime},
		{"response time, corrected", "2", free},
		{"service time", "3", &total.ServiceTime},
	} {
		if of.sum == nil || of.sum == &total.ServiceTime && !s.Open {
			continue
		}
		p.Series = append(p.Series, curve(of.name, of.role, of.sum)...)
	}
	p.Rules = s.goals("ns", "p50", "p90", "p95", "p99", "p99.9", "max")
	return p, len(p.Series) > 0
}

// mostOperations is how many operations can be told apart in a panel.
const mostOperations = 6

// byOperation is how long the operations of each name took, where there are a few of them.
func (s *Source) byOperation() (graph.Panel, bool) {
	if n := len(s.Run.Operations); n > mostOperations || n == 1 && !s.Mixed {
		return graph.Panel{}, false
	}
	p := tailPanel(ByOperation, "Response time distribution by operation")
	for i := range s.Run.Operations {
		o := &s.Run.Operations[i]
		p.Series = append(p.Series, curve(operationName(o), graph.Role(strconv.Itoa(i+1)), &o.ResponseTime)...)
	}
	return p, len(p.Series) > 0
}

func operationName(o *rundoc.Operation) string {
	name := o.Name
	for _, key := range slices.Sorted(maps.Keys(o.Labels)) {
		name += " " + o.Labels[key]
	}
	return units.Clean(name)
}

func tailPanel(name, title string) graph.Panel {
	return graph.Panel{
		Name: name, Title: title,
		X: graph.Axis{Name: "percentile", Unit: graph.Quantile, Scale: graph.Tail},
		Y: graph.Axis{Unit: graph.Nanoseconds, Scale: graph.Log},
		Intro: "Logarithmic in the distance from 100%. A line ends where fewer than " + strconv.Itoa(rundoc.MinAbove) +
			" values are above it; the dot after it is the maximum.",
	}
}

// total are all operations together. Where their histograms cannot be read, which the verdict says, there are no times.
func (s *Source) total() *rundoc.Operation {
	if s.Total != nil {
		return s.Total
	}
	total, _ := s.Run.Totals()
	return &total
}

// curve is a distribution as a line over its quantiles; behind its end, and a gap, is the longest.
func curve(name string, role graph.Role, of *rundoc.Summary) []graph.Series {
	h, err := of.Histogram()
	if err != nil || h == nil {
		return nil
	}
	line := graph.Series{Name: name, Role: role}
	percentiles := percentilesOf(of)
	quantiles := quantilesOf(of.Count)
	at := make([]float64, len(quantiles))
	for i, q := range quantiles {
		at[i] = q * 100
	}
	for i, ns := range h.ValueAtPercentilesSlice(at) {
		ns = max(of.MinNS, min(ns, of.MaxNS))
		if exact, known := percentiles[quantiles[i]]; known {
			ns = exact
		}
		line.X, line.Y = append(line.X, quantiles[i]), append(line.Y, known(ns))
	}
	if of.Count > 1 {
		share := 1 / float64(of.Count)
		line.X = append(line.X, max(0, quantileAt(math.Sqrt(rundoc.MinAbove)*share)), quantileAt(share))
		line.Y = append(line.Y, math.NaN(), known(of.MaxNS))
	}
	if highest(&line) <= 0 {
		return nil
	}
	return []graph.Series{line}
}

// percentilesOf are those that the document itself has, by quantile.
func percentilesOf(of *rundoc.Summary) map[float64]int64 {
	all := map[float64]int64{}
	for q, ns := range map[float64]*int64{0.5: of.P50NS, 0.9: of.P90NS, 0.95: of.P95NS, 0.99: of.P99NS, 0.999: of.P999NS} {
		if ns != nil {
			all[q] = *ns
		}
	}
	return all
}

// quantilesOf are those of a sample of so many that are drawn: as many for each nine, up to the last that the sample
// supports, and those that documents have besides.
func quantilesOf(count int64) (quantiles []float64) {
	if count < rundoc.MinAbove {
		return nil
	}
	nines := math.Log10(float64(count) / rundoc.MinAbove)
	each := math.Min(40, math.Floor(mostPoints/nines))
	for k := 0.0; ; k++ {
		q := quantileAt(math.Pow(10, -k/each))
		if !supports(count, q) {
			break
		}
		quantiles = append(quantiles, q)
	}
	for _, q := range []float64{0.5, 0.95} { // 0.9 and so on are of a nine
		if supports(count, q) {
			quantiles = append(quantiles, q)
		}
	}
	slices.Sort(quantiles)
	return quantiles
}

// supports reports whether so many observations support a quantile, by the rule of rundoc.Supports.
func supports(count int64, q float64) bool {
	return float64(count)-math.Ceil(float64(count)*q-1e-6) >= rundoc.MinAbove
}

// quantileAt is the quantile above which is such a share, with four digits of that.
func quantileAt(above float64) float64 {
	decimals := math.Pow10(int(math.Ceil(-math.Log10(above))) + 3)
	return math.Round((1-above)*decimals) / decimals
}

// The most cells of a heat map. A document that has more slices than columns makes no sense, and reading all of them
// would take memory for each.
const (
	mostColumns = 600
	mostRows    = 60
)

// heat is how often which response times came over time, from the slices of the document.
func (s *Source) heat() (graph.Panel, bool) {
	if len(s.Run.Slices) > mostColumns {
		return graph.Panel{}, false
	}
	bars, low, high := s.sliceBars()
	if high <= 0 {
		return graph.Panel{}, false
	}
	h := &graph.Heat{Of: s.Many, X: graph.Values{float64(s.Run.Slices[0].FromS)}, Y: rowsBetween(low, high)}
	for i := range s.Run.Slices {
		slice := &s.Run.Slices[i]
		from, to := float64(slice.FromS), float64(slice.FromS+slice.Seconds)
		if h.X[len(h.X)-1] < from { // nothing is known of what is between them
			h.X, h.Counts = append(h.X, from), append(h.Counts, make([]int64, len(h.Y)-1))
		}
		if !(to > h.X[len(h.X)-1]) {
			return graph.Panel{}, false // of a document that makes no sense
		}
		h.X, h.Counts = append(h.X, to), append(h.Counts, inRows(bars[i], h.Y))
	}
	if last := len(h.X) - 1; s.window() > h.X[last-1] {
		h.X[last] = min(h.X[last], s.window())
	}
	return graph.Panel{
		Name: HeatMap, Title: "Response times over time", X: s.overTime(),
		Y: graph.Axis{Unit: graph.Nanoseconds, Scale: graph.Log},
		Intro: "Number of " + s.Many + " by response time. Those that ended after the window, or not at all, are in the " +
			"last column.", Bands: s.gaps(), Heat: h,
	}, true
}

// sliceBars are the times of each slice, and how far all of them go; high is 0 where there are none.
func (s *Source) sliceBars() (all [][]hdrhistogram.Bar, low, high float64) {
	low = math.MaxFloat64
	for i := range s.Run.Slices {
		h, err := s.Run.Slices[i].ResponseTime.Histogram()
		if err != nil {
			return nil, 0, 0 // which the verdict says
		}
		var bars []hdrhistogram.Bar
		if h != nil {
			bars = slices.DeleteFunc(h.Distribution(), func(b hdrhistogram.Bar) bool { return b.Count <= 0 })
		}
		for _, b := range bars {
			low, high = min(low, float64(max(b.From, 1))), max(high, float64(b.To))
		}
		all = append(all, bars)
	}
	return all, low, high
}

// rowsBetween are the edges of the rows of a heat map, from the lowest time to just above the highest: each is as many
// times the one below it, and by no less than two times of a slice can be told apart.
func rowsBetween(low, high float64) graph.Values {
	const finest = 1.07
	n := min(mostRows, math.Floor(math.Log(high/low)/math.Log(finest)))
	edges := graph.Values{low}
	for i := 1.0; i < n; i++ {
		edges = append(edges, significant(low*math.Pow(high/low, i/n), 4))
	}
	return append(edges, high+1)
}

// inRows counts bars by row: each where its lowest time is.
func inRows(bars []hdrhistogram.Bar, edges graph.Values) []int64 {
	counts := make([]int64, len(edges)-1)
	between := edges[1 : len(edges)-1]
	for _, b := range bars {
		row, begins := slices.BinarySearch(between, float64(b.From))
		if begins {
			row++
		}
		counts[row] += b.Count
	}
	return counts
}
