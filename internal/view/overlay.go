package view

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/page"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// mostOverlaid is how many runs can be told apart in one chart, by colours and by eyes.
const mostOverlaid = 8

// laid is a run of an overlay.
type laid struct {
	letter string
	ref    reference
	run    *rundoc.Run
	path   string
	total  rundoc.Operation
}

// overlay is the page of several runs of one kind in the same charts.
func (p *Pages) overlay(w http.ResponseWriter, refs []reference) error {
	if len(refs) > mostOverlaid {
		return fault.New(fault.Usage, "%d runs are chosen: %d can be told apart", len(refs), mostOverlaid)
	}
	var all []laid
	workload := ""
	for i, ref := range refs {
		found, err := p.load(ref)
		switch {
		case err != nil:
			return err
		case found.Run == nil:
			return fault.New(fault.Usage, "%s is a set of several runs, and no single one", ref).
				Hint("/runs/%s/members has its runs, which can be overlaid", ref.id)
		}
		if i == 0 {
			workload = found.Run.Workload
		}
		if other := found.Run.Workload; other != workload {
			return fault.New(fault.Usage, "%s is a run of %.40q and %s one of %.40q: they have no chart in common", all[0].ref,
				workload, ref, other)
		}
		one := laid{letter: string(rune('A' + i)), ref: ref, run: found.Run, path: found.Path}
		one.total, _ = found.Run.Totals() // a histogram that cannot be read leaves its times empty
		all = append(all, one)
	}
	of := page.Content{Model: p.modelOf(all), Links: []page.Link{{Text: "All runs", To: "/runs"}}}
	for i := range all {
		of.Links = append(of.Links, page.Link{Text: "Run " + all[i].letter, To: all[i].ref.to("/runs")})
	}
	return write(w, func(w io.Writer) error { return page.Write(w, of) })
}

// modelOf is what the page shows: a row for each run, and charts in which each is a line.
func (p *Pages) modelOf(all []laid) page.Model {
	kind := p.Kinds(all[0].run.Workload)
	m := page.Model{
		Title:    fmt.Sprintf("Plimsoll · %d runs of %s overlaid", len(all), units.Clean(all[0].run.Workload)),
		Subtitle: "Each run as it was measured. Whether a difference is more than chance, an overlay does not say.",
		Next:     "plimsoll compare --help",
	}
	cell := func(of func(*laid) string) func(laid) string { return func(l laid) string { return of(&l) } }
	columns := []report.Column[laid]{
		report.Left("run", cell(func(l *laid) string { return l.letter + " " + units.Clean(l.run.ID) })),
		report.Left("labels", cell(func(l *laid) string { return units.Clean(strings.Join(l.run.Labels, ", ")) })),
		report.Left("load", cell(func(l *laid) string { return units.Clean(report.LoadOf(l.run)) })),
		report.Right("ok/s", cell(func(l *laid) string { return units.PerSecond(l.total.RatePerS) })),
	}
	if !kind.Mixed {
		columns = append(columns, report.PercentileColumns(report.Medium,
			func(l laid) *rundoc.Summary { return &l.total.ResponseTime }, units.Duration)...)
	}
	columns = append(columns,
		report.Right("not ok", cell(func(l *laid) string {
			return units.Share(float64(l.total.Scheduled-l.total.OK), float64(l.total.Scheduled))
		})),
		report.Left("verdict", cell(func(l *laid) string {
			return units.Clean(string(rundoc.Reread(l.run).Verdict.Validity))
		})))
	m.Lead = report.TableOf(all, columns...)
	for i := range all {
		if missed := report.NotCarried(all[i].run, kind); missed.Value != "" {
			missed.Value = all[i].letter + ": " + missed.Value
			m.Facts = append(m.Facts, missed)
		}
	}
	m.Panels = overlaid(all, kind)
	return m
}
