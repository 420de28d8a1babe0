package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// Main runs the command that env.Args name and returns the exit code of the process. An
// error becomes one line on stderr, and one more for its hint.
func Main(ctx context.Context, env Env) int {
	root := newRoot(&env)
	started := false // past the reading of flags and arguments
	root.PersistentPreRun = func(*cobra.Command, []string) { started = true }
	err := root.ExecuteContext(ctx)
	if err == nil {
		return int(fault.OK)
	}
	var known *fault.Error
	if !started && !errors.As(err, &known) {
		err = fault.New(fault.Usage, "%w", err) // cobra's own words on flags and arguments
	}
	fmt.Fprintf(env.Stderr, "plimsoll: %s\n", fault.OneLine(err.Error()))
	if hint := fault.HintOf(err); hint != "" {
		fmt.Fprintf(env.Stderr, "hint: %s\n", fault.OneLine(hint))
	}
	return int(fault.CodeOf(err))
}

const rootText = `Plimsoll measures what a client really gets from a networked service.

A run makes load, times every operation from the moment when it was due, says where
the clients' time went, and judges whether its own numbers can be trusted. Reports go
to stdout, progress and errors to stderr.`

// exitStatus is told in the help of the program and on every manual page.
var exitStatus = [...]struct{ code, meaning string }{
	{"0", "the run is complete"},
	{"1", "the run failed, or not one operation was ok"},
	{"2", "a flag, an argument or a file is wrong"},
	{"3", "a figure got worse than in the baseline, or updates were lost"},
	{"4", "the measurement cannot be trusted; the report says why"},
	{"130", "interrupted; the results so far were saved"},
}

func rootLong() string {
	var b strings.Builder
	b.WriteString(rootText + "\n\nExit status:\n")
	for _, s := range exitStatus {
		fmt.Fprintf(&b, "  %-3s  %s\n", s.code, s.meaning)
	}
	return b.String()
}

const rootExample = `  # measure the embedded chat server for ten seconds
  plimsoll chat

  # files of 1 GiB to the embedded S3 server and back, for five seconds
  plimsoll bandwidth

  # what a call of the AWS SDK costs on the client's side, operation by operation
  plimsoll overhead --time 3s --warmup 1s

  # how fast updates reach a key/value server, with a proof that none was lost
  plimsoll updates

  # read the last run again
  plimsoll report last`

func newRoot(env *Env) *cobra.Command {
	root := &cobra.Command{
		Use:           "plimsoll",
		Short:         "Measure what a client really gets from a networked service",
		Long:          rootLong(),
		Example:       rootExample,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	// Cobra's own has the shorthand -v, which elsewhere means verbose, and a template: one use of
	// text/template, which looks methods up by name, makes the linker keep every method there is.
	asked := root.Flags().Bool("version", false, "print the version")
	root.Args = func(cmd *cobra.Command, args []string) error {
		if *asked {
			return nil
		}
		return knownCommand(cmd, args)
	}
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if *asked {
			return printVersion(env)
		}
		return cmd.Help()
	}
	args := env.Args
	for _, k := range kinds() {
		cmd := newKind(env, k)
		if k.OneDash {
			args = twoDashes(args, cmd)
		}
		root.AddCommand(cmd)
	}
	root.SetArgs(args)
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	root.SetFlagErrorFunc(flagError)
	root.SetHelpFunc(printHelp)
	root.AddCommand(newServe(env), newDeltas(env), newRuns(env), newReport(env), newVersion(env), newDocs(env))
	return root
}
