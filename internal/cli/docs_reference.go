package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/setting"
)

func newReference(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:     "reference",
		Short:   "Print all settings of all commands as Markdown",
		Example: "  plimsoll docs reference > settings.md",
		Args:    command.AtMost(0, "it takes no argument; it writes to stdout"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := io.WriteString(env.Stdout, reference(cmd.Root())); err != nil {
				return fault.New(fault.RunFailed, "cannot write the reference: %w", err)
			}
			return nil
		},
	}
}

const referenceHead = `# All settings

Each flag of each command, with the place of its value in the plan of a run document, where it has one
(` + "`jq .plan.load.clients run.json`" + `). Made by ` + "`plimsoll docs reference`" + ` from what the
program itself reads and checks. The flags of a server may follow ` + "`--target-flag`" + ` of the command
that starts it, unless the run sets them itself, which is marked with *.
`

// reference is a section for each command that has settings, a table for each of their groups.
func reference(cmd *cobra.Command) string {
	var b strings.Builder
	b.WriteString(referenceHead)
	writeReference(&b, cmd)
	return b.String()
}

// repeatsKey marks a command whose flags are those of another, which it names: the reference has them there.
const repeatsKey = "plimsoll-repeats"

func writeReference(b *strings.Builder, cmd *cobra.Command) {
	if cmd.Annotations[repeatsKey] != "" {
		return
	}
	begun := false
	for _, group := range groupsOf(cmd) {
		settings := settingsOf(group.FlagSet)
		if len(settings) == 0 {
			continue
		}
		if !begun {
			fmt.Fprintf(b, "\n## %s\n", cmd.CommandPath())
			begun = true
		}
		writeGroup(b, group.Name(), settings)
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			writeReference(b, sub)
		}
	}
}

// settingsOf are the settings behind flags, in the order in which they were declared.
func settingsOf(flags *pflag.FlagSet) []*setting.Setting {
	var all []*setting.Setting
	flags.VisitAll(func(f *pflag.Flag) {
		if s, ok := f.Value.(*setting.Setting); ok {
			all = append(all, s)
		}
	})
	return all
}

func writeGroup(b *strings.Builder, heading string, settings []*setting.Setting) {
	inPlan := slices.ContainsFunc(settings, func(s *setting.Setting) bool { return s.Path != "" })
	fmt.Fprintf(b, "\n### %s\n\n| flag | default | |", heading)
	rule := "\n| --- | --- | --- |"
	if inPlan {
		b.WriteString(" in the plan |")
		rule += " --- |"
	}
	b.WriteString(rule + "\n")
	for _, s := range settings {
		fmt.Fprintf(b, "| %s | %s | %s |", flagWords(s), code(shownDefault(s)), strings.ReplaceAll(s.Help, "|", `\|`))
		if inPlan {
			fmt.Fprintf(b, " %s |", code(s.Path))
		}
		b.WriteByte('\n')
	}
}

// flagWords are the flag and the kind of its value, as they are written.
func flagWords(s *setting.Setting) string {
	words := "--" + s.Name
	if s.Shorthand != "" {
		words = "-" + s.Shorthand + ", " + words
	}
	if !s.Switch() {
		words += " " + s.Kind
	}
	words = code(words)
	if s.OfTheRun {
		words += " *"
	}
	return words
}

// shownDefault is the default, where there is one that says something.
func shownDefault(s *setting.Setting) string {
	switch value := s.String(); value {
	case "0", "false":
		return ""
	default:
		return value
	}
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + strings.ReplaceAll(s, "|", `\|`) + "`"
}
