package cli

import (
	"bytes"
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

const helpWidth = 80

// printHelp writes the help of cmd: what it does, how it is called, an example, and its
// flags by group.
func printHelp(cmd *cobra.Command, _ []string) {
	var b bytes.Buffer
	if cmd.HasParent() {
		aboutCommand(&b, cmd)
	} else {
		b.WriteString(rootHelp(cmd))
	}
	for _, g := range helpGroups(cmd) {
		fmt.Fprintf(&b, "\n%s:\n%s", g.Name(), g.FlagUsagesWrapped(helpWidth))
	}
	// A help that cannot be written has nowhere to complain.
	_, _ = cmd.OutOrStdout().Write(b.Bytes())
}

// aboutCommand is the help of a command before its flags.
func aboutCommand(b *bytes.Buffer, cmd *cobra.Command) {
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
	}
	fmt.Fprintf(b, "%s\n\nUsage:\n", strings.TrimSpace(text))
	if cmd.Runnable() && (!cmd.HasAvailableSubCommands() || doesMore(cmd)) {
		fmt.Fprintf(b, "  %s\n", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(b, "  %s COMMAND\n", cmd.CommandPath())
	}
	if cmd.Example != "" {
		fmt.Fprintf(b, "\nExamples:\n%s\n", strings.TrimRight(cmd.Example, "\n"))
	}
	if !cmd.HasAvailableSubCommands() {
		return
	}
	b.WriteString("\nCommands:\n")
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			fmt.Fprintf(b, "  %-*s  %s\n", cmd.NamePadding(), sub.Name(), sub.Short)
		}
	}
	fmt.Fprintf(b, "\nRun '%s COMMAND --help' for the flags of a command.\n", cmd.CommandPath())
}

// doesMore reports whether a command does something itself, besides what those below it do.
func doesMore(cmd *cobra.Command) bool {
	own := false
	cmd.LocalFlags().VisitAll(func(f *pflag.Flag) { own = own || f.Annotations[command.GroupKey] != nil })
	return own
}

// helpGroups are the flags of cmd as its help shows them: those that most people need first, then the others by
// heading. What has no default says so.
func helpGroups(cmd *cobra.Command) []*namedSet {
	often := newNamedSet("Most used")
	var others []*namedSet
	var first []*pflag.Flag
	for _, g := range groupsOf(cmd) {
		rest := newNamedSet(g.Name())
		g.VisitAll(func(f *pflag.Flag) {
			shown := *f
			switch {
			case saysDefault(f):
			case strings.Contains(f.Usage, "; 0: "): // it says what 0 is
				shown.Usage += " (default 0)"
			default:
				shown.Usage += " (default none)"
			}
			if len(f.Annotations[command.OftenKey]) > 0 {
				first = append(first, &shown)
			} else {
				rest.AddFlag(&shown)
			}
		})
		if rest.HasFlags() {
			others = append(others, rest)
		}
	}
	if len(first) == 0 {
		return others
	}
	slices.SortFunc(first, func(a, b *pflag.Flag) int {
		return strings.Compare(a.Annotations[command.OftenKey][0], b.Annotations[command.OftenKey][0])
	})
	for _, f := range first {
		often.AddFlag(f)
	}
	return append([]*namedSet{often}, others...)
}

// saysDefault reports whether the help of a flag says what is taken without it, or need not.
func saysDefault(f *pflag.Flag) bool {
	s, ok := f.Value.(*setting.Setting)
	return !ok || !s.Figure() || f.DefValue != "" && f.DefValue != "0" || strings.Contains(f.Usage, "default")
}

// groupsOf are the flags of cmd by heading, in the order in which they were added. Flags
// without one (--help) come last.
func groupsOf(cmd *cobra.Command) []*namedSet {
	var groups []*namedSet
	byName := map[string]*namedSet{}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if f.Hidden || len(f.Annotations[command.OfOtherKey]) > 0 {
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

// namedSet is a set of flags that knows its heading, which pflag keeps to itself.
type namedSet struct {
	*pflag.FlagSet
	name string
}

// newNamedSet is a set without flags, which keeps their order.
func newNamedSet(heading string) *namedSet {
	set := &namedSet{FlagSet: pflag.NewFlagSet(heading, pflag.ContinueOnError), name: heading}
	set.SortFlags = false
	return set
}

// Name is the heading.
func (s *namedSet) Name() string { return s.name }

// topicWords is the topic of the help that is no command.
const topicWords = "words"

func newHelp(env *Env, root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | words [WORD] | figures [KIND]]",
		Short: "Show the help of a command, or what the words of a report mean",
		Long: `Show the help of a command, or what a word means that reports and the help use:
all of the words, or the one that is named; or the figures that --threshold may
be about.`,
		Example: `  plimsoll help chat
  plimsoll help words
  plimsoll help words p99
  plimsoll help words own delay
  plimsoll help figures chat`,
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return helpTopics(root, args), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 && args[0] == topicWords {
				return printWords(env.Stdout, strings.Join(args[1:], " "))
			}
			if len(args) > 0 && args[0] == topicFigures {
				return printFigures(env.Stdout, strings.Join(args[1:], " "))
			}
			found, rest, err := root.Find(args)
			if err != nil {
				return err
			}
			switch {
			case len(rest) > 0 && found == root:
				return unknownTopic(root, rest)
			case len(rest) > 0:
				return knownCommand(found, rest)
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
}

// unknownTopic refuses a topic of the help that there is not.
func unknownTopic(root *cobra.Command, words []string) error {
	e := fault.New(fault.Usage, "%q is no topic of the help", words[0])
	word := strings.Join(words, " ")
	if _, explained := glossary.Find(word); explained {
		return e.Hint("'plimsoll help words %s' says what it means", word)
	}
	switch near := fault.Nearest(words[0], helpTopics(root, nil)); {
	case near == topicWords || near == topicFigures:
		return e.Hint("did you mean 'plimsoll help %s'?", near)
	case near == "" && commandHint(root, words) == "" && glossary.Near(word) != "":
		return e.Hint("did you mean 'plimsoll help words %s'?", glossary.Near(word))
	}
	return knownCommand(root, words)
}

// helpTopics are what may follow in the help command.
func helpTopics(root *cobra.Command, args []string) []string {
	if len(args) > 0 && args[0] == topicWords {
		return glossary.Names()
	}
	if len(args) == 1 && args[0] == topicFigures {
		return kindNames()
	}
	found, rest, err := root.Find(args)
	if err != nil || len(rest) > 0 {
		return nil
	}
	var names []string
	if found == root {
		names = append(names, topicWords, topicFigures)
	}
	for _, sub := range found.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return names
}

// printWords explains a word, or all of them.
func printWords(w io.Writer, word string) error {
	var b strings.Builder
	if word == "" {
		allWords(&b)
	} else {
		found, ok := glossary.Find(word)
		if !ok {
			e := fault.New(fault.Usage, "%q is not a word that is explained here", word)
			if near := glossary.Near(word); near != "" {
				return e.Hint("did you mean 'plimsoll help words %s'? 'plimsoll help words' has all", near)
			}
			return e.Hint("'plimsoll help words' has all")
		}
		title := found.Name
		if !strings.EqualFold(title, word) {
			title = word + ", explained with " + found.Name
		}
		fmt.Fprintf(&b, "%s\n", title)
		for _, line := range wrapped(found.Means, helpWidth-2) {
			fmt.Fprintf(&b, "  %s\n", line)
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fault.New(fault.RunFailed, "cannot write the words: %w", err)
	}
	return nil
}

func allWords(b *strings.Builder) {
	const column = 17 // the longest name, and two spaces
	for i, g := range glossary.Groups() {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "%s\n", g.Title)
		for _, word := range g.Words {
			name := word.Name
			for _, line := range wrapped(word.Means, helpWidth-2-column) {
				fmt.Fprintf(b, "  %-*s%s\n", column, name, line)
				name = ""
			}
		}
	}
}

// wrapped is text in lines of at most so many letters.
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
