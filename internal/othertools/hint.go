package othertools

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll/internal/units"
)

// Flag is the hint for a flag that a command does not have, named without its dashes, and for its value, "" when
// there is none; "" when no tool that is known here has such a flag. has reports whether the command has a flag.
func Flag(has func(flag string) bool, name, value string) string {
	for _, f := range flags() {
		if !f.called(name) || f.looks != nil && !f.looks(value) {
			continue
		}
		dashed := "--" + name
		if len(name) == 1 {
			dashed = "-" + name
		}
		write := f.here.in(has)
		if write == "" && !has("no-save") && !f.always { // a command that measures nothing has flags of other kinds
			return ""
		}
		if write == "" {
			return fmt.Sprintf("%s is %s: %s", dashed, f.of, f.here.instead)
		}
		write = filled(write, f.plain(value))
		if strings.HasPrefix(write, "plimsoll ") {
			write = "'" + write + "'"
		}
		hint := fmt.Sprintf("%s is %s: use %s", dashed, f.of, write)
		if f.here.note != "" {
			hint += " (" + f.here.note + ")"
		}
		return hint
	}
	return ""
}

// Written is a value as it is written here, for a flag that has the same name here and elsewhere.
func Written(name, value string) string {
	for _, f := range flags() {
		if f.called(name) && f.write != nil && (f.looks == nil || f.looks(value)) {
			return f.write(value)
		}
	}
	return value
}

// Typed is what a user of another tool may type.
type Typed struct{ Flag, Value string }

// Flags are all flags of other tools, each with a value that fits.
func Flags() []Typed {
	var all []Typed
	for _, f := range flags() {
		for _, name := range strings.Fields(f.names) {
			all = append(all, Typed{name, f.example})
		}
	}
	return all
}

// Ours are the flags of ours that stand for those of other tools.
func Ours() []string {
	var all []string
	for _, f := range flags() {
		for _, w := range f.here.ways {
			all = append(all, w.flag)
		}
	}
	return all
}

// Run is the command of other tools that is one of ours, too: theirs takes a script.
const Run = "run"

// Commands are all commands of other tools that are none of ours.
func Commands() []string {
	var all []string
	for _, c := range commands() {
		if c.names != Run {
			all = append(all, strings.Fields(c.names)...)
		}
	}
	return all
}

// Script reports whether what should be run is what other tools run: a script, or a URL.
func Script(name string) bool {
	extensions := []string{".js", ".mjs", ".ts", ".py", ".lua", ".jmx", ".scala", ".kt", ".java"}
	return strings.Contains(name, "://") ||
		slices.ContainsFunc(extensions, func(end string) bool { return strings.HasSuffix(strings.ToLower(name), end) })
}

// Value is the hint for a value that a flag of ours would take, and that means something else in another tool; ""
// when it is one of ours.
func Value(has func(flag string) bool, flag, value string) string {
	if flag == "out" && looksLikeOutput(value) || flag == "requests" && looksLikeNumber(value) {
		return Flag(has, flag, value)
	}
	return ""
}

// House is what a hint for a command has to know of the commands that there are.
type House struct {
	KindOf func(url string) string         // the command that measures what a URL names, or ""
	Has    func(command, flag string) bool // whether a command has a flag
}

// Command is the hint for a command that there is not; "" when no tool that is known here has one of that name. args
// begin with that command; what there is of its flags in ours is in the hint.
func Command(args []string, house House) string {
	name, all := strings.ToLower(args[0]), commands()
	called := func(name string) int {
		return slices.IndexFunc(all, func(c command) bool { return slices.Contains(strings.Fields(c.names), name) })
	}
	i := called(name)
	if i >= 0 && len(args) > 1 && called(args[1]) >= 0 { // the command of a tool, behind the tool's name
		i = called(args[1])
	}
	if i < 0 {
		return ""
	}
	write := all[i].write
	if all[i].anyKind {
		url, kind := measurable(args, house.KindOf)
		switch over := overHTTP(url); {
		case over && all[i].files:
			write = "plimsoll bandwidth " + units.ShellWord(url)
		case kind != "":
			write = "plimsoll " + kind + " " + units.ShellWord(url)
		}
	}
	if measures := strings.Fields(write)[1]; house.Has(measures, "no-save") {
		has := func(flag string) bool { return house.Has(measures, flag) }
		write = strings.Join(append([]string{write}, ours(has, args)...), " ")
	}
	return all[i].say + " '" + write + "'"
}

// overHTTP reports whether an argument is a URL of HTTP, which may be a service's or a file's.
func overHTTP(arg string) bool {
	return strings.HasPrefix(arg, "http://") || strings.HasPrefix(arg, "https://")
}

// measurable is the first argument that is a URL of something that can be measured, and the command that does. A URL
// with more than a place in it may hold a secret, and is not repeated.
func measurable(args []string, kindOf func(url string) string) (url, kind string) {
	for _, a := range args {
		if kind := kindOf(a); kind != "" && !strings.ContainsAny(a, "@?") {
			return a, kind
		}
	}
	return "", ""
}

// called reports whether the flag has this name.
func (f *flag) called(name string) bool { return slices.Contains(strings.Fields(f.names), name) }

// plain is the value as it is written here.
func (f *flag) plain(value string) string {
	if value == "" || f.secret {
		value = f.example
	}
	if f.write != nil {
		value = f.write(value)
	}
	return units.ShellWord(value)
}

// filled puts the value in its place.
func filled(write, value string) string { return strings.ReplaceAll(write, "%", value) }
