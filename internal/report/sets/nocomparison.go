package sets

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// LeastNoise is how many runs it takes to say how much they differ from one to the next, and MostNoise how many are
// looked at.
const (
	LeastNoise = 40
	MostNoise  = 200
)

// Noise is how much runs of one plan differ from one to the next, figure by figure: the median of the absolute
// differences of the logarithms of consecutive runs. Half of all pairs of runs differ by more than that.
type Noise struct {
	Figures []figure.Spec // in the order in which they are told
	Runs    int
	series  map[string][]float64 // by figure, of the runs that have it
}

// Add takes the next run.
func (n *Noise) Add(run *rundoc.Run) {
	n.Runs++
	if n.series == nil {
		n.series = map[string][]float64{}
	}
	for _, spec := range n.Figures {
		if v := spec.Of(run); v.Why == "" && v.Raw > 0 {
			n.series[spec.String()] = append(n.series[spec.String()], math.Log(v.Raw))
		}
	}
}

// of is by how much a figure differs from one run to the next, as a share; false: too few runs have it.
func (n *Noise) of(spec figure.Spec) (share float64, known bool) {
	x := n.series[spec.String()]
	if len(x) < LeastNoise {
		return 0, false
	}
	steps := make([]float64, len(x)-1)
	for i := range steps {
		steps[i] = math.Abs(x[i+1] - x[i])
	}
	slices.Sort(steps)
	middle := len(steps) / 2
	median := steps[middle]
	if len(steps)%2 == 0 {
		median = (steps[middle-1] + steps[middle]) / 2
	}
	return math.Expm1(median), true
}

// text is the noise in a line.
func (n *Noise) text() string {
	var parts []string
	for _, spec := range n.Figures {
		if share, known := n.of(spec); known {
			parts = append(parts, units.Percent(share)+" in "+units.Clean(spec.String()))
		}
	}
	switch {
	case len(parts) == 0 && n.Runs >= LeastNoise:
		return fmt.Sprintf("the variation between runs is unknown: no metric is available in %s of the %s of this plan",
			units.Number(LeastNoise), units.Count(int64(n.Runs), "saved run", "saved runs"))
	case len(parts) == 0:
		return fmt.Sprintf("the variation between runs is unknown: %s of this plan, at least %s are needed",
			units.Count(int64(n.Runs), "saved run", "saved runs"), units.Number(LeastNoise))
	}
	return "consecutive runs on this machine differ by " + strings.Join(parts, ", ")
}

// Incomparable says why the figures of two runs do not stand for the same, naming what differs; "": they may.
func Incomparable(a, b *rundoc.Run) string {
	differ := func(what, x, y string) string {
		if x == y {
			return ""
		}
		return fmt.Sprintf("the %s differs: %s and %s", what, orDash(x), orDash(y))
	}
	why := cmp.Or(
		differ("kind", units.Clean(a.Workload), units.Clean(b.Workload)),
		differ("load model", model(a), model(b)),
		differ("target", targetOf(a), targetOf(b)),
		differ("machine", hostText(&a.Host), hostText(&b.Host)),
		differ("kernel", units.Clean(a.Host.Kernel), units.Clean(b.Host.Kernel)),
		differ("number of clients", clients(a), clients(b)))
	if why != "" {
		return why
	}
	without := []string{"seed", "output", "clients"}
	if a.Target.Embedded && b.Target.Embedded {
		without = append(without, "url") // a server that is started has another address each time
	}
	for _, d := range report.Differences(a.Plan, b.Plan, without...) {
		return differ("setting "+d.Name, cmp.Or(d.A, "not set"), cmp.Or(d.B, "not set"))
	}
	return ""
}

// uncompared is two runs side by side, of which none is said to be better.
type uncompared struct {
	report.Shown
	fact report.Fact
}

// Answer has why there is no comparison first.
func (u uncompared) Answer() []report.Fact { return append([]report.Fact{u.fact}, u.Shown.Answer()...) }

// NoComparison is the report of two runs side by side, with why it does not say which is better: incomparable, if it is
// not "", or how much runs differ anyway.
func NoComparison(a, b Side, kind report.Kind, incomparable string, noise *Noise) report.Page {
	page, err := runsBeside(a, b, kind)
	if err != nil { // they are of two kinds
		f := &facing{
			names: [2]string{runName(a), runName(b)}, heads: heads(a.Run.Labels, b.Run.Labels),
			title: "Plimsoll · two runs side by side", subtitle: describes,
		}
		f.edited(a, b)
		f.trusted(a.Run.Verdict, b.Run.Verdict)
		f.differs("kind", units.Clean(a.Run.Workload), units.Clean(b.Run.Workload))
		page = f.page()
	}
	fact := report.Fact{Key: "Result", Strong: true, Tone: report.Doubtful}
	const turns = "To compare them, measure both in turn: plimsoll compare A B, with two URLs or command lines."
	switch {
	case incomparable != "":
		fact.Value = "Not comparable: " + incomparable
		if err == nil && a.Run.OpenModel() == b.Run.OpenModel() { // of one kind, as two versions are
			fact.Points = []string{turns}
		}
	default:
		fact.Value = "No comparison: " + noise.text()
		fact.Points = []string{"Two single runs cannot show a difference. " + turns}
	}
	page.Shown = uncompared{page.Shown, fact}
	return page
}
