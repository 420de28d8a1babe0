//go:build unix

package cli_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/peertest"
)

const root = "../.."

// documents are the README and all in docs, as paths from the root.
func documents(t *testing.T) []string {
	t.Helper()
	names := []string{"README.md"}
	err := filepath.WalkDir(filepath.Join(root, "docs"), func(path string, _ fs.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, ".md") {
			path, err = filepath.Rel(root, path)
			names = append(names, filepath.ToSlash(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func readDocument(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// fence is a fenced block of a document: the language after the first fence, the comments above it, its lines.
type fence struct {
	language, marks string
	lines           []string
}

func fences(text string) []fence {
	var all []fence
	var marks string // the comments above the line
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		switch line := lines[i]; {
		case strings.HasPrefix(line, "<!--"):
			marks += line
		case strings.HasPrefix(line, "```"):
			length := slices.Index(lines[i+1:], "```")
			if length < 0 {
				length = len(lines) - i - 1
			}
			all = append(all, fence{strings.TrimPrefix(line, "```"), marks, lines[i+1 : i+1+length]})
			i, marks = i+1+length, ""
		default:
			marks = ""
		}
	}
	return all
}

// A block in a language of which nobody runs the blocks would be wrong some day.
func TestBlocksAreOfLanguagesThatRun(t *testing.T) {
	t.Parallel()
	for _, name := range documents(t) {
		for _, f := range fences(readDocument(t, name)) {
			switch f.language {
			case "sh", "yaml", "text": // text is what a command shows, or a drawing
			case "json":
				if text := strings.Join(f.lines, "\n"); !json.Valid([]byte(text)) {
					t.Errorf("%s: no JSON: %s", name, text)
				}
			case "go":
				// throughputtest runs them, and fails where it does not know one.
				if !strings.Contains(f.marks, "<!-- throughput: ") {
					t.Errorf("%s: nobody runs the block in Go that begins %q", name, f.lines[0])
				}
			case "python":
				// The tests of tools/python run the one of that page.
				if name != "docs/data.md" {
					t.Errorf("%s: nobody runs the block in Python that begins %q", name, f.lines[0])
				}
			default:
				t.Errorf("%s: nobody runs blocks in %q", name, f.language)
			}
		}
	}
}

// What cannot run here (it needs the reader's own server), and what the README and the index name in a line, has at
// least commands and flags that there are: with --help behind it a command shows its help, once its flags are read.
func TestCommandsThatDoNotRunAreKnown(t *testing.T) {
	peertest.NothingRaces(t, "texts alone")
	t.Parallel()
	var commands []string
	for _, name := range documents(t) {
		text := readDocument(t, name)
		for _, b := range commandBlocks(text) {
			if b.never {
				commands = append(commands, b.commands...)
			}
		}
		if path.Base(name) != "README.md" {
			continue
		}
		for _, line := range prose(text) {
			for _, code := range inlineCode.FindAllString(line, -1) {
				commands = append(commands, strings.Trim(code, "`"))
			}
		}
	}
	ran := 0
	for _, c := range commands {
		c, _, _ = strings.Cut(c, " #")
		if !strings.HasPrefix(c, "plimsoll ") || strings.Contains(c, "plimsoll …") || strings.Contains(c, "COMMAND") {
			continue
		}
		ran++
		cmd := exec.CommandContext(t.Context(), "sh", "-c", askingForHelp(c))
		cmd.Dir = t.TempDir()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", c, err, out)
		}
	}
	if ran < 20 {
		t.Errorf("%d commands, fewer than 20: are they still found?", ran)
	}
}

// askingForHelp has a command show its help: what is behind "--" is no flag, and what is behind "||" another command.
func askingForHelp(command string) string {
	command, _, _ = strings.Cut(command, " || ")
	command, _, _ = strings.Cut(command, " -- ")
	return command + " --help"
}

// block is a block of commands of a document.
type block struct {
	commands           []string
	slow, never, boto3 bool
	npm                bool
	with               string // flags that its commands get besides where they take minutes
	server, as         string // the command that stands in for a server of the reader's, and what of a URL it stands for
}

// slowly is the mark of a block that takes minutes.
var slowly = regexp.MustCompile(`<!-- run by make test-docs(?:, with (--[^:]+))?: `)

// standIn is the mark of a block that needs a server of the reader's.
var standIn = regexp.MustCompile(`<!-- run against: (plimsoll serve [^,]+?)(?:, as (\S+))? -->`)

// commandBlocks are the blocks of a document that have commands, with their marks.
func commandBlocks(text string) []block {
	var blocks []block
	for _, f := range fences(text) {
		var commands []string
		switch f.language {
		case "sh":
			commands = commandsOf(f.lines)
		case "yaml":
			commands = jobCommands(f.lines)
		}
		if len(commands) == 0 {
			continue
		}
		b := block{
			commands: commands,
			never:    strings.Contains(f.marks, "<!-- not run here: "),
			boto3:    strings.Contains(f.marks, "<!-- needs: boto3 -->"),
			npm:      strings.Contains(f.marks, "<!-- needs: npm -->"),
		}
		if m := slowly.FindStringSubmatch(f.marks); m != nil {
			b.slow, b.with = true, m[1]
		}
		if m := standIn.FindStringSubmatch(f.marks); m != nil {
			b.server, b.as = m[1], m[2]
		}
		blocks = append(blocks, b)
	}
	return blocks
}

// hereDocument reports whether a command has one, and whether its end is still to come.
func hereDocument(command string) (within, is bool) {
	_, text, is := strings.Cut(command, "<<'EOF'\n")
	return is && !strings.HasSuffix("\n"+text, "\nEOF") || strings.HasSuffix(command, "<<'EOF'"),
		is || strings.HasSuffix(command, "<<'EOF'")
}

// commandsOf joins the lines of a block into commands: one goes on while a quote is open, after a backslash, and to the
// end of a here document.
func commandsOf(lines []string) []string {
	var commands []string
	open := ""
	for _, line := range lines {
		if open != "" {
			line = open + "\n" + line
		}
		open = ""
		if within, is := hereDocument(line); is && within || !is && (strings.Count(line, "'")%2 == 1 || strings.HasSuffix(line, `\`)) {
			open = line
			continue
		}
		if text := strings.TrimSpace(line); text != "" && !strings.HasPrefix(text, "#") {
			commands = append(commands, text)
		}
	}
	return commands
}

// jobCommands are the commands of a CI job, of GitHub's steps or GitLab's script, that call plimsoll or look at what
// it left. The others check out, install and start what is measured.
func jobCommands(lines []string) []string {
	var commands []string
	for i := 0; i < len(lines); i++ {
		text := strings.TrimSpace(lines[i])
		if !strings.HasPrefix(text, "- ") {
			continue
		}
		command := strings.TrimPrefix(strings.TrimPrefix(text, "- "), "run: ")
		if command == "|" { // a script, as far as the lines are indented
			script := []string{"set -e"}
			for deep := indent(lines[i]); i+1 < len(lines) && indent(lines[i+1]) > deep; i++ {
				script = append(script, strings.TrimSpace(lines[i+1]))
			}
			commands = append(commands, strings.Join(script, "\n"))
			continue
		}
		if name, _, _ := strings.Cut(command, " "); slices.Contains([]string{"plimsoll", "jq", "awk"}, name) {
			commands = append(commands, command)
		}
	}
	return commands
}

func indent(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
