package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	"github.com/plimsoll/plimsoll/internal/cli/compare"
	"github.com/plimsoll/plimsoll/internal/cli/deltas"
	"github.com/plimsoll/plimsoll/internal/cli/leftovers"
	"github.com/plimsoll/plimsoll/internal/cli/runs"
	"github.com/plimsoll/plimsoll/internal/cli/samples"
	"github.com/plimsoll/plimsoll/internal/cli/view"
	"github.com/plimsoll/plimsoll/internal/fault"
)

// Main runs the command that env.Args name and returns the exit code of the process. An
// error becomes one line on stderr, where it points to a text two indented ones that show it, and one more for its
// hint.
func Main(ctx context.Context, env Env) int {
	root := newRoot(&env)
	started := false // past the reading of flags and arguments
	root.PersistentPreRun = func(*cobra.Command, []string) { started = true }
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return int(fault.OK)
	}
	var known *fault.Error
	if !started && !errors.As(err, &known) {
		err = fault.New(fault.Usage, "%w", err) // cobra's own words on flags and arguments
	}
	err = withNearestWord(cmd, err)
	// One line, however narrow a terminal is: it breaks the line itself, and what is copied is whole.
	fmt.Fprintf(env.Stderr, "%s %s\n", env.Red(env.Stderr, "plimsoll:"), fault.OneLine(err.Error()))
	for _, line := range fault.PictureOf(err) {
		fmt.Fprintf(env.Stderr, "  %s\n", line)
	}
	if hint := fault.HintOf(err); hint != "" {
		fmt.Fprintf(env.Stderr, "hint: %s\n", fault.OneLine(hint))
	}
	return int(fault.CodeOf(err))
}

func newRoot(env *Env) *cobra.Command {
	root := &cobra.Command{
		Use:           "plimsoll",
		Short:         "Measure what clients of a networked service experience",
		Long:          rootText,
		Example:       rootExample(),
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
	root.RunE = func(*cobra.Command, []string) error {
		if *asked {
			return printVersion(env)
		}
		_, err := io.WriteString(env.Stdout, frontPage())
		return err
	}
	args := env.Args
	for _, k := range kinds() {
		cmd := newKind(env, k)
		if k.OneDash {
			args = twoDashes(args, cmd)
		}
		if k.LeavesUploads {
			cmd.AddCommand(leftovers.New(env))
		}
		root.AddCommand(cmd)
	}
	root.SetArgs(args)
	root.SetIn(env.Stdin)
	root.SetOut(env.Stdout)
	root.SetErr(env.Stderr)
	root.SetFlagErrorFunc(flagErrors(args))
	addHelpFlag(root)
	root.SetHelpFunc(printHelp)
	help := newHelp(env, root)
	root.SetHelpCommand(help)
	deltaFiles := deltas.New(env)
	deltaFiles.Hidden = offersAll(args)
	comparing := compare.New(env, compareHouse(env))
	root.SetArgs(compare.Direct(args, comparing, kinds()))
	root.AddCommand(help, newSweep(env), comparing, newLoadline(env), newPlan(env),
		newRun(env), newServe(env), deltaFiles,
		runs.New(env, listedKinds()), newReport(env), view.New(env, viewHouse(env)), samples.New(env), newVersion(env),
		newDocs(env))
	addCompletions(root)
	if shellAsks(args) {
		// Nothing is asked of the other commands. Where a run is asked for, it is offered the saved ones.
		if cmd, _, err := root.Find(args[1 : len(args)-1]); err == nil {
			command.OfferValues(cmd, func() []string { return completeRuns(env) })
		}
	}
	offerNoMore(root)
	return root
}

// offersAll reports whether a shell asks for all that may follow, with no letter of it typed: it is offered what the
// help lists.
func offersAll(args []string) bool { return shellAsks(args) && args[len(args)-1] == "" }

// shellAsks reports whether it is a shell that asks what may follow.
func shellAsks(args []string) bool {
	return len(args) > 1 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
}
