package run

import (
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/rundoc"
)

// The forms of a report.
const (
	FormText     = "text"
	FormMarkdown = "markdown"
	FormJSON     = "json"
	FormCSV      = "csv"
)

// Render writes a run to stdout in one of the forms.
func Render(env *Env, doc *rundoc.Run, kind report.Kind, form string, opt report.Options) error {
	var err error
	switch form {
	case FormJSON:
		err = rundoc.Write(env.Stdout, doc)
	case FormMarkdown:
		err = report.Markdown(env.Stdout, doc, kind, opt)
	case FormCSV:
		err = report.CSV(env.Stdout, doc, kind)
	default:
		// An empty NO_COLOR does not count (no-color.org).
		opt.Colour = env.IsTerminal(env.Stdout) && env.Getenv("NO_COLOR") == ""
		err = report.Text(env.Stdout, doc, kind, opt)
	}
	if err != nil {
		return fault.New(fault.RunFailed, "cannot write the report: %w", err)
	}
	return nil
}
