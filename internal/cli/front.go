package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

const rootText = `Plimsoll measures what clients of a networked service experience, and reports
whether the measurement can be trusted.`

// questions are what users ask, with the command that answers. They fit on one screen.
var questions = [...]struct{ ask, command string }{
	{"How fast does my HTTP service respond?", "plimsoll http http://HOST:8080/PATH"},
	{"How fast does my WebSocket service respond?", "plimsoll ws ws://HOST:8080/PATH --protocol echo"},
	{"How fast is my object store?", "plimsoll bandwidth s3://BUCKET/PATH/"},
	{"What does an SDK call cost on the client side?", "plimsoll overhead S3/PutObject"},
	{"How fast do updates arrive, and are any lost?", "plimsoll updates nats://HOST:4222/TOPIC"},
	{"What was the result of the last run?", "plimsoll report last"},
}

// exitStatus is part of every manual page.
var exitStatus = [...]struct{ code, meaning string }{
	{"0", "success"},
	{"1", "the run failed, or no operation succeeded"},
	{"2", "usage error: a flag, an argument or a file is wrong"},
	{"3", "a threshold was missed, a metric got worse, or updates were lost"},
	{"4", "the measurement cannot be trusted; the report says why"},
	{"130", "interrupted; the results so far were saved"},
}

// exitStatusLine is the exit status in the help of the program.
const exitStatusLine = `Exit status: 0 success, 1 run failed, 2 usage error, 3 threshold missed or
worse than before, 4 result cannot be trusted, 130 interrupted.
`

// frontPage returns the output of plimsoll without arguments.
func frontPage() string {
	var b strings.Builder
	b.WriteString(rootText + "\n")
	for _, q := range questions {
		fmt.Fprintf(&b, "\n%s\n  %s\n", q.ask, q.command)
	}
	b.WriteString("\nWithout an argument, each of the first five runs a demo on this machine.\n" +
		"All commands: plimsoll --help\n")
	return b.String()
}

// rootExample returns the questions as the examples of the manual page.
func rootExample() string {
	var parts []string
	for _, q := range questions {
		parts = append(parts, "  # "+q.ask+"\n  "+q.command)
	}
	return strings.Join(parts, "\n\n")
}

// commandGroup is a group of commands below a heading of the help.
type commandGroup struct {
	heading string
	names   []string
}

// commandGroups returns the commands that the help of the program lists. The help of the commands that need files of
// updates lists those for such files.
func commandGroups() []commandGroup {
	measure := commandGroup{heading: "Measure"}
	for _, k := range kinds() {
		measure.names = append(measure.names, k.Name)
	}
	return []commandGroup{
		measure,
		{"Compare and search", []string{"compare", "sweep", "loadline", "run", "plan"}},
		{"Results", []string{"report", "view", "runs", "samples"}},
		{"Other", []string{"serve", "docs", "completion", "version", "help"}},
	}
}

// rootHelp returns the help of the program. It fits on a screen.
func rootHelp(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString(rootText + "\n\nUsage:\n  plimsoll COMMAND [ARGUMENTS] [FLAGS]\n")
	for _, g := range commandGroups() {
		fmt.Fprintf(&b, "\n%s:\n", g.heading)
		for _, name := range g.names {
			for _, sub := range root.Commands() {
				if sub.Name() == name {
					fmt.Fprintf(&b, "  %-10s  %s\n", name, sub.Short)
				}
			}
		}
	}
	b.WriteString("\nFlags of a command: plimsoll COMMAND --help\n" +
		"Metrics and terms: plimsoll help metrics, plimsoll help glossary\n\n" + exitStatusLine)
	return b.String()
}
