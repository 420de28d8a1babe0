package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
)

const rootText = `Plimsoll measures what a client really gets from a networked service, and says
whether its own figures can be trusted.`

// questions are what one can ask, with the command that answers. They fit on one screen.
var questions = [...]struct{ ask, command string }{
	{"How long does my HTTP service take to answer?", "plimsoll http http://HOST:8080/PATH"},
	{"How long does my WebSocket service take to answer?", "plimsoll ws ws://HOST:8080/PATH --protocol echo"},
	{"How fast is my store?", "plimsoll bandwidth s3://BUCKET/PATH/"},
	{"What does an SDK call cost on my side?", "plimsoll overhead S3/PutObject"},
	{"How fast do updates arrive, and is any lost?", "plimsoll updates nats://HOST:4222/TOPIC"},
	{"What did the last run say?", "plimsoll report last"},
}

// exitStatus is told in the help of the program and on every manual page.
var exitStatus = [...]struct{ code, meaning string }{
	{"0", "the run is complete"},
	{"1", "the run failed, or not one operation was ok"},
	{"2", "a flag, an argument or a file is wrong"},
	{"3", "a threshold was missed, a figure got worse, or updates were lost"},
	{"4", "the measurement cannot be trusted; the report says why"},
	{"130", "interrupted; the results so far were saved"},
}

// frontPage is what plimsoll says when it is asked nothing.
func frontPage() string {
	var b strings.Builder
	b.WriteString(rootText + "\n")
	for _, q := range questions {
		fmt.Fprintf(&b, "\n%s\n  %s\n", q.ask, q.command)
	}
	b.WriteString("\nWith no argument each of the first five is a demo: a first look, against a\n" +
		"server that it starts on this machine. What a word means: plimsoll help words.\n" +
		"All commands: plimsoll --help\n")
	return b.String()
}

// rootExample is the questions as examples of a manual page.
func rootExample() string {
	var parts []string
	for _, q := range questions {
		parts = append(parts, "  # "+q.ask+"\n  "+q.command)
	}
	return strings.Join(parts, "\n\n")
}

// commandGroup is commands below one heading of the help.
type commandGroup struct {
	heading string
	names   []string
}

// commandGroups are the commands that the help of the program lists. The commands for files of updates stand in the
// help of what needs them.
func commandGroups() []commandGroup {
	measure := commandGroup{heading: "Measure"}
	for _, k := range kinds() {
		measure.names = append(measure.names, k.Name)
	}
	measure.names = append(measure.names, "sweep", "compare", "loadline")
	return []commandGroup{
		measure,
		{"Several runs", []string{"run", "plan"}},
		{"Read", []string{"report", "view", "runs", "samples"}},
		{"Serve and tools", []string{"serve", "docs", "completion", "version", "help"}},
	}
}

// rootHelp is the help of the program.
func rootHelp(root *cobra.Command) string {
	var b strings.Builder
	b.WriteString(frontPage())
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
	b.WriteString("\nRun 'plimsoll COMMAND --help' for what a command does, and its flags.\n\nExit status:\n")
	for _, s := range exitStatus {
		fmt.Fprintf(&b, "  %-3s  %s\n", s.code, s.meaning)
	}
	return b.String()
}
