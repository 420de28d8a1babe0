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

// said returns what plimsoll writes to stdout.
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

// TestEachHelp checks that the short help of every command fits on a screen, and that the complete one has all flags.
func TestEachHelp(t *testing.T) {
	t.Parallel()
	house := regexp.MustCompile(`(?i)the reference|null client|embedded|responder|goroutine`)
	allCommands(newRootFor(nil), func(cmd *cobra.Command) {
		if strings.HasPrefix(cmd.CommandPath(), "plimsoll completion ") {
			return // these texts are cobra's
		}
		path := strings.Fields(cmd.CommandPath())[1:]
		short, full := said(t, append(path, "--help")...), said(t, append(path, "--help=all")...)
		for _, line := range strings.Split(short+full, "\n") {
			if n := len([]rune(line)); n > 80 {
				t.Errorf("%s: %d columns: %s", cmd.CommandPath(), n, line)
			}
			if word := house.FindString(line); word != "" {
				t.Errorf("%s: %q: %s", cmd.CommandPath(), word, line)
			}
		}
		if n := strings.Count(short, "\n"); n > shortLines {
			t.Errorf("%s: the help has %d lines", cmd.CommandPath(), n)
		}
		if !cmd.HasParent() {
			return
		}
		if summary, _, _ := strings.Cut(short, "\n\n"); strings.Count(summary, "\n") > 2 {
			t.Errorf("%s: the description has more than 3 lines", cmd.CommandPath())
		}
		if !strings.Contains(short, "\nExamples:\n") {
			t.Errorf("%s has no example", cmd.CommandPath())
		}
		for _, g := range groupsOf(cmd) {
			g.VisitAll(func(f *pflag.Flag) {
				if !strings.Contains(full, "  --"+f.Name) && !strings.Contains(full, ", --"+f.Name) {
					t.Errorf("%s: --help=all lacks --%s", cmd.CommandPath(), f.Name)
				}
			})
		}
		if strings.Count(full, "  --") > strings.Count(short, "  --") && !strings.Contains(short, " --help=all\n") {
			t.Errorf("%s: the help does not mention --help=all", cmd.CommandPath())
		}
	})
}

// TestCommonFlags checks that the help of every kind shows the ten flags that most users need.
func TestCommonFlags(t *testing.T) {
	t.Parallel()
	root := newRootFor(nil)
	for _, k := range kinds() {
		cmd, _, err := root.Find([]string{k.Name})
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		if often, _ := helpGroups(cmd); often != nil {
			often.VisitAll(func(*pflag.Flag) { count++ })
		}
		if count != 10 {
			t.Errorf("%s: %d common flags", k.Name, count)
		}
		if help := said(t, k.Name, "--help=all"); strings.Count(help, "\n      --json ") != 1 {
			t.Errorf("%s: --json is not listed once", k.Name)
		}
	}
}

func TestRootHelp(t *testing.T) {
	t.Parallel()
	help := said(t, "--help")
	if n := strings.Count(help, "\n"); n > 40 {
		t.Errorf("the help has %d lines", n)
	}
	for _, want := range []string{"\nMeasure:\n", "\nResults:\n", "\nExit status: 0 "} {
		if !strings.Contains(help, want) {
			t.Errorf("the help lacks %q", want)
		}
	}
	if strings.Contains(help, "deltas") {
		t.Error("the help of the program lists deltas")
	}
	for _, words := range [][]string{{"updates", "--help=all"}, {"serve", "kv", "--help=all"}} {
		if !strings.Contains(said(t, words...), "plimsoll deltas") {
			t.Errorf("%v does not mention deltas", words)
		}
	}
	if got := said(t, "help", "serve", "chat"); got != said(t, "serve", "chat", "--help") {
		t.Errorf("help serve chat: %s", got)
	}
	if got := said(t, "help", "serve", "chat", "--all"); got != said(t, "serve", "chat", "--help=all") {
		t.Errorf("help serve chat --all: %s", got)
	}
	if code, _, stderr := execute(t, "chat", "--help=everything"); code != 2 || !strings.Contains(stderr, "--help=all") {
		t.Errorf("--help=everything: status %d: %s", code, stderr)
	}
}

// TestHelpMetrics checks that every metric is listed in one line, and that each has a description of its own.
func TestHelpMetrics(t *testing.T) {
	t.Parallel()
	all := said(t, "help", "metrics")
	if said(t, "help", "figures") != all {
		t.Error("help figures is another text")
	}
	for _, k := range kinds() {
		one := said(t, "help", "metrics", k.Name)
		for _, l := range figure.List(k.Report.Known(k.Name)) {
			quantity, _, is := statisticOf(l)
			for _, text := range []string{all, one} {
				if !strings.Contains(text, " "+l.Name) && !(is && strings.Contains(text, " "+quantity+".")) {
					t.Errorf("%s of %s is not listed", l.Name, k.Name)
				}
			}
			if about := said(t, "help", "metrics", l.Name); !strings.Contains(about, "--threshold '"+l.Name) {
				t.Errorf("help metrics %s: %s", l.Name, about)
			}
		}
		all += one
	}
	for _, line := range strings.Split(all+said(t, "help", "metrics", "--all"), "\n") {
		if len([]rune(line)) > 80 {
			t.Errorf("%q is longer than 80", line)
		}
	}
	for name, want := range map[string]string{
		"stage.wait": "stage.wait.p50", "p99.9": "'p99.9<50ms'", "failed{operation=NAME}": "'failed<0.1%'",
	} {
		if got := said(t, "help", "metrics", name); !strings.Contains(got, want) {
			t.Errorf("help metrics %s: %s", name, got)
		}
	}
	for name, want := range map[string]string{"stage.wiat": "stage.wait", "latency": "p50", "htpt": "http"} {
		code, _, stderr := execute(t, "help", "metrics", name)
		if code != 2 || !strings.Contains(stderr, "'plimsoll help metrics "+want+"'") {
			t.Errorf("help metrics %s: status %d: %s", name, code, stderr)
		}
	}
}

// TestHelpGlossary checks that the glossary lists every term, and explains single ones in either spelling.
func TestHelpGlossary(t *testing.T) {
	t.Parallel()
	overview, all := said(t, "help", "glossary"), said(t, "help", "glossary", "--all")
	if said(t, "help", "words") != overview {
		t.Error("help words is another text")
	}
	listed := strings.Join(strings.Fields(overview), " ")
	for _, name := range glossary.Names() {
		explained := strings.Contains(all, "\n  "+name+" ") || strings.Contains(all, "\n  "+name+"\n")
		if !strings.Contains(listed, name) || !explained {
			t.Errorf("%s is not listed", name)
		}
	}
	for _, line := range strings.Split(overview, "\n") {
		if len([]rune(line)) > 80 {
			t.Errorf("%q is longer than 80", line)
		}
	}
	if one := said(t, "help", "glossary", "response", "time"); one != said(t, "help", "glossary", "response time") {
		t.Errorf("help glossary response time: %q", one)
	}
	for word, want := range map[string]string{
		"p99": "p99\n", "median": "median, see p50\n", "P99.9": "p99.9\n",
	} {
		if got := said(t, "help", "glossary", word); !strings.HasPrefix(got, want) {
			t.Errorf("help glossary %s: %q, want the prefix %q", word, got, want)
		}
	}
	code, _, stderr := execute(t, "help", "glossary", "p99x")
	if code != 2 || !strings.Contains(stderr, "hint: ") {
		t.Errorf("help glossary p99x: status %d: %s", code, stderr)
	}
}

// TestHelpExplainsTerms checks that help explains a term of the glossary unless a command has its name.
func TestHelpExplainsTerms(t *testing.T) {
	t.Parallel()
	for term, want := range map[string]string{
		"exit": "exit, see exit status\n  0 success", "flags": "--help=all", "placeholders": "${id}",
		"in flight": "in flight\n", "run delay": "run delay\n", "not significant": "not significant\n",
	} {
		args := append([]string{"help"}, strings.Fields(term)...)
		if got := said(t, args...); !strings.Contains(got, want) || got != said(t, "help", "glossary", term) {
			t.Errorf("help %s: %q, want %q", term, got, want)
		}
	}
	if got := said(t, "help", "sweep"); got != said(t, "sweep", "--help") {
		t.Errorf("help sweep: %s", got)
	}
}
