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

// TestDocuments runs every block of commands in the README and in docs as written, in the order of its document and in
// one directory per document: blocks marked sh, and in blocks marked yaml, which are jobs of CI systems, the commands that
// call plimsoll or read its files. Marks above a block say otherwise, each with its reason:
//
//	<!-- not run here: REASON -->
//	<!-- run by make test-docs: REASON -->
//	<!-- run by make test-docs, with --duration 1s: REASON -->
//	<!-- needs: boto3 --> (or npm)
//	<!-- run against: plimsoll serve chat, as wss://chat.example.org -->
//
// The second is for blocks that take seconds: they run if PLIMSOLL_DOCUMENTS is "slow", and the others do not, except
// for blocks that only start servers, set variables and write files. The third adds flags to each of our commands, for
// shorter runs than the reader's. The fourth is for what 'make test' sets up. The fifth is for blocks that need a server
// of the reader's: one of ours replaces it, and its address replaces that in the block. A block may also call jq.
func TestDocuments(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it runs for as long as the documents say")
	}
	slow, ran := os.Getenv("PLIMSOLL_DOCUMENTS") == "slow", 0
	for _, name := range documents(t) {
		blocks := slices.DeleteFunc(commandBlocks(readDocument(t, name)), func(b block) bool {
			return b.never || b.slow != slow && !b.setsUp()
		})
		blocks = slices.DeleteFunc(blocks, func(b block) bool {
			why := lacks(t, b)
			if why != "" {
				t.Run(name+" without "+b.commands[0], func(t *testing.T) { t.Skip(why) })
			}
			return why != ""
		})
		for _, b := range blocks {
			ran += len(b.commands)
		}
		if !slices.ContainsFunc(blocks, func(b block) bool { return !b.setsUp() }) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newReader(t)
			for _, b := range blocks {
				r.before(b).follow(b.commands)
			}
		})
	}
	if ran < 50 {
		t.Errorf("%d commands ran, fewer than 50: are the blocks still found?", ran)
	}
}

// A reader runs the commands of a document as a user would.
type reader struct {
	t    *testing.T
	dir  string
	env  []string
	host string // of the server that the document started, in place of the one that it names
	as   string // what of a URL stands for a server of the reader's; "": there is none
	with string // flags that commands of ours get besides
}

// before returns the reader with the server that a block needs, and the variables of its clients.
func (r *reader) before(b block) *reader {
	r.t.Helper()
	r.with = b.with
	if b.server == "" {
		return r
	}
	own := *r
	own.as = b.as
	own.serve(b.server)
	own.env = append(slices.Clone(r.env), "AWS_ACCESS_KEY_ID=plimsoll", "AWS_SECRET_ACCESS_KEY=plimsoll-is-not-a-secret",
		"AWS_REGION=us-east-1", "AWS_ENDPOINT_URL=http://"+own.host)
	return &own
}

func newReader(t *testing.T) *reader {
	dir := t.TempDir()
	env := append(os.Environ(), "HOME="+dir, "XDG_STATE_HOME="+filepath.Join(dir, "state"), "TZ=UTC", "NO_COLOR=1",
		"GITHUB_STEP_SUMMARY=summary.md")
	if python := os.Getenv("PLIMSOLL_PYTHON"); python != "" { // the foreign peers, such as aws, and python3 with boto3
		env = append(env, "PATH="+filepath.Dir(python)+":"+os.Getenv("PATH"))
	}
	return &reader{t: t, dir: dir, env: append(env, goCaches(t)...)}
}

// goCaches returns the variables that name Go's caches, for blocks that compile a program: the reader's home has none, and
// downloaded modules could not be removed with it.
func goCaches(t *testing.T) []string {
	var env []string
	names := []string{"GOPATH", "GOMODCACHE", "GOCACHE"}
	out, err := exec.CommandContext(t.Context(), "go", append([]string{"env"}, names...)...).Output()
	values := strings.Split(strings.TrimSpace(string(out)), "\n")
	if err != nil || len(values) != len(names) {
		return nil // a compiled test runs without Go
	}
	for i, name := range names {
		env = append(env, name+"="+values[i])
	}
	return env
}

// lacks returns what a block needs and this machine lacks, or "". CI must have jq.
func lacks(t *testing.T, b block) string {
	t.Helper()
	if b.boto3 && os.Getenv("PLIMSOLL_PYTHON") == "" {
		return "PLIMSOLL_PYTHON is not set; run 'make test'"
	}
	if _, err := exec.LookPath("npm"); b.npm && err != nil {
		return "there is no npm"
	}
	callsJQ := slices.ContainsFunc(b.commands, func(c string) bool { return jq.MatchString(c) })
	if _, err := exec.LookPath("jq"); !callsJQ || err == nil {
		return ""
	}
	if os.Getenv("CI") != "" {
		t.Errorf("jq is missing (Debian: jq), which 'make setup' installs where it may: %s", b.commands[0])
	}
	return "there is no jq; run 'make setup'"
}

var (
	jq       = regexp.MustCompile(`(?m)(^|[|;&] *)jq `)
	loopback = regexp.MustCompile(`\b(http|ws)://(127\.0\.0\.1:\d+)`)
)

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
		if r.with != "" && strings.HasPrefix(command, "plimsoll ") {
			command += " " + r.with
		}
		r.run(r.at(command))
	}
}

// at replaces the address in the document, whose port may be taken, with the server's.
func (r *reader) at(text string) string {
	if r.host == "" {
		return text
	}
	if r.as != "" {
		scheme := "ws://"
		if strings.HasPrefix(r.as, "http") {
			scheme = "http://"
		}
		text = strings.ReplaceAll(text, r.as, scheme+r.host)
	}
	return loopback.ReplaceAllString(text, "${1}://"+r.host)
}

func (r *reader) shell(command string) *exec.Cmd {
	cmd := exec.CommandContext(r.t.Context(), "sh", "-c", command)
	cmd.Dir, cmd.Env = r.dir, r.env
	return cmd
}

// run runs a command that must print something. Its exit status is 0, or one that mayFail accepts.
func (r *reader) run(command string) {
	r.t.Helper()
	r.valuesExist(command)
	var stdout, stderr strings.Builder
	cmd := r.shell(command)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && mayFail(command, exit.ExitCode(), stdout.String())) {
		r.t.Fatalf("%s: %v\n%s%s", command, err, stdout.String(), stderr.String())
	}
	if strings.Contains(stdout.String()+stderr.String(), "invariant violated") {
		r.t.Errorf("%s: an invariant does not hold:\n%s", command, stdout.String())
	}
	if stdout.String()+stderr.String() == "" && !strings.Contains(command, " >") {
		r.t.Errorf("%s: it prints nothing", command)
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
		if found := loopback.FindStringSubmatch(lines.Text()); found != nil {
			r.host = found[2]
			return
		}
	}
	r.t.Fatalf("%s did not say where it is", command)
}
