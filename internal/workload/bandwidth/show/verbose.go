package show

import (
	"fmt"
	"io"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Verbose writes what a verbose report has more than another, the single operations and the requests of
// a run, for a terminal on which the answer follows. There may be nothing.
func Verbose(w io.Writer, run *rundoc.Run, opt report.Options) error {
	d := run.Bandwidth()
	if d == nil || len(d.Blocks)+len(d.Requests) == 0 {
		return nil
	}
	opt.Verbose = true
	v := &shown{report.NewView(run, Kind(), opt), d}
	var sections []report.Section
	if len(d.Blocks) > 0 {
		sections = append(sections, v.blocks())
	}
	if len(d.Requests) > 0 {
		sections = append(sections, v.requests())
	}
	if err := report.PartsText(w, "", nil, sections, opt); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}
