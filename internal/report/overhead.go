package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// OverheadDrawing defines both figures of an overhead run by the course of an attempt. Its
// lines have at most 76 columns.
const OverheadDrawing = `the attempt  connection   request is   first byte   answer is    the attempt
begins       asked for    fully sent   of answer    read         ends
|            |            |            |            |            |
|<------------------------ the attempt ------------------------->|
|            |<------------ round trip ------------>|            |
|            |            |<-- wait -->|            |            |
|############|############|            |############|############|  overhead
|############|                                      |############|  SDK time`

// OverheadMeaning says in words what OverheadDrawing shows.
const OverheadMeaning = "Overhead is the attempt less the wait from the request being fully sent to the first byte of its answer. " +
	"SDK time is the attempt less its whole round trip, from asking for a connection to the end of the answer."

// OverheadExecDrawing defines the figure of a foreign client, by what the server sees.
const OverheadExecDrawing = `server  last byte of answer |<--------- gap ---------->| first byte of next
client                      | SDK, program and network |`

// OverheadExecMeaning says in words what OverheadExecDrawing shows.
const OverheadExecMeaning = "The figure of a foreign client is the time between an answer of the server and the client's next request, " +
	"less the median of the same for a null client. It is known from the server alone, for a client that does one call after the other."

// overheadHeading says what was measured, and how.
func (v *overheadView) Subtitle() string {
	d := v.detail
	var parts []string
	if d.Mode == rundoc.OverheadExec {
		parts = append(parts, units.Shorten(units.Clean(d.Command), 60))
	}
	if sdk := units.Clean(d.Environment.SDK); sdk != "" {
		parts = append(parts, units.Shorten(sdk, 60))
	}
	if d.Environment.Protocol != "" {
		parts = append(parts, units.Shorten(protocol(&d.Environment), 40))
	}
	if ns := d.Environment.LatencyNS; ns != 0 {
		parts = append(parts, "service latency "+units.Setting(ns))
	}
	if n := d.Environment.Concurrency; n > 1 {
		parts = append(parts, units.Count(int64(n), "client", "clients"))
	}
	if v.Run.Interrupted {
		parts = append(parts, "interrupted")
	}
	return strings.Join(append(parts, units.UTC(v.Run.Started)), " · ")
}

func protocol(e *rundoc.OverheadEnvironment) string {
	if e.TLS {
		return units.Clean(e.Protocol) + " over TLS"
	}
	return units.Clean(e.Protocol)
}

// overheadAnswer is what stands beside the first table.
func (v *overheadView) Answer() []Fact {
	var facts []Fact
	if len(v.detail.Rows) == 0 {
		facts = append(facts, Fact{Key: "Overhead", Value: units.Dash + " (the document has no operation)", Strong: true})
	}
	if v.comparison != nil {
		facts = append(facts, v.comparison.answer())
	}
	if null := v.detail.Null; null != nil {
		s := &null.Overhead
		if s.N == 0 {
			s = &null.SDKTime
		}
		if s.N != 0 {
			facts = append(facts, nullFact(s))
		}
	}
	if f := v.overheadFailures(); f.Value != "" {
		facts = append(facts, f)
	}
	note := v.Notes()
	for _, n := range v.detail.Notes {
		note.Points = append(note.Points, units.Clean(n))
	}
	return append(facts, v.VerdictAnswer(), note)
}

// nullFact is the null client's median, and what it means when it is below 0: the responder stamps the
// end of an answer when its write has returned, and the client may have gone on before.
func nullFact(s *rundoc.Sample) Fact {
	f := Fact{Key: "Null client", Value: fmt.Sprintf("median %s ms: the same request by net/http alone", millisOf(s, s.MedNS))}
	if s.MedNS < 0 {
		f.Points = []string{"It is below 0 because the responder stamps the end of an answer a little late. So it does for the command, " +
			"to whose times that much is added."}
	}
	return f
}

// overheadFailures counts the attempts of the operations and, since the causes are of both, those of the
// null client.
func (v *overheadView) overheadFailures() Fact {
	var failed, null int64
	for i := range v.detail.Rows {
		failed += v.detail.Rows[i].Failed
	}
	if v.detail.Null != nil {
		null = v.detail.Null.Failed
	}
	f := Fact{Key: "Failures"}
	if failed == 0 && null == 0 && v.Total.Failed == 0 {
		return f
	}
	f.Value = fmt.Sprintf("%s failed, and %s in no figure", units.Count(failed, "attempt", "attempts"), isAre(failed))
	if null > 0 {
		f.Value = fmt.Sprintf("%s and %s of the null client failed, and are in no figure", units.Count(failed, "attempt", "attempts"), units.Number(null))
	}
	if failed == 0 && null == 0 {
		f.Value = units.Count(v.Total.Failed, "call", "calls") + " failed"
	}
	causes := Tally{}
	causes.Add(v.Total.Causes)
	if text := causes.Text(); text != "" {
		f.Points = []string{"by cause: " + text}
	}
	return f
}

func isAre(n int64) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// Lead is the table of the first screen, with at most so many rows and the figures that
// the run has.
func (v *overheadView) Lead(most int) Table {
	c := v.comparison
	rows := v.detail.Rows
	var figures []string
	t := Table{columns: columnsOf("<median, ms")}
	for _, figure := range []string{FigureOverhead, FigureSDKTime} {
		if slices.ContainsFunc(rows, func(r rundoc.OverheadRow) bool { return sampleOf(&r, figure).N != 0 }) {
			figures = append(figures, figure)
			t.columns = append(t.columns, columnsOf(figure, "p99")...)
			if c != nil {
				break // the change of the first one needs the room
			}
		}
	}
	last := column{"n", right}
	if c != nil {
		last = column{"baseline", left}
	}
	t.columns = append(t.columns, last)
	for i := range rows {
		r := &rows[i]
		if i == most-1 && len(rows) > most {
			t.add(append([]string{fmt.Sprintf("and %d more, below", len(rows)-i)}, make([]string, len(t.columns)-1)...)...)
			break
		}
		cells := []string{units.Shorten(units.Clean(r.Name()), 34)}
		for _, figure := range figures {
			s := sampleOf(r, figure)
			cells = append(cells, millisOf(s, s.MedNS), millisOf(s, s.P99NS))
		}
		if c != nil {
			t.add(append(cells, c.inShort(r))...)
		} else {
			t.add(append(cells, units.Number(max(r.Overhead.N, r.SDKTime.N)))...)
		}
	}
	return t
}

// inShort is the change of an operation's first figure, and its outcome where it matters.
func (c *OverheadComparison) inShort(of *rundoc.OverheadRow) string {
	for i := range c.Rows {
		r := &c.Rows[i]
		if r.Service != of.Service || r.Operation != of.Operation {
			continue
		}
		if !r.compared() {
			return string(r.Outcome)
		}
		return strings.TrimSpace(signed(r.share(r.Shift.Diff)) + "% " + r.short())
	}
	return units.Dash
}

// millisOf is a figure of a sample, or a units.Dash where the sample is empty.
func millisOf(s *rundoc.Sample, ns float64) string {
	if s.N == 0 {
		return units.Dash
	}
	return millis(ns)
}

// overheadSections are the parts of an overhead run's report after the answer.
func (v *overheadView) Sections() []Section {
	all := []Section{v.figures(FigureOverhead), v.figures(FigureSDKTime)}
	if v.comparison != nil {
		all = append(all, v.comparison.sections()...)
	}
	all = append(all, v.attemptStages(), v.perCall(), v.Failures(), v.environment(), v.meaning())
	// Where the client's time went, and the phases, are of the whole run with its warm-ups and the null
	// client's turns, and say nothing of what calls cost. Of a foreign client the generator does nothing.
	if v.detail.Mode != rundoc.OverheadExec {
		all = append(all, v.Little(), v.Instrument())
	}
	return append(all, v.Plan(PlanShape{Own: "calls", Without: v.withoutPlan}), v.Files())
}

// figures is the table of the reference, for one of the two figures.
func (v *overheadView) figures(figure string) Section {
	t := Table{grouped: true, columns: append([]column{{figure + ", ms", left}, {units.Capital(figure) + " (ms)", blank}},
		columnsOf("n", "min", "avg", "med", "p90", "p99", "max")...)}
	any, service := false, ""
	add := func(r *rundoc.OverheadRow, first bool, operation string) {
		if s := units.Clean(r.Service); s != service || first {
			service = s
			t.add(s, "", "", "", "", "", "", "", "")
		}
		s := sampleOf(r, figure)
		any = any || s.N != 0
		cells := []string{" " + operation, "", units.Number(s.N)}
		for _, ns := range []float64{s.MinNS, s.AvgNS, s.MedNS, s.P90NS, s.P99NS, s.MaxNS} {
			cells = append(cells, millisOf(s, ns))
		}
		t.add(cells...)
	}
	for i := range v.detail.Rows {
		add(&v.detail.Rows[i], i == 0, units.Clean(v.detail.Rows[i].Operation))
	}
	if null := v.detail.Null; null != nil && sampleOf(null, figure).N != 0 {
		row := *null
		name := row.Name()
		if name == "" || name == row.Service {
			name = "net/http"
		}
		row.Service = "Null client"
		add(&row, true, units.Clean(name))
	}
	if !any {
		return Section{}
	}
	return Section{Title: units.Capital(figure), Tables: []Table{t}}
}

// groupedBy fills a table with a line for each service and one for each of its operations.
func (v *overheadView) groupedBy(t *Table, cells func(r *rundoc.OverheadRow) []string) {
	service, first := "", true
	for i := range v.detail.Rows {
		r := &v.detail.Rows[i]
		list := cells(r)
		if list == nil {
			continue
		}
		if s := units.Clean(r.Service); s != service || first {
			service, first = s, false
			t.add(append([]string{s}, make([]string, len(t.columns)-1)...)...)
		}
		t.add(append([]string{" " + units.Clean(r.Operation)}, list...)...)
	}
}

// attemptStages says where the time of an attempt goes.
func (v *overheadView) attemptStages() Section {
	names := []string{
		rundoc.StageSerialize, rundoc.StageEndpoint, rundoc.StageCredentials, rundoc.StageSign,
		rundoc.StageHTTP, rundoc.StageDeserialize, rundoc.StageOther,
	}
	t := Table{grouped: true, columns: columnsOf("<mean, µs", "encode", "endpoint", "creds", "sign", "HTTP", "decode", "other")}
	v.groupedBy(&t, func(r *rundoc.OverheadRow) []string {
		if len(r.Stages) == 0 {
			return nil
		}
		var cells []string
		rest := 0.0
		for _, ns := range r.Stages {
			rest += ns
		}
		for _, name := range names {
			ns, found := r.Stages[name]
			rest -= ns
			if name == rundoc.StageOther && math.Abs(rest) > 1 {
				ns, found = ns+rest, true // stages of another version
			}
			if !found {
				cells = append(cells, units.Dash)
				continue
			}
			cells = append(cells, micros(ns))
		}
		return cells
	})
	if len(t.rows) == 0 {
		return Section{}
	}
	return Section{Title: "Where the time of an attempt goes", Tables: []Table{t}, Notes: []string{
		"Encode is serialization, decode deserialization; creds the credentials, HTTP the HTTP client with the round trip. " +
			"The wait for the service is in HTTP.",
	}}
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

// perCall is what else a call costs, and what failed.
func (v *overheadView) perCall() Section {
	foreign := v.detail.Mode == rundoc.OverheadExec // its memory is not seen, and all its figures have an error
	t := Table{grouped: true, columns: columnsOf("<per call", "allocations", "bytes", "failed", "connected")}
	if foreign {
		t.columns = columnsOf("<", "failed", "connected", "error, ms")
	}
	rows := v.detail.Rows
	says := func(r *rundoc.OverheadRow) bool {
		return r.AllocationsPerCall != 0 || r.BytesPerCall != 0 || r.Failed != 0 || r.Connections != 0 || r.ErrorNS != 0
	}
	any := false
	for i := range rows {
		any = any || says(&rows[i])
	}
	if !any {
		return Section{}
	}
	errors, connected := false, int64(0)
	v.groupedBy(&t, func(r *rundoc.OverheadRow) []string {
		cells := []string{units.Number(r.Failed), units.Number(r.Connections)}
		connected += r.Connections
		if !foreign {
			return append([]string{amount(r.AllocationsPerCall), amount(r.BytesPerCall)}, cells...)
		}
		if r.ErrorNS == 0 {
			return append(cells, units.Dash)
		}
		errors = true
		return append(cells, "± "+millis(float64(r.ErrorNS)))
	})
	s := Section{Title: "What else a call costs", Tables: []Table{t}}
	if foreign {
		s.Title = "How far the figures may be off"
	}
	if null := v.detail.Null; null != nil && null.AllocationsPerCall > 0 {
		s.Notes = append(s.Notes, fmt.Sprintf("The null client: %s allocations, %s bytes per call. All goroutines of the process are counted.",
			amount(null.AllocationsPerCall), amount(null.BytesPerCall)))
	}
	if connected > 0 {
		s.Notes = append(s.Notes, "Connected: attempts in the figures that made a new connection, which is in their figures.")
	}
	if errors {
		s.Notes = append(s.Notes, "Error: how far this operation's figures may be off.")
	}
	return s
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
func (v *overheadView) environment() Section {
	e := &v.detail.Environment
	t := Table{columns: columnsOf("<", "<")}
	if h := v.Run.Host; h.OS != "" || h.CPU != "" {
		t.add("CPU", units.Clean(fmt.Sprintf("%s, %s logical", units.OrNone(h.CPU), units.Number(int64(h.CPUs)))))
		t.add("operating system", units.Clean(strings.TrimSpace(h.OS+" "+h.Kernel)+", "+h.Arch))
	}
	for i, m := range append([]string{e.SDK}, e.Modules...) {
		if m != "" {
			t.add([]string{"SDK", ""}[min(i, 1)], units.Clean(m))
		}
	}
	if v.Run.Tool.Go != "" && v.detail.Mode != rundoc.OverheadExec {
		t.add("Go", units.Clean(v.Run.Tool.Go))
	}
	if v.detail.Command != "" {
		t.add("command", units.Clean(v.detail.Command))
	}
	if e.Endpoint != "" {
		what := units.Clean(e.Endpoint)
		if e.Embedded {
			what += ", the responder of Plimsoll"
		}
		t.add("endpoint", what)
	}
	if e.Protocol != "" {
		t.add("protocol", protocol(e))
	}
	if e.Embedded {
		t.add("service latency", units.Setting(e.LatencyNS))
	}
	if e.Concurrency != 0 {
		t.add("clients", units.Number(int64(e.Concurrency)))
	}
	each := units.Setting(e.TimeNS)
	if e.Calls != 0 {
		each = units.Count(e.Calls, "call", "calls")
	}
	if e.TimeNS != 0 || e.Calls != 0 {
		t.add("each operation", each+" after a warm-up of "+units.Setting(e.WarmupNS))
	}
	return Section{Title: "Environment", Tables: []Table{t}}
}

// meaning defines the figures.
func (v *overheadView) meaning() Section {
	s := Section{Title: "What the figures are", Drawing: OverheadDrawing, Notes: []string{OverheadMeaning}}
	if v.detail.Mode == rundoc.OverheadExec {
		s.Drawing, s.Notes = OverheadExecDrawing, []string{OverheadExecMeaning}
	}
	if e := &v.detail.Environment; e.Embedded && e.LatencyNS == 0 && v.detail.Mode != rundoc.OverheadExec {
		s.Notes = append(s.Notes, "The responder answered at once, so that calls found warm caches: beside a service that takes milliseconds "+
			"they cost more. --latency shows how much.")
	}
	s.Notes = append(s.Notes, "Percentiles are of the single values, interpolated linearly between the ranks around p·(n−1).")
	return s
}

// withoutPlan leaves out what no call of an overhead run has to do with.
func (v *overheadView) withoutPlan(parts map[string]any) {
	WithoutLoad(parts, "clients", "drain_ns", "pipeline", "retry") // there is one attempt, and --concurrency says how many clients
	delete(parts, "output")                                        // there are no buckets
	if parts["baseline"] == nil {
		delete(parts, "min_effect")
	}
	if v.detail.Mode == rundoc.OverheadExec { // the command decides
		delete(parts, "timeout_ns")
		delete(parts, "concurrency")
	}
}
