//go:build unix

package cli_test

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every block of commands in the README and in docs runs as it stands there, in the order of its
// document and in one directory a document. Two marks above a block say otherwise, each with its reason:
//
//	<!-- not run here: REASON -->
//	<!-- run by make test-docs: REASON -->
//
// The second is for blocks that take minutes; they run where PLIMSOLL_DOCUMENTS is "slow", and the others
// do not.
func TestDocuments(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs for as long as the documents say")
	}
	names, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	slow, ran := os.Getenv("PLIMSOLL_DOCUMENTS") == "slow", 0
	for _, name := range append(names, filepath.Join("..", "..", "README.md")) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		blocks := commandBlocks(string(text))
		t.Run(filepath.Base(name), func(t *testing.T) {
			r := newReader(t)
			for _, b := range blocks {
				if b.never || b.slow != slow {
					continue
				}
				ran += len(b.commands)
				r.follow(b.commands)
			}
		})
	}
	if least := map[bool]int{false: 40, true: 4}[slow]; ran < least {
		t.Errorf("%d commands ran, fewer than %d: are the blocks still found?", ran, least)
	}
}

// block is a block of commands of a document.
type block struct {
	commands    []string
	slow, never bool
}

// commandBlocks are the blocks of a document that are marked as commands (sh), with their marks.
func commandBlocks(text string) []block {
	var blocks []block
	var marks string // the comments above the line
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		switch line := lines[i]; {
		case strings.HasPrefix(line, "<!--"):
			marks += line
		case line == "```sh":
			end := i + 1 + slices.Index(lines[i+1:], "```")
			blocks = append(blocks, block{
				commands: commandsOf(lines[i+1 : end]),
				slow:     strings.Contains(marks, "<!-- run by make test-docs: "),
				never:    strings.Contains(marks, "<!-- not run here: "),
			})
			i, marks = end, ""
		default:
			marks = ""
		}
	}
	return blocks
}

// commandsOf joins the lines of a block into commands: one goes on while a quote is open.
func commandsOf(lines []string) []string {
	var commands []string
	open := ""
	for _, line := range lines {
		if open != "" {
			line = open + "\n" + line
		}
		if open = ""; strings.Count(line, "'")%2 == 1 {
			open = line
			continue
		}
		if text := strings.TrimSpace(line); text != "" && !strings.HasPrefix(text, "#") {
			commands = append(commands, text)
		}
	}
	return commands
}

// reader does what a person does who follows a document: one shell, one directory.
type reader struct {
	t   *testing.T
	dir string
	env []string
	url string // of the server that the document started, in place of the one that it names
}

func newReader(t *testing.T) *reader {
	dir := t.TempDir()
	env := append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+filepath.Join(dir, "state"), "TZ=UTC", "NO_COLOR=1")
	if python := os.Getenv("PLIMSOLL_PYTHON"); python != "" { // the programs of the foreign peers, such as aws
		env = append(env, "PATH="+os.Getenv("PATH")+":"+filepath.Dir(python))
	}
	return &reader{t: t, dir: dir, env: env}
}

var loopback = regexp.MustCompile(`http://127\.0\.0\.1:\d+`)

func (r *reader) follow(commands []string) {
	r.t.Helper()
	for _, command := range commands {
		if name, value, found := strings.Cut(command, "="); found && strings.HasPrefix(name, "export ") {
			r.env = append(r.env, strings.TrimPrefix(name, "export ")+"="+r.at(value))
			continue
		}
		if strings.HasPrefix(command, "plimsoll serve ") {
			r.serve(command)
			continue
		}
		r.run(r.at(command))
	}
}

// at puts the server's address in the place of the one that the document has: that port may be taken here.
func (r *reader) at(text string) string {
	if r.url == "" {
		return text
	}
	return loopback.ReplaceAllString(text, r.url)
}

func (r *reader) shell(command string) *exec.Cmd {
	cmd := exec.CommandContext(r.t.Context(), "sh", "-c", command)
	cmd.Dir, cmd.Env = r.dir, r.env
	return cmd
}

// run runs a command that must show something. Its exit status is 0, or what a busy machine may
// make of it: see runs.
func (r *reader) run(command string) {
	r.t.Helper()
	var stdout, stderr strings.Builder
	cmd := r.shell(command)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && mayEnd(strings.Fields(command), exit.ExitCode())) {
		r.t.Fatalf("%s: %v\n%s", command, err, stderr.String())
	}
	if strings.Contains(stdout.String()+stderr.String(), "broken law") {
		r.t.Errorf("%s: a busy machine breaks no law:\n%s", command, stdout.String())
	}
	if stdout.String()+stderr.String() == "" {
		r.t.Errorf("%s: it says nothing", command)
	}
}

// serve starts a server on a free port, and stops it at the end of the test.
func (r *reader) serve(command string) {
	r.t.Helper()
	words := strings.Fields(strings.Split(command, "#")[0])
	if i := slices.Index(words, "--listen"); i >= 0 {
		words = slices.Delete(words, i, i+2)
	}
	cmd := r.shell("exec " + strings.Join(words, " ") + " --listen 127.0.0.1:0")
	said, err := cmd.StderrPipe()
	if err != nil {
		r.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_, _ = io.Copy(io.Discard, said)
		_ = cmd.Wait()
	})
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		if url := loopback.FindString(lines.Text()); url != "" {
			r.url = url
			return
		}
	}
	r.t.Fatalf("%s did not say where it is", command)
}
