package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// gh is the program by which comments are written, with the comments of a change in a file: it answers by jq, as the
// real one does, and records what it was told.
const gh = `#!/bin/sh
echo "$*" >>calls.txt
case "$*" in
*--jq*) for last; do :; done; jq -r "$last" comments.json ;;
*refused*) exit 1 ;;
*) for last; do :; done; cp "${last#body=@}" written.md ;;
esac
`

// program ends with the next of the statuses in a file, and writes what plimsoll would.
const program = `#!/bin/sh
echo "$*" >>commands.txt
status=$(head -n 1 statuses.txt); sed -i 1d statuses.txt
while [ $# -gt 0 ]; do case $1 in --junit | --html) echo "$status" >"$2" ;; --out) mkdir "$2" ;; esac; shift; done
printf '## Plimsoll chat\n\n- Verdict: **VALID**\n'
[ "$status" = 0 ] || printf 'plimsoll: why it is %s\n::set-output name=x::y\n' "$status" >&2
exit "$status"
`

// action is a job in which the Action's script runs.
type action struct{ dir string }

func newAction(t *testing.T) *action {
	t.Helper()
	for _, name := range []string{"sh", "jq", "sed"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	a := &action{t.TempDir()}
	for name, text := range map[string]string{"gh": gh, "program": program, "comments.json": "[]",
		"event.json": `{"pull_request":{"number":7}}`} {
		if err := os.WriteFile(filepath.Join(a.dir, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return a
}

func (a *action) file(name string) string {
	text, _ := os.ReadFile(filepath.Join(a.dir, name)) // one that is not there is empty
	return string(text)
}

func (a *action) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(a.dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// run runs the script with inputs, and a program that ends with these statuses in turn.
func (a *action) run(t *testing.T, statuses string, inputs ...string) (log string, red bool) {
	t.Helper()
	a.write(t, "statuses.txt", strings.ReplaceAll(statuses, " ", "\n")+"\n")
	for _, name := range []string{"summary.md", "output.txt", "calls.txt", "commands.txt", "written.md"} {
		a.write(t, name, "")
	}
	script, err := filepath.Abs("../../deploy/action/run.sh")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "sh", script)
	cmd.Dir = a.dir
	cmd.Env = append([]string{"PATH=" + a.dir + ":" + os.Getenv("PATH"), "BINARY=./program", "PLAN=plan.yaml",
		"GITHUB_EVENT_PATH=event.json", "GITHUB_REPOSITORY=o/r", "GITHUB_STEP_SUMMARY=summary.md",
		"GITHUB_OUTPUT=output.txt"}, inputs...)
	out, err := cmd.CombinedOutput()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	return string(out), err != nil
}

// A job is green as soon as one attempt went well, and red where the goal was missed in each that could tell.
func TestActionOutcomes(t *testing.T) {
	t.Parallel()
	a := newAction(t)
	for _, tt := range []struct {
		statuses string
		inputs   []string
		red      bool
		outcome  string
		attempts string
		kept     string // the status of the attempt whose files are kept
	}{
		{"0", nil, false, "ok", "1", "0"},
		{"3 0", nil, false, "ok", "2", "0"},
		{"4 4 0", nil, false, "ok", "3", "0"},
		{"3 3", nil, true, "missed", "2", "3"},
		{"3 4 3", nil, true, "missed", "3", "3"},
		{"4 3 4", nil, true, "missed", "3", "3"},
		{"4 4 4", nil, false, "untrusted", "3", "4"},
		{"4 4 4", []string{"FAIL_ON=invalid"}, true, "untrusted", "3", "4"},
		{"4", []string{"ATTEMPTS=1"}, false, "untrusted", "1", "4"},
		{"3", []string{"ATTEMPTS=1"}, true, "missed", "1", "3"},
		{"3 3", []string{"FAIL_ON=never"}, false, "missed", "2", "3"},
		{"1 1 1", nil, true, "failed", "3", "1"},
		{"1 1 4", nil, false, "untrusted", "3", "4"},
		{"1 0", nil, false, "ok", "2", "0"},
		{"1 1 1", []string{"FAIL_ON=never"}, false, "failed", "3", "1"},
		{"2", []string{"FAIL_ON=never"}, true, "usage", "1", "2"},
		{"130", nil, true, "interrupted", "1", "130"},
	} {
		log, red := a.run(t, tt.statuses, tt.inputs...)
		out := a.file("output.txt")
		if red != tt.red || !strings.Contains(out, "outcome="+tt.outcome+"\n") ||
			!strings.Contains(out, "attempts="+tt.attempts+"\n") || a.file("plimsoll-report/junit.xml") != tt.kept+"\n" {
			t.Errorf("%s %v: red %v, kept %q\n%s%s", tt.statuses, tt.inputs, red, a.file("plimsoll-report/junit.xml"), out, log)
		}
		for line := range strings.Lines(log) {
			known := strings.HasPrefix(line, "::error title=Plimsoll") || strings.HasPrefix(line, "::warning title=Plimsoll") ||
				strings.HasPrefix(line, "::notice title=Plimsoll")
			if strings.HasPrefix(strings.TrimSpace(line), "::") && !known {
				t.Errorf("%s: what the program said is a command: %s", tt.statuses, line)
			}
		}
		if strings.Contains(log, "::error") != tt.red {
			t.Errorf("%s: red %v, and said\n%s", tt.statuses, tt.red, log)
		}
		if sum := a.file("summary.md"); !strings.Contains(sum, "## Plimsoll chat") || sum != a.file("written.md") {
			t.Errorf("%s: the summary is\n%s\nand the comment\n%s", tt.statuses, sum, a.file("written.md"))
		}
	}
}

// A change has one comment of each plan, which is written anew, and those of others are left alone.
func TestActionComment(t *testing.T) {
	t.Parallel()
	a := newAction(t)
	const list, made = "api --paginate repos/o/r/issues/7/comments --jq ", "api repos/o/r/issues/7/comments -F body=@"
	a.write(t, "comments.json", `[{"id":1,"user":{"type":"User"},"body":"<!-- plimsoll: plan.yaml --> mine"},
		{"id":2,"user":{"type":"Bot"},"body":"<!-- plimsoll: other.yaml -->"},{"id":3,"user":{"type":"Bot"},"body":"hello"}]`)
	if log, red := a.run(t, "0"); red || !strings.Contains(a.file("calls.txt"), list) || !strings.Contains(a.file("calls.txt"), "\n"+made) {
		t.Errorf("%s\n%s", a.file("calls.txt"), log)
	}
	body := a.file("written.md")
	if !strings.HasPrefix(body, "<!-- plimsoll: plan.yaml -->\n## Plimsoll chat\n") {
		t.Error(body)
	}
	a.write(t, "comments.json", `[{"id":9,"user":{"type":"Bot"},"body":"<!-- plimsoll: plan.yaml -->\nbefore"}]`)
	if a.run(t, "0"); !strings.Contains(a.file("calls.txt"), "api -X PATCH repos/o/r/issues/comments/9 -F body=@") ||
		strings.Contains(a.file("calls.txt"), made) {
		t.Error(a.file("calls.txt"))
	}
	a.run(t, "0", "NAME=a --><b>'\"$(x)")
	if !strings.HasPrefix(a.file("written.md"), "<!-- plimsoll: a --bx -->\n") {
		t.Error(a.file("written.md"))
	}
	if a.run(t, "0", "COMMENT=false"); a.file("calls.txt") != "" {
		t.Error(a.file("calls.txt"))
	}
	if log, red := a.run(t, "0", "GITHUB_REPOSITORY=refused/r"); red || !strings.Contains(log, "::warning title=Plimsoll") {
		t.Errorf("no comment could be written: red %v\n%s", red, log)
	}
	a.write(t, "event.json", `{"ref":"main"}`)
	if a.run(t, "0"); a.file("calls.txt") != "" {
		t.Errorf("no pull request: %s", a.file("calls.txt"))
	}
}

// What the program is told are the lines of args, whatever stands in them.
func TestActionArguments(t *testing.T) {
	t.Parallel()
	a := newAction(t)
	a.run(t, "0", "PLAN=", "ARGS=http\nhttp://h/?a=1&b=$(touch no)\n\n--threshold\np99 < 50ms; `touch no`")
	if got := a.file("commands.txt"); !strings.HasPrefix(got, "http http://h/?a=1&b=$(touch no) --threshold p99 < 50ms; `touch no` --quiet ") {
		t.Error(got)
	}
	if a.file("no") != "" {
		t.Error("an argument was carried out")
	}
	for _, inputs := range [][]string{{"PLAN="}, {"FAIL_ON=x"}, {"ATTEMPTS=0"}, {"COMMENT=yes"}, {"BINARY=./none"}} {
		if log, red := a.run(t, "0", inputs...); !red || !strings.HasPrefix(log, "::error title=Plimsoll") || a.file("commands.txt") != "" {
			t.Errorf("%v: red %v\n%s", inputs, red, log)
		}
	}
}
