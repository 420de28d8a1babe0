package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

// Each command that a report tells to try next is one of ours, with flags that it has.
func TestNextCommandsAreCommands(t *testing.T) {
	t.Parallel()
	documents, err := filepath.Glob("../../rundoc/testdata/earlier/*.json")
	if err != nil || len(documents) == 0 {
		t.Fatal(err)
	}
	for _, path := range documents {
		run, err := rundoc.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		kind := reportKind(run.Workload)
		told := []string{kind.Own, kind.NextCommand(run)}
		if kind.Next != nil {
			told = append(told, kind.Next(run))
		}
		if kind.Less != nil {
			told = append(told, kind.Less(run, 0.5))
		}
		run.Target.Embedded = false
		for _, command := range append(told, kind.NextCommand(run)) {
			if command != "" {
				parses(t, path, command)
			}
		}
	}
}

// parses checks that the program knows a command and its flags.
func parses(t *testing.T, path, command string) {
	t.Helper()
	if err := tryParsing(strings.ReplaceAll(command, ":PORT", ":8080")); err != nil {
		t.Errorf("%s: %q: %v", path, command, err)
	}
}
