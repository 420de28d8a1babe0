package show

import (
	"fmt"
	"slices"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// CallDrawing defines the figures of an overhead run by the course of a call. Its
// lines have at most 76 columns.
const CallDrawing = `call    attempt conn.     request   first     body    attempt call
starts  starts  requested is sent   byte      is read ends    ends
|       |       |         |         |         |       |       |
|<------------------------- the call ------------------------>|
|#######|#######|#########|         |#########|#######|#######|  client
        |#######|#########|         |#########|#######|          overhead
        |#######|                             |#######|          SDK time
                          |<- wait->|`

// CallMeaning says in words what CallDrawing shows.
const CallMeaning = "Client time: the call without the wait between sending the request and the first byte of the " +
	"response; it is the client-side cost of a call, plus the transfer of the rest of the response. Call: from " +
	"calling the SDK operation to its return, or to the end of a streamed response. Overhead: the attempt without the " +
	"same wait; building the request is not included. SDK time: the attempt without the round trip, which lasts from " +
	"requesting a connection to the end of the response."

// AttemptDrawing defines the figures of a document that knows no more of a call than its attempt.
const AttemptDrawing = `attempt      connection   request      first byte   response     attempt
starts       requested    fully sent   of response  fully read   ends
|            |            |            |            |            |
|<------------------------ the attempt ------------------------->|
|            |<------------ round trip ------------>|            |
|            |            |<-- wait -->|            |            |
|############|############|            |############|############|  overhead
|############|                                      |############|  SDK time`

// AttemptMeaning says in words what AttemptDrawing shows.
const AttemptMeaning = "Overhead: the attempt without the wait between sending the request and the first byte of " +
	"the response. SDK time: the attempt without the round trip, which lasts from requesting a connection to the end " +
	"of the response."

// ExecDrawing defines the figure of a foreign client, by what the server sees.
const ExecDrawing = `server  end of response     |<--------- gap ---------->| first byte of next
client                      | SDK, program and network |`

// ExecMeaning says in words what ExecDrawing shows.
const ExecMeaning = "The value is the time between a response of the server and the next request of the program, " +
	"less the median of the same time for a null client. It is measured at the server and requires sequential calls."

// Subtitle says what was measured, and how.
func (v *shown) Subtitle() string {
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
	return v.Heading(parts...)
}

func protocol(e *rundoc.OverheadEnvironment) string {
	if e.TLS {
		return units.Clean(e.Protocol) + " over TLS"
	}
	return units.Clean(e.Protocol)
}

// Answer is what stands beside the first table.
func (v *shown) Answer() []report.Fact {
	var facts []report.Fact
	if len(v.detail.Rows) == 0 {
		facts = append(facts, report.Fact{Key: "Overhead", Value: units.Dash + " (no operation in the document)",
			Strong: true})
	}
	if v.comparison != nil {
		facts = append(facts, v.comparison.answer())
	}
	if null := v.detail.Null; null != nil && null.ClientTime.N == 0 { // else it is in the table
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
	return append(facts, v.VerdictAnswer(), note, v.DemoAnswer(""))
}

// nullFact is the null client's median, and what it means when it is below 0: the responder stamps the
// end of an answer when its write has returned, and the client may have gone on before.
func nullFact(s *rundoc.Sample) report.Fact {
	f := report.Fact{Key: "Null client", Value: fmt.Sprintf("median %s ms: the same request with net/http, without an SDK",
		millisOf(s, s.MedNS))}
	if s.MedNS < 0 {
		f.Points = []string{"The value is negative because the responder records the end of a response slightly late. " +
			"The same amount is added to the times of the command."}
	}
	return f
}

// overheadFailures counts the attempts of the operations and, since the causes are of both, those of the
// null client.
func (v *shown) overheadFailures() report.Fact {
	var failed, null int64
	for i := range v.detail.Rows {
		failed += v.detail.Rows[i].Failed
	}
	if v.detail.Null != nil {
		null = v.detail.Null.Failed
	}
	f := report.Fact{Key: report.KeyErrors}
	if failed == 0 && null == 0 && v.Total.Failed == 0 {
		return f
	}
	f.Tone = report.Bad
	f.Value = fmt.Sprintf("%s failed and %s excluded from the values", units.Count(failed, "attempt", "attempts"),
		isAre(failed))
	if null > 0 {
		f.Value = fmt.Sprintf("%s and %s of the null client failed and are excluded from the values",
			units.Count(failed, "attempt", "attempts"), units.Number(null))
	}
	if failed == 0 && null == 0 {
		f.Value = units.Count(v.Total.Failed, "call", "calls") + " failed"
	}
	causes := report.Tally{}
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
func (v *shown) Lead(most int) report.Table {
	type row = *rundoc.OverheadRow
	rows := v.rows()
	columns := v.leadColumns()
	var last []row
	if v.wholeCalls() && v.detail.Null != nil && v.detail.Null.ClientTime.N != 0 {
		last = append(last, v.detail.Null)
	}
	if most < 3 {
		last = nil // an operation has the room first
	}
	most -= len(last)
	table := report.TableOf(rows, columns...)
	if len(rows) > most {
		table = report.First(rows, most-1, columns...)
	}
	return table.Below(report.TableOf(last, columns...))
}

// wholeCalls reports whether a run knows what the client took of whole calls, as those of older documents do not,
// nor those of foreign clients.
func (v *shown) wholeCalls() bool { return knowsCalls(v.detail) }

func knowsCalls(d *rundoc.OverheadDetail) bool {
	return slices.ContainsFunc(d.Rows, func(r rundoc.OverheadRow) bool { return r.ClientTime.N != 0 })
}

// leadColumns are those of the first table: beside the client time the figures that say what a call costs otherwise,
// or the change from a baseline, which needs the room.
func (v *shown) leadColumns() []report.Column[*rundoc.OverheadRow] {
	type row = *rundoc.OverheadRow
	head, width := "median, ms", 34
	if v.wholeCalls() || v.comparison != nil {
		width = 31 // so that all columns fit into 80
		if v.comparison == nil && slices.ContainsFunc(v.rows(), usesCPU) {
			head = "median, ms; CPU: mean"
		}
	}
	columns := []report.Column[row]{
		report.Left(head, func(r row) string {
			if r == v.detail.Null {
				return "null client (net/http alone)"
			}
			return units.Shorten(units.Clean(r.Name()), width)
		}).Gap("and % more"),
	}
	add := func(head, figure, name string) {
		f := sampleFigureOf(name)
		columns = append(columns, report.Right(head, func(r row) string { return f.millis(sampleOf(r, figure)) }).Gap(""))
	}
	first := []string{FigureOverhead, FigureSDKTime}
	if v.wholeCalls() {
		first = []string{FigureClientTime}
	}
	for _, figure := range first {
		if !slices.ContainsFunc(v.rows(), func(r row) bool { return sampleOf(r, figure).N != 0 }) {
			continue
		}
		add(leadHead(figure), figure, "med")
		if v.comparison != nil {
			break // its change needs the room
		}
		if slices.ContainsFunc(v.rows(), func(r row) bool { return sampleFigureOf("p99").known(sampleOf(r, figure)) }) {
			add("p99", figure, "p99")
		}
	}
	switch {
	case v.comparison != nil:
		return append(columns, v.comparison.lead(v.detail.Null)...)
	case v.wholeCalls():
		add(FigureOverhead, FigureOverhead, "med")
		add(FigureCall, FigureCall, "med")
		if slices.ContainsFunc(v.rows(), usesCPU) {
			columns = append(columns, report.Right("CPU", func(r row) string { return cpuPerCall(r, millis) }).Gap(""))
		}
		return append(columns, report.Right("allocs", func(r row) string { return amount(r.AllocationsPerCall) }).Gap(""))
	}
	return append(columns, report.Right("n", func(r row) string {
		return units.Number(max(r.Overhead.N, r.SDKTime.N))
	}).Gap(""))
}

// leadHead is a figure's name at the head of a narrow column.
func leadHead(figure string) string {
	if figure == FigureClientTime {
		return "client"
	}
	return figure
}

// rows are the operations that were measured.
func (v *shown) rows() []*rundoc.OverheadRow {
	rows := make([]*rundoc.OverheadRow, len(v.detail.Rows))
	for i := range rows {
		rows[i] = &v.detail.Rows[i]
	}
	return rows
}
