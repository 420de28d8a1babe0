package cli

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/fault/faulttest"
	"github.com/plimsoll/plimsoll/internal/othertools"
)

// allCommands calls f with each command.
func allCommands(cmd *cobra.Command, f func(*cobra.Command)) {
	f(cmd)
	for _, sub := range cmd.Commands() {
		allCommands(sub, f)
	}
}

// someErrors returns every 37th word that differs from name by one error of spelling, from a start that depends on name.
func someErrors(name string) (words []string) {
	all := faulttest.OneError(name)
	for i := len(name) % 37; i < len(all); i += 37 {
		words = append(words, all[i])
	}
	return words
}

// TestMisspelledCommandIsCorrected checks that a command with one error of spelling is corrected to it, or to one as near.
func TestMisspelledCommandIsCorrected(t *testing.T) {
	t.Parallel()
	meant := regexp.MustCompile(`did you mean '(.*)'\?`)
	tried := 0
	allCommands(newRootFor(nil), func(cmd *cobra.Command) {
		var names []string
		for _, sub := range cmd.Commands() {
			names = append(names, sub.Name())
		}
		for _, name := range names {
			for _, word := range someErrors(name) {
				if slices.Contains(names, word) || !cmd.HasParent() && slices.Contains(othertools.Commands(), word) {
					continue
				}
				tried++
				err := knownCommand(cmd, []string{word})
				m := meant.FindStringSubmatch(fault.HintOf(err))
				if m == nil || fault.EditDistance(word, strings.TrimPrefix(m[1], cmd.CommandPath()+" ")) > 1 {
					t.Errorf("%s %s: %v, %q", cmd.CommandPath(), word, err, fault.HintOf(err))
				}
			}
		}
	})
	if tried < 50 {
		t.Errorf("%d words: are the commands still found?", tried)
	}
}

// TestMisspelledFlagIsCorrected checks that a flag with one error of spelling is corrected to it, or to one as near.
func TestMisspelledFlagIsCorrected(t *testing.T) {
	t.Parallel()
	meant := regexp.MustCompile(`did you mean --([^ ?]+)\?`)
	var elsewhere []string
	for _, typed := range othertools.Flags() {
		elsewhere = append(elsewhere, typed.Flag)
	}
	tried := 0
	allCommands(newRootFor(nil), func(cmd *cobra.Command) {
		names := flagNames(cmd)
		for _, name := range names {
			for _, word := range someErrors(name) {
				if cmd.Flags().Lookup(word) != nil || slices.Contains(elsewhere, word) || strings.HasPrefix(word, "-") || word == "help" {
					continue
				}
				tried++
				err := cmd.FlagErrorFunc()(cmd, cmd.ParseFlags([]string{"--" + word}))
				m := meant.FindStringSubmatch(fault.HintOf(err))
				if m == nil || fault.EditDistance(word, m[1]) > 1 {
					t.Errorf("%s --%s (--%s): %v, %q", cmd.CommandPath(), word, name, err, fault.HintOf(err))
				}
			}
		}
	})
	if tried < 500 {
		t.Errorf("%d words: are the flags still found?", tried)
	}
}

func TestMisspelledWordsGetHints(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"chat --arrivals possion --rate 5": "did you mean --arrivals poisson?",
		"bandwidth --data randon":          "did you mean --data random?",
		"updates --codec jsno":             "did you mean --codec json?",
		"report last --format makrdown":    "did you mean --format markdown?",
		"chat --json=ture":                 "did you mean --json=true?",
		"chat --target-flag dealy=1s":      "did you mean delay?",
		"overhead S3/PutObjetc":            "did you mean S3/PutObject?",
		"serve caht":                       "did you mean 'plimsoll serve chat'?",
		"help wrods":                       "did you mean 'plimsoll help glossary'?",
		"completion bahs":                  "did you mean 'plimsoll completion bash'?",
		"Chat":                             "did you mean 'plimsoll chat'?",
		"chart":                            "did you mean 'plimsoll chat'?",
	} {
		args := shellWords(typed)
		env := &Env{Args: args, LookupEnv: func(name string) (string, bool) { return t.TempDir(), name == "HOME" }}
		cmd, err := newRoot(env).ExecuteContextC(t.Context())
		hint := fault.HintOf(withNearestWord(cmd, err))
		if err == nil || !strings.Contains(hint, want) || fault.CodeOf(err) != fault.Usage {
			t.Errorf("%s: %v, %q, want %q", typed, err, hint, want)
		}
	}
}

func TestCorrectionIsGivenOnce(t *testing.T) {
	t.Parallel()
	code, _, stderr := execute(t, "loadline", "http", "http://127.0.0.1:1/", "--slo", "p99<1s", "--vary", "cleints")
	if code != 2 || strings.Count(stderr, "did you mean") != 1 || !strings.Contains(stderr, "clients?") {
		t.Errorf("exit status %d: %s", code, stderr)
	}
}
