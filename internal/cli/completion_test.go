package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/plimsoll/plimsoll/internal/cli/command"
)

// complete returns the completions of an incomplete command line, and cobra's directive.
func complete(t *testing.T, state string, words ...string) (offered []string, how string) {
	t.Helper()
	var out, errs bytes.Buffer
	env := &Env{
		Args: append([]string{"__complete"}, words...), Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs,
		LookupEnv: func(name string) (string, bool) { return state, name == "XDG_STATE_HOME" },
	}
	if err := newRoot(env).ExecuteContext(t.Context()); err != nil {
		t.Fatalf("%v: %v", words, err)
	}
	for _, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		if strings.HasPrefix(line, ":") {
			return offered, line
		}
		word, _, _ := strings.Cut(line, "\t")
		offered = append(offered, word)
	}
	t.Fatalf("%v: %s%s", words, &out, &errs)
	return nil, ""
}

// The numbers of cobra's directives.
const (
	offersFiles   = ":0"
	offersNoFiles = ":4"
	offersNoSpace = ":6" // and no files
	offersEndings = ":8"
	offersDirs    = ":16"
)

func TestCompletion(t *testing.T) {
	t.Parallel()
	state := stateWithRuns(t)
	for _, c := range []struct {
		words string
		offer []string // among others
		how   string
	}{
		{"", []string{"http", "chat", "bandwidth", "report", "help"}, offersNoFiles},
		{"serve|", []string{"http", "chat", "s3", "aws", "kv"}, offersNoFiles},
		{"help|figures|", []string{"chat", "updates"}, offersNoFiles},
		{"http|", []string{"http://", "https://"}, offersNoSpace},
		{"http|--method|", []string{"GET", "POST"}, offersNoFiles},
		{"http|--check|", []string{"status", "header", "json"}, offersNoSpace},
		{"http|--requests|", []string{"yaml", "har", "log"}, offersEndings},
		{"chat|--threshold|", []string{"p99", "failed", "rate"}, offersNoSpace},
		{"help|words|", []string{"p99.9", "generator delay"}, offersNoFiles},
		{"bandwidth|", []string{"s3://", "gs://", "hdfs://", "file:", "mem:"}, offersNoSpace},
		{"overhead|", []string{"S3", "S3/PutObject", "DynamoDB"}, offersNoFiles},
		{"report|", []string{"last", "20261121T204700.123Z-1f3a"}, offersFiles},
		{"chat|ws://h/chat|", nil, offersNoFiles},
		{"bandwidth|128m|", []string{"s3://"}, offersNoSpace},
		{"bandwidth|128m|s3://b/p|", nil, offersNoFiles},
		{"runs|", []string{"prune", "rm"}, offersNoFiles},
		{"deltas|inspect|deltas.csv|", nil, offersFiles},
		{"overhead|--baseline|", []string{"last", "20261122T204700.123Z-aaaa"}, offersFiles},
		{"report|last~1|--section|", []string{"answer", "plan"}, offersNoFiles},
		{"chat|--json=", []string{"true", "false"}, offersNoFiles},
		{"chat|--target-flag|", []string{"delay=", "drop-rate="}, offersNoSpace},
		{"chat|--samples|", []string{"csv"}, offersEndings},
		{"chat|--out|", nil, offersDirs},
		{"chat|--duration|", nil, offersNoFiles},
		{"report|--format|", []string{"text", "markdown", "json", "csv"}, offersNoFiles},
	} {
		offered, how := complete(t, state, strings.Split(c.words, "|")...)
		if how != c.how {
			t.Errorf("%s: %s, want %s", c.words, how, c.how)
		}
		for _, want := range c.offer {
			if !slices.Contains(offered, want) {
				t.Errorf("%s: %v lacks %s", c.words, offered, want)
			}
		}
		if c.offer == nil && len(offered) > 0 {
			t.Errorf("%s: %v, want nothing", c.words, offered)
		}
	}
}

// stateWithRuns returns a state directory with two runs of a chat.
func stateWithRuns(t *testing.T) string {
	t.Helper()
	state := t.TempDir()
	document, err := os.ReadFile(filepath.Join("..", "..", "rundoc", "testdata", "earlier", "chat.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"20261121T204700.123Z-1f3a", "20261122T204700.123Z-aaaa"} {
		dir := filepath.Join(state, "plimsoll", "runs", id)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "run.json"), document, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return state
}

// TestEveryFlagIsCompleted checks that a shell is offered values for each flag of each command, or no files where its
// values cannot be known.
func TestEveryFlagIsCompleted(t *testing.T) {
	t.Parallel()
	free := []string{"duration", "count", "number", "rate", "size", "share", "bytes", "characters", "stages", "time",
		"text", "name", "origin", "key", "secret", "token", "command", "address", "host", "host:port", "host:port:address", "name:password", "service:region", "code", "key=value", "'Name: value'"}
	state := stateWithRuns(t)
	seen := 0
	allCommands(newRootFor(nil), func(cmd *cobra.Command) {
		command.OfferValues(cmd, func() []string { return []string{"last"} })
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Value.Type() == "bool" && f.NoOptDefVal != "" && f.Name != "json" {
				return // --flag alone is all there is to say
			}
			seen++
			var offered []string
			var how string
			if values, ok := cmd.GetFlagCompletionFunc(f.Name); ok {
				words, directive := values(cmd, nil, "")
				offered, how = words, fmt.Sprintf(":%d", directive)
			} else { // files, or what the command itself offers once it is asked
				path := strings.Fields(cmd.CommandPath())[1:]
				offered, how = complete(t, state, append(path, "--"+f.Name+"=")...)
			}
			file := slices.Contains([]string{"file", "path", "place"}, f.Value.Type())
			switch kind := f.Value.Type(); {
			case len(offered) > 0 || how == offersDirs || file && how == offersFiles:
			case slices.Contains(free, kind) && how == offersNoFiles:
			default:
				t.Errorf("%s --%s %s: nothing is offered, %s", cmd.CommandPath(), f.Name, kind, how)
			}
		})
	})
	if seen < 120 {
		t.Errorf("%d flags: are they still found?", seen)
	}
}
