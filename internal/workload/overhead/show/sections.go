package show

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// millisOf is a figure of a sample, or a units.Dash where the sample is empty.
func millisOf(s *rundoc.Sample, ns float64) string {
	if s.N == 0 {
		return units.Dash
	}
	return millis(ns)
}

// overheadSections are the parts of an overhead run's report after the answer.
func (v *shown) Sections() []report.Section {
	all := []report.Section{v.figures(FigureClientTime), v.figures(FigureOverhead), v.figures(FigureCall),
		v.figures(FigureSDKTime)}
	if v.comparison != nil {
		all = append(all, v.comparison.sections()...)
	}
	all = append(all, v.stages(), v.perCall(), v.Failures(), v.environment(), v.meaning())
	// Where the client's time went, and the phases, are of the whole run with its warm-ups and the null
	// client's turns, and say nothing of what calls cost. Of a foreign client the generator does nothing.
	if v.detail.Mode != rundoc.OverheadExec {
		all = append(all, v.Little(), v.Instrument())
	}
	return append(all, v.Plan(report.PlanShape{Own: "calls", Without: v.withoutPlan}), v.Files())
}

// sampleFigure is one of the figures of a sample. Tables and CSV have those of one list.
type sampleFigure struct {
	name  string
	of    func(*rundoc.Sample) float64 // ns
	needs int64                        // values
}

// known reports whether a sample has enough values for the figure.
func (f sampleFigure) known(s *rundoc.Sample) bool { return s.N >= f.needs }

func sampleFigures() []sampleFigure {
	return []sampleFigure{
		{"min", func(s *rundoc.Sample) float64 { return s.MinNS }, 1},
		{"avg", func(s *rundoc.Sample) float64 { return s.AvgNS }, 1},
		{"med", func(s *rundoc.Sample) float64 { return s.MedNS }, rundoc.Needs(500)},
		{"p90", func(s *rundoc.Sample) float64 { return s.P90NS }, rundoc.Needs(900)},
		{"p99", func(s *rundoc.Sample) float64 { return s.P99NS }, rundoc.Needs(990)},
		{"max", func(s *rundoc.Sample) float64 { return s.MaxNS }, 1},
	}
}

// sampleFigureOf is the one that has this name.
func sampleFigureOf(name string) sampleFigure {
	all := sampleFigures()
	return all[slices.IndexFunc(all, func(f sampleFigure) bool { return f.name == name })]
}

// millis is the figure of a sample, or a dash where that has too few values for it.
func (f sampleFigure) millis(s *rundoc.Sample) string {
	if !f.known(s) {
		return units.Dash
	}
	return millisOf(s, f.of(s))
}

// measured is a row of the table of a figure.
type measured struct {
	group, name string
	sample      *rundoc.Sample
}

// figures is the table of the reference, for one of the figures.
func (v *shown) figures(figure string) report.Section {
	var rows []measured
	for _, r := range v.rows() {
		rows = append(rows, measured{units.Clean(r.Service), units.Clean(r.Operation), sampleOf(r, figure)})
	}
	if null := v.detail.Null; null != nil && sampleOf(null, figure).N != 0 {
		name := null.Name()
		if name == "" || name == null.Service {
			name = "net/http"
		}
		rows = append(rows, measured{"Null client", units.Clean(name), sampleOf(null, figure)})
	}
	if !slices.ContainsFunc(rows, func(r measured) bool { return r.sample.N != 0 }) {
		return report.Section{}
	}
	columns := []report.Column[measured]{
		report.Left(figure+", ms", func(r measured) string { return r.name }),
		report.Blank[measured](referenceHead(figure)),
		report.Right("n", func(r measured) string { return units.Number(r.sample.N) }),
	}
	for _, f := range sampleFigures() {
		columns = append(columns, report.Right(f.name,
			func(r measured) string { return f.millis(r.sample) }))
	}
	return report.Section{Title: units.Capital(figure), Tables: []report.Table{
		report.Grouped(rows, func(r measured) string { return r.group }, columns...),
	}, Notes: tooFew(rows)}
}

// tooFew says how many calls the figures need that some of the rows lack.
func tooFew(rows []measured) []string {
	var parts []string
	for _, f := range sampleFigures() {
		if slices.ContainsFunc(rows, func(r measured) bool { return r.sample.N != 0 && !f.known(r.sample) }) {
			parts = append(parts, f.name+" needs "+units.Number(f.needs))
		}
	}
	if parts == nil {
		return nil
	}
	return []string{fmt.Sprintf("%s: too few calls (%s): each percentile needs %d values above it.", units.Dash,
		strings.Join(parts, ", "),
		rundoc.MinAbove)}
}

// referenceHead is what the reference's tables have at their head.
func referenceHead(figure string) string {
	if figure == FigureCall {
		return "E2E Duration (ms)"
	}
	return units.Capital(figure) + " (ms)"
}

// byService are columns of a table with a line for each service and one for each of its operations.
func byService(head string, rows []*rundoc.OverheadRow, columns ...report.Column[*rundoc.OverheadRow]) report.Table {
	name := report.Left(head, func(r *rundoc.OverheadRow) string { return units.Clean(r.Operation) })
	service := func(r *rundoc.OverheadRow) string { return units.Clean(r.Service) }
	return report.Grouped(rows, service, slices.Insert(columns, 0, name)...)
}

// stages says where the time of a call goes.
func (v *shown) stages() report.Section {
	rows := slices.DeleteFunc(v.rows(), func(r *rundoc.OverheadRow) bool { return len(r.Stages) == 0 })
	if len(rows) == 0 {
		return report.Section{}
	}
	whole := slices.ContainsFunc(rows, func(r *rundoc.OverheadRow) bool { return r.StagedCalls != 0 })
	var columns []report.Column[*rundoc.OverheadRow]
	for _, c := range stageColumns() {
		if c.stage == rundoc.StageWait && !whole {
			continue
		}
		head := c.head
		if !whole {
			head = cmp.Or(c.long, head)
		}
		columns = append(columns, report.Right(head, func(r *rundoc.OverheadRow) string {
			ns, found := stageOf(r, c.stage)
			if !found {
				return units.Dash
			}
			return micros(ns)
		}))
	}
	if !whole {
		return report.Section{Title: "Time breakdown of an attempt",
			Tables: []report.Table{byService("mean, µs", rows, columns...)}, Notes: []string{
				"encode: serialization; decode: deserialization; creds: credentials; HTTP: the HTTP client and the round trip, " +
					"including the wait for the service.",
			}}
	}
	columns = append(columns, report.Right("call", func(r *rundoc.OverheadRow) string {
		if r.StagedCalls == 0 {
			return units.Dash
		}
		return micros(r.StagedCallNS)
	}))
	return report.Section{Title: "Time breakdown of a call (mean)",
		Tables: []report.Table{byService("mean, µs", rows, columns...)}, Notes: []string{
			"The stages add up to the call; all but the wait for the service is client time. enc: serialization; dec: " +
				"deserialization, including reading the body; endp: endpoint resolution; creds: credentials; HTTP: the HTTP " +
				"client; other: work of the SDK between the stages and outside the attempt. Sampled from every eighth call.",
		}}
}

// stageColumn is a stage of a call and what the table calls it, at more length where there are fewer of them.
type stageColumn struct{ head, stage, long string }

func stageColumns() []stageColumn {
	return []stageColumn{
		{"enc", rundoc.StageSerialize, "encode"},
		{"endp", rundoc.StageEndpoint, "endpoint"},
		{"creds", rundoc.StageCredentials, ""},
		{"sign", rundoc.StageSign, ""},
		{"HTTP", rundoc.StageHTTP, ""},
		{"wait", rundoc.StageWait, ""},
		{"dec", rundoc.StageDeserialize, "decode"},
		{"other", rundoc.StageOther, ""},
	}
}

// stageOf is the mean time of a stage; that of others has the stages of another version, too.
func stageOf(r *rundoc.OverheadRow, stage string) (ns float64, found bool) {
	ns, found = r.Stages[stage]
	if stage != rundoc.StageOther {
		return ns, found
	}
	rest := 0.0
	for _, ns := range r.Stages {
		rest += ns
	}
	for _, c := range stageColumns() {
		rest -= r.Stages[c.stage]
	}
	if math.Abs(rest) > 1 {
		return ns + rest, true
	}
	return ns, found
}

func micros(ns float64) string {
	if math.IsNaN(ns) || math.IsInf(ns, 0) {
		return units.Dash
	}
	if math.Abs(ns) >= 1e12 {
		return fmt.Sprintf("%.2e", ns/1e3)
	}
	return fmt.Sprintf("%.1f", ns/1e3)
}

// perCall is what else a call costs, and what failed. Of a foreign client the memory is not seen, and
// all its figures have an error.
func (v *shown) perCall() report.Section {
	type row = *rundoc.OverheadRow
	rows := v.rows()
	if !slices.ContainsFunc(rows, func(r row) bool {
		return r.AllocationsPerCall != 0 || r.BytesPerCall != 0 || r.CPUPerCallNS != 0 || r.Failed != 0 ||
			r.Connections != 0 || r.ErrorNS != 0
	}) {
		return report.Section{}
	}
	used := report.Right("CPU, µs", func(r row) string { return cpuPerCall(r, micros) })
	failed := report.Right("failed", func(r row) string { return units.Number(r.Failed) })
	connected := report.Right("connected", func(r row) string { return units.Number(r.Connections) })
	s := report.Section{Title: "Other costs of a call"}
	foreign := v.detail.Mode == rundoc.OverheadExec
	if foreign {
		s.Title = "Measurement error"
		columns := []report.Column[row]{used, failed, connected}
		if !slices.ContainsFunc(rows, usesCPU) {
			columns = columns[1:]
		}
		s.Tables = []report.Table{byService("", rows, append(columns, errors(rows)...)...)}
	} else {
		columns := []report.Column[row]{
			report.Right("allocations", func(r row) string { return amount(r.AllocationsPerCall) }),
			report.Right("bytes", func(r row) string { return amount(r.BytesPerCall) }), used, failed, connected}
		if !slices.ContainsFunc(rows, usesCPU) {
			columns = slices.Delete(columns, 2, 3)
		}
		s.Tables = []report.Table{byService("per call", rows, columns...)}
		s.Notes = append(s.Notes, v.aboutCPU()...)
	}
	if null := v.detail.Null; null != nil && null.AllocationsPerCall > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("Null client: %s allocations, %s bytes per call. All goroutines of the "+
			"process are counted.",
			amount(null.AllocationsPerCall), amount(null.BytesPerCall)))
	}
	total := int64(0)
	for _, r := range rows {
		total += r.Connections
	}
	if total > 0 {
		s.Notes = append(s.Notes, "connected: attempts that opened a new connection, whose time is included.")
	}
	switch {
	case foreign && slices.ContainsFunc(rows, usesCPU):
		s.Notes = append(s.Notes, "CPU: mean user and system CPU time of the process per call, from one response to the "+
			"next.")
	}
	switch {
	case foreign && slices.ContainsFunc(rows, bounded):
		s.Notes = append(s.Notes, "median range: bounds of the client cost, whatever else the machine did. waited: mean "+
			"time waiting for a CPU, which is not included in the values.")
	case foreign && slices.ContainsFunc(rows, func(r row) bool { return r.ErrorNS != 0 }):
		s.Notes = append(s.Notes, "max error: how far the values of this operation can be off.")
	}
	return s
}

// aboutCPU says what is in the CPU time of a call, and why there is none.
func (v *shown) aboutCPU() []string {
	null := v.detail.Null
	switch {
	case slices.ContainsFunc(v.rows(), usesCPU):
		text := "CPU: user and system CPU time of the process per call, without its idle use. It includes garbage " +
			"collection and the cost of measuring"
		if null != nil && null.CPUPerCallNS > 0 {
			text += fmt.Sprintf(" (%s µs for the null client)", cpuPerCall(null, micros))
		}
		return []string{text + "."}
	case !v.wholeCalls():
		return nil
	case v.detail.Environment.Concurrency > 1:
		return []string{"CPU: unknown, because it cannot be attributed to calls of concurrent clients."}
	case v.Run.Host.OS == "linux":
		return []string{"CPU: unknown, because the calls waited so long that most CPU time was not spent on them."}
	}
	return []string{"CPU: unknown, because this system does not report it precisely enough."}
}

func usesCPU(r *rundoc.OverheadRow) bool { return r.CPUPerCallNS != 0 }

// cpuPerCall is the CPU time of a call, or a units.Dash where it is not known.
func cpuPerCall(r *rundoc.OverheadRow, in func(ns float64) string) string {
	if !(r.CPUPerCallNS > 0) {
		return units.Dash
	}
	return in(r.CPUPerCallNS)
}

// bounded reports whether it is known what a median is between: not of documents of before, nor where nobody says
// how long the program waited.
func bounded(r *rundoc.OverheadRow) bool { return r.MedianToNS != 0 }

// errors are columns that say how far a foreign client's figures may be off.
func errors(rows []*rundoc.OverheadRow) []report.Column[*rundoc.OverheadRow] {
	error := report.Right("max error, ms", func(r *rundoc.OverheadRow) string {
		if r.ErrorNS == 0 {
			return units.Dash
		}
		return millis(float64(r.ErrorNS))
	})
	if !slices.ContainsFunc(rows, bounded) {
		return []report.Column[*rundoc.OverheadRow]{error}
	}
	of := func(text func(r *rundoc.OverheadRow) string) func(*rundoc.OverheadRow) string {
		return func(r *rundoc.OverheadRow) string {
			if !bounded(r) {
				return units.Dash
			}
			return text(r)
		}
	}
	return []report.Column[*rundoc.OverheadRow]{
		report.Right("waited, ms", of(func(r *rundoc.OverheadRow) string { return millis(r.WaitedNS) })),
		report.Right("median range, ms", of(func(r *rundoc.OverheadRow) string {
			return millis(r.MedianFromNS) + " to " + millis(r.MedianToNS)
		})), error,
	}
}

// amount is a mean number of something, or a units.Dash where it is not known.
func amount(n float64) string {
	switch {
	case !(n > 0):
		return units.Dash
	case n >= 1e15:
		return fmt.Sprintf("%.2e", n)
	case n < 10:
		return fmt.Sprintf("%.1f", n)
	}
	return units.Number(int64(n + 0.5))
}

// environment is what the figures depend on.
func (v *shown) environment() report.Section {
	e := &v.detail.Environment
	var t report.Pairs
	if h := v.Run.Host; h.OS != "" || h.CPU != "" {
		t.Add("CPU", units.Clean(fmt.Sprintf("%s, %s logical", units.OrNone(h.CPU), units.Number(int64(h.CPUs)))))
		t.Add("operating system", units.Clean(strings.TrimSpace(h.OS+" "+h.Kernel)+", "+h.Arch))
	}
	for i, m := range append([]string{e.SDK}, e.Modules...) {
		if m != "" {
			t.Add([]string{"SDK", ""}[min(i, 1)], units.Clean(m))
		}
	}
	if v.Run.Tool.Go != "" && v.detail.Mode != rundoc.OverheadExec {
		t.Add("Go", units.Clean(v.Run.Tool.Go))
	}
	if v.detail.Command != "" {
		t.Add("command", units.Clean(v.detail.Command))
	}
	if e.Endpoint != "" {
		what := units.Clean(e.Endpoint)
		if e.Embedded {
			what += ", Plimsoll's demo server"
		}
		t.Add("endpoint", what)
	}
	if e.Protocol != "" {
		t.Add("protocol", protocol(e))
	}
	if e.Embedded {
		t.Add("service latency", units.Setting(e.LatencyNS))
	}
	if e.Concurrency != 0 {
		t.Add("clients", units.Number(int64(e.Concurrency)))
	}
	each := units.Setting(e.TimeNS)
	if e.Calls != 0 {
		each = units.Count(e.Calls, "call", "calls")
	}
	if e.TimeNS != 0 || e.Calls != 0 {
		t.Add("each operation", each+" after a warm-up of "+units.Setting(e.WarmupNS))
	}
	return report.Section{Title: "Environment", Tables: []report.Table{t.Table()}}
}

// meaning defines the figures.
func (v *shown) meaning() report.Section {
	s := report.Section{Title: "Definitions"}
	switch {
	case v.detail.Mode == rundoc.OverheadExec:
		s.Drawing, s.Notes = ExecDrawing, []string{ExecMeaning}
	case v.wholeCalls():
		s.Drawing, s.Notes = CallDrawing, []string{CallMeaning}
	default:
		s.Drawing, s.Notes = AttemptDrawing, []string{AttemptMeaning}
	}
	if e := &v.detail.Environment; e.Embedded && e.LatencyNS == 0 && v.detail.Mode != rundoc.OverheadExec {
		s.Notes = append(s.Notes, "The demo server responds immediately, so caches stay warm. Calls to a slower service "+
			"cost more; use --delay to see how much.")
	}
	s.Notes = append(s.Notes, "Percentiles are computed from individual values, interpolated linearly between the "+
		"ranks around "+
		"p·(n−1).")
	return s
}

// withoutPlan leaves out what no call of an overhead run has to do with.
func (v *shown) withoutPlan(parts map[string]any) {
	// There is one attempt, and --clients says how many clients. There are no buckets.
	report.WithoutLoad(parts, "clients", "drain_ns", "pipeline", "retry")
	delete(parts, "output")
	if parts["baseline"] == nil {
		delete(parts, "min_effect")
	}
	if v.detail.Mode == rundoc.OverheadExec { // the command decides
		delete(parts, "timeout_ns")
		delete(parts, "concurrency")
	}
}
