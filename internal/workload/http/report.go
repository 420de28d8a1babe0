package http

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/http1"
	"github.com/plimsoll/plimsoll/internal/http2"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// ReportKind is how runs over HTTP are shown.
func ReportKind() report.Kind {
	return report.Kind{
		Words:    report.Words{One: "request", Many: "requests", Short: "req"},
		Own:      "plimsoll http http://YOUR-HOST:PORT/PATH",
		Repeat:   repeat,
		Headline: []string{"rate", "p50", "p99", "failed"},
		Figures:  slices.Concat(figures(), rateFigures()),
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
		[]report.Section{v.Times(), v.stages(), v.flows(), v.Outcomes(), v.Failures(), v.rules(), v.checks(), v.statuses(),
			v.rates(), v.bodyFiles(), v.connecting()},
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
	if len(stages) == 0 {
		return report.Section{} // none ended ok
	}
	return report.Section{Title: "Request stages", Tables: []report.Table{report.TableOf(stages, slices.Concat(
		[]report.Column[stage]{
			report.Left("request", func(s stage) string { return units.Clean(s.of) }),
			report.Left("stage", func(s stage) string { return s.name }),
			report.Right("mean", func(s stage) string { return units.Duration(s.times.MeanNS) }),
		},
		report.PercentileColumnsWithin(report.Narrow, func(s stage) *rundoc.Summary { return s.times }),
		[]report.Column[stage]{report.Right("max", func(s stage) string { return units.Duration(s.times.MaxNS) })},
	)...)}, Notes: []string{"send: until the whole request was written; wait: until the first byte of the response; " +
		"body: until its last byte. Successful requests only, connection time excluded."}}
}

// statuses counts the answers.
func (v *shown) statuses() report.Section {
	var all int64
	for _, s := range v.detail.Statuses {
		all += s.Count
	}
	return report.Section{Title: "Status codes", Tables: []report.Table{report.TableOf(v.detail.Statuses,
		report.Left("status", func(s rundoc.HTTPStatus) string { return strconv.Itoa(s.Status) }),
		report.Right("responses", func(s rundoc.HTTPStatus) string { return units.Number(s.Count) }),
		report.Right("share", func(s rundoc.HTTPStatus) string { return units.Share(float64(s.Count), float64(all)) }),
	)}, Notes: []string{"Counts all complete responses, including those during ramp-up and drain."}}
}

// checks says which did not hold.
func (v *shown) checks() report.Section {
	return report.Section{Title: "Failed checks", Tables: []report.Table{report.TableOf(v.detail.Failures,
		report.Left("check", func(c rundoc.HTTPCheck) string { return units.Clean(c.Check) }),
		report.Right("times", func(c rundoc.HTTPCheck) string { return units.Number(c.Count) }),
		report.Left("first value found", func(c rundoc.HTTPCheck) string { return units.Clean(c.Example) }),
	)}}
}

// rates says how fast single bodies moved.
func (v *shown) rates() report.Section {
	type row struct {
		way string
		*rundoc.HTTPBodies
	}
	var rows []row
	add := func(way string, all *rundoc.HTTPBodies) {
		if all == nil {
			return
		}
		rows = append(rows, row{way, all})
		for i := range all.ByRequest {
			rows = append(rows, row{"  " + units.Clean(all.ByRequest[i].Name), &all.ByRequest[i]})
		}
	}
	add("upload", v.detail.Upload)
	add("download", v.detail.Download)
	if len(rows) == 0 {
		return report.Section{}
	}
	rate := func(of func(row) *float64) func(row) string {
		return func(r row) string {
			if f := of(r); f != nil && r.Rated > 0 {
				return units.PerSecond(*f / 1e6)
			}
			return units.Dash
		}
	}
	// Of the lists any may be long, so that each is the last column of its own table.
	tables := []report.Table{report.TableOf(rows,
		report.Left("MB/s per body", func(r row) string { return r.way }),
		report.Right("bodies", func(r row) string { return units.Number(r.Bodies) }),
		report.Right("slowest", rate(func(r row) *float64 { return &r.MinBytesPerS })),
		report.Right("p10", rate(func(r row) *float64 { return r.P10BytesPerS })),
		report.Right("p50", rate(func(r row) *float64 { return r.P50BytesPerS })),
		report.Right("p90", rate(func(r row) *float64 { return r.P90BytesPerS })),
		report.Right("all", rate(func(r row) *float64 { return &r.BytesPerS })),
	), report.TableOf(rows,
		report.Left("bodies", func(r row) string { return r.way }),
		report.Left("rate quality", func(r row) string { return report.ByCount(r.Qualities) }),
	)}
	if limited := slices.DeleteFunc(rows, func(r row) bool { return len(r.Limits) == 0 }); len(limited) > 0 {
		tables = append(tables, report.TableOf(limited,
			report.Left("bodies", func(r row) string { return r.way }),
			report.Left("limited by (where known)", func(r row) string { return report.ByCount(r.Limits) })))
	}
	return report.Section{Title: "Transfer rates of bodies", Tables: tables,
		Notes: []string{"Each value is the rate of one body; concurrent requests share the bandwidth. Only bodies of 64 " +
			"KiB or more are measured, unless --rates says otherwise, and only rates of quality ok or paced (within 5%) are " +
			"shown. Uploads are measured by what the receiver acknowledged. p10: 10% of the bodies were slower. all: total " +
			"bytes divided by total time."}}
}

// bodyFiles says what reading the files from the disk took.
func (v *shown) bodyFiles() report.Section {
	type row = rundoc.HTTPBodyFile
	if len(v.detail.BodyFiles) == 0 {
		return report.Section{}
	}
	return report.Section{Title: "Body files", Tables: []report.Table{report.TableOf(v.detail.BodyFiles,
		report.Left("file", func(f row) string { return units.Clean(f.Name) }),
		report.Right("size", func(f row) string { return units.Size(f.SizeBytes) }),
		report.Right("read", func(f row) string { return units.Size(f.ReadBytes) }),
		report.Right("read time", func(f row) string { return units.Duration(f.ReadNS) }),
		report.Right("longest", func(f row) string { return units.Duration(f.LongestReadNS) }),
	)}, Notes: []string{"Each request reads its file from disk. The read time is the sum over all clients; it is " +
		"generator delay and is included in the response times."}}
}

// rateFigures are those of bodies.
func rateFigures() []figure.Source {
	var all []figure.Source
	for _, d := range []struct {
		name string
		of   func(*rundoc.HTTPDetail) *rundoc.HTTPBodies
	}{
		{"upload", func(d *rundoc.HTTPDetail) *rundoc.HTTPBodies { return d.Upload }},
		{"download", func(d *rundoc.HTTPDetail) *rundoc.HTTPBodies { return d.Download }},
	} {
		add := func(name, help string, of func(*rundoc.HTTPBodies) *float64) {
			all = append(all, figure.Source{Name: d.name + name, Help: fmt.Sprintf(help, d.name), Unit: figure.BytesPerSec,
				Number: func(run *rundoc.Run, _ map[string]string) figure.Value {
					var bodies *rundoc.HTTPBodies
					if detail := run.HTTP(); detail != nil {
						bodies = d.of(detail)
					}
					switch {
					case bodies == nil:
						return figure.Value{Why: "no " + d.name + " is large enough to have a rate (--rates)"}
					case bodies.Rated == 0:
						return figure.Value{Why: "no " + d.name + " has a rate that is known within 5%"}
					}
					v := of(bodies)
					if v == nil {
						return figure.Value{Why: "too few " + d.name + "s have a rate"}
					}
					return figure.Value{Raw: *v}
				}})
		}
		add("", "mean rate of a single %s of 64 KiB or more",
			func(b *rundoc.HTTPBodies) *float64 { return &b.BytesPerS })
		add(".slowest", "lowest rate of a single %s", func(b *rundoc.HTTPBodies) *float64 { return &b.MinBytesPerS })
		add(".p10", "10th percentile of the rate of a single %s",
			func(b *rundoc.HTTPBodies) *float64 { return b.P10BytesPerS })
		add(".p50", "median rate of a single %s",
			func(b *rundoc.HTTPBodies) *float64 { return b.P50BytesPerS })
	}
	return all
}

// What the answer shows of what was found.
const (
	mostShown   = 2
	longestShow = 120 // characters
)

// foundPoints are sentences below the failures.
func (v *shown) foundPoints() (points []string) {
	for _, f := range v.detail.Found[:min(len(v.detail.Found), mostShown)] {
		what := []rune(units.Clean(f.What))
		if len(what) > longestShow {
			what = append(what[:longestShow], '…')
		}
		points = append(points, fmt.Sprintf("%s, first seen: %s", report.Cause(f.Cause), string(what)))
	}
	return points
}

// rules explains the rules of HTTP that answers broke.
func (v *shown) rules() report.Section {
	s := report.Section{Title: "Protocol violations"}
	for i := range v.Total.Causes {
		name := v.Total.Causes[i].Cause
		rule, is := strings.CutPrefix(name, cause.Protocol+":")
		means := http1.Rule(rule).Means()
		if v.detail.Protocol == "HTTP/2" {
			means = http2.Rule(rule).Means()
		}
		if !is || means == "" {
			continue
		}
		note := rule + ": " + means
		for _, f := range v.detail.Found {
			if f.Cause == name {
				note += " First seen: " + units.Clean(f.What)
			}
		}
		s.Notes = append(s.Notes, note)
	}
	if len(s.Notes) == 0 {
		return report.Section{}
	}
	return s
}
