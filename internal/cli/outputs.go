package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/outfile"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// checkFile makes sure that a file can be written, before a run that it would be too late to
// repeat. It leaves no trace: what was not there is not there afterwards, and what was there
// is not changed.
func checkFile(flag, path string) error {
	given := path
	cannot := func(err error) error {
		return fault.New(fault.Usage, "--%s: cannot write %s: %w", flag, given, reason(err)).
			Hint("give the path of a file in a directory that exists and that you may write to")
	}
	path, err := outfile.Resolve(path)
	if err != nil {
		return cannot(err)
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return cannot(errors.New("it is a directory"))
	case err == nil && info.Mode()&fs.ModeNamedPipe != 0:
		return nil // opening it would wait for a reader
	case err == nil:
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return cannot(err)
		}
		return f.Close()
	case !errors.Is(err, fs.ErrNotExist):
		return cannot(err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return cannot(err)
	}
	if err := errors.Join(f.Close(), os.Remove(path)); err != nil {
		return cannot(err)
	}
	return nil
}

// checkDir makes the directory if need be, and sure that files can be made in it.
func checkDir(flag, dir string) error {
	cannot := func(err error) error {
		e := fault.New(fault.Usage, "cannot save runs in %s: %w", dir, reason(err))
		if flag != "" {
			e = fault.New(fault.Usage, "--%s: cannot write to %s: %w", flag, dir, reason(err))
		}
		return e.Hint("name a directory that you may write to with --out, or keep nothing with --no-save")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return cannot(err)
	}
	f, err := os.CreateTemp(dir, ".plimsoll-probe-*")
	if err != nil {
		return cannot(err)
	}
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		return cannot(err)
	}
	return nil
}

// reason is what the operating system said, without the operation and the path that the
// message names already.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// saving says where the document of a run goes.
type saving struct {
	path string // "" when it is not kept
}

// prepareSaving decides where the document goes and makes sure that it can.
func prepareSaving(env *Env, o *forms, id string) (saving, error) {
	switch {
	case o.noSave && o.out != "":
		return saving{}, fault.New(fault.Usage, "--out and --no-save are both given").Hint("leave one of them out")
	case o.noSave:
		return saving{}, nil
	case o.out != "":
		path := filepath.Join(o.out, documentName)
		if _, err := os.Stat(path); err == nil {
			return saving{}, fault.New(fault.Usage, "--out: %s holds a run already", o.out).
				Hint("name another directory, or remove %s", path)
		}
		return saving{path}, checkDir("out", o.out)
	}
	s, err := openRuns(env)
	if err != nil {
		return saving{}, err
	}
	return saving{s.path(id)}, checkDir("", s.dir)
}

// forms are the settings of every workload's command that say in which form a run is shown
// and where it is kept.
type forms struct {
	out      string
	noSave   bool
	json     bool
	markdown bool
	quiet    bool
}

// settings declares them.
func (f *forms) settings() []*setting.Setting {
	return []*setting.Setting{
		setting.Switch(&f.markdown, "markdown", "print the report as a Markdown section"),
		setting.Switch(&f.json, "json", "print the run document and nothing else"),
		setting.Text(&f.out, "out", "directory", "save the run here instead of with the other runs"),
		setting.Switch(&f.noSave, "no-save", "do not save the run"),
		setting.Switch(&f.quiet, "quiet", "show no progress"),
	}
}

// flags makes flags of them.
func (f *forms) flags(set *pflag.FlagSet) {
	for _, one := range f.settings() {
		flag := set.VarPF(one, one.Name, "", one.Help)
		if one.Switch() {
			flag.NoOptDefVal = "true"
		}
	}
}

// check refuses two forms at once.
func (f *forms) check() error {
	if f.json && f.markdown {
		return fault.New(fault.Usage, "--json and --markdown are both given").Hint("leave one of them out")
	}
	return nil
}

// form is the one that was asked for.
func (f *forms) form() string {
	switch {
	case f.json:
		return formJSON
	case f.markdown:
		return formMarkdown
	}
	return formText
}

// outputFile is a file that a flag asks for.
type outputFile struct{ flag, path string }

// checkFiles makes sure that every file that a run is to write can be written.
func checkFiles(files ...outputFile) error {
	for _, f := range files {
		if f.path == "" {
			continue
		}
		if err := checkFile(f.flag, f.path); err != nil {
			return err
		}
	}
	return nil
}
