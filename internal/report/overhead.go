package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

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
func (v *view) overheadHeading() string {
	d := v.overhead
	var parts []string
	if d.Mode == rundoc.OverheadExec {
		parts = append(parts, shorten(clean(d.Command), 60))
	}
	if sdk := clean(d.Environment.SDK); sdk != "" {
		parts = append(parts, shorten(sdk, 60))
	}
	if d.Environment.Protocol != "" {
		parts = append(parts, shorten(protocol(&d.Environment), 40))
	}
	if ns := d.Environment.LatencyNS; ns != 0 {
		parts = append(parts, "service latency "+setting(ns))
	}
	if n := d.Environment.Concurrency; n > 1 {
		parts = append(parts, some(int64(n), "client", "clients"))
	}
	if v.run.Interrupted {
		parts = append(parts, "interrupted")
	}
	return strings.Join(append(parts, utc(v.run.Started)), " · ")
}

func protocol(e *rundoc.OverheadEnvironment) string {
	if e.TLS {
		return clean(e.Protocol) + " over TLS"
	}
	return clean(e.Protocol)
}

// overheadAnswer is what stands beside the first table.
func (v *view) overheadAnswer() []fact {
	var facts []fact
	if len(v.overhead.Rows) == 0 {
		facts = append(facts, fact{key: "Overhead", value: dash + " (the document has no operation)", strong: true})
	}
	if v.opt.Comparison != nil {
		facts = append(facts, v.opt.Comparison.answer())
	}
	if null := v.overhead.Null; null != nil {
		s := &null.Overhead
		if s.N == 0 {
			s = &null.SDKTime
		}
		if s.N != 0 {
			facts = append(facts, nullFact(s))
		}
	}
	if f := v.overheadFailures(); f.value != "" {
		facts = append(facts, f)
	}
	note := v.warningsAnswer()
	for _, n := range v.overhead.Notes {
		note.points = append(note.points, clean(n))
	}
	return append(facts, v.verdictAnswer(), note)
}

// nullFact is the null client's median, and what it means when it is below 0: the responder stamps the
// end of an answer when its write has returned, and the client may have gone on before.
func nullFact(s *rundoc.Sample) fact {
	f := fact{key: "Null client", value: fmt.Sprintf("median %s ms: the same request by net/http alone", millisOf(s, s.MedNS))}
	if s.MedNS < 0 {
		f.points = []string{"It is below 0 because the responder stamps the end of an answer a little late. So it does for the command, " +
			"to whose times that much is added."}
	}
	return f
}

// overheadFailures counts the attempts of the operations and, since the causes are of both, those of the
// null client.
func (v *view) overheadFailures() fact {
	var failed, null int64
	for i := range v.overhead.Rows {
		failed += v.overhead.Rows[i].Failed
	}
	if v.overhead.Null != nil {
		null = v.overhead.Null.Failed
	}
	f := fact{key: "Failures"}
	if failed == 0 && null == 0 && v.total.Failed == 0 {
		return f
	}
	f.value = fmt.Sprintf("%s failed, and %s in no figure", some(failed, "attempt", "attempts"), isAre(failed))
	if null > 0 {
		f.value = fmt.Sprintf("%s and %s of the null client failed, and are in no figure", some(failed, "attempt", "attempts"), number(null))
	}
	if failed == 0 && null == 0 {
		f.value = some(v.total.Failed, "call", "calls") + " failed"
	}
	causes := newTally()
	causes.add(v.total.Causes)
	if text := causes.text(); text != "" {
		f.points = []string{"by cause: " + text}
	}
	return f
}

func isAre(n int64) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// overheadTable writes the table of the first screen, as long as leaves room for the facts
// below it, but for their reasons and notes.
func (t *printer) overheadTable(v *view, facts []fact) {
	const least = 5
	used := t.written + 1 // the head
	for _, f := range facts {
		if f.key == "Note" {
			continue
		}
		if f.key == "Verdict" {
			f.points = nil
		}
		used += len(factLines(f))
	}
	tab := v.compact(max(least, screenHeight-used))
	if len(tab.rows) == 0 {
		return
	}
	t.table(&tab)
	if used+len(tab.rows) < screenHeight || len(tab.rows) <= least {
		t.lines(0, "")
	}
}

// compact is the table of the first screen, with at most so many rows and the figures that
// the run has.
func (v *view) compact(most int) table {
	c := v.opt.Comparison
	rows := v.overhead.Rows
	var figures []string
	t := table{columns: columnsOf("<median, ms")}
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
		cells := []string{shorten(clean(r.Name()), 34)}
		for _, figure := range figures {
			s := sampleOf(r, figure)
			cells = append(cells, millisOf(s, s.MedNS), millisOf(s, s.P99NS))
		}
		if c != nil {
			t.add(append(cells, c.inShort(r))...)
		} else {
			t.add(append(cells, number(max(r.Overhead.N, r.SDKTime.N)))...)
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
	return dash
}

// millisOf is a figure of a sample, or a dash where the sample is empty.
func millisOf(s *rundoc.Sample, ns float64) string {
	if s.N == 0 {
		return dash
	}
	return millis(ns)
}

// overheadSections are the parts of an overhead run's report after the answer.
func (v *view) overheadSections() []section {
	all := []section{v.figures(FigureOverhead), v.figures(FigureSDKTime)}
	if v.opt.Comparison != nil {
		all = append(all, v.opt.Comparison.sections()...)
	}
	all = append(all, v.attemptStages(), v.perCall(), v.failures(), v.environment(), v.meaning())
	// Where the client's time went, and the phases, are of the whole run with its warm-ups and the null
	// client's turns, and say nothing of what calls cost. Of a foreign client the generator does nothing.
	if v.overhead.Mode != rundoc.OverheadExec {
		all = append(all, v.little(), v.instrument())
	}
	return append(all, v.plan(), v.files())
}

// figures is the table of the reference, for one of the two figures.
func (v *view) figures(figure string) section {
	t := table{grouped: true, columns: append([]column{{figure + ", ms", left}, {capital(figure) + " (ms)", blank}},
		columnsOf("n", "min", "avg", "med", "p90", "p99", "max")...)}
	any, service := false, ""
	add := func(r *rundoc.OverheadRow, first bool, operation string) {
		if s := clean(r.Service); s != service || first {
			service = s
			t.add(s, "", "", "", "", "", "", "", "")
		}
		s := sampleOf(r, figure)
		any = any || s.N != 0
		cells := []string{" " + operation, "", number(s.N)}
		for _, ns := range []float64{s.MinNS, s.AvgNS, s.MedNS, s.P90NS, s.P99NS, s.MaxNS} {
			cells = append(cells, millisOf(s, ns))
		}
		t.add(cells...)
	}
	for i := range v.overhead.Rows {
		add(&v.overhead.Rows[i], i == 0, clean(v.overhead.Rows[i].Operation))
	}
	if null := v.overhead.Null; null != nil && sampleOf(null, figure).N != 0 {
		row := *null
		name := row.Name()
		if name == "" || name == row.Service {
			name = "net/http"
		}
		row.Service = "Null client"
		add(&row, true, clean(name))
	}
	if !any {
		return section{}
	}
	return section{title: capital(figure), tables: []table{t}}
}

// groupedBy fills a table with a line for each service and one for each of its operations.
func (v *view) groupedBy(t *table, cells func(r *rundoc.OverheadRow) []string) {
	service, first := "", true
	for i := range v.overhead.Rows {
		r := &v.overhead.Rows[i]
		list := cells(r)
		if list == nil {
			continue
		}
		if s := clean(r.Service); s != service || first {
			service, first = s, false
			t.add(append([]string{s}, make([]string, len(t.columns)-1)...)...)
		}
		t.add(append([]string{" " + clean(r.Operation)}, list...)...)
	}
}

// attemptStages says where the time of an attempt goes.
func (v *view) attemptStages() section {
	names := []string{
		rundoc.StageSerialize, rundoc.StageEndpoint, rundoc.StageCredentials, rundoc.StageSign,
		rundoc.StageHTTP, rundoc.StageDeserialize, rundoc.StageOther,
	}
	t := table{grouped: true, columns: columnsOf("<mean, µs", "encode", "endpoint", "creds", "sign", "HTTP", "decode", "other")}
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
				cells = append(cells, dash)
				continue
			}
			cells = append(cells, micros(ns))
		}
		return cells
	})
	if len(t.rows) == 0 {
		return section{}
	}
	return section{title: "Where the time of an attempt goes", tables: []table{t}, notes: []string{
		"Encode is serialization, decode deserialization; creds the credentials, HTTP the HTTP client with the round trip. " +
			"The wait for the service is in HTTP.",
	}}
}

func micros(ns float64) string {
	if math.IsNaN(ns) || math.IsInf(ns, 0) {
		return dash
	}
	if math.Abs(ns) >= 1e12 {
		return fmt.Sprintf("%.2e", ns/1e3)
	}
	return fmt.Sprintf("%.1f", ns/1e3)
}

// perCall is what else a call costs, and what failed.
func (v *view) perCall() section {
	foreign := v.overhead.Mode == rundoc.OverheadExec // its memory is not seen, and all its figures have an error
	t := table{grouped: true, columns: columnsOf("<per call", "allocations", "bytes", "failed", "connected")}
	if foreign {
		t.columns = columnsOf("<", "failed", "connected", "error, ms")
	}
	rows := v.overhead.Rows
	says := func(r *rundoc.OverheadRow) bool {
		return r.AllocationsPerCall != 0 || r.BytesPerCall != 0 || r.Failed != 0 || r.Connections != 0 || r.ErrorNS != 0
	}
	any := false
	for i := range rows {
		any = any || says(&rows[i])
	}
	if !any {
		return section{}
	}
	errors, connected := false, int64(0)
	v.groupedBy(&t, func(r *rundoc.OverheadRow) []string {
		cells := []string{number(r.Failed), number(r.Connections)}
		connected += r.Connections
		if !foreign {
			return append([]string{amount(r.AllocationsPerCall), amount(r.BytesPerCall)}, cells...)
		}
		if r.ErrorNS == 0 {
			return append(cells, dash)
		}
		errors = true
		return append(cells, "± "+millis(float64(r.ErrorNS)))
	})
	s := section{title: "What else a call costs", tables: []table{t}}
	if foreign {
		s.title = "How far the figures may be off"
	}
	if null := v.overhead.Null; null != nil && null.AllocationsPerCall > 0 {
		s.notes = append(s.notes, fmt.Sprintf("The null client: %s allocations, %s bytes per call. All goroutines of the process are counted.",
			amount(null.AllocationsPerCall), amount(null.BytesPerCall)))
	}
	if connected > 0 {
		s.notes = append(s.notes, "Connected: attempts in the figures that made a new connection, which is in their figures.")
	}
	if errors {
		s.notes = append(s.notes, "Error: how far this operation's figures may be off.")
	}
	return s
}

// amount is a mean number of something, or a dash where it is not known.
func amount(n float64) string {
	switch {
	case !(n > 0):
		return dash
	case n >= 1e15:
		return fmt.Sprintf("%.2e", n)
	case n < 10:
		return fmt.Sprintf("%.1f", n)
	}
	return number(int64(n + 0.5))
}

// environment is what the figures depend on.
func (v *view) environment() section {
	e := &v.overhead.Environment
	t := table{columns: columnsOf("<", "<")}
	if h := v.run.Host; h.OS != "" || h.CPU != "" {
		t.add("CPU", clean(fmt.Sprintf("%s, %s logical", orNone(h.CPU), number(int64(h.CPUs)))))
		t.add("operating system", clean(strings.TrimSpace(h.OS+" "+h.Kernel)+", "+h.Arch))
	}
	for i, m := range append([]string{e.SDK}, e.Modules...) {
		if m != "" {
			t.add([]string{"SDK", ""}[min(i, 1)], clean(m))
		}
	}
	if v.run.Tool.Go != "" && v.overhead.Mode != rundoc.OverheadExec {
		t.add("Go", clean(v.run.Tool.Go))
	}
	if v.overhead.Command != "" {
		t.add("command", clean(v.overhead.Command))
	}
	if e.Endpoint != "" {
		what := clean(e.Endpoint)
		if e.Embedded {
			what += ", the responder of Plimsoll"
		}
		t.add("endpoint", what)
	}
	if e.Protocol != "" {
		t.add("protocol", protocol(e))
	}
	if e.Embedded {
		t.add("service latency", setting(e.LatencyNS))
	}
	if e.Concurrency != 0 {
		t.add("clients", number(int64(e.Concurrency)))
	}
	each := setting(e.TimeNS)
	if e.Calls != 0 {
		each = some(e.Calls, "call", "calls")
	}
	if e.TimeNS != 0 || e.Calls != 0 {
		t.add("each operation", each+" after a warm-up of "+setting(e.WarmupNS))
	}
	return section{title: "Environment", tables: []table{t}}
}

// meaning defines the figures.
func (v *view) meaning() section {
	s := section{title: "What the figures are", drawing: OverheadDrawing, notes: []string{OverheadMeaning}}
	if v.overhead.Mode == rundoc.OverheadExec {
		s.drawing, s.notes = OverheadExecDrawing, []string{OverheadExecMeaning}
	}
	if e := &v.overhead.Environment; e.Embedded && e.LatencyNS == 0 && v.overhead.Mode != rundoc.OverheadExec {
		s.notes = append(s.notes, "The responder answered at once, so that calls found warm caches: beside a service that takes milliseconds "+
			"they cost more. --latency shows how much.")
	}
	s.notes = append(s.notes, "Percentiles are of the single values, interpolated linearly between the ranks around p·(n−1).")
	return s
}
