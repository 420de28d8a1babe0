package cli

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/outfile"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/setting"
)

func newDocs(env *Env) *cobra.Command {
	docs := &cobra.Command{
		Use:     "docs",
		Short:   "Write the manual pages, or a list of all settings",
		Example: "  plimsoll docs man --dir ~/.local/share/man/man1",
		Args:    knownCommand,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	docs.AddCommand(newMan(env), newReference(env))
	return docs
}

func newMan(env *Env) *cobra.Command {
	dir := "."
	cmd := &cobra.Command{
		Use:   "man",
		Short: "Write a manual page for each command",
		Long: `Write a manual page for each command: some 25 files, into the directory that
--dir names. Without it they go into the current directory.`,
		Example: "  plimsoll docs man --dir ~/.local/share/man/man1\n  man plimsoll-chat",
		Args:    command.AtMost(0, "it takes no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := env.Files.MkdirAll(dir); err != nil {
				return fault.New(fault.Usage, "--dir: cannot make %s: %w", dir, outfile.Reason(err)).
					Hint("give a directory that you may write to")
			}
			if err := writeMan(cmd.Root(), dir, sourceTime(env)); err != nil {
				return fault.New(fault.RunFailed, "cannot write the manual pages: %w", err)
			}
			_, err := fmt.Fprintf(env.Stderr, "wrote the manual pages to %s\n", dir)
			return err
		},
	}
	command.AddFlags(cmd, new(setting.Set).Group("Output",
		setting.Output(&dir, "dir", "directory", "directory to write the files to; made when it does not exist")))
	return cmd
}

// writeMan writes the page of cmd and those of its subcommands. It changes the commands' texts
// into what the pages need: it is the last that is done with them.
func writeMan(cmd *cobra.Command, dir string, date time.Time) error {
	cmd.DisableAutoGenTag = true
	for _, sub := range cmd.Commands() {
		if !sub.IsAvailableCommand() || sub.IsAdditionalHelpTopicCommand() {
			continue
		}
		if err := writeMan(sub, dir, date); err != nil {
			return err
		}
	}
	cmd.Long = manText(cmd)
	cmd.Flags().VisitAll(manFlag)
	var page bytes.Buffer
	header := &doc.GenManHeader{Section: "1", Source: "plimsoll " + run.Tool().Version, Date: &date}
	if err := doc.GenMan(cmd, header, &page); err != nil {
		return err
	}
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
	return outfile.Bytes(filepath.Join(dir, name), []byte(withExitStatus(page.String())))
}

// manText is the description of a command. Lines that are set in become text that is not
// filled; the exit status has a section of its own.
func manText(cmd *cobra.Command) string {
	lines := strings.Split(cmd.Long, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, "  ") {
			lines[i] = "    " + line
		}
	}
	return strings.Join(lines, "\n")
}

// manFlag shows the kind of a flag's value, and its default behind the help where that says
// nothing else.
func manFlag(f *pflag.Flag) {
	if f.NoOptDefVal != "" {
		return // a switch
	}
	if f.DefValue != "" && f.DefValue != "0" && f.DefValue != "[]" {
		f.Usage += " (default " + f.DefValue + ")"
	}
	f.DefValue = f.Value.Type()
}

// withExitStatus adds the section to a page, before the examples.
func withExitStatus(page string) string {
	var b strings.Builder
	b.WriteString(".SH EXIT STATUS\n")
	for _, s := range exitStatus {
		fmt.Fprintf(&b, ".TP\n\\fB%s\\fP\n%s\n", s.code, s.meaning)
	}
	for _, heading := range []string{".SH EXAMPLE", ".SH SEE ALSO"} {
		if before, after, found := strings.Cut(page, heading); found {
			return before + b.String() + "\n" + heading + after
		}
	}
	return page + b.String()
}

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
