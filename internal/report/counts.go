package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/rundoc"
)

// outcomes says what became of what was scheduled.
func (v *view) outcomes() section {
	o := &v.total
	t := table{columns: columnsOf("<", v.words.many, "share")}
	all := float64(o.Scheduled)
	for _, r := range []struct {
		name string
		n    int64
	}{
		{"scheduled", o.Scheduled}, {"ok", o.OK}, {"failed", o.Failed},
		{"unsent", o.Unsent}, {"unfinished", o.Unfinished},
	} {
		t.add(r.name, number(r.n), shareOf(float64(r.n), all))
	}
	s := section{title: capital(v.words.many), tables: []table{t}}
	retries := "none of them a retry"
	if o.Retries > 0 {
		retries = "of which " + some(o.Retries, "was a retry", "were retries")
	}
	s.notes = append(s.notes, some(o.Attempts, "attempt", "attempts")+", "+retries+".")
	if o.Carried > 0 {
		s.notes = append(s.notes, fmt.Sprintf(
			"%s begun in the ramp ended in the window: the throughput has them, the counts above do not.",
			some(o.Carried, v.words.one, v.words.many)))
	}
	return s
}

// failures says why attempts failed.
func (v *view) failures() section {
	s := section{title: "Failed attempts by cause"}
	if len(v.total.Causes) == 0 {
		return s
	}
	t := table{columns: columnsOf("<cause", "attempts", "share of all attempts")}
	for _, c := range v.total.Causes {
		t.add(cause(c.Cause), number(c.Count), shareOf(float64(c.Count), float64(v.total.Attempts)))
	}
	s.tables = []table{t}
	return s
}

// connections says what became of connections, and what retries and reconnects cost.
func (v *view) connections() section {
	c := &v.run.Connections
	s := section{title: "Connections, reconnects and retries"}
	if c.Opened+c.Failed > 0 {
		line := fmt.Sprintf("%s opened", some(c.Opened, "connection", "connections"))
		if c.Failed > 0 {
			line += fmt.Sprintf(", %s failed", some(c.Failed, "try", "tries"))
		}
		if t := &c.ConnectTime; t.Count > 0 {
			line += "; time to connect: " + spread(t)
		}
		s.intro = []string{line + "."}
	}
	t := table{columns: columnsOf("<", "<cause", "count", "client time", "share")}
	v.addCauseTimes(&t, "reconnect", c.Reconnects)
	v.addCauseTimes(&t, "retry", v.run.Retries)
	if len(t.rows) > 0 {
		s.tables = []table{t}
		s.notes = []string{"Share: of all the clients' time in the window."}
	}
	return s
}

// spread is a time's percentiles, as far as there are any, in a sentence.
func spread(s *rundoc.Summary) string {
	var parts []string
	for _, p := range percentiles(s) {
		if p.value != nil && (p.name == "p50" || p.name == "p99") {
			parts = append(parts, p.name+" "+duration(*p.value))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, "mean "+duration(s.MeanNS))
	}
	return strings.Join(append(parts, "max "+duration(s.MaxNS)), ", ")
}

func (v *view) addCauseTimes(t *table, what string, list []rundoc.CauseTime) {
	for _, c := range list {
		t.add(what, cause(c.Cause), number(c.Count), duration(c.TimeNS), v.clientShare(c.TimeNS))
	}
}

// groups breaks the operations down by name, if there are several, and by each label.
func (v *view) groups() []section {
	var list []section
	names := map[string]bool{}
	labels := map[string]bool{}
	var order []string
	for _, o := range v.run.Operations {
		names[o.Name] = true
		for label := range o.Labels {
			if !labels[label] {
				labels[label] = true
				order = append(order, label)
			}
		}
	}
	slices.Sort(order)
	if len(names) > 1 {
		list = append(list, v.groupBy("operation", func(o *rundoc.Operation) string { return o.Name }))
	}
	for _, label := range order {
		title := clean(label)
		if v.words.one == "message" && label == "type" {
			title = "message type"
		}
		list = append(list, v.groupBy(title, func(o *rundoc.Operation) string { return o.Labels[label] }))
	}
	return list
}

// groupBy is a table with a row for each group of operations.
func (v *view) groupBy(title string, key func(*rundoc.Operation) string) section {
	groups := map[string]*rundoc.Run{}
	var order []string
	for i := range v.run.Operations {
		o := &v.run.Operations[i]
		k := key(o)
		if groups[k] == nil {
			groups[k] = &rundoc.Run{}
			order = append(order, k)
		}
		groups[k].Operations = append(groups[k].Operations, *o)
	}
	t := table{columns: columnsOf("<"+title, "ok", "failed", v.words.short+"/s", "mean", "p50", "p99", "max")}
	for _, k := range order {
		// What cannot be read stays empty here as in the totals.
		o, _ := groups[k].Totals()
		r := &o.ResponseTime
		name := clean(k)
		if name == "" {
			name = dash
		}
		t.add(name, number(o.OK), number(o.Failed), perSecond(o.RatePerS),
			ifAny(r, r.MeanNS), optional(r.P50NS), optional(r.P99NS), ifAny(r, r.MaxNS))
	}
	return section{title: "By " + title, tables: []table{t}}
}

func ifAny(s *rundoc.Summary, ns int64) string {
	if s.Count == 0 {
		return dash
	}
	return duration(ns)
}
