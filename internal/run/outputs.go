package run

import (
	"io"
	"os"
	"path/filepath"

	"github.com/plimsoll/plimsoll/internal/export"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/outfile"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// checkDir makes the directory if need be, and makes sure that a file of that name can be written in it.
func checkDir(env *Env, flag, dir, name string) error {
	files := env.filesIn(dir)
	err := files.MkdirAll(dir)
	if err == nil {
		err = files.Check(filepath.Join(dir, name))
	}
	if err == nil {
		return nil
	}
	e := fault.New(fault.Usage, "cannot save runs in %s: %w", dir, outfile.Reason(err))
	if flag != "" {
		e = fault.New(fault.Usage, "--%s: cannot write to %s: %w", flag, dir, outfile.Reason(err))
	}
	return e.Hint("set a writable directory with --out, or do not save with --no-save")
}

// whereToSave decides where the document of a run goes, and makes sure that it can; "" when it is
// not kept.
func whereToSave(env *Env, f *Forms, id string) (string, error) {
	switch {
	case f.NoSave && f.Out != "":
		return "", fault.New(fault.Usage, "--out and --no-save cannot be combined").Hint("remove one of them")
	case f.NoSave:
		return "", nil
	case f.Out != "":
		path := filepath.Join(f.Out, saved.RunFile)
		if _, err := os.Stat(path); err == nil {
			return "", fault.New(fault.Usage, "--out: %s already contains a run", f.Out).
				Hint("choose another directory, or remove %s", path)
		}
		return path, checkDir(env, "out", f.Out, saved.RunFile)
	}
	s, err := saved.Open(env.Getenv)
	if err != nil {
		return "", err
	}
	return s.Path(id), checkDir(env, "", s.Dir, ".plimsoll-probe")
}

// filesIn returns what files in a directory are written with: for their owner alone where runs are kept, and as the
// umask says elsewhere.
func (e *Env) filesIn(dir string) outfile.Files {
	s, err := saved.Open(e.Getenv)
	if err != nil {
		return e.Files
	}
	if below, err := filepath.Rel(s.Dir, dir); err != nil || !filepath.IsLocal(below) {
		return e.Files
	}
	return e.Files.Private()
}

// WriteDocument writes a document of a run or of a set, and makes the directory that it is in.
func (e *Env) WriteDocument(path string, write func(io.Writer) error) error {
	files := e.filesIn(filepath.Dir(path))
	if err := files.MkdirAll(filepath.Dir(path)); err != nil {
		return err
	}
	return files.Write(path, write)
}

// Claim makes sure that no other command saves in the directory of --out until release is called.
func (f *Forms) Claim() (release func() error, err error) {
	if f.Out == "" || f.NoSave {
		return func() error { return nil }, nil
	}
	if release, err = outfile.Claim(f.Out); err != nil {
		return nil, fault.New(fault.Usage, "--out: another command is saving its run in %s", f.Out).
			Hint("choose another directory, or wait until that command ends")
	}
	return release, nil
}

// Forms are the settings of every kind's command that say in which form a run is shown and where
// it is kept.
type Forms struct {
	Out      string
	NoSave   bool
	JSON     bool
	Markdown bool
	Full     bool   // the full report as text, not the answer alone
	HTML     string // the file of the page for a browser
	JUnit    string // the file of tests
	UI       string // the address of the page that shows the run while it goes on; "": none
	Quiet    bool
	Labels   []string        // what the user calls the run
	Export   export.Settings // the ways out of it while it goes on
	Goals    Goals
	Until    Until
}

// Settings declares them.
func (f *Forms) Settings() []*setting.Setting {
	all := []*setting.Setting{
		FullSetting(&f.Full),
		setting.Switch(&f.Markdown, "markdown", "print the report as Markdown"),
		setting.Switch(&f.JSON, "json", "print only the run document (JSON)"),
		PageSetting(&f.HTML),
		JUnitSetting(&f.JUnit),
		UISetting(&f.UI),
		setting.Output(&f.Out, "out", "directory",
			"save the run in this directory (default: where 'plimsoll runs' finds it)"),
		setting.Switch(&f.NoSave, "no-save", "do not save the run"),
		setting.Switch(&f.Quiet, "quiet", "do not show progress"),
		saved.LabelSetting(&f.Labels, "label", "label of the run, for reports and 'plimsoll runs --label'; "+
			"repeatable"),
	}
	for _, s := range all {
		s.OfResults()
	}
	return append(all, f.Export.Settings()...)
}

// FullSetting declares the setting for the full report.
func FullSetting(into *bool) *setting.Setting {
	return setting.Switch(into, "full", "print the full report, not only the answer")
}

// Check returns an error if two forms are given.
func (f *Forms) Check() error {
	form := ""
	for _, given := range []struct {
		name string
		is   bool
	}{{"--json", f.JSON}, {"--markdown", f.Markdown}, {"--full", f.Full}} {
		switch {
		case given.is && form != "":
			return fault.New(fault.Usage, "%s and %s cannot be combined", form, given.name).Hint("remove one of them")
		case given.is:
			form = given.name
		}
	}
	return nil
}

// Form is the form of the report that was asked for.
func (f *Forms) Form() string {
	switch {
	case f.JSON:
		return FormJSON
	case f.Markdown:
		return FormMarkdown
	}
	return FormText
}

// CheckFiles makes sure that every file that a run is to write can be written, before a run that it would be too late
// to repeat.
func CheckFiles(env *Env, files ...File) error {
	of := map[string]string{}
	for _, f := range files {
		if f.Path == "" {
			continue
		}
		clean := filepath.Clean(f.Path)
		if other := of[clean]; other != "" {
			return fault.New(fault.Usage, "--%s and --%s name the same file, %s", other, f.Flag, f.Path).
				Hint("use a different file for each")
		}
		of[clean] = f.Flag
		if err := env.Files.Check(f.Path); err != nil {
			return fault.New(fault.Usage, "--%s: cannot write %s: %w", f.Flag, f.Path, outfile.Reason(err)).
				Hint("choose a path in an existing directory that you can write to")
		}
	}
	return nil
}
