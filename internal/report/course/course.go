package course

import (
	"math"
	"strconv"

	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/rundoc"
)

// The names of the panels, by which a few of them are chosen for a file.
const (
	Throughput   = "throughput"
	Bytes        = "bytes"
	ResponseTime = "response-time"
	InFlight     = "in-flight"
	OwnDelay     = "own-delay"
	Failures     = "failures"
	Distribution = "distribution"
	ByOperation  = "distribution-by-operation"
	HeatMap      = "response-time-heat"
	Ledger       = "ledger"
)

// Source is a run, and what a report knows of it.
type Source struct {
	Run      *rundoc.Run
	Total    *rundoc.Operation // of all operations; nil: it is worked out
	WindowNS int64
	Short    string // what an operation is called, as in "req/s"
	Many     string // and several
	Open     bool   // the open model
	Mixed    bool   // operations of unlike kinds: there is no rate and no time of all of them
}

// Panels are those that any kind may have, in the order of the questions that a reader would ask. One that the document
// has nothing for is left out.
func Panels(of Source) (all []graph.Panel) {
	makers := []func() (graph.Panel, bool){
		of.throughput, of.response, of.own, of.inFlight, of.failures, of.distribution, of.byOperation, of.heat,
		of.bytes, of.ledger,
	}
	if of.Mixed {
		makers = []func() (graph.Panel, bool){of.bytes, of.failures, of.byOperation, of.own, of.ledger}
	}
	for _, make := range makers {
		if p, some := make(); some {
			all = append(all, p)
		}
	}
	return all
}

// window is how long it was, in seconds.
func (s *Source) window() float64 {
	if s.WindowNS > 0 {
		return float64(s.WindowNS) / 1e9
	}
	last := 0.0
	for i := range s.Run.Series {
		p := &s.Run.Series[i]
		last = max(last, float64(p.Second)+float64(p.Length()))
	}
	return last
}

// overTime is the axis of the window.
func (s *Source) overTime() graph.Axis {
	return graph.Axis{Name: "time since the start of the window", Unit: graph.Seconds, To: s.window()}
}

// stretch is a stretch of the window with what ended in it: one of the document's points, but that the end of a window
// which is a little longer than whole seconds is a part of the one before it. As a rate it would say nothing.
type stretch struct {
	from, to float64 // seconds since the start of the window
	points   []rundoc.Point
}

// leastEnd is how much of a second the end of a window must be for a rate of its own.
const leastEnd = 0.2

func (s *Source) stretches() (all []stretch) {
	window := s.window()
	for i, p := range s.Run.Series {
		from, to := float64(p.Second), min(float64(p.Second)+float64(p.Length()), window)
		if last := len(all) - 1; last >= 0 && to-from < leastEnd {
			if to > all[last].to {
				all[last].to = to
			}
			all[last].points = s.Run.Series[i-len(all[last].points) : i+1]
			continue
		}
		if !(to > from) {
			to = from + float64(p.Length()) // of a document that makes no sense
		}
		all = append(all, stretch{from, to, s.Run.Series[i : i+1]})
	}
	return all
}

// rate is a count of the stretch in a second of it.
func (t *stretch) rate(of func(*rundoc.Point) int64) float64 {
	sum := int64(0)
	for i := range t.points {
		sum += of(&t.points[i])
	}
	return float64(sum) / (t.to - t.from)
}

// rates is a series of counts in a second of each stretch, whose areas are the counts.
func rates(all []stretch, series graph.Series, of func(*rundoc.Point) int64) graph.Series {
	for i := range all {
		series.X = append(series.X, all[i].from)
		series.To = append(series.To, all[i].to)
		series.Y = append(series.Y, all[i].rate(of))
	}
	return series
}

func okOf(p *rundoc.Point) int64     { return p.OK }
func failedOf(p *rundoc.Point) int64 { return p.Failed }
func bytesOf(p *rundoc.Point) int64  { return p.Bytes }
func offeredOf(p *rundoc.Point) int64 {
	if p.Offered == nil {
		return 0
	}
	return *p.Offered
}

// highest is the highest value of a series; 0: it has none.
func highest(s *graph.Series) (most float64) {
	for _, y := range s.Y {
		if y > most {
			most = y
		}
	}
	return most
}

// middle is where a percentile of a point stands: in the middle of what it is of.
func (s *Source) middle(p *rundoc.Point) float64 {
	from := float64(p.Second)
	to := min(from+float64(p.Length()), s.window())
	return (from + max(from, to)) / 2
}

// known is a time in ns, or no number where a document has 0 for one that is not known.
func known(ns int64) float64 {
	if ns <= 0 {
		return math.NaN()
	}
	return float64(ns)
}

// significant rounds to so many digits what a document has with sixteen of them, and nobody can see or needs.
func significant(v float64, digits int) float64 {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64) // which reads all that it writes
	return rounded
}
