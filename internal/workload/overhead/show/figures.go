package show

import (
	"fmt"
	"math"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// figures are those of the tables: of the client time and the other times of a call, and what else a call costs. Of
// several operations a figure is that of the one that has the highest, so that a bound on it is one on each of them.
func figures() []figure.Source {
	var all []figure.Source
	for _, family := range []struct{ name, figure, help string }{
		{"client", FigureClientTime, "of a call without the wait for the service"},
		{"call", FigureCall, "of a whole call"},
		{"overhead", FigureOverhead, "of an attempt without the wait"},
		{"sdk", FigureSDKTime, "of an attempt without the round trip"},
	} {
		for _, f := range sampleFigures() {
			name := statistic(f.name)
			all = append(all, ofRows(family.name+"."+name, name+" "+family.help, figure.Time,
				func(r *rundoc.OverheadRow) (float64, string) {
					s := sampleOf(r, family.figure)
					if s.N == 0 && r.Overhead.N+r.SDKTime.N > 0 {
						return 0, "the run has no " + family.figure + " of its calls"
					}
					if !f.known(s) {
						return 0, fmt.Sprintf("too few calls for a %s: %s has %s of %s", name,
							units.Clean(r.Name()), units.Number(s.N), units.Number(f.needs))
					}
					return f.of(s), ""
				}))
		}
	}
	return append(append(all, ofAll()...),
		ofProcess(ofRows("cpu", "mean CPU time per call", figure.Time,
			func(r *rundoc.OverheadRow) (float64, string) {
				if r.CPUPerCallNS <= 0 {
					return 0, "CPU time per call is unknown"
				}
				return r.CPUPerCallNS, ""
			})),
		ofProcess(ofRows("allocations", "heap allocations per call", figure.Count,
			func(r *rundoc.OverheadRow) (float64, string) {
				return counted(r, math.Round(10*r.AllocationsPerCall)/10)
			})),
		ofProcess(ofRows("allocated", "bytes allocated per call", figure.Bytes,
			func(r *rundoc.OverheadRow) (float64, string) { return counted(r, r.BytesPerCall) })),
	)
}

// ofAll are figures of all operations together, in which each counts alike: the geometric mean, which rises by a tenth
// when one of ten operations takes about twice as long. The highest of them says nothing of the others.
func ofAll() []figure.Source {
	median := sampleFigureOf("med")
	times := func(family, name string) figure.Source {
		return together(family+".geomean", "p50 of "+name, figure.Time, func(r *rundoc.OverheadRow) (float64, string) {
			s := sampleOf(r, name)
			if !median.known(s) {
				return 0, fmt.Sprintf("%s has too few calls with a %s for a p50", units.Clean(r.Name()), name)
			}
			return s.MedNS, ""
		})
	}
	return []figure.Source{
		times("client", FigureClientTime), times("overhead", FigureOverhead), times("sdk", FigureSDKTime),
		ofProcess(together("cpu.geomean", "CPU time per call", figure.Time,
			func(r *rundoc.OverheadRow) (float64, string) {
				if r.CPUPerCallNS <= 0 {
					return 0, "CPU time per call is unknown"
				}
				return r.CPUPerCallNS, ""
			})),
		ofProcess(together("allocations.geomean", "heap allocations per call", figure.Count,
			func(r *rundoc.OverheadRow) (float64, string) { return counted(r, r.AllocationsPerCall) })),
		ofProcess(together("allocated.geomean", "bytes allocated per call", figure.Bytes,
			func(r *rundoc.OverheadRow) (float64, string) { return counted(r, r.BytesPerCall) })),
	}
}

// ofProcess marks what is counted of all that the process does.
func ofProcess(s figure.Source) figure.Source {
	s.Process = true
	return s
}

// together is the geometric mean of a figure over the rows that are asked for. If one of them has none, there is none.
func together(name, what string, unit figure.Unit, of func(*rundoc.OverheadRow) (float64, string)) figure.Source {
	return figure.Source{Name: name, Help: "geometric mean of the " + what, Unit: unit,
		Labels: []string{"operation", "service"},
		Number: func(run *rundoc.Run, match map[string]string) figure.Value {
			d := run.Overhead()
			if d == nil {
				return figure.Value{Why: "the document has no operation"}
			}
			sum, n := 0.0, 0
			for i := range d.Rows {
				r := &d.Rows[i]
				if !isRow(r, match) {
					continue
				}
				v, why := of(r)
				switch {
				case why != "":
					return figure.Value{Why: why}
				case v <= 0:
					return figure.Value{Why: fmt.Sprintf("the value of %s is not above 0", units.Clean(r.Name()))}
				}
				sum, n = sum+math.Log(v), n+1
			}
			if n == 0 {
				return figure.Value{Why: "no operation with these labels was measured"}
			}
			return figure.Value{Raw: math.Exp(sum / float64(n))}
		}}
}

// headline are the figures that say how well a run went. Calls of many kinds have no throughput together.
func headline() []string { return []string{"client.p50", "client.p99", "overhead.p50", "failed"} }

// statistic is what the figures of all kinds call a column.
func statistic(column string) string {
	switch column {
	case "avg":
		return "mean"
	case "med":
		return "p50"
	}
	return column
}

func counted(r *rundoc.OverheadRow, n float64) (float64, string) {
	if r.AllocationsPerCall <= 0 {
		return 0, "allocations were not counted"
	}
	return n, ""
}

// ofRows is the highest figure of the rows that are asked for. If one of them has none, there is none: nobody knows
// whether it would be higher.
func ofRows(name, help string, unit figure.Unit, of func(*rundoc.OverheadRow) (float64, string)) figure.Source {
	return figure.Source{Name: name, Help: help, About: "Without labels, the highest value of all operations counts.",
		Unit:   unit,
		Labels: []string{"operation", "service"},
		Number: func(run *rundoc.Run, match map[string]string) figure.Value {
			d := run.Overhead()
			if d == nil {
				return figure.Value{Why: "the document has no operation"}
			}
			v := figure.Value{Why: "no operation with these labels was measured"}
			for i := range d.Rows {
				r := &d.Rows[i]
				if !isRow(r, match) {
					continue
				}
				n, why := of(r)
				if why != "" {
					return figure.Value{Why: why}
				}
				if v.Why != "" || n > v.Raw {
					v = figure.Value{Raw: n}
				}
			}
			return v
		}}
}

// isRow reports whether a row has the labels. Its operation is HeadObject, or S3/HeadObject.
func isRow(r *rundoc.OverheadRow, match map[string]string) bool {
	if s, asked := match["service"]; asked && s != r.Service {
		return false
	}
	o, asked := match["operation"]
	return !asked || o == r.Operation || o == r.Service+"/"+r.Operation
}
