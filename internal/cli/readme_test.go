//go:build unix

package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// The commands of the documents that are marked for it run as they stand there. An open model
// may be refused by the verdict on a busy machine (exit status 4), and still shows its
// report.
func TestReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs for as long as the documents say")
	}
	var script strings.Builder
	for _, name := range []string{"docs/chat.md", "docs/bandwidth.md", "docs/deltas.md", "docs/updates.md"} {
		text, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		commands := markedCommands(string(text))
		if len(commands) < 5 {
			t.Fatalf("%s has %d marked commands: %q", name, len(commands), commands)
		}
		for _, line := range commands {
			fmt.Fprintf(&script, "runs %s\n", line)
		}
	}
	file := filepath.Join(t.TempDir(), "readme.txtar")
	if err := os.WriteFile(file, []byte(script.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	runScripts(t, testscript.Params{Files: []string{file}})
}

// markedCommands are the commands in the block that follows the mark.
func markedCommands(text string) []string {
	_, rest, found := strings.Cut(text, "<!-- testscript:")
	if !found {
		return nil
	}
	_, rest, _ = strings.Cut(rest, "```sh\n")
	block, _, _ := strings.Cut(rest, "```")
	var commands []string
	for _, line := range strings.Split(block, "\n") {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "plimsoll ") {
			commands = append(commands, line)
		}
	}
	return commands
}
