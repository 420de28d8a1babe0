package view

import (
	"io"
	"net/http"
	"strconv"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/page"
	"github.com/plimsoll/plimsoll/internal/report/sets"
	"github.com/plimsoll/plimsoll/internal/run"
)

// overlay serves a page that shows several runs of one kind in the same charts.
func (p *Pages) overlay(w http.ResponseWriter, refs []reference) error {
	if len(refs) > sets.MostOverlaid { // before reading them
		return fault.New(fault.Usage, "cannot overlay %d runs: the limit is %d", len(refs), sets.MostOverlaid)
	}
	var all []run.Overlaid
	for _, ref := range refs {
		found, err := p.load(ref)
		if err != nil {
			return err
		}
		if found.Run == nil {
			return fault.New(fault.Usage, "%s is a set of runs, not a single run", ref).
				Hint("%s/members lists its runs, which can be overlaid", ref.to("/runs"))
		}
		all = append(all, run.Overlaid{Name: ref.String(), Run: found.Run, Path: found.Path})
	}
	of, err := run.PageOfRuns(all, p.Kinds(all[0].Run.Workload))
	if err != nil {
		return err
	}
	for i, ref := range refs {
		of.Links = append(of.Links, page.Link{Text: "Run " + strconv.Itoa(i+1), To: ref.to("/runs")})
	}
	of.Links = append(of.Links, page.Link{Text: "All runs", To: "/runs"})
	return write(w, func(w io.Writer) error { return page.Write(w, of) })
}
