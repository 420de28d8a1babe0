package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/rundoc"
)

// requests counts the HTTP requests.
func (v *view) requests() section {
	t := table{columns: columnsOf("<request", "attempts", "failed", "retries", "sent", "received")}
	causes, connections := newTally(), int64(0)
	for _, r := range v.bandwidth.Requests {
		t.add(clean(r.Name), number(r.Attempts), number(r.Failed), number(r.Retries), size(r.BytesSent), size(r.BytesReceived))
		causes.add(r.Causes)
		connections += r.Connections
	}
	s := section{title: "Requests", tables: []table{t}}
	if text := causes.text(); text != "" {
		s.notes = []string{"Tried again by cause: " + text + "."}
	}
	if v.opt.Verbose {
		s.tables = append(s.tables, v.requestDetails())
	}
	if len(t.rows) > 0 {
		s.notes = append(s.notes, some(connections, "connection was", "connections were")+" made for them.")
	}
	return s
}

// requestDetails says how many connections and which retries each name's requests had.
func (v *view) requestDetails() table {
	t := table{columns: columnsOf("<request", "connections", "written", "read", "<tried again by cause")}
	attempts := func(r *rundoc.BodyRate) string {
		if r == nil {
			return dash
		}
		return number(r.Attempts)
	}
	for _, r := range v.bandwidth.Requests {
		causes := newTally()
		causes.add(r.Causes)
		t.add(clean(r.Name), number(r.Connections), attempts(r.Handoff), attempts(r.Read), causes.text())
	}
	return t
}

// requestTimes says where the requests' time went.
func (v *view) requestTimes() section {
	t := table{columns: columnsOf("<mean", "setup", "send", "wait", "receive", "whole", "slowest")}
	for _, r := range v.bandwidth.Requests {
		if r.Attempts <= 0 {
			continue
		}
		n := r.Attempts
		t.add(clean(r.Name), duration(r.SetupNS/n), duration(r.SendNS/n), duration(r.WaitNS/n), duration(r.ReceiveNS/n),
			duration(r.TotalNS/n), duration(r.SlowestNS))
	}
	s := section{title: "Where the requests' time went", tables: []table{t}}
	if len(t.rows) > 0 {
		s.notes = []string{"Mean of all attempts. Setup: until there is a connection. Send: until the request is written. " +
			"Wait: until the answer begins, the store's own time. Receive: until it ends."}
	}
	return s
}

// requestRates says how fast one request's body moved.
func (v *view) requestRates() section {
	t := table{columns: columnsOf("<MB/s of one body", "handed off", "delivered", "read", "<quality of the rates")}
	written := false
	for _, r := range v.bandwidth.Requests {
		if r.Handoff == nil && r.Delivered == nil && r.Read == nil {
			continue
		}
		written = written || r.Handoff != nil || r.Delivered != nil
		t.add(clean(r.Name), bodyRate(r.Handoff), bodyRate(r.Delivered), bodyRate(r.Read), qualities(r.Qualities))
	}
	s := section{title: "Rates of single requests", tables: []table{t}}
	if len(t.rows) == 0 {
		return s
	}
	if written {
		s.notes = append(s.notes, "Handed off: a body's bytes ÷ the time until the last of them was read, when much of it may still "+
			"wait in this machine's buffers: an upper bound. Delivered: ÷ the time until the other side had them all.")
	}
	s.notes = append(s.notes, fmt.Sprintf("Requests run beside each other, so that the bandwidth of all is higher than that of one. "+
		"%s: cannot be told.", dash))
	return s
}

func bodyRate(r *rundoc.BodyRate) string {
	if r == nil || r.Attempts <= 0 || !known(r.BytesPerS) {
		return dash
	}
	return perSecond(r.BytesPerS / 1e6)
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
		parts = append(parts, clean(strings.ReplaceAll(name, "_", " "))+" "+number(counts[name]))
	}
	return strings.Join(parts, ", ")
}

// limits says what held the transfers up.
func (v *view) limits() section {
	t := table{columns: columnsOf("<", "<limited by", "share", "<what to try")}
	for _, l := range v.bandwidth.Limits {
		t.add(clean(l.Transfer), clean(l.What), percent(l.Share), clean(l.Message))
	}
	return section{title: "What limited the run", tables: []table{t}}
}

// store says which store was used and how.
func (v *view) store() section {
	u := v.bandwidth.Store
	t := table{columns: columnsOf("<", "<")}
	row := func(key, value string) {
		if value != "" {
			t.add(key, clean(value))
		}
	}
	row("client", u.Client)
	row("endpoint", u.Endpoint)
	if u.PartBytes > 0 {
		row("parts", exactSize(u.PartBytes)+fmt.Sprintf(", %s of each stream in flight or in the queue", number(int64(u.ActiveParts))))
	}
	row("integrity", u.Integrity)
	row("data", u.Data)
	row("read policy", u.Policy)
	s := section{title: "The store", tables: []table{t}}
	for _, note := range u.Notes {
		s.notes = append(s.notes, clean(note))
	}
	return s
}

// storeSettings lists the settings that were given, and what became of them.
func (v *view) storeSettings() section {
	u := v.bandwidth.Store
	t := table{columns: columnsOf("<setting", "<value", "<from")}
	for _, o := range u.Settings {
		t.add(clean(o.Name), clean(o.Value), clean(o.Source))
	}
	s := section{title: "Settings"}
	if len(t.rows) > 0 {
		s.title, s.tables = "Settings that were applied", []table{t}
	}
	if len(u.Ignored) > 0 {
		s.notes = []string{"Ignored, because they mean nothing here: " + list(u.Ignored) + "."}
	}
	return s
}

// list is the names in a sentence, at most fifty.
func list(names []string) string {
	const most = 50
	var parts []string
	for i, name := range names {
		if i == most {
			parts = append(parts, fmt.Sprintf("%s more", number(int64(len(names)-most))))
			break
		}
		parts = append(parts, clean(name))
	}
	return strings.Join(parts, ", ")
}

// bandwidthFiles are the files of single operations, and those that were left in the store.
func (v *view) bandwidthFiles(t *table) {
	if f := v.bandwidth.CSV; f != nil {
		t.add("operations (CSV)", clean(f.Path)+": "+writtenNote(f, "row", "rows"))
	}
	const most = 10
	for i, name := range v.bandwidth.Left {
		if i == most {
			t.add("", fmt.Sprintf("%s more", number(int64(len(v.bandwidth.Left)-most))))
			break
		}
		key := ""
		if i == 0 {
			key = "left in the store"
		}
		t.add(key, clean(name))
	}
}
