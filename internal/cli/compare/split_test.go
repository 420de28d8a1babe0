package compare

import (
	"slices"
	"strings"
	"testing"
)

// Command lines are taken apart as a shell does it.
func TestSplit(t *testing.T) {
	for line, want := range map[string][]string{
		"":                              nil,
		" http  http://h/ ":             {"http", "http://h/"},
		`http --header 'A: b c'`:        {"http", "--header", "A: b c"},
		`--body "a \"b\" \n $X"`:        {"--body", `a "b" \n $X`},
		`a\ b 'c'"d"e ''`:               {"a b", "cde", ""},
		"a\tb\nc":                       {"a", "b", "c"},
		`--header 'It'\''s'`:            {"--header", "It's"},
		`'p99<50ms' --message ${env.X}`: {"p99<50ms", "--message", "${env.X}"},
	} {
		if got, err := split(line); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", line, got, err)
		}
	}
}

// What cannot be taken apart is refused, without a word of what may be secret.
func TestSplitRefuses(t *testing.T) {
	for line, want := range map[string]string{
		`http --header 'A: hunter2`: "no closing quote for the ' at character 15",
		`http "hunter2`:             `no closing quote for the " at character 6`,
		`http hunter2\`:             "the command line ends with a backslash",
		"http hunter2 | tee x":      "the | at character 14 is shell syntax",
		"http hunter2 > x":          "the > at character 14 is shell syntax",
		"http $(cat hunter2)":       "the ( at character 7 is shell syntax",
	} {
		_, err := split(line)
		if err == nil || !strings.HasPrefix(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v, want %q", line, err, want)
		}
	}
}
