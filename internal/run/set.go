package run

import (
	"bytes"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/sets"
	"github.com/plimsoll/plimsoll/setdoc"
)

// RenderSet writes a set to stdout in one of the forms. As text on a terminal it is the answer alone where opt.Rest
// says where the rest is, and else the whole in pages.
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

// RenderPage writes a report that is not of one run to stdout, as RenderSet does, as text or Markdown.
func RenderPage(env *Env, p report.Page, form string, opt report.Options) error {
	opt = env.Look(opt)
	switch {
	case form == FormMarkdown:
		return unshown(p.Markdown(env.Stdout, opt))
	case !env.IsTerminal(env.Stdout):
		return unshown(p.Text(env.Stdout, opt))
	case opt.Rest != "":
		return unshown(p.Brief(env.Stdout, opt))
	}
	var text bytes.Buffer
	err := p.Text(&text, opt)
	if err == nil {
		err = env.page(text.Bytes())
	}
	return unshown(err)
}

// Edited is the outcome of a document that does not follow from its own figures; nil where it does.
func Edited(broken []string) error {
	if len(broken) == 0 {
		return nil
	}
	return fault.New(fault.Untrusted, "the document cannot be trusted: %s", broken[0])
}
