package samples

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/samples"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/units"
)

// New makes the command, with the one below it.
func New(env *run.Env) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "samples",
		Short:   "Convert sample files to Parquet or HdrHistogram logs",
		Long:    "Convert the CSV files that --samples, or bandwidth --csv, writes during a run.",
		Example: "  plimsoll samples convert samples.csv samples.parquet",
		Args:    command.Known,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newConvert(env))
	return cmd
}

const convertLong = `Convert the CSV file of --samples, or of bandwidth --csv, to Parquet or to an
HdrHistogram log. The extension of OUT selects the format; IN can be - for
stdin.

  .parquet  all rows: times in whole ns in columns ending in _ns, UTC timestamps
            as TIMESTAMP(MICROS), dictionary-encoded texts, Zstandard
  .hlog     the response times of the window: one interval per second and
            operation, tagged with the operation's name

An incomplete last line, as a killed run leaves, is skipped with a warning. Any
other invalid line stops the conversion with its file and line, and nothing is
written. 'plimsoll report RUN --hlog FILE' writes the log of a run document.`

func newConvert(env *run.Env) *cobra.Command {
	overwrite := false
	settings := new(setting.Set).Group("Output",
		setting.Switch(&overwrite, "overwrite", "replace an existing file"))
	cmd := &cobra.Command{
		Use:   "convert IN OUT",
		Short: "Convert a sample file to Parquet or an HdrHistogram log",
		Long:  convertLong,
		Example: `  plimsoll samples convert samples.csv samples.parquet

  plimsoll samples convert samples.csv samples.hlog

  gzip -dc samples.csv.gz | plimsoll samples convert - samples.parquet`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 2 && args[0] != "" && args[1] != "" {
				return nil
			}
			return fault.New(fault.Usage, "%s needs two files: a CSV file of samples, or -, and the output file",
				cmd.CommandPath()).Hint("run '%s --help' for an example", cmd.CommandPath())
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return convert(cmd.Context(), env, args[0], args[1], overwrite)
		},
	}
	command.AddFlags(cmd, settings)
	return cmd
}

func convert(ctx context.Context, env *run.Env, from, to string, overwrite bool) error {
	// The first interrupt ends it: a file that is not whole is none.
	soft, _, release := run.Interrupts(ctx, env, nil)
	defer release()
	var w samples.Written
	var err error
	if from == samples.Stdin {
		w, err = samples.ConvertFrom(soft, env.Files, env.Stdin, "stdin", to, overwrite)
	} else {
		w, err = samples.Convert(soft, env.Files, from, to, overwrite)
	}
	if err != nil {
		return err
	}
	if err := note(env.Stderr, w, from); err != nil {
		return err
	}
	_, err = fmt.Fprintf(env.Stdout, "wrote %s to %s\n", units.Count(w.Rows-w.Left, "sample", "samples"), to)
	return err
}

// note says what is not in the new file.
func note(out io.Writer, w samples.Written, from string) error {
	if w.Cut > 0 {
		if _, err := fmt.Fprintf(out, `plimsoll: skipped the last line of %s, which is incomplete (%s)
`, from, units.Count(w.Cut, "byte", "bytes")); err != nil {
			return err
		}
	}
	if w.Left == 0 {
		return nil
	}
	_, err := fmt.Fprintf(out, `plimsoll: skipped %s: outside the window, or failed with a response
`,
		units.Count(w.Left, "sample is", "samples are"))
	return err
}
