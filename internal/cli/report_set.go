package cli

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/plimsoll/plimsoll/internal/contrast"
	"github.com/plimsoll/plimsoll/internal/docfile"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/chart"
	"github.com/plimsoll/plimsoll/internal/report/sets"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/run/comparisons"
	"github.com/plimsoll/plimsoll/internal/run/launches"
	"github.com/plimsoll/plimsoll/internal/run/several"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/sweep"
	"github.com/plimsoll/plimsoll/internal/threshold"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

// loadDocument reads a run or a set that is kept, or one that comes from another program.
func loadDocument(env *Env, name string) (*saved.Saved, error) {
	if name != fromStdin {
		s, err := saved.Open(env.Getenv)
		if err != nil {
			return nil, err
		}
		return s.Load(name)
	}
	found := new(saved.Saved)
	text, err := io.ReadAll(io.LimitReader(env.Stdin, rundoc.MaxBytes+1))
	if err == nil {
		found.Run, err = rundoc.Read(bytes.NewReader(text))
	}
	if errors.Is(err, rundoc.ErrSchema) {
		set, setErr := setdoc.Read(bytes.NewReader(text))
		if !errors.Is(setErr, setdoc.ErrSchema) || errors.Is(setErr, docfile.ErrVersion) {
			found.Run, found.Set, err = nil, set, setErr
		}
	}
	if err != nil {
		return nil, fault.New(fault.Usage, "cannot read a run from stdin: %w", err).
			Hint("pipe a document to it: plimsoll chat --json | plimsoll report -")
	}
	return found, nil
}

// runSet shows a set.
func (o *reportOptions) runSet(env *Env, found *saved.Saved, name string) error {
	set := found.Set
	if o.buckets+o.csv+o.hlog != "" || o.bucket != 0 || o.csvIteration || o.csvStream {
		return fault.New(fault.Usage, "--buckets, --bucket, --csv and --hlog need a single run, but %s is a "+
			"%.40s of several", name, set.Kind).
			Hint("--format csv has a row per setting; %s/1 is its first run", name)
	}
	o.bucket = report.DefaultBucket // which nothing is made of
	if err := o.check(env); err != nil {
		return err
	}
	of := sets.Source{Set: set, Broken: rereadSet(found), Name: name}
	if name == fromStdin || o.format == run.FormMarkdown { // which is read elsewhere, and later
		of.Name = set.ID
	}
	files, err := writeAll(
		made{report.ChartFile, o.chart, func() error { return drawSet(env, o.chart, of) }},
		made{run.PageFile, o.html, func() error { return writeSetPage(env, o.html, of, found.Path) }},
		made{run.TestsFile, o.junit, func() error { return run.WriteJUnitOfSet(env, o.junit, set, of.Broken) }})
	if err != nil {
		return err
	}
	opt := report.Options{Files: files, Section: o.section}
	if !o.full && o.section == "" {
		opt.Rest = run.WholeReport(of.Name)
	}
	if o.html != "" && o.format == run.FormText && opt.Rest != "" {
		err = printPath(env, o.html)
	} else {
		err = run.RenderSet(env, of, o.format, opt)
	}
	if err != nil {
		return err
	}
	return run.Edited(of.Broken)
}

// rereadSet says what of a set does not follow from its own figures, nor from the documents of its runs as far as
// they lie beside it: a set that was copied alone has none.
func rereadSet(found *saved.Saved) []string {
	set := found.Set
	if set.Loadline != nil {
		return rereadLoadline(found)
	}
	wrong := append(sweep.Reread(set), contrast.Reread(set)...)
	wrong = append(wrong, launches.Reread(set)...)
	if found.Path == "" {
		return wrong
	}
	const most = 8 // and whoever changed more of it need not be told each
	if c := set.Comparison; c != nil {
		known := reportKind(c.Workload).Known(c.Workload)
		wrong = append(wrong, rereadMembers(found, func(m *setdoc.Member, run *rundoc.Run) []string {
			return append(sweep.RereadMember(set, m, run, nil), comparisons.RereadMember(c, run, known)...)
		})...)
		return wrong[:min(most, len(wrong))]
	}
	var throughput func(*rundoc.Run) figure.Value
	if set.Sweep != nil {
		known := reportKind(set.Sweep.Workload).Known(set.Sweep.Workload)
		if spec, err := figure.Parse(set.Sweep.Figure.Name, known); err == nil {
			throughput = spec.Of
		}
	}
	wrong = append(wrong, rereadMembers(found, func(m *setdoc.Member, run *rundoc.Run) []string {
		return sweep.RereadMember(set, m, run, throughput)
	})...)
	return wrong[:min(most, len(wrong))]
}

// rereadMembers reads the documents of the runs that lie beside a set, and says what the set does not have as they do.
func rereadMembers(found *saved.Saved, reread func(*setdoc.Member, *rundoc.Run) []string) (wrong []string) {
	for i := range found.Set.Members {
		m := &found.Set.Members[i]
		if m.Path == "" {
			continue
		}
		run, err := rundoc.ReadFile(filepath.Join(filepath.Dir(found.Path), filepath.FromSlash(m.Path)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			wrong = append(wrong, err.Error())
		default:
			wrong = append(wrong, reread(m, run)...)
		}
	}
	return wrong
}

// drawSet draws the chart of a set to a file.
func drawSet(env *Env, path string, of sets.Source) error {
	format, err := chart.FormatOf(path)
	if err != nil {
		return err
	}
	var picture bytes.Buffer // first, so that there is no empty file where there is nothing to draw
	if err := sets.Chart(&picture, of, format); err != nil {
		return err
	}
	err = env.Files.Write(path, func(w io.Writer) error {
		_, err := picture.WriteTo(w)
		return err
	})
	if err != nil {
		return fault.New(fault.RunFailed, "cannot draw the chart: %w", err)
	}
	return nil
}

// runBeside shows two documents side by side.
func (o *reportOptions) runBeside(env *Env, names []string) error {
	switch {
	case o.chart+o.buckets+o.csv+o.hlog+o.html+o.junit != "" || o.bucket != 0 || o.csvIteration || o.csvStream:
		return fault.New(fault.Usage, "--side-by-side cannot be combined with --chart, --html, --junit, --hlog, "+
			"--buckets or --csv")
	case o.format != run.FormText && o.format != run.FormMarkdown:
		return fault.New(fault.Usage, "--side-by-side: --format is %s: it must be text or markdown", o.format).
			Hint("use that format for each document alone")
	case names[0] == fromStdin && names[1] == fromStdin:
		return fault.New(fault.Usage, "only one of the documents can come from stdin").Hint("save one of them " +
			"as a file")
	}
	var both [2]sets.Side
	for i, name := range names {
		found, err := loadDocument(env, name)
		if err != nil {
			return err
		}
		both[i] = sideOf(name, found)
	}
	kind := report.Kind{}
	if both[0].Run != nil {
		kind = reportKind(both[0].Run.Workload)
	}
	page, err := sets.Beside(both[0], both[1], kind)
	if err != nil {
		return err
	}
	if err := run.RenderPage(env, page, o.format, report.Options{Section: o.section}); err != nil {
		return err
	}
	for _, side := range both {
		if err := run.Edited(side.Broken); err != nil {
			return err
		}
	}
	return nil
}

// sideOf is a document as one of two, with what of it does not follow from its own figures.
func sideOf(name string, found *saved.Saved) sets.Side {
	side := sets.Side{Name: name, Run: found.Run, Set: found.Set}
	if found.Set != nil {
		side.Broken = rereadSet(found)
		return side
	}
	if again := rundoc.Reread(found.Run); again.Broken {
		side.Broken = again.Verdict.Reasons[:1]
	}
	known := reportKind(found.Run.Workload).Known(found.Run.Workload)
	if edited := threshold.Reread(found.Run, known).Edited; edited != "" {
		side.Broken = append(side.Broken, edited)
	}
	return side
}

// showSet shows a set at the end of the command that made it, in the form that was asked for.
func showSet(env *Env, set *several.Set, forms *run.Forms, opt report.Options) error {
	of := sets.Source{Set: &set.Doc, Name: set.Name(forms)}
	switch {
	case forms.Full:
	case of.Name != "":
		opt.Rest = run.WholeReport(of.Name)
	default:
		opt.Rest = run.NotKept
	}
	var unwritten error
	if forms.HTML != "" {
		if unwritten = writeSetPage(env, forms.HTML, of, ""); unwritten == nil {
			opt.Files = append(opt.Files, report.File{What: run.PageFile, Path: forms.HTML})
		}
	}
	if forms.JUnit != "" {
		if err := run.WriteJUnitOfSet(env, forms.JUnit, &set.Doc, nil); err != nil {
			unwritten = errors.Join(unwritten, err)
		} else {
			opt.Files = append(opt.Files, report.File{What: run.TestsFile, Path: forms.JUnit})
		}
	}
	return errors.Join(run.RenderSet(env, of, forms.Form(), opt), unwritten)
}

// writeSetPage writes the page of a set, whose document lies there, or "".
func writeSetPage(env *Env, path string, of sets.Source, document string) error {
	content, err := run.PageOfSet(of, document)
	if err == nil {
		err = run.WritePage(env, path, content)
	}
	if err != nil {
		return fault.New(fault.RunFailed, "cannot write the page: %w", err)
	}
	return nil
}

// setSettings returns the settings for the output of a set; what is the word for it.
func setSettings(f *run.Forms, what string) []*setting.Setting {
	return append([]*setting.Setting{
		run.FullSetting(&f.Full),
		setting.Switch(&f.Markdown, "markdown", "print the report as Markdown"),
		setting.Switch(&f.JSON, "json", "print only the set document (JSON)"),
		run.PageSetting(&f.HTML),
		run.JUnitSetting(&f.JUnit),
		run.UISetting(&f.UI),
		setting.Output(&f.Out, "out", "directory",
			"save the "+what+" in this directory (default: where 'plimsoll runs' finds it)"),
		setting.Switch(&f.NoSave, "no-save", "save neither the "+what+" nor its runs"),
		setting.Switch(&f.Quiet, "quiet", "do not show progress"),
		saved.LabelSetting(&f.Labels, "label", "label of the "+what+"; repeatable"),
	}, f.Export.Settings()...)
}

// runOverlaid writes the page of several runs, and says where it is.
func (o *reportOptions) runOverlaid(env *Env, names []string) error {
	if o.chart+o.buckets+o.csv+o.section != "" || o.full || o.bucket != 0 || o.csvIteration || o.csvStream ||
		o.format != run.FormText {
		return fault.New(fault.Usage, "several runs can only be shown as a page with --html").
			Hint("remove the other flags, or name one run")
	}
	if len(names) > sets.MostOverlaid {
		return fault.New(fault.Usage, "%d runs are given, but a chart can show at most %d", len(names),
			sets.MostOverlaid).Hint("name fewer")
	}
	if i := slices.Index(names, fromStdin); i >= 0 && slices.Contains(names[i+1:], fromStdin) {
		return fault.New(fault.Usage, "only one document can come from stdin").Hint("save one of them as " +
			"a file")
	}
	if err := run.CheckFiles(env, run.File{Flag: "html", Path: o.html}); err != nil {
		return err
	}
	var runs []run.Overlaid
	var edited []string
	for _, name := range names {
		found, err := loadDocument(env, name)
		if err != nil {
			return err
		}
		if found.Set != nil {
			return fault.New(fault.Usage, "%s is a %.40s, but a page of several runs needs single runs", name, found.Set.Kind).
				Hint("use its runs, %s/1 and so on, or write a page of its own: plimsoll report %s --html FILE", name, name)
		}
		runs = append(runs, run.Overlaid{Name: name, Run: found.Run, Path: found.Path})
		edited = append(edited, sideOf(name, found).Broken...)
	}
	content, err := run.PageOfRuns(runs, reportKind(runs[0].Run.Workload))
	if err != nil {
		return err
	}
	if err := run.WritePage(env, o.html, content); err != nil {
		return fault.New(fault.RunFailed, "cannot write the page: %w", err)
	}
	if err := printPath(env, o.html); err != nil {
		return err
	}
	return run.Edited(edited)
}
