package http

import (
	"slices"
	"strconv"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// ReportKind is how runs over HTTP are shown.
func ReportKind() report.Kind {
	return report.Kind{
		Words:    report.Words{One: "request", Many: "requests", Short: "req"},
		Own:      "plimsoll http http://YOUR-HOST:PORT/PATH",
		Headline: []string{"rate", "p50", "p99", "failed"},
		Figures:  figures(),
		Show: func(v *report.View) report.Shown {
			if d := v.Run.HTTP(); d != nil {
				return &shown{v, d}
			}
			return v
		},
	}
}

// shown is the report of a run whose document has a detail.
type shown struct {
	*report.View
	detail *rundoc.HTTPDetail
}

// Sections adds the stages, the statuses and the checks.
func (v *shown) Sections() []report.Section {
	return slices.Concat(
		[]report.Section{v.Times(), v.stages(), v.flows(), v.Outcomes(), v.Failures(), v.checks(), v.statuses(),
			v.connecting()},
		v.Groups(),
		v.Ending(report.StreamedFile("samples", v.detail.Samples, "sample", "samples")...))
}

// stages is the table of where the time of requests went.
func (v *shown) stages() report.Section {
	type stage struct {
		of, name string
		times    *rundoc.Summary
	}
	var stages []stage
	for i := range v.Run.Operations {
		o := &v.Run.Operations[i]
		if s := o.Stages; s != nil && s.Wait.Count > 0 {
			stages = append(stages, stage{o.Name, "send", &s.Send}, stage{"", "wait", &s.Wait}, stage{"", "body", &s.Body})
		}
	}
	percentile := func(ns *int64) string {
		if ns == nil {
			return "–"
		}
		return units.Duration(*ns)
	}
	return report.Section{Title: "Stages of requests", Tables: []report.Table{report.TableOf(stages,
		report.Left("request", func(s stage) string { return units.Clean(s.of) }),
		report.Left("stage", func(s stage) string { return s.name }),
		report.Right("mean", func(s stage) string { return units.Duration(s.times.MeanNS) }),
		report.Right("p50", func(s stage) string { return percentile(s.times.P50NS) }),
		report.Right("p99", func(s stage) string { return percentile(s.times.P99NS) }),
		report.Right("max", func(s stage) string { return units.Duration(s.times.MaxNS) }),
	)}, Notes: []string{"Send is until the whole request was handed to the network, wait until the first byte of the " +
		"answer, body until its end: of requests that ended ok, without connecting."}}
}

// statuses counts the answers.
func (v *shown) statuses() report.Section {
	var all int64
	for _, s := range v.detail.Statuses {
		all += s.Count
	}
	return report.Section{Title: "Statuses", Tables: []report.Table{report.TableOf(v.detail.Statuses,
		report.Left("status", func(s rundoc.HTTPStatus) string { return strconv.Itoa(s.Status) }),
		report.Right("answers", func(s rundoc.HTTPStatus) string { return units.Number(s.Count) }),
		report.Right("share", func(s rundoc.HTTPStatus) string { return units.Share(float64(s.Count), float64(all)) }),
	)}, Notes: []string{"Of all answers that came whole, those of the ramp and the drain too."}}
}

// checks says which did not hold.
func (v *shown) checks() report.Section {
	return report.Section{Title: "Checks that failed", Tables: []report.Table{report.TableOf(v.detail.Failures,
		report.Left("check", func(c rundoc.HTTPCheck) string { return units.Clean(c.Check) }),
		report.Right("times", func(c rundoc.HTTPCheck) string { return units.Number(c.Count) }),
		report.Left("found instead, the first time", func(c rundoc.HTTPCheck) string { return units.Clean(c.Example) }),
	)}}
}
