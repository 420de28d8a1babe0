package course

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Named is a run among several, and what it is called there.
type Named struct {
	Name string
	Source
}

// Overlay are panels that show several runs of one kind at once, each in a colour of its own: the role of the first is
// "1". Every line is what the run's own panels have. One that no run has anything for is left out.
func Overlay(all []Named) (panels []graph.Panel) {
	if len(all) == 0 {
		return nil
	}
	o := overlaid{all: all}
	for i := range all {
		o.end = max(o.end, all[i].window())
	}
	if all[0].Mixed {
		return o.mixed()
	}
	short, ns := all[0].Short+"/s", graph.Axis{Unit: graph.Nanoseconds, Scale: graph.Log}
	for _, p := range []graph.Panel{
		o.over(Throughput, "Throughput, "+short, graph.Axis{Word: short}, rateOf(okOf)),
		o.over(ResponseTime+"-p50", "Response time p50, per second", ns, func(s *Source) graph.Series {
			return s.percentile("", "", func(p *rundoc.Point) int64 { return p.P50NS })
		}),
		o.over(ResponseTime+"-p99", "Response time p99, per second", ns, func(s *Source) graph.Series {
			return s.percentile("", "", func(p *rundoc.Point) int64 { return p.P99NS })
		}),
		o.tail(Distribution, "Response time distribution", func(s *Source) *rundoc.Summary {
			return &s.total().ResponseTime
		}),
		o.over(Failures, units.Capital(all[0].Many)+" that failed, per second", graph.Axis{Word: "/s"}, rateOf(failedOf)),
		o.over(InFlight, units.Capital(all[0].Many)+" in flight", graph.Axis{Word: all[0].Many}, inFlightOf),
		o.own(ns),
	} {
		if len(p.Series) > 0 {
			panels = append(panels, p)
		}
	}
	return panels
}

// overlaid are the runs that share a panel.
type overlaid struct {
	all []Named
	end float64
}

// over is a panel over time with a line of each run that has one. Where some run has more than 0, that of a run which
// has nothing but 0 is there as well: nothing is a figure of it, as of one of which all failed.
func (o *overlaid) over(name, title string, y graph.Axis, line func(*Source) graph.Series) graph.Panel {
	x := graph.Axis{Name: "time since the start of each window", Unit: graph.Seconds, To: o.end}
	p := graph.Panel{Name: name, Title: title, X: x, Y: y}
	if y.Unit == graph.Nanoseconds {
		p.Intro = o.coarse()
	}
	some := false
	for i := range o.all {
		s := line(&o.all[i].Source)
		if slices.ContainsFunc(s.Y, func(y float64) bool { return !math.IsNaN(y) }) {
			p.Series = append(p.Series, o.named(i, s))
		}
		some = some || highest(&s) > 0
	}
	if !some {
		p.Series = nil
	}
	return p
}

// coarse says of which runs a point is not that of one second; "": it is of all.
func (o *overlaid) coarse() string {
	var runs []string
	for i := range o.all {
		if n := rundoc.PointSeconds(o.all[i].Run.Series); n > 1 {
			runs = append(runs, fmt.Sprintf("of every %s in %s", units.Number(n), o.all[i].Name))
		}
	}
	if len(runs) == 0 {
		return ""
	}
	return "Of each second; of long runs, of the slowest second " + strings.Join(runs, ", ") + "."
}

// named is a line with the name and the colour of its run.
func (o *overlaid) named(i int, s graph.Series) graph.Series {
	s.Name, s.Role = o.all[i].Name, graph.Role(strconv.Itoa(i+1))
	return s
}

// rateOf is a count in a second of each stretch.
func rateOf(count func(*rundoc.Point) int64) func(*Source) graph.Series {
	return func(s *Source) graph.Series { return rates(s.stretches(), graph.Series{Style: graph.Edge}, count) }
}

func inFlightOf(s *Source) graph.Series {
	p, some := s.inFlight()
	if !some {
		return graph.Series{}
	}
	p.Series[0].Style = graph.Edge
	return p.Series[0]
}

func movedOf(s *Source) graph.Series {
	p, some := s.bytes()
	if !some {
		return graph.Series{}
	}
	p.Series[0].Style = graph.Edge
	return p.Series[0]
}

// own is what each run's generator added, with the times in which it did not run.
func (o *overlaid) own(ns graph.Axis) graph.Panel {
	p := o.over(OwnDelay, "Generator delay p99", ns, func(s *Source) graph.Series {
		return s.percentile("", "", func(p *rundoc.Point) int64 { return p.OwnP99NS })
	})
	for i := range o.all {
		for _, b := range o.all[i].gaps() {
			b.Role, b.Name = graph.Role(strconv.Itoa(i+1)), o.all[i].Name+": generator paused"
			p.Bands = append(p.Bands, b)
		}
	}
	return p
}

// tail is a panel over percentiles with a line of each run that has one.
func (o *overlaid) tail(name, title string, of func(*Source) *rundoc.Summary) graph.Panel {
	p := tailPanel(name, title)
	for i := range o.all {
		sum := of(&o.all[i].Source)
		if sum == nil {
			continue
		}
		for _, s := range curve("", "", sum) {
			p.Series = append(p.Series, o.named(i, s))
		}
	}
	return p
}

// mixed are the panels of runs whose operations are of unlike kinds: what moved, and how long each operation took, as
// many of them as there are panels to look at.
func (o *overlaid) mixed() (panels []graph.Panel) {
	title := "Payload of ok " + o.all[0].Many + " per second"
	moved := o.over(Bytes, title, graph.Axis{Unit: graph.Bytes}, movedOf)
	if len(moved.Series) > 0 {
		panels = append(panels, moved)
	}
	var names []string
	seen := map[string]bool{}
	for i := range o.all {
		for j := range o.all[i].Run.Operations {
			if name := operationName(&o.all[i].Run.Operations[j]); !seen[name] {
				seen[name] = true
				names = append(names, name)
			}
		}
	}
	for i, name := range names[:min(len(names), mostOperations)] {
		p := o.tail(Distribution+"-"+strconv.Itoa(i+1), "Response time distribution of "+name,
			func(s *Source) *rundoc.Summary {
				for i := range s.Run.Operations {
					if operation := &s.Run.Operations[i]; operationName(operation) == name {
						return &operation.ResponseTime
					}
				}
				return nil
			})
		if len(p.Series) > 0 {
			panels = append(panels, p)
		}
	}
	if p := o.own(graph.Axis{Unit: graph.Nanoseconds, Scale: graph.Log}); len(p.Series) > 0 {
		panels = append(panels, p)
	}
	return panels
}
