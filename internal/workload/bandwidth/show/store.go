package show

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// requests counts the HTTP requests.
func (v *shown) requests() report.Section {
	type row = *rundoc.RequestFigures
	rows := v.requestRows()
	s := report.Section{Title: "Requests", Tables: []report.Table{report.TableOf(rows,
		report.Left("request", func(r row) string { return units.Clean(r.Name) }),
		report.Right("attempts", func(r row) string { return units.Number(r.Attempts) }),
		report.Right("failed", func(r row) string { return units.Number(r.Failed) }),
		report.Right("retries", func(r row) string { return units.Number(r.Retries) }),
		report.Right("sent", func(r row) string { return units.Size(r.BytesSent) }),
		report.Right("received", func(r row) string { return units.Size(r.BytesReceived) }),
	)}}
	causes, connections := report.Tally{}, int64(0)
	for _, r := range rows {
		causes.Add(r.Causes)
		connections += r.Connections
	}
	if text := causes.Text(); text != "" {
		s.Notes = []string{"Retries by cause: " + text + "."}
	}
	if v.Options.Verbose {
		s.Tables = append(s.Tables, requestDetails(rows))
	}
	if len(rows) > 0 {
		s.Notes = append(s.Notes, units.Count(connections, "connection was", "connections were")+" opened for these "+
			"requests.")
	}
	return s
}

// requestRows are the figures of the requests, by name.
func (v *shown) requestRows() []*rundoc.RequestFigures {
	rows := make([]*rundoc.RequestFigures, len(v.detail.Requests))
	for i := range rows {
		rows[i] = &v.detail.Requests[i]
	}
	return rows
}

// requestDetails says how many connections and which retries each name's requests had.
func requestDetails(rows []*rundoc.RequestFigures) report.Table {
	type row = *rundoc.RequestFigures
	attempts := func(r *rundoc.BodyRate) string {
		if r == nil {
			return units.Dash
		}
		return units.Number(r.Attempts)
	}
	return report.TableOf(rows,
		report.Left("request", func(r row) string { return units.Clean(r.Name) }),
		report.Right("connections", func(r row) string { return units.Number(r.Connections) }),
		report.Right("written", func(r row) string { return attempts(r.Handoff) }),
		report.Right("read", func(r row) string { return attempts(r.Read) }),
		report.Left("retries by cause", func(r row) string {
			causes := report.Tally{}
			causes.Add(r.Causes)
			return causes.Text()
		}),
	)
}

// requestTimes says where the requests' time went.
func (v *shown) requestTimes() report.Section {
	type row = *rundoc.RequestFigures
	rows := slices.DeleteFunc(v.requestRows(), func(r row) bool { return r.Attempts <= 0 })
	if len(rows) == 0 {
		return report.Section{}
	}
	mean := func(head string, ns func(row) int64) report.Column[row] {
		return report.Right(head, func(r row) string { return units.Duration(ns(r) / r.Attempts) })
	}
	return report.Section{Title: "Time breakdown of requests", Tables: []report.Table{report.TableOf(rows,
		report.Left("mean", func(r row) string { return units.Clean(r.Name) }),
		mean("setup", func(r row) int64 { return r.SetupNS }),
		mean("send", func(r row) int64 { return r.SendNS }),
		mean("wait", func(r row) int64 { return r.WaitNS }),
		mean("receive", func(r row) int64 { return r.ReceiveNS }),
		mean("whole", func(r row) int64 { return r.TotalNS }),
		report.Right("slowest", func(r row) string { return units.Duration(r.SlowestNS) }),
	)}, Notes: []string{"Mean over all attempts. Setup: until a connection is available. Send: until the request is " +
		"written. Wait: until the response starts (server time). Receive: until the response ends."}}
}

// requestRates says how fast one request's body moved.
func (v *shown) requestRates() report.Section {
	type row = *rundoc.RequestFigures
	rows := slices.DeleteFunc(v.requestRows(), func(r row) bool {
		return r.Handoff == nil && r.Delivered == nil && r.Read == nil
	})
	if len(rows) == 0 {
		return report.Section{}
	}
	columns := []report.Column[row]{
		report.Left("MB/s per body", func(r row) string { return units.Clean(r.Name) }),
		report.Right("handed off", func(r row) string { return bodyRate(r.Handoff) }),
		report.Right("delivered", func(r row) string { return bodyRate(r.Delivered) }),
		report.Right("read", func(r row) string { return bodyRate(r.Read) }),
		report.Left("quality", func(r row) string { return report.ByCount(r.Qualities) }),
	}
	if slices.ContainsFunc(rows, func(r row) bool { return len(r.Limits) > 0 }) {
		columns = append(columns, report.Left("limited by", func(r row) string { return report.ByCount(r.Limits) }))
	}
	s := report.Section{Title: "Transfer rates of bodies", Tables: []report.Table{report.TableOf(rows, columns...)}}
	if slices.ContainsFunc(rows, func(r row) bool { return r.Handoff != nil || r.Delivered != nil }) {
		s.Notes = append(s.Notes, "Handed off: bytes of the body divided by the time until the last byte was handed to "+
			"the operating system; an upper bound, because data may still be buffered. Delivered: divided by the time until "+
			"the receiver had all bytes.")
	}
	s.Notes = append(s.Notes, fmt.Sprintf("Concurrent requests share the bandwidth, so the total exceeds these rates. "+
		"%s: unknown.", units.Dash))
	return s
}

func bodyRate(r *rundoc.BodyRate) string {
	if r == nil || r.Attempts <= 0 || !(r.BytesPerS >= 0) || math.IsInf(r.BytesPerS, 0) {
		return units.Dash
	}
	return units.PerSecond(r.BytesPerS / 1e6)
}

// limits says what held the transfers up.
func (v *shown) limits() report.Section {
	return report.Section{Title: "Limiting factors", Tables: []report.Table{report.TableOf(v.detail.Limits,
		report.Left("", func(l rundoc.Limit) string { return units.Clean(l.Transfer) }),
		report.Left("limited by", func(l rundoc.Limit) string { return units.Clean(l.What) }),
		report.Right("share", func(l rundoc.Limit) string { return units.Percent(l.Share) }),
		report.Left("advice", func(l rundoc.Limit) string { return units.Clean(l.Message) }),
	)}}
}

// store says which store was used and how.
func (v *shown) store() report.Section {
	u := v.detail.Store
	var t report.Pairs
	row := func(key, value string) {
		if value != "" {
			t.Add(key, units.Clean(value))
		}
	}
	row("client", u.Client)
	row("endpoint", u.Endpoint)
	if u.PartBytes > 0 {
		text := fmt.Sprintf("%s, %s per stream in flight or queued", units.ExactSize(u.PartBytes),
			units.Number(int64(u.ActiveParts)))
		if u.AtOnce > 0 {
			text += fmt.Sprintf(", at most %s in flight in total", units.Number(int64(u.AtOnce)))
		}
		row("parts", text)
	}
	row("integrity", u.Integrity)
	row("data", u.Data)
	row("read policy", u.Policy)
	s := report.Section{Title: "Store", Tables: []report.Table{t.Table()}}
	for _, note := range u.Notes {
		s.Notes = append(s.Notes, units.Clean(note))
	}
	return s
}

// storeSettings lists the settings that were given, and what became of them.
func (v *shown) storeSettings() report.Section {
	u := v.detail.Store
	s := report.Section{Title: "Settings"}
	if len(u.Settings) > 0 {
		s.Title, s.Tables = "Applied settings", []report.Table{report.TableOf(u.Settings,
			report.Left("setting", func(o rundoc.Setting) string { return units.Clean(o.Name) }),
			report.Left("value", func(o rundoc.Setting) string { return units.Clean(o.Value) }),
			report.Left("from", func(o rundoc.Setting) string { return units.Clean(o.Source) }),
		)}
	}
	if len(u.Ignored) > 0 {
		s.Notes = []string{"Ignored settings without effect here: " + list(u.Ignored) + "."}
	}
	return s
}

// list is the names in a sentence, at most fifty.
func list(names []string) string {
	const most = 50
	var parts []string
	for i, name := range names {
		if i == most {
			parts = append(parts, fmt.Sprintf("%s more", units.Number(int64(len(names)-most))))
			break
		}
		parts = append(parts, units.Clean(name))
	}
	return strings.Join(parts, ", ")
}

// files are those of single operations, and what was left in the store.
func (v *shown) files() []report.FileRow {
	rows := report.StreamedFile("operations (CSV)", v.detail.CSV, "row", "rows")
	const most = 10
	for i, name := range v.detail.Left {
		if i == most {
			more := units.Number(int64(len(v.detail.Left)-most)) + " more"
			return append(rows, report.FileRow{Text: more})
		}
		key := ""
		if i == 0 {
			key = "left in the store"
		}
		rows = append(rows, report.FileRow{Name: key, Text: units.Clean(name)})
	}
	return rows
}
