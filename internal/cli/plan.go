package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/planfile"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// newPlan returns the plan command.
func newPlan(env *Env) *cobra.Command {
	schema := false
	cmd := &cobra.Command{
		Use:   "plan",
		Short: "Print a command line as a plan file",
		Long: `Print the plan file that is equivalent to a command line, for 'plimsoll run'.
Nothing is measured. Only flags that were given are included.

Values that may be secret, such as headers, are replaced by environment
variables. See docs/plan-files.md for what else a plan file can contain.`,
		Example: `  plimsoll plan chat --clients 8 --duration 30s > plan.yaml
  plimsoll run plan.yaml

  # let your editor complete and check plan files
  plimsoll plan --schema > plan.schema.json`,
		Args: command.Known,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !schema {
				return cmd.Help()
			}
			text, err := planfile.JSONSchema(kinds())
			if err == nil {
				_, err = env.Stdout.Write(text)
			}
			if err != nil {
				return fault.New(fault.RunFailed, "cannot write the schema: %w", err)
			}
			return nil
		},
	}
	command.AddFlags(cmd, new(setting.Set).Group("Output",
		setting.Switch(&schema, "schema", "print the JSON Schema of plan files")))
	for _, k := range kinds() {
		cmd.AddCommand(newPlanOf(env, k))
	}
	return cmd
}

// newPlanOf returns the plan command of one kind, which takes the flags and arguments of that kind's own command.
func newPlanOf(env *Env, k run.Kind) *cobra.Command {
	cmd := newKind(env, k)
	c := k.New()
	settings := c.Settings()
	cmd.ResetFlags()
	command.AddFlags(cmd, settings)
	cmd.Annotations = map[string]string{repeatsKey: k.Name}
	cmd.Short = "Print a command line of 'plimsoll " + k.Name + "' as a plan file"
	cmd.Long = "Print the plan file that is equivalent to a command line of plimsoll " + k.Name + ".\n" +
		"Nothing is measured. Only flags that were given are included."
	cmd.Example = "  plimsoll plan " + k.Name + " > plan.yaml\n  plimsoll run plan.yaml"
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := foreignValue(cmd); err != nil {
			return err
		}
		changed := command.Given(cmd)
		if err := c.Resolve(args, changed); err != nil {
			return run.FigureOf(kinds(), k, err)
		}
		if _, err := c.Job(env); err != nil { // 'plimsoll run' would reject it
			return err
		}
		text, _, err := planfile.Write(planfile.Call{Kind: k.Name, Arguments: args, Settings: settings, Changed: changed})
		if err != nil {
			return err
		}
		if _, err := io.WriteString(env.Stdout, text); err != nil {
			return fault.New(fault.RunFailed, "cannot write the plan: %w", err)
		}
		return nil
	}
	return cmd
}
