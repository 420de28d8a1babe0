package show

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// serversAnswer says of several servers how soon the first of them had a batch, and how far they were apart.
func (v *shown) serversAnswer() []report.Fact {
	d := v.detail
	first, spread := d.Stage(rundoc.StageFirst), d.Stage(rundoc.StageSpread)
	if len(d.Servers) == 0 || first == nil || spread == nil {
		return nil
	}
	facts := []report.Fact{{Key: "First server", Value: stageAnswer(first)}}
	f := report.Fact{Key: "Spread", Value: stageAnswer(spread) + v.lastOften()}
	if d.Spread != nil && d.Spread.BoundNS > 0 {
		f.Value += ", clock error up to " + units.Duration(d.Spread.BoundNS)
	}
	return append(facts, f)
}

// lastOften says which server was the last most often.
func (v *shown) lastOften() string {
	d := v.detail
	at := 0
	for i := range d.Servers {
		if d.Servers[i].Last > d.Servers[at].Last {
			at = i
		}
	}
	if d.Spread == nil || d.Spread.Batches == 0 {
		return ""
	}
	return fmt.Sprintf("; server %d was last for %s", at+1,
		units.Share(float64(d.Servers[at].Last), float64(d.Spread.Batches)))
}

// serverList names servers by their places in the list, as "server 1" or "servers 1, 3".
func serverList(places []int) string {
	var numbers []string
	for _, i := range places {
		numbers = append(numbers, fmt.Sprint(i+1))
	}
	if len(numbers) == 1 {
		return "server " + numbers[0]
	}
	return "servers " + strings.Join(numbers, ", ")
}

// everywhere are the words for all of several servers.
func (v *shown) everywhere() string {
	if n := len(v.detail.Servers); n > 0 {
		return fmt.Sprintf(" on each of %d servers", n)
	}
	return ""
}

// toTheLast says where the times of several servers end.
func (v *shown) toTheLast() string {
	if len(v.detail.Servers) > 0 {
		return " to the last server"
	}
	return ""
}

// oneServer is a row of the table of servers.
type oneServer struct {
	number int
	rundoc.UpdateServer
	e2e *rundoc.Summary
	of  int64 // batches with a spread
}

// servers are what each of several servers told, and then the way of a batch to each.
func (v *shown) servers() []report.Section {
	d := v.detail
	if len(d.Servers) == 0 {
		return nil
	}
	const most = 100
	var rows []oneServer
	for i := range d.Servers[:min(len(d.Servers), most)] {
		r := oneServer{number: i + 1, UpdateServer: d.Servers[i], e2e: &rundoc.Summary{}}
		if s := d.Alone(i).Stage(rundoc.StageE2EScheduled); s != nil {
			r.e2e = &s.Summary
		}
		if d.Spread != nil {
			r.of = d.Spread.Batches
		}
		rows = append(rows, r)
	}
	orDash := func(ns *int64) string {
		if ns == nil {
			return units.Dash
		}
		return units.Duration(*ns)
	}
	table := report.TableOf(rows,
		report.Right("server", func(r oneServer) string { return fmt.Sprint(r.number) }),
		report.Right("updates/s", func(r oneServer) string { return units.PerSecond(r.AppliedPerS) }),
		report.Right("p50", func(r oneServer) string { return orDash(r.e2e.P50NS) }),
		report.Right("p99", func(r oneServer) string { return orDash(r.e2e.P99NS) }),
		report.Right("max", func(r oneServer) string { return units.Nonzero(r.e2e.MaxNS) }),
		report.Right("first", func(r oneServer) string { return units.Share(float64(r.First), float64(r.of)) }),
		report.Right("last", func(r oneServer) string { return units.Share(float64(r.Last), float64(r.of)) }),
		report.Right("lost", func(r oneServer) string { return units.Number(r.proof().Lost) }),
		report.Left("proof", func(r oneServer) string { return r.proof().Outcome() }),
	)
	all := []report.Section{{Title: "Servers", Tables: []report.Table{table}, Notes: []string{
		"p50, p99 and max: from intended start until this server applied the batch. first, last: share of the batches, " +
			"of those reported by all servers, that this server applied first or last.",
	}}}
	for i := range rows {
		alone := &shown{v.View, d.Alone(i)}
		s := alone.updateStages()
		s.Intro = append([]string{fmt.Sprintf("Server %d, %s:", i+1, units.Clean(rows[i].URL))}, s.Intro...)
		if len(s.Tables) > 0 {
			all = append(all, s)
		}
	}
	return all
}

// proof is what a document has, which may be none.
func (r *oneServer) proof() *rundoc.Proof {
	if r.Proof == nil {
		return &rundoc.Proof{}
	}
	return r.Proof
}
