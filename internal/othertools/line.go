package othertools

import (
	"slices"
	"strings"
)

// ours are the flags of a command line of another tool, as they are written in a command that has these flags. What
// has no meaning there is left out, and so is what is no figure: it may be a secret.
func ours(has func(flag string) bool, args []string) []string {
	var written []string
	for i, a := range args {
		name, value := named(has, a)
		if name == "" {
			continue
		}
		if value == "" && i+1 < len(args) && !strings.HasPrefix(args[i+1], "-") {
			value = args[i+1]
		}
		if !looksLikeNumber(value) && !looksLikeTime(perSecond(value)) && !looksLikeNumber(perSecond(value)) &&
			!looksLikeStage(value) && !looksLikeMethod(value) {
			continue
		}
		w := "--" + name + " " + Written(name, value)
		if !has(name) {
			w = instead(has, name, value)
		}
		if w != "" && !slices.Contains(written, w) {
			written = append(written, w)
		}
	}
	return written
}

// named is the flag that an argument is, without its dashes, and what stands in the same argument as its value; ""
// for what is no flag.
func named(has func(flag string) bool, arg string) (name, value string) {
	word, value, found := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	switch {
	case !strings.HasPrefix(arg, "-") || word == "":
		return "", ""
	case found || len(word) == 1 || strings.HasPrefix(arg, "--") || has(word) || anyCalled(word):
		return word, value
	}
	return word[:1], word[1:] // -c10
}

// anyCalled reports whether another tool has a flag of this name.
func anyCalled(name string) bool {
	return slices.ContainsFunc(flags(), func(f flag) bool { return f.called(name) })
}

// instead is what stands for a flag of another tool, "" when that is no flag.
func instead(has func(flag string) bool, name, value string) string {
	for _, f := range flags() {
		if !f.called(name) || f.looks != nil && !f.looks(value) {
			continue
		}
		if write := f.here.in(has); strings.HasPrefix(write, "--") {
			return filled(write, f.plain(value))
		}
		return ""
	}
	return ""
}
