package run

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// show shows a run in the form that was asked for. A text on a terminal is the answer alone, below what
// is not to be had again from the document, as long as the rest is kept or nobody wants it: that of a
// run that could not be saved is there and nowhere else.
func (r *Run) show(doc *rundoc.Run, c *Conclusion) error {
	kind, forms := r.job.Kind, &r.job.Forms
	if forms.Form() != FormText || !r.Env.IsTerminal(r.Env.Stdout) || !r.kept(c.Show.Files) && !forms.NoSave {
		return Render(r.Env, doc, kind, forms.Form(), c.Show)
	}
	if c.Beside != nil {
		if err := unshown(c.Beside(r.Env.Stdout, r.Env.Look(c.Show))); err != nil {
			return err
		}
	}
	c.Show.Rest = r.rest()
	err := Brief(r.Env, doc, kind, c.Show)
	c.answered = err == nil && r.Env.IsTerminal(r.Env.Stderr)
	return err
}

// kept reports whether the document is among the files that were written.
func (r *Run) kept(files []report.File) bool {
	return slices.ContainsFunc(files, func(f report.File) bool { return r.path != "" && f.Path == r.path })
}

// rest says where the rest of the report is.
func (r *Run) rest() string {
	forms := &r.job.Forms
	switch {
	case forms.NoSave:
		return "The rest of the report was not kept: leave --no-save out for that."
	case forms.Out != "":
		return WholeReport(forms.Out)
	}
	return WholeReport(r.saved())
}

// saved is what a person calls the run among those that are kept: last, as long as it is.
func (r *Run) saved() string {
	s, err := saved.Open(r.Env.Getenv)
	if err != nil {
		return r.ID
	}
	// A file of that name would come first.
	if path, err := s.Find("last"); err == nil && path == r.path {
		return "last"
	}
	return r.ID
}

// WholeReport is the command that shows the whole report of a run. A name that begins as a flag does, or a home,
// is a file here.
func WholeReport(name string) string {
	if strings.HasPrefix(name, "-") || strings.HasPrefix(name, "~") {
		name = "." + string(filepath.Separator) + name
	}
	return "plimsoll report " + units.ShellWord(name) + " --full"
}
