package run

import (
	"bytes"
	"errors"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/sets"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// The forms of a report.
const (
	FormText     = "text"
	FormMarkdown = "markdown"
	FormJSON     = "json"
	FormCSV      = "csv"
)

// Render writes the full report of a run to stdout in one of the forms.
func Render(env *Env, doc *rundoc.Run, kind report.Kind, form string, opt report.Options) error {
	switch form {
	case FormJSON:
		return unshown(rundoc.Write(env.Stdout, doc))
	case FormMarkdown:
		return unshown(report.Markdown(env.Stdout, doc, kind, opt))
	case FormCSV:
		return unshown(report.CSV(env.Stdout, doc, kind))
	}
	return unshown(report.Text(env.Stdout, doc, kind, env.Look(opt)))
}

// Brief writes the short report of a run to stdout: the answer, and how to get the full report (opt.Rest).
func Brief(env *Env, doc *rundoc.Run, kind report.Kind, opt report.Options) error {
	return unshown(report.Brief(env.Stdout, doc, kind, env.Look(opt)))
}

// Page shows the full report of a run, or the section that opt names: in a pager if stdout is a terminal.
func Page(env *Env, doc *rundoc.Run, kind report.Kind, opt report.Options) error {
	if !env.IsTerminal(env.Stdout) {
		return Render(env, doc, kind, FormText, opt)
	}
	var text bytes.Buffer
	err := report.Text(&text, doc, kind, env.Look(opt))
	if err == nil {
		err = env.page(text.Bytes())
	}
	return unshown(err)
}

// Look returns opt with the width and the colours of stdout if it is a terminal.
func (e *Env) Look(opt report.Options) report.Options {
	if e.IsTerminal(e.Stdout) {
		opt.Width = e.Columns(e.Stdout)
	}
	opt.Colour = e.Colour(e.Stdout)
	return opt
}

func unshown(err error) error {
	var known *fault.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return fault.New(fault.RunFailed, "cannot write the report: %w", err)
}

// RenderSet writes a set to stdout in one of the forms. Text is the answer alone if opt.Rest says where the full report
// is, else the full report: in a pager if stdout is a terminal.
func RenderSet(env *Env, of sets.Source, form string, opt report.Options) error {
	switch form {
	case FormJSON:
		return unshown(setdoc.Write(env.Stdout, of.Set))
	case FormCSV:
		return unshown(sets.CSV(env.Stdout, of.Set))
	}
	opt = env.Look(opt)
	return RenderPage(env, sets.Page(of, opt), form, opt)
}

// RenderPage writes a report to stdout as text or Markdown, as RenderSet does.
func RenderPage(env *Env, p report.Page, form string, opt report.Options) error {
	opt = env.Look(opt)
	switch {
	case form == FormMarkdown:
		return unshown(p.Markdown(env.Stdout, opt))
	case opt.Rest != "":
		return unshown(p.Brief(env.Stdout, opt))
	case !env.IsTerminal(env.Stdout):
		return unshown(p.Text(env.Stdout, opt))
	}
	var text bytes.Buffer
	err := p.Text(&text, opt)
	if err == nil {
		err = env.page(text.Bytes())
	}
	return unshown(err)
}

// Edited returns the error of a document whose parts contradict each other, or nil.
func Edited(broken []string) error {
	if len(broken) == 0 {
		return nil
	}
	return fault.New(fault.Untrusted, "the document cannot be trusted: %s", broken[0])
}
