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

// show writes the report of a run in the form that was asked for. Text is the answer alone unless --full was given, or
// the run should have been saved and could not be: then the full report would be lost.
func (r *Run) show(doc *rundoc.Run, c *Conclusion) error {
	kind, forms := r.job.Kind, &r.job.Forms
	switch {
	case forms.Form() != FormText:
		return Render(r.Env, doc, kind, forms.Form(), c.Show)
	case forms.Full:
		return Page(r.Env, doc, kind, c.Show)
	case !r.kept(c.Show.Files) && !forms.NoSave:
		return Render(r.Env, doc, kind, FormText, c.Show)
	}
	if c.Beside != nil {
		if err := unshown(c.Beside(r.Env.Stdout, r.Env.Look(c.Show))); err != nil {
			return err
		}
	}
	c.Show.Rest = r.rest()
	err := Brief(r.Env, doc, kind, c.Show)
	c.answered = err == nil && r.Env.IsTerminal(r.Env.Stdout) && r.Env.IsTerminal(r.Env.Stderr)
	return err
}

// kept reports whether the run document was saved.
func (r *Run) kept(files []report.File) bool {
	return slices.ContainsFunc(files, func(f report.File) bool { return r.path != "" && f.Path == r.path })
}

// rest returns the command that shows the full report, or a sentence.
func (r *Run) rest() string {
	forms := &r.job.Forms
	switch {
	case forms.NoSave:
		return NotKept
	case forms.Out != "":
		return WholeReport(forms.Out)
	}
	return WholeReport(r.saved())
}

// reasons returns the command that shows all reasons of the verdict, or "" if the run was not saved.
func (r *Run) reasons(files []report.File) string {
	switch {
	case !r.kept(files):
		return ""
	case r.job.Forms.Out != "":
		return AnswerOf(r.job.Forms.Out)
	}
	return AnswerOf(r.ID)
}

// saved returns the name of the run among the saved runs: "last" if it is the newest.
func (r *Run) saved() string {
	s, err := saved.Open(r.Env.Getenv)
	if err != nil {
		return r.ID
	}
	// A file named "last" takes precedence.
	if path, err := s.Find("last"); err == nil && path == r.path {
		return "last"
	}
	return r.ID
}

// NotKept takes the place of the command that shows the full report of a run that was not saved.
const NotKept = "The full report was not kept. Use --full to print it, or run without --no-save."

// WholeReport returns the command that shows the full report of a run. A name that begins with "-" or "~" is a file in
// the current directory.
func WholeReport(name string) string { return reportOf(name) + " --full" }

// AnswerOf returns the command that shows the whole answer of a run, with all reasons of the verdict.
func AnswerOf(name string) string { return reportOf(name) + " --section answer" }

func reportOf(name string) string {
	if strings.HasPrefix(name, "-") || strings.HasPrefix(name, "~") {
		name = "." + string(filepath.Separator) + name
	}
	return "plimsoll report " + units.ShellWord(name)
}
