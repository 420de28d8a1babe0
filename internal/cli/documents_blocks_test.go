//go:build unix

package cli_test

import (
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/cli"
)

const root = "../.."

// documents returns the paths of the README and of all pages in docs, relative to the root.
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

// A fence is a fenced block of a document: its language, the comments above it, and its lines.
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

// TestBlocksAreTested checks that every fenced block is in a language whose blocks some test runs.
func TestBlocksAreTested(t *testing.T) {
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

// TestCommandsThatDoNotRunParse checks that the commands which cannot run here, and those in a line of the README and the
// index, have commands and flags that exist: with --help a command parses its flags, and prints its help.
func TestCommandsThatDoNotRunParse(t *testing.T) {
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
		var said strings.Builder
		env := cli.Env{Args: askingForHelp(c), Stdin: strings.NewReader(""), Stdout: &said, Stderr: &said,
			LookupEnv:  func(string) (string, bool) { return "", false },
			IsTerminal: func(io.Writer) bool { return false },
			Signals:    func() (<-chan os.Signal, func()) { return nil, func() {} },
		}
		if code := cli.Main(t.Context(), env); code != 0 {
			t.Errorf("%s: exit status %d\n%s", c, code, said.String())
		}
	}
	if ran < 20 {
		t.Errorf("%d commands, fewer than 20: are they still found?", ran)
	}
}

var shellWord = regexp.MustCompile(`'[^']*'|"[^"]*"|[^\s\\]+`)

// askingForHelp returns the arguments of a command with --help instead of what follows "--", a pipe or a redirection.
func askingForHelp(command string) []string {
	for _, end := range []string{" || ", " -- ", " | ", " > ", " && "} {
		command, _, _ = strings.Cut(command, end)
	}
	var words []string
	for _, w := range shellWord.FindAllString(command, -1) {
		words = append(words, strings.Trim(w, `'"`))
	}
	return append(words[1:], "--help")
}

// A block is a block of commands of a document.
type block struct {
	commands           []string
	slow, never, boto3 bool
	npm                bool
	with               string // flags that its commands get besides where they take long
	server, as         string // the command that stands in for a server of the reader's, and what of a URL it stands for
}

// setsUp reports whether a block only starts servers, sets variables and writes files.
func (b block) setsUp() bool {
	return !slices.ContainsFunc(b.commands, func(c string) bool {
		name, _, _ := strings.Cut(c, " ")
		return name != "export" && name != "cat" && name != "echo" && !strings.HasPrefix(c, "plimsoll serve ")
	})
}

// slowly is the mark of a block that takes long.
var slowly = regexp.MustCompile(`<!-- run by make test-docs(?:, with (--[^:]+))?: `)

// standIn is the mark of a block that needs a server of the reader's.
var standIn = regexp.MustCompile(`<!-- run against: (plimsoll serve [^,]+?)(?:, as (\S+))? -->`)

// commandBlocks returns the blocks of a document that have commands.
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

// commandsOf joins the lines of a block into commands: a command continues while a quote is open, after a backslash, and to
// the end of a here document.
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

// jobCommands returns the commands of a CI job, in GitHub's steps or GitLab's script, that call plimsoll or read its files.
// The others check out, install and start what is measured.
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
