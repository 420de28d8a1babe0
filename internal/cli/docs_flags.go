package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/setting"
)

func newSharedFlags(env *Env) *cobra.Command {
	return &cobra.Command{
		Use:     "flags",
		Short:   "Print the flags that several commands share as Markdown",
		Example: "  plimsoll docs flags > flags.md",
		Args:    command.AtMost(0, "it takes no argument; it writes to stdout"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if _, err := io.WriteString(env.Stdout, sharedFlags(cmd.Root())); err != nil {
				return fault.New(fault.RunFailed, "cannot write the flags: %w", err)
			}
			return nil
		},
	}
}

const sharedFlagsHead = `# Flags by command

Flags that two or more commands share. A flag has the same meaning in every command listed with it.
[All settings](settings.md) lists every flag of every command. This page is the output of
` + "`plimsoll docs flags`" + `.

- **tests** are the commands that measure: %s.
- ` + "`sweep`, `compare` and `loadline`" + ` accept the flags of the test that they run, too, as in
  ` + "`plimsoll sweep http --vary rate=100,200 --clients 50`" + `. A plan file has them as settings, without the dashes
  (` + "`clients: 50`" + `).
- Some flags had another name in earlier versions. The old name still works and prints a note.

| flag | meaning | commands |
| --- | --- | --- |
`

// A sharedFlag is one flag of several commands.
type sharedFlag struct {
	name, kind, help string
	commands         []string
}

// sharedFlags returns a table of the flags that at least two commands have.
func sharedFlags(root *cobra.Command) string {
	var all []*sharedFlag
	collectFlags(root, &all)
	slices.SortStableFunc(all, func(a, b *sharedFlag) int { return strings.Compare(a.name, b.name) })
	tests := kindNames()
	var b strings.Builder
	fmt.Fprintf(&b, sharedFlagsHead, strings.Join(tests, ", "))
	for _, s := range all {
		if len(s.commands) < 2 {
			continue
		}
		flag := strings.TrimRight("--"+s.name+" "+s.kind, " ")
		fmt.Fprintf(&b, "| %s | %s | %s |\n", code(flag), strings.ReplaceAll(s.meaning(), "|", `\|`),
			strings.Join(namedCommands(s.commands, tests), ", "))
	}
	return b.String()
}

// collectFlags adds the flags of cmd and of the commands below it. Flags of one name that take different values are
// different flags.
func collectFlags(cmd *cobra.Command, all *[]*sharedFlag) {
	if cmd.Annotations[repeatsKey] != "" {
		return
	}
	name := strings.TrimPrefix(cmd.CommandPath(), cmd.Root().Name()+" ")
	for _, of := range []string{"sweep ", "loadline "} { // one command for each kind, with the same flags
		if strings.HasPrefix(name, of) {
			name = strings.TrimSpace(of)
		}
	}
	for _, group := range groupsOf(cmd) {
		for _, s := range settingsOf(group.FlagSet) {
			addFlag(all, name, s.Name, s)
			for _, other := range s.Also {
				addFlag(all, name, other, s)
			}
		}
	}
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() {
			collectFlags(sub, all)
		}
	}
}

func addFlag(all *[]*sharedFlag, cmd, name string, s *setting.Setting) {
	kind := s.Kind
	if s.Switch() {
		kind = ""
	}
	same := func(one *sharedFlag) bool { return one.name == name && (one.kind == kind || name != s.Name) }
	i := slices.IndexFunc(*all, same)
	if i < 0 {
		i, *all = len(*all), append(*all, &sharedFlag{name: name, kind: kind, help: s.Help})
	}
	one := (*all)[i]
	if len(s.Help) < len(one.help) {
		one.help = s.Help
	}
	if !slices.Contains(one.commands, cmd) {
		one.commands = append(one.commands, cmd)
	}
}

// meaning returns a short description: one that fits all commands, or the first part of the help text.
func (s *sharedFlag) meaning() string {
	if text, known := meanings()[s.name]; known && s.kind != "when" {
		return text
	}
	text := s.help
	for _, end := range []string{"; ", " (default", ", such as"} {
		text, _, _ = strings.Cut(text, end)
	}
	return text
}

// meanings describes flags whose help texts name what is particular to a command.
func meanings() map[string]string {
	return map[string]string{
		"arrivals":        "spacing of a --rate: poisson (random), constant, or burst",
		"bearer":          "bearer token of the requests",
		"batch":           "updates in a message",
		"bucket":          "length of an interval in --buckets and --chart, in whole seconds",
		"buckets":         "CSV file for the throughput of each interval",
		"ca":              "PEM file with the certificates to trust",
		"cert-out":        "file for the generated certificate, for clients to trust",
		"chart":           ".svg or .png file for a chart of the results",
		"clients":         "number of simulated users, each with its own connection",
		"compress":        "compress messages (permessage-deflate)",
		"cookies":         "keep the cookies that the server sets",
		"csv":             "CSV file for the operations of a bandwidth run",
		"data-file":       "CSV file with rows for the requests, for ${csv.NAME}",
		"delay":           "time that the demo server waits before each response",
		"deletes":         "share of the updates that delete their key",
		"drain":           "how long to wait for outstanding operations at the end",
		"drop-rate":       "share of requests whose connection is closed instead of a response",
		"dry-run":         "show what would be done, and do nothing",
		"duration":        "how long to measure, after the warm-up",
		"error-rate":      "share of requests that get an error response",
		"fail-if":         "exit with status 3 if a metric is worse",
		"fanout":          "measure when all receivers of a room have a message",
		"header":          "header of the requests",
		"html":            "file for the report as a page with charts",
		"http2":           "use HTTP/2",
		"insecure":        "accept any certificate",
		"json":            "print JSON instead of text",
		"junit":           "file for the thresholds as JUnit XML tests",
		"label":           "label of a run or a set; of runs: list those with this label",
		"max-clients":     "limit of the clients added when all are busy, with --rate",
		"max-connections": "limit of concurrent connections",
		"max-message":     "limit of the length of a message",
		"max-requests":    "limit of concurrent requests",
		"max-retries":     "retries after the first attempt",
		"max-waiting":     "limit of operations waiting for a free client, with --rate",
		"metric":          "metric to compare",
		"messages":        "stop after this many messages, including warm-up",
		"no-save":         "do not save the results",
		"out":             "directory for the results",
		"pacing":          "how to wait for the next scheduled operation: spin, sleep or auto",
		"pipeline":        "operations in flight per client",
		"rate":            "operations per second (open model)",
		"region":          "region of the service",
		"repeat":          "number of repetitions: runs of the test, of each setting, or of both sides",
		"samples":         "CSV or Parquet file for every operation",
		"samples-warmup":  "include the warm-up in --samples",
		"seed":            "seed of everything random",
		"server-name":     "host name that the certificate must have (SNI)",
		"slo":             "condition to meet, such as p99<50ms: the SLO of a search, a threshold of a run",
		"stages":          "rate that changes over time",
		"stall-after":     "stop responding this long after the first request",
		"stall-for":       "duration of the stall",
		"target-flag":     "flag of the demo server",
		"threshold":       "condition to meet, such as p99<50ms: a threshold of a run, the SLO of a search",
		"timeout":         "time limit of one attempt",
		"tls":             "use TLS with the demo server",
		"until":           "stop when a metric is known this precisely",
		"warmup-messages": "messages per client in the warm-up",
		"warmup-time":     "length of the warm-up",
		"within":          "precision at which a search stops: half the width of the 98% confidence interval",
	}
}

// namedCommands returns the names of commands, with "tests" for all commands that measure.
func namedCommands(names, tests []string) (list []string) {
	missing := func(test string) bool { return !slices.Contains(names, test) }
	all := !slices.ContainsFunc(tests, missing)
	if all {
		list = append(list, "tests")
	}
	for _, name := range names {
		if !all || !slices.Contains(tests, name) {
			list = append(list, "`"+name+"`")
		}
	}
	return list
}
