//go:build unix

package compare

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// A command line that is taken apart is one that the machine's own shell takes apart in the same way, unless the shell
// would do more than that: expand, or assign.
func FuzzSplit(f *testing.F) {
	for _, line := range []string{
		"http http://h/ --clients 5", `--header 'A: b c'`, `--body "a \"b\" \n X"`, `a\ b 'c'"d"e ''`, `'It'\''s'`, `""`, `a""b`,
		`"\\"`, `'\'`, "a\tb", `\`, `'`, `"`, "a|b", "(", "a\rb", "é 'ü'", `"a'b"'c"d'`,
	} {
		f.Add(line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		words, err := split(line)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\x1b") || fault.HintOf(err) == "" {
				t.Errorf("%q: %q, hint %q", line, err, fault.HintOf(err))
			}
			return
		}
		if strings.ContainsAny(line, "$*?[~#!{}=\n\r`") || strings.ContainsFunc(line, notOfText) || len(words) == 0 {
			return
		}
		out, err := exec.CommandContext(context.WithoutCancel(t.Context()), "sh", "-c", `printf '%s\0' `+line).Output()
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if of := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); !slices.Equal(of, words) {
			t.Errorf("%q: %q, and a shell makes %q of it", line, words, of)
		}
	})
}

func notOfText(r rune) bool { return r == unicode.ReplacementChar || unicode.IsControl(r) && r != '\t' }
