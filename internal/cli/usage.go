package cli

import (
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/othertools"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// flagErrors words what is wrong with a flag, and finds the flag that was meant. args are the whole command line.
func flagErrors(args []string) func(*cobra.Command, error) error {
	return func(cmd *cobra.Command, err error) error {
		help := "'" + cmd.CommandPath() + " --help=all' lists all flags"
		var unknown *pflag.NotExistError
		var missing *pflag.ValueRequiredError
		var invalid *pflag.InvalidValueError
		switch {
		case errors.As(err, &unknown):
			return unknownFlag(cmd, args, unknown, help)
		case errors.As(err, &missing):
			return fault.New(fault.Usage, "--%s needs a value", missing.GetSpecifiedName()).Hint("%s", help)
		case errors.As(err, &invalid):
			e := fault.New(fault.Usage, "--%s: %w", invalid.GetFlag().Name, invalid.Unwrap())
			if variedBy(cmd, invalid.GetFlag(), invalid.GetValue()) {
				return e.Hint("to sweep this setting, write --vary %s=%s", invalid.GetFlag().Name, invalid.GetValue())
			}
			if word := nearestWord(invalid.GetFlag(), invalid.GetValue()); word != "" {
				return e.Hint("did you mean %s?", flagWith(invalid.GetFlag(), word))
			}
			plain := othertools.Plain(invalid.GetValue())
			if plain != "" && invalid.GetFlag().Value.Set(plain) == nil { // the command ends here
				return e.Hint("write %s", flagWith(invalid.GetFlag(), plain))
			}
			return e
		}
		return fault.New(fault.Usage, "%w", err).Hint("%s", help)
	}
}

// variedBy reports whether a flag of what is swept has several values, as --vary has them.
func variedBy(cmd *cobra.Command, flag *pflag.Flag, value string) bool {
	s, ok := flag.Value.(*setting.Setting)
	several := strings.Contains(value, ",") || strings.Contains(value, "..")
	return ok && several && s.Figure() && whyUnfit(s) == "" && hasFlag(cmd)("vary") &&
		flag.Annotations[command.OfOtherKey] != nil
}

// unknownFlag finds the flag that was meant: what another tool calls so, or what is spelled nearly so.
func unknownFlag(cmd *cobra.Command, args []string, unknown *pflag.NotExistError, help string) error {
	if !cmd.HasParent() && len(args) > 0 && !strings.HasPrefix(args[0], "-") { // plimsoll attack -rate 50
		return knownCommand(cmd, args)
	}
	if word := wordOf(cmd, args); cmd.HasParent() && cmd.HasSubCommands() && word != "" && !takes(cmd, word) {
		return command.Known(cmd, []string{word}) // plimsoll sweep chatt --vary
	}
	name := unknown.GetSpecifiedName()
	if hint := rootFlagHint(cmd, name); hint != "" {
		return fault.New(fault.Usage, "unknown flag %s", dashed(name)).Hint("%s", hint)
	}
	group := unknown.GetSpecifiedShortnames()
	if group == "" {
		e := fault.New(fault.Usage, "unknown flag --%s", name)
		if hint := othertools.Flag(hasFlag(cmd), name, valueOf(args, "--"+name)); hint != "" {
			return e.Hint("%s", hint)
		}
		if near := fault.Nearest(name, flagNames(cmd)); near != "" {
			return e.Hint("did you mean --%s? %s", near, help)
		}
		return e.Hint("%s", help)
	}
	word, _, _ := strings.Cut(group, "=")
	if hint := longHint(cmd, args, word); hint != "" {
		return fault.New(fault.Usage, "unknown flag -%s", word).Hint("%s", hint)
	}
	e := fault.New(fault.Usage, "unknown flag -%s", name)
	value := strings.TrimPrefix(strings.TrimPrefix(group, name), "=") // -c10, -c=10, or -c 10
	if value == "" {
		value = valueOf(args, "-"+group)
	}
	if hint := othertools.Flag(hasFlag(cmd), name, value); hint != "" {
		return e.Hint("%s", hint)
	}
	return e.Hint("%s", help)
}

// wordOf is the word behind a command, which is none of those below it; "" where a flag stands there.
func wordOf(cmd *cobra.Command, args []string) string {
	at := slices.Index(args, cmd.Name()) + 1
	if at == 0 || at >= len(args) || strings.HasPrefix(args[at], "-") {
		return ""
	}
	return args[at]
}

// takes reports whether a command takes the word itself, as bandwidth its size, beside the commands that are below it.
func takes(cmd *cobra.Command, word string) bool {
	return cmd.Args != nil && cmd.Args(cmd, []string{word}) == nil
}

// longHint is the hint for a flag of several letters that was written with one dash, as some tools have them.
func longHint(cmd *cobra.Command, args []string, word string) string {
	if len(word) < 2 {
		return ""
	}
	value := valueOf(args, "-"+word)
	flag := cmd.Flags().Lookup(word)
	if flag == nil {
		return othertools.Flag(hasFlag(cmd), word, value)
	}
	if s, ok := flag.Value.(*setting.Setting); !ok || !s.Figure() {
		value = "" // it may be a secret
	}
	return strings.TrimSpace("long flags have two dashes: write --" + word + " " + othertools.Written(word, value))
}

// valueOf is what stands behind a flag on the command line, as --flag=value or as the next argument; "" for nothing.
func valueOf(args []string, flag string) string {
	for i, a := range args {
		if value, found := strings.CutPrefix(a, flag+"="); found {
			return value
		}
		if a == flag && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			return args[i+1]
		}
	}
	return ""
}

// rootFlagHint is the hint for a flag before any command: that it is one of a command, or how the version is asked
// for; "" when neither is known. Its value is not repeated: it may be a secret.
func rootFlagHint(root *cobra.Command, name string) string {
	if root.HasParent() {
		return ""
	}
	if name == "v" || name == "V" {
		return "'plimsoll --version' prints the version"
	}
	for _, k := range kinds() {
		if cmd, _, err := root.Find([]string{k.Name}); err == nil && hasFlag(cmd)(name) {
			return "put flags after the command: 'plimsoll " + k.Name + " --" + name + "'"
		}
	}
	return ""
}

// dashed is a flag as it was written.
func dashed(name string) string {
	if len(name) == 1 {
		return "-" + name
	}
	return "--" + name
}

// hasFlag reports whether cmd has a flag.
func hasFlag(cmd *cobra.Command) func(name string) bool {
	return func(name string) bool { return cmd.Flags().Lookup(name) != nil }
}

// flagNames are the names of the flags of cmd that people are told of.
func flagNames(cmd *cobra.Command) []string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	return names
}

// flagWith is a flag with a value, as it is written.
func flagWith(f *pflag.Flag, value string) string {
	if f.NoOptDefVal != "" { // it may stand alone, and does not take the next argument
		return "--" + f.Name + "=" + value
	}
	return "--" + f.Name + " " + value
}

// nearestWord is the word of a flag that was probably meant by a value that is none of its words, or "".
func nearestWord(flag *pflag.Flag, value string) string {
	s, ok := flag.Value.(*setting.Setting)
	if !ok || s.Unended || slices.Contains(s.Words, value) {
		return ""
	}
	return fault.Nearest(value, s.Words)
}

// withNearestWord is the error of a command; where it is about a flag's value that is none of its words, and one of
// them is near, the hint begins with that.
func withNearestWord(cmd *cobra.Command, err error) error {
	var known *fault.Error
	if !errors.As(err, &known) || fault.CodeOf(err) != fault.Usage {
		return err
	}
	near := ""
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if near == "" && strings.HasPrefix(err.Error(), "--"+f.Name) {
			if word := nearestWord(f, f.Value.String()); word != "" {
				near = "did you mean " + flagWith(f, word) + "?"
			}
		}
	})
	if near == "" || strings.HasPrefix(fault.HintOf(err), "did you mean") {
		return err
	}
	return known.Hint("%s", strings.TrimSpace(near+" "+fault.HintOf(err)))
}

// foreignValue refuses the value of a flag that means something else in another tool, and would be taken for ours.
func foreignValue(cmd *cobra.Command) error {
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if hint := othertools.Value(hasFlag(cmd), f.Name, f.Value.String()); hint != "" && err == nil {
			err = fault.New(fault.Usage, "--%s: %s is not a directory", f.Name, f.Value.String()).Hint("%s", hint)
		}
	})
	return err
}

// knownCommand refuses arguments of a command that only has subcommands, and knows what other tools call them.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && args[0] != "" && !cmd.HasParent() {
		if hint := commandHint(cmd, args); hint != "" {
			return command.Unknown(cmd, args[0]).Hint("%s", hint)
		}
	}
	return command.Known(cmd, args)
}

// commandHint is what to write instead of a command that another tool has, or of a URL alone; "" when neither is
// known.
func commandHint(root *cobra.Command, args []string) string {
	house := othertools.House{KindOf: kindOf, Has: func(command, flag string) bool {
		cmd, _, err := root.Find([]string{command})
		return err == nil && cmd.Flags().Lookup(flag) != nil
	}}
	if hint := othertools.Command(args, house); hint != "" || !strings.Contains(args[0], "://") {
		return hint
	}
	if kindOf(args[0]) == "" {
		return ""
	}
	return othertools.Command(append([]string{"measure"}, args...), house)
}
