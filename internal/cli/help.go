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
	"github.com/plimsoll/plimsoll/internal/glossary"
	"github.com/plimsoll/plimsoll/internal/setting"
)

const (
	helpWidth = 80
	// The short help of a command fits on a screen.
	shortLines    = 60
	shortExamples = 3
	// The help of a flag begins in this column at the latest. A longer flag has a line of its own.
	maxFlagColumn = 32
)

// helpValue is the value of --help: a switch, or "all" for the complete help.
type helpValue struct{ asked, all bool }

// Set accepts what a switch accepts, and "all".
func (h *helpValue) Set(text string) error {
	switch text {
	case "all":
		h.asked, h.all = true, true
	case "true":
		h.asked = true
	case "false":
		h.asked, h.all = false, false
	default:
		return fmt.Errorf(`%q is not a value of --help: use --help, or --help=all for all flags`, text)
	}
	return nil
}

// String returns the value as cobra reads it.
func (h *helpValue) String() string { return fmt.Sprint(h.asked) }

// Type returns "bool", without which cobra refuses the flag.
func (h *helpValue) Type() string { return "bool" }

// addHelpFlag declares --help for root and all commands below it.
func addHelpFlag(root *cobra.Command) {
	flag := root.PersistentFlags().VarPF(new(helpValue), "help", "h", "show this help; --help=all shows every flag")
	flag.NoOptDefVal = "true"
}

// wantsAll reports whether the complete help of cmd was asked for.
func wantsAll(cmd *cobra.Command) bool {
	flag := cmd.Flag("help")
	if flag == nil {
		return false
	}
	h, ok := flag.Value.(*helpValue)
	return ok && h.all
}

// printHelp writes the help of cmd: the short one, or with --help=all the complete one.
func printHelp(cmd *cobra.Command, _ []string) {
	// There is nowhere to report that the help cannot be written.
	_, _ = cmd.OutOrStdout().Write([]byte(helpOf(cmd, wantsAll(cmd))))
}

// helpOf returns the help of cmd.
func helpOf(cmd *cobra.Command, all bool) string {
	cmd.InheritedFlags() // merges the flags of the root into those of cmd
	switch {
	case !cmd.HasParent():
		return rootHelp(cmd)
	case all:
		return fullHelp(cmd)
	}
	return shortHelp(cmd)
}

// shortHelp describes cmd in a few lines, with up to three examples and the flags that most users need.
func shortHelp(cmd *cobra.Command) string {
	var b strings.Builder
	summary, _, more := strings.Cut(description(cmd), "\n\n")
	b.WriteString(summary + "\n")
	writeUsage(&b, cmd)
	examples := strings.Split(strings.Trim(cmd.Example, "\n"), "\n\n")
	if len(examples) > shortExamples {
		examples, more = examples[:shortExamples], true
	}
	writeExamples(&b, strings.Join(examples, "\n\n"))
	writeCommands(&b, cmd)
	often, others := helpGroups(cmd)
	if often == nil {
		var rest strings.Builder
		for _, g := range others {
			writeFlags(&rest, g)
		}
		if strings.Count(b.String()+rest.String(), "\n") <= shortLines-2 {
			b.WriteString(rest.String())
			others = nil
		}
	} else {
		writeFlags(&b, often)
	}
	if more || len(others) > 0 {
		fmt.Fprintf(&b, "\nAll flags and details: %s --help=all\n", cmd.CommandPath())
	}
	return b.String()
}

// fullHelp describes cmd completely, with every flag below the heading of its group.
func fullHelp(cmd *cobra.Command) string {
	var b strings.Builder
	b.WriteString(description(cmd) + "\n")
	writeUsage(&b, cmd)
	writeExamples(&b, strings.Trim(cmd.Example, "\n"))
	writeCommands(&b, cmd)
	for _, g := range groupsOf(cmd) {
		writeFlags(&b, g)
	}
	return b.String()
}

// description returns the long description of cmd, or the short one as a sentence.
func description(cmd *cobra.Command) string {
	if cmd.Long == "" {
		return cmd.Short + "."
	}
	return strings.TrimSpace(cmd.Long)
}

func writeUsage(b *strings.Builder, cmd *cobra.Command) {
	b.WriteString("\nUsage:\n")
	if cmd.Runnable() && (!cmd.HasAvailableSubCommands() || doesMore(cmd)) {
		fmt.Fprintf(b, "  %s\n", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(b, "  %s COMMAND\n", cmd.CommandPath())
	}
}

func writeExamples(b *strings.Builder, examples string) {
	if examples != "" {
		fmt.Fprintf(b, "\nExamples:\n%s\n", examples)
	}
}

func writeCommands(b *strings.Builder, cmd *cobra.Command) {
	if !cmd.HasAvailableSubCommands() {
		return
	}
	b.WriteString("\nCommands:\n")
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			fmt.Fprintf(b, "  %-*s  %s\n", cmd.NamePadding(), sub.Name(), sub.Short)
		}
	}
	fmt.Fprintf(b, "\nFlags of a command: %s COMMAND --help\n", cmd.CommandPath())
}

// writeFlags writes a group of flags in two columns. A flag that is wider than its column has a line of its own.
func writeFlags(b *strings.Builder, group *namedSet) {
	const gutter = 2
	column := 0
	group.VisitAll(func(f *pflag.Flag) {
		if n := len([]rune(flagName(f))) + gutter; n <= maxFlagColumn {
			column = max(column, n)
		}
	})
	if column == 0 {
		column = maxFlagColumn
	}
	fmt.Fprintf(b, "\n%s:\n", group.Name())
	group.VisitAll(func(f *pflag.Flag) {
		name := flagName(f)
		if len([]rune(name))+gutter > column {
			b.WriteString(name + "\n")
			name = ""
		}
		for _, line := range wrapped(flagHelp(f), helpWidth-column) {
			fmt.Fprintf(b, "%-*s%s\n", column, name, line)
			name = ""
		}
	})
}

// flagName returns a flag and the kind of its value, as the help shows them.
func flagName(f *pflag.Flag) string {
	name := "      --" + f.Name
	if f.Shorthand != "" {
		name = "  -" + f.Shorthand + ", --" + f.Name
	}
	if f.NoOptDefVal == "" {
		name += " " + f.Value.Type()
	}
	return name
}

// flagHelp returns the help of a flag, with its default unless the help itself names that.
func flagHelp(f *pflag.Flag) string {
	if slices.Contains([]string{"", "0", "false", "[]"}, f.DefValue) || strings.Contains(f.Usage, "(default") {
		return f.Usage
	}
	return f.Usage + " (default " + f.DefValue + ")"
}

// doesMore reports whether a command does something itself, besides what those below it do.
func doesMore(cmd *cobra.Command) bool {
	own := false
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { own = own || f.Annotations[command.GroupKey] != nil })
	return own
}

// helpGroups returns the flags of cmd that most users need, nil if none is marked so, and the others by heading.
func helpGroups(cmd *cobra.Command) (often *namedSet, others []*namedSet) {
	var first []*pflag.Flag
	for _, g := range groupsOf(cmd) {
		rest := newNamedSet(g.Name())
		g.VisitAll(func(f *pflag.Flag) {
			if len(f.Annotations[command.OftenKey]) > 0 {
				first = append(first, f)
			} else {
				rest.AddFlag(f)
			}
		})
		if rest.HasFlags() {
			others = append(others, rest)
		}
	}
	if len(first) == 0 {
		return nil, others
	}
	slices.SortFunc(first, func(a, b *pflag.Flag) int {
		return strings.Compare(a.Annotations[command.OftenKey][0], b.Annotations[command.OftenKey][0])
	})
	often = newNamedSet("Common flags")
	for _, f := range first {
		often.AddFlag(f)
	}
	return often, others
}

// groupsOf returns the flags of cmd by heading, in the order in which they were added.
func groupsOf(cmd *cobra.Command) []*namedSet {
	var groups []*namedSet
	byName := map[string]*namedSet{}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" || len(f.Annotations[command.OfOtherKey]) > 0 {
			return
		}
		heading := "Flags"
		if g := f.Annotations[command.GroupKey]; len(g) > 0 {
			heading = g[0]
		}
		if byName[heading] == nil {
			byName[heading] = newNamedSet(heading)
			groups = append(groups, byName[heading])
		}
		byName[heading].AddFlag(f)
	})
	return groups
}

// namedSet is a set of flags with its heading, which pflag does not export.
type namedSet struct {
	*pflag.FlagSet
	name string
}

// newNamedSet returns an empty set, which keeps the order in which flags are added.
func newNamedSet(heading string) *namedSet {
	set := &namedSet{FlagSet: pflag.NewFlagSet(heading, pflag.ContinueOnError), name: heading}
	set.SortFlags = false
	return set
}

// Name returns the heading.
func (s *namedSet) Name() string { return s.name }

// newHelp makes the help command, whose topics are the commands, the metrics and the glossary.
func newHelp(env *Env, root *cobra.Command) *cobra.Command {
	all := false
	cmd := &cobra.Command{
		Use:   "help [COMMAND | metrics [KIND|NAME] | glossary [WORD]]",
		Short: "Show the help of a command, a metric or a term",
		Long: `Show the help of a command, explain the metrics of --threshold and other flags,
or look up a term that reports use.`,
		Example: `  plimsoll help http --all

  plimsoll help metrics stage.wait

  plimsoll help glossary response time`,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return helpTopics(root, args), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			switch topicOf(args) {
			case topicGlossary:
				return printGlossary(env.Stdout, strings.Join(args[1:], " "), all)
			case topicMetrics:
				return printMetrics(env.Stdout, strings.Join(args[1:], " "), all)
			}
			found, rest, err := root.Find(args)
			term := strings.Join(args, " ")
			if _, explained := glossary.Find(term); explained && (err != nil || len(rest) > 0) {
				return printGlossary(env.Stdout, term, all)
			}
			if err != nil {
				return err
			}
			switch {
			case len(rest) > 0 && found == root:
				return unknownTopic(root, rest)
			case len(rest) > 0:
				return knownCommand(found, rest)
			}
			if _, err := io.WriteString(env.Stdout, helpOf(found, all)); err != nil {
				return fault.New(fault.RunFailed, "cannot write the help: %w", err)
			}
			return nil
		},
	}
	command.AddFlags(cmd, new(setting.Set).Group("Output", setting.Switch(&all, "all", "show everything")))
	return cmd
}

// The topics of the help that are not commands.
const (
	topicMetrics  = "metrics"
	topicGlossary = "glossary"
)

// topicOf returns the topic that args ask for, "" for a command. Topics of earlier versions are accepted.
func topicOf(args []string) string {
	if len(args) == 0 {
		return ""
	}
	switch args[0] {
	case topicMetrics, "figures":
		return topicMetrics
	case topicGlossary, "words":
		return topicGlossary
	}
	return ""
}

// unknownTopic returns the error for a help topic that does not exist.
func unknownTopic(root *cobra.Command, words []string) error {
	e := fault.New(fault.Usage, "no help for %q", words[0])
	word := strings.Join(words, " ")
	if isMetric(word) {
		return e.Hint("it is a metric: 'plimsoll help metrics %s'", word)
	}
	switch near := fault.Nearest(words[0], append(helpTopics(root, nil), "figures", "words")); {
	case topicOf([]string{near}) != "":
		return e.Hint("did you mean 'plimsoll help %s'?", topicOf([]string{near}))
	case near == "" && commandHint(root, words) == "" && glossary.Near(word) != "":
		return e.Hint("did you mean 'plimsoll help glossary %s'?", glossary.Near(word))
	}
	return knownCommand(root, words)
}

// helpTopics returns what may follow args on the command line of help.
func helpTopics(root *cobra.Command, args []string) []string {
	switch topic := topicOf(args); {
	case topic == topicGlossary:
		return glossary.Names()
	case topic == topicMetrics && len(args) == 1:
		return append(kindNames(), metricNames()...)
	case topic == topicMetrics:
		return nil
	}
	found, rest, err := root.Find(args)
	if err != nil || len(rest) > 0 {
		return nil
	}
	var names []string
	if found == root {
		names = append(names, topicMetrics, topicGlossary)
	}
	for _, sub := range found.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return names
}

// wrapped returns text in lines of at most width characters.
func wrapped(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && len([]rune(line))+1+len([]rune(word)) > width {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}
