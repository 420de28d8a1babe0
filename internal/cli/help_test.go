package cli

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/glossary"
)

// said is what plimsoll says on stdout.
func said(t *testing.T, words ...string) string {
	t.Helper()
	var out bytes.Buffer
	words = append([]string{}, words...) // without any, cobra would take those of the test's own command line
	env := &Env{Args: words, Stdin: strings.NewReader(""), Stdout: &out, Stderr: &out}
	if err := newRoot(env).ExecuteContext(t.Context()); err != nil {
		t.Fatalf("%v: %v", words, err)
	}
	return out.String()
}

// Each help fits into 80 columns, has an example, and has no words of the house.
func TestEachHelp(t *testing.T) {
	t.Parallel()
	house := regexp.MustCompile(`(?i)the reference|null client|embedded|responder|goroutine`)
	allCommands(newRootFor(nil), func(cmd *cobra.Command) {
		path := strings.Fields(cmd.CommandPath())[1:]
		help := said(t, append(path, "--help")...)
		for _, line := range strings.Split(help, "\n") {
			if n := len([]rune(line)); n > 80 && !strings.HasPrefix(cmd.CommandPath(), "plimsoll completion") { // whose scripts' words are cobra's
				t.Errorf("%s: %d columns: %s", cmd.CommandPath(), n, line)
			}
			if word := house.FindString(line); word != "" {
				t.Errorf("%s: %q: %s", cmd.CommandPath(), word, line)
			}
		}
		if cmd.HasParent() && cmd.Parent().Name() != "completion" && !strings.Contains(help, "\nExamples:\n") {
			t.Errorf("%s has no example", cmd.CommandPath())
		}
	})
}

// What most people need comes first, in all commands that measure.
func TestMostUsedFlags(t *testing.T) {
	t.Parallel()
	root := newRootFor(nil)
	for _, k := range kinds() {
		cmd, _, err := root.Find([]string{k.Name})
		if err != nil {
			t.Fatal(err)
		}
		first, count := helpGroups(cmd)[0], 0
		first.VisitAll(func(*pflag.Flag) { count++ })
		if first.Name() != "Most used" || count != 10 {
			t.Errorf("%s: first come %d flags of %q", k.Name, count, first.Name())
		}
		if help := said(t, k.Name, "--help"); strings.Count(help, "\n      --json ") != 1 {
			t.Errorf("%s: --json does not stand there once", k.Name)
		}
	}
}

func TestRootHelp(t *testing.T) {
	t.Parallel()
	alone, help := said(t), said(t, "--help")
	if !strings.HasPrefix(help, alone) {
		t.Errorf("the help does not begin with what plimsoll alone says:\n%s", help)
	}
	for _, want := range []string{"\nMeasure:\n", "\nRead:\n", "\nServe and tools:\n", "\nExit status:\n", "  130  interrupted"} {
		if !strings.Contains(help, want) {
			t.Errorf("the help lacks %q", want)
		}
	}
	if strings.Contains(help, "deltas") {
		t.Error("deltas stands in the help of the program")
	}
	for _, words := range [][]string{{"updates", "--help"}, {"serve", "kv", "--help"}} {
		if !strings.Contains(said(t, words...), "plimsoll deltas") {
			t.Errorf("%v does not name deltas", words)
		}
	}
	if got := said(t, "help", "serve", "chat"); got != said(t, "serve", "chat", "--help") {
		t.Errorf("help serve chat: %s", got)
	}
}

// Each figure that a run can have is listed, with how its values are written.
func TestHelpFigures(t *testing.T) {
	t.Parallel()
	all := said(t, "help", "figures")
	for _, line := range strings.Split(all, "\n") {
		if len([]rune(line)) > 80 {
			t.Errorf("%q is longer than 80", line)
		}
	}
	for _, k := range kinds() {
		for _, l := range figure.List(k.Report.Known(k.Name)) {
			if !strings.Contains(all, "\n  "+l.Name+" ") {
				t.Errorf("%s of %s is not listed", l.Name, k.Name)
			}
		}
	}
	if one := said(t, "help", "figures", "chat"); !strings.Contains(one, "\nchat besides\n") || strings.Contains(one, "updates") {
		t.Error(one)
	}
	if !strings.Contains(all, "0.1% or 12") || !strings.Contains(all, "1000/s") {
		t.Error("nothing says how values are written")
	}
}

// TestHelpWords checks that the glossary lists every word, and explains single words in either spelling.
func TestHelpWords(t *testing.T) {
	t.Parallel()
	all := said(t, "help", "words")
	for _, name := range glossary.Names() {
		if !strings.Contains(all, "\n  "+name+" ") {
			t.Errorf("%s is not listed", name)
		}
	}
	if one := said(t, "help", "words", "own", "delay"); one != said(t, "help", "words", "own delay") {
		t.Errorf("help words own delay: %q", one)
	}
	for word, want := range map[string]string{
		"p99": "p99\n", "median": "median, explained with p50\n", "P99.9": "p99.9\n",
	} {
		if got := said(t, "help", "words", word); !strings.HasPrefix(got, want) {
			t.Errorf("help words %s: %q, want the prefix %q", word, got, want)
		}
	}
	code, _, stderr := execute(t, "help", "words", "p99x")
	if code != 2 || !strings.Contains(stderr, "hint: ") {
		t.Errorf("help words p99x: status %d: %s", code, stderr)
	}
}
