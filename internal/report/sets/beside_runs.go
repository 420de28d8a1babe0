package sets

import (
	"maps"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// runsBeside puts two runs beside each other, by what the documents of all kinds have and what this kind says first.
func runsBeside(a, b Side, kind report.Kind) (report.Page, error) {
	if name, other := a.Run.Workload, b.Run.Workload; name != other {
		return report.Page{}, unlike("%s is a run of %.40q and %s a run of %.40q", a.Name, a.Run.Workload,
			b.Name, b.Run.Workload)
	}
	x, y := a.Run, b.Run
	f := &facing{
		names: [2]string{runName(a), runName(b)},
		heads: heads(x.Labels, y.Labels),
		title: "Plimsoll · two runs of " + units.Clean(a.Run.Workload) + " side by side", subtitle: describes,
	}
	f.missing(x, y, kind)
	f.edited(a, b)
	f.trusted(x.Verdict, y.Verdict)
	f.same(x, y, x.ID)
	f.differs("load model", model(x), model(y))
	f.differs("clients", clients(x), clients(y))
	f.differs("window", window(x), window(y))
	f.settings(x.Plan, y.Plan, "clients", "duration_ns")
	f.cutShort(x.Interrupted, y.Interrupted)
	f.runs(x, y, kind)
	f.made([2]*rundoc.Host{&x.Host, &y.Host}, [2]rundoc.Tool{x.Tool, y.Tool})
	return f.page(), nil
}

// missing puts before all the rest of which run the figures are those of a part.
func (f *facing) missing(x, y *rundoc.Run, kind report.Kind) {
	for i, run := range []*rundoc.Run{x, y} {
		m := report.NotCarried(run, kind)
		if m.Value == "" {
			continue
		}
		m.Value = "AB"[i:i+1] + ": " + m.Value
		if f.before.Value != "" {
			m.Value = f.before.Value + " · " + m.Value
			if f.before.Key != m.Key {
				m.Key = "Failed, unsent"
			}
		}
		f.before = m
	}
}

// runName is a run in a line.
func runName(s Side) string {
	return targetOf(s.Run) + " · " + units.UTC(s.Run.Started) + " · " + units.Clean(s.Run.ID)
}

func targetOf(run *rundoc.Run) string {
	if run.Target.Embedded {
		return "demo"
	}
	return orDash(units.Clean(run.Target.URL))
}

func model(run *rundoc.Run) string {
	if run.OpenModel() {
		return "open"
	}
	return "closed"
}

func clients(run *rundoc.Run) string {
	if run.Ledger.Clients <= 0 {
		return ""
	}
	return units.Number(int64(run.Ledger.Clients))
}

func window(run *rundoc.Run) string {
	if run.Ledger.WindowNS <= 0 {
		return ""
	}
	// What a window is longer than it was asked for is no difference.
	return units.Length(int64(time.Duration(run.Ledger.WindowNS).Round(100 * time.Millisecond)))
}

// runs makes the summary of two runs. Of operations of unlike kinds there are no times and rates together: only their
// own stand beside each other.
func (f *facing) runs(x, y *rundoc.Run, kind report.Kind) {
	f.add("load", load(x), load(y), "")
	f.add("window", window(x), window(y), "")
	p, q := totalOf(x), totalOf(y)
	perS := func(r float64) string { return units.PerSecond(r) + "/s" }
	ns := func(t float64) string { return units.Duration(whole(t)) }
	number := func(n float64) string { return units.Number(whole(n)) }
	f.headline(x, y, kind)
	f.figure("throughput", p.rate, q.rate, perS)
	f.figure("bytes", p.bytes, q.bytes, func(r float64) string { return units.Megabytes(r) })
	for i, name := range percentileNames() {
		f.figure("response time "+name, p.times[i], q.times[i], ns)
	}
	f.figure("operations", &p.scheduled, &q.scheduled, number)
	f.add("not ok", units.Share(p.scheduled-p.ok, p.scheduled), units.Share(q.scheduled-q.ok, q.scheduled), "")
	f.figure("retries", &p.retries, &q.retries, number)
	f.figure("reconnects", &p.reconnects, &q.reconnects, number)
	f.figure("generator delay p99", p.own, q.own, ns)
	f.add("verdict", units.Clean(string(x.Verdict.Validity)), units.Clean(string(y.Verdict.Validity)), "")
	f.notes = append(f.notes, "Not ok: failed, unsent and unfinished operations, as a share of all scheduled ones.")
	if p.own != nil || q.own != nil {
		f.notes = append(f.notes, "Generator delay: the part of the times that the load generator itself caused.")
	}
	f.operations(x, y)
}

// headline are the figures that this kind says first, without those that every kind has.
func (f *facing) headline(x, y *rundoc.Run, kind report.Kind) {
	for _, name := range kind.Headline {
		spec, err := figure.Parse(name, kind.Known(x.Workload))
		if err != nil || !spec.Own() {
			continue
		}
		of := func(run *rundoc.Run) *float64 {
			value := spec.Of(run)
			if value.Why != "" {
				return nil
			}
			return &value.Raw
		}
		f.figure(units.Clean(name), of(x), of(y), spec.Unit().Text)
	}
}

// load is how much went on at once, or at which rate.
func load(run *rundoc.Run) string {
	text := model(run)
	if n := run.Ledger.Clients; n > 0 {
		text = units.Count(int64(n), "client", "clients") + ", " + text
	}
	return text
}

// total are the figures of a whole run.
type total struct {
	rate, bytes, own                   *float64
	times                              []*float64
	scheduled, ok, retries, reconnects float64
}

// percentiles are those that stand side by side.
func percentiles() []report.Percentile { return report.Percentiles(report.Narrow) }

func percentileNames() []string {
	names := []string{"mean"}
	for _, p := range percentiles() {
		names = append(names, p.Name)
	}
	return append(names, "max")
}

func totalOf(run *rundoc.Run) total {
	sum, err := run.Totals()
	t := total{
		scheduled: float64(sum.Scheduled), ok: float64(sum.OK), retries: float64(sum.Retries),
		times: make([]*float64, len(percentileNames())),
	}
	for _, c := range run.Connections.Reconnects {
		t.reconnects += float64(c.Count)
	}
	if own := run.Generator.OwnDelay; own != nil && own.P99NS != nil {
		t.own = new(float64(*own.P99NS))
	}
	// The document says by its own totals whether its operations are alike.
	if err != nil || run.Total == nil || run.Total.ResponseTime == nil {
		return t
	}
	if sum.RatePerS > 0 {
		t.rate = &sum.RatePerS
	}
	if sum.BytesPerS > 0 {
		t.bytes = &sum.BytesPerS
	}
	if sum.ResponseTime.Count == 0 {
		return t
	}
	t.times[0], t.times[len(t.times)-1] = new(float64(sum.ResponseTime.MeanNS)), new(float64(sum.ResponseTime.MaxNS))
	for i, p := range percentiles() {
		if ns := p.Of(&sum.ResponseTime); ns != nil {
			t.times[i+1] = new(float64(*ns))
		}
	}
	return t
}

// operations are those of both runs, by name and labels.
func (f *facing) operations(x, y *rundoc.Run) {
	type both struct {
		name string
		a, b *rundoc.Operation
	}
	var rows []both
	at := map[string]int{}
	for side, run := range []*rundoc.Run{x, y} {
		for i := range run.Operations {
			o := &run.Operations[i]
			name := operationName(o)
			j, known := at[name]
			if !known {
				j = len(rows)
				at[name], rows = j, append(rows, both{name: name})
			}
			if side == 0 {
				rows[j].a = o
			} else {
				rows[j].b = o
			}
		}
	}
	if len(rows) < 2 {
		return // the summary has it
	}
	p50 := func(o *rundoc.Operation) *float64 {
		if o == nil || o.ResponseTime.P50NS == nil {
			return nil
		}
		return new(float64(*o.ResponseTime.P50NS))
	}
	rate := func(o *rundoc.Operation) string {
		if o == nil {
			return units.Dash
		}
		return units.PerSecond(o.RatePerS)
	}
	ns := func(t float64) string { return units.Duration(whole(t)) }
	show := func(t *float64) string {
		if t == nil {
			return units.Dash
		}
		return ns(*t)
	}
	f.more = append(f.more, report.Section{Title: "By operation",
		Tables: []report.Table{report.First(rows, 40,
			report.Left("operation", func(r both) string { return r.name }).More(),
			report.Right("A, /s", func(r both) string { return rate(r.a) }),
			report.Right("B, /s", func(r both) string { return rate(r.b) }),
			report.Right("p50 A", func(r both) string { return show(p50(r.a)) }),
			report.Right("p50 B", func(r both) string { return show(p50(r.b)) }),
			report.Right("B − A", func(r both) string { return orDash(difference(p50(r.a), p50(r.b), ns)) }),
		)}})
}

func operationName(o *rundoc.Operation) string {
	name := o.Name
	for _, key := range slices.Sorted(maps.Keys(o.Labels)) {
		name += " " + o.Labels[key]
	}
	return units.Clean(name)
}
