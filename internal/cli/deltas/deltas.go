package deltas

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	"github.com/plimsoll/plimsoll/internal/delta/files"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/outfile"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/units"
)

const long = `Create, convert and inspect delta files: files of rows that set or delete a key,
which a key/value server loads and 'plimsoll updates' publishes.

  csv      key,mutation_type,logical_commit_time,value,value_type; sets as a|b|c
  jsonl    one object per line
  avro     an Avro object container file
  compact  messages as they travel through a topic

Files are read and written row by row and can be larger than memory.`

// New makes the command, with those below it.
func New(env *run.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "deltas",
		Short: "Create, convert and inspect files of updates",
		Long:  long,
		Example: `  plimsoll deltas generate --files 10 --updates 1000 --out deltas

  plimsoll deltas inspect deltas`,
		Args: command.Known,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newGenerate(env), newConvert(env), newInspect(env))
	return cmd
}

// stdio is the argument that stands for stdin or stdout.
const stdio = "-"

// formatSetting is a format of delta files.
func formatSetting(into *files.Format, name, help string) *setting.Setting {
	shown := func(f files.Format) string {
		if f == files.Auto {
			return ""
		}
		return f.String()
	}
	var names []string
	for _, f := range files.Formats() {
		names = append(names, f.String())
	}
	return setting.Of(into, name, "format", help, files.ParseFormat, shown).Offer(names...)
}

// readsFiles makes a command that reads delta files, which its arguments name.
func readsFiles(
	cmd *cobra.Command, env *run.Env, settings *setting.Set,
	do func(ctx context.Context, env *run.Env, inputs []string) error,
) *cobra.Command {
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		inputs, err := inputFiles(cmd, args)
		if err != nil {
			return err
		}
		return do(cmd.Context(), env, inputs)
	}
	command.AddFlags(cmd, settings)
	return cmd
}

// inputFiles checks arguments that are files, directories of delta files, or "-".
func inputFiles(cmd *cobra.Command, args []string) ([]string, error) {
	if len(args) == 0 {
		return nil, fault.New(fault.Usage, "%s needs a file, a directory of delta files, or - for stdin", cmd.CommandPath()).
			Hint("run '%s --help' for an example", cmd.CommandPath())
	}
	stdins := 0
	for _, a := range args {
		switch a {
		case "":
			return nil, fault.New(fault.Usage, "the name of a file is empty")
		case stdio:
			stdins++
		}
	}
	if stdins > 1 {
		return nil, fault.New(fault.Usage, "- is given %d times, but stdin can be read only once", stdins)
	}
	paths, err := files.Expand(args)
	if err != nil {
		return nil, fault.New(fault.Usage, "%w", err).
			Hint("delta files are named DELTA_ and 16 digits; name other files one by one")
	}
	return paths, nil
}

// reader reads files of rows, one after the other.
type reader struct {
	env       *run.Env
	from      files.Format
	keepGoing bool
	skipped   skippedRows
	far       *progress
}

// each reads the file at path and calls f for each of its rows.
func (d *reader) each(ctx context.Context, path string, f func(*files.Reader) error) (*files.Reader, error) {
	o := files.Options{Name: path, Format: d.from}
	if d.keepGoing {
		o.Bad = d.skip
	}
	in := d.env.Stdin
	if path == stdio {
		o.Name = "stdin"
	} else {
		file, err := os.Open(path)
		if err != nil {
			return nil, fault.New(fault.Usage, "cannot read %s: %w", path, outfile.Reason(err))
		}
		defer func() { _ = file.Close() }() // it was only read
		in = d.far.reads(path, file)
	}
	r, err := files.NewReader(in, o)
	if err != nil {
		return nil, d.readFault(err)
	}
	for {
		if err := ctx.Err(); err != nil {
			return nil, fault.New(fault.Interrupted, "interrupted")
		}
		if err := f(r); err == io.EOF {
			return r, nil
		} else if err != nil {
			return nil, d.readFault(err)
		}
	}
}

func (d *reader) readFault(err error) error {
	var known *fault.Error
	if errors.As(err, &known) {
		return err
	}
	var bad *files.RowError
	if !errors.As(err, &bad) {
		return fault.New(fault.RunFailed, "cannot read on: %w", err)
	}
	e := fault.New(fault.Usage, "%w", err)
	switch {
	case !bad.Final:
		return e.Hint("correct the file, or skip bad rows with --keep-going")
	case d.keepGoing:
		return e.Hint("the rest of the file cannot be read, even with --keep-going")
	}
	return e
}

// skippedRows counts what was bad.
type skippedRows struct {
	rows, messages int64
	first          error
}

// shownSkips is how many bad rows are named one by one.
const shownSkips = 20

func (d *reader) skip(bad *files.RowError) {
	s := &d.skipped
	if s.first == nil {
		s.first = bad
	}
	if bad.Whole {
		s.messages++
	} else {
		s.rows++
	}
	switch n := s.rows + s.messages; {
	case n <= shownSkips:
		fmt.Fprintf(d.far.beside(), "skipped %s\n", fault.OneLine(bad.Error()))
	case n == shownSkips+1:
		fmt.Fprintln(d.far.beside(), "skipped more, which are only counted")
	}
}

// fault is an error when something was skipped; good is how many rows were not.
func (s *skippedRows) fault(good int64, hint string) error {
	if s.first == nil {
		return nil
	}
	what := fmt.Sprintf("%s of %s rows were bad and were skipped", units.Number(s.rows), units.Number(good+s.rows))
	if s.messages > 0 {
		what = fmt.Sprintf("%s, with an unknown number of rows, and %s were skipped",
			units.Count(s.messages, "damaged message", "damaged messages"), units.Count(s.rows, "bad row", "bad rows"))
	}
	return fault.New(fault.Usage, "%s; the first: %w", what, s.first).Hint("%s", hint)
}

// output is a file or stdout that rows are written to.
type output struct {
	*files.Writer
	path string
	file *outfile.File // nil for stdout
}

func createOutput(env *run.Env, path string, f files.Format, batch int, overwrite bool) (*output, error) {
	o := &output{path: path}
	out := env.Stdout
	if path != stdio {
		file, err := env.Files.Create(path, overwrite)
		if errors.Is(err, fs.ErrExist) {
			return nil, fault.New(fault.Usage, "%s already exists", path).Hint("choose another file with " +
				"--out, or add --overwrite")
		}
		if err != nil {
			return nil, fault.New(fault.Usage, "cannot write %s: %w", path, outfile.Reason(err)).
				Hint("choose a path in an existing directory that you can write to")
		}
		o.file, out = file, file
	}
	w, err := files.NewWriter(out, f, batch)
	if err != nil {
		return nil, o.failed(err)
	}
	o.Writer = w
	return o, nil
}

// finish ends the file and gives it its name.
func (o *output) finish() error {
	if err := o.Close(); err != nil {
		return o.failed(err)
	}
	if o.file == nil {
		return nil
	}
	err := o.file.Commit()
	if errors.Is(err, fs.ErrExist) {
		return fault.New(fault.Usage, "%s was created in the meantime and was not replaced", o.path)
	}
	if err != nil {
		return fault.New(fault.RunFailed, "cannot write %s: %w", o.path, outfile.Reason(err))
	}
	return nil
}

// failed is the error for one of the file's, after which nothing of it is left.
func (o *output) failed(err error) error {
	if o.file == nil {
		return fault.New(fault.RunFailed, "cannot write to stdout: %w", outfile.Reason(err))
	}
	e := fault.New(fault.RunFailed, "cannot write %s: %w", o.path, outfile.Reason(err))
	if o.file.Special() {
		return errors.Join(e, o.file.Abandon())
	}
	if left := o.file.Abandon(); left != nil {
		return e.Hint("the incomplete file is still there: %v", left)
	}
	return e.Hint("the incomplete file was removed; make sure that there is enough space")
}

// abandon removes what was written, because of err.
func (o *output) abandon(err error) error {
	if o.file == nil {
		return err
	}
	return errors.Join(err, o.file.Abandon())
}

// untilInterrupted gives a context that ends with an interrupt. While stdin is read an
// interrupt ends the process, as reading cannot be broken off; the line of the progress is gone before.
func untilInterrupted(ctx context.Context, env *run.Env, far *progress, paths ...string) (context.Context, func()) {
	if slices.Contains(paths, stdio) {
		return ctx, run.EndByInterrupt(env, far.end)
	}
	soft, _, release := run.Interrupts(ctx, env, nil)
	return soft, release
}
