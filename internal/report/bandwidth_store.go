package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// requests counts the HTTP requests.
func (v *bandwidthView) requests() Section {
	t := Table{columns: columnsOf("<request", "attempts", "failed", "retries", "sent", "received")}
	causes, connections := Tally{}, int64(0)
	for _, r := range v.detail.Requests {
		t.add(units.Clean(r.Name), units.Number(r.Attempts), units.Number(r.Failed), units.Number(r.Retries), units.Size(r.BytesSent), units.Size(r.BytesReceived))
		causes.Add(r.Causes)
		connections += r.Connections
	}
	s := Section{Title: "Requests", Tables: []Table{t}}
	if text := causes.Text(); text != "" {
		s.Notes = []string{"Tried again by cause: " + text + "."}
	}
	if v.Options.Verbose {
		s.Tables = append(s.Tables, v.requestDetails())
	}
	if len(t.rows) > 0 {
		s.Notes = append(s.Notes, units.Count(connections, "connection was", "connections were")+" made for them.")
	}
	return s
}

// requestDetails says how many connections and which retries each name's requests had.
func (v *bandwidthView) requestDetails() Table {
	t := Table{columns: columnsOf("<request", "connections", "written", "read", "<tried again by cause")}
	attempts := func(r *rundoc.BodyRate) string {
		if r == nil {
			return units.Dash
		}
		return units.Number(r.Attempts)
	}
	for _, r := range v.detail.Requests {
		causes := Tally{}
		causes.Add(r.Causes)
		t.add(units.Clean(r.Name), units.Number(r.Connections), attempts(r.Handoff), attempts(r.Read), causes.Text())
	}
	return t
}

// requestTimes says where the requests' time went.
func (v *bandwidthView) requestTimes() Section {
	t := Table{columns: columnsOf("<mean", "setup", "send", "wait", "receive", "whole", "slowest")}
	for _, r := range v.detail.Requests {
		if r.Attempts <= 0 {
			continue
		}
		n := r.Attempts
		t.add(units.Clean(r.Name), units.Duration(r.SetupNS/n), units.Duration(r.SendNS/n), units.Duration(r.WaitNS/n), units.Duration(r.ReceiveNS/n),
			units.Duration(r.TotalNS/n), units.Duration(r.SlowestNS))
	}
	s := Section{Title: "Where the requests' time went", Tables: []Table{t}}
	if len(t.rows) > 0 {
		s.Notes = []string{"Mean of all attempts. Setup: until there is a connection. Send: until the request is written. " +
			"Wait: until the answer begins, the store's own time. Receive: until it ends."}
	}
	return s
}

// requestRates says how fast one request's body moved.
func (v *bandwidthView) requestRates() Section {
	t := Table{columns: columnsOf("<MB/s of one body", "handed off", "delivered", "read", "<quality of the rates")}
	written := false
	for _, r := range v.detail.Requests {
		if r.Handoff == nil && r.Delivered == nil && r.Read == nil {
			continue
		}
		written = written || r.Handoff != nil || r.Delivered != nil
		t.add(units.Clean(r.Name), bodyRate(r.Handoff), bodyRate(r.Delivered), bodyRate(r.Read), qualities(r.Qualities))
	}
	s := Section{Title: "Rates of single requests", Tables: []Table{t}}
	if len(t.rows) == 0 {
		return s
	}
	if written {
		s.Notes = append(s.Notes, "Handed off: a body's bytes ÷ the time until the last of them was read, when much of it may still "+
			"wait in this machine's buffers: an upper bound. Delivered: ÷ the time until the other side had them all.")
	}
	s.Notes = append(s.Notes, fmt.Sprintf("Requests run beside each other, so that the bandwidth of all is higher than that of one. "+
		"%s: cannot be told.", units.Dash))
	return s
}

func bodyRate(r *rundoc.BodyRate) string {
	if r == nil || r.Attempts <= 0 || !(r.BytesPerS >= 0) || math.IsInf(r.BytesPerS, 0) {
		return units.Dash
	}
	return units.PerSecond(r.BytesPerS / 1e6)
}

func qualities(counts map[string]int64) string {
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(counts)), func(name string) bool { return counts[name] == 0 })
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(counts[b], counts[a]) })
	const most = 6
	var parts []string
	for i, name := range names {
		if i == most {
			parts = append(parts, fmt.Sprintf("%d more", len(names)-most))
			break
		}
		parts = append(parts, units.Clean(strings.ReplaceAll(name, "_", " "))+" "+units.Number(counts[name]))
	}
	return strings.Join(parts, ", ")
}

// limits says what held the transfers up.
func (v *bandwidthView) limits() Section {
	t := Table{columns: columnsOf("<", "<limited by", "share", "<what to try")}
	for _, l := range v.detail.Limits {
		t.add(units.Clean(l.Transfer), units.Clean(l.What), units.Percent(l.Share), units.Clean(l.Message))
	}
	return Section{Title: "What limited the run", Tables: []Table{t}}
}

// store says which store was used and how.
func (v *bandwidthView) store() Section {
	u := v.detail.Store
	t := Table{columns: columnsOf("<", "<")}
	row := func(key, value string) {
		if value != "" {
			t.add(key, units.Clean(value))
		}
	}
	row("client", u.Client)
	row("endpoint", u.Endpoint)
	if u.PartBytes > 0 {
		row("parts", units.ExactSize(u.PartBytes)+fmt.Sprintf(", %s of each stream in flight or in the queue", units.Number(int64(u.ActiveParts))))
	}
	row("integrity", u.Integrity)
	row("data", u.Data)
	row("read policy", u.Policy)
	s := Section{Title: "The store", Tables: []Table{t}}
	for _, note := range u.Notes {
		s.Notes = append(s.Notes, units.Clean(note))
	}
	return s
}

// storeSettings lists the settings that were given, and what became of them.
func (v *bandwidthView) storeSettings() Section {
	u := v.detail.Store
	t := Table{columns: columnsOf("<setting", "<value", "<from")}
	for _, o := range u.Settings {
		t.add(units.Clean(o.Name), units.Clean(o.Value), units.Clean(o.Source))
	}
	s := Section{Title: "Settings"}
	if len(t.rows) > 0 {
		s.Title, s.Tables = "Settings that were applied", []Table{t}
	}
	if len(u.Ignored) > 0 {
		s.Notes = []string{"Ignored, because they mean nothing here: " + list(u.Ignored) + "."}
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
func (v *bandwidthView) files() []FileRow {
	rows := StreamedFile("operations (CSV)", v.detail.CSV, "row", "rows")
	const most = 10
	for i, name := range v.detail.Left {
		if i == most {
			more := units.Number(int64(len(v.detail.Left)-most)) + " more"
			return append(rows, FileRow{Text: more})
		}
		key := ""
		if i == 0 {
			key = "left in the store"
		}
		rows = append(rows, FileRow{Name: key, Text: units.Clean(name)})
	}
	return rows
}
