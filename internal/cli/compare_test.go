package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

// TestCompareRefusesBadSides checks that sides which cannot be compared are refused before anything starts.
func TestCompareRefusesBadSides(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const head = "plan: plimsoll.plan/v1\nruns:\n  - kind: chat\n"
	one, two := file("one.yaml", head), file("two.yaml", head+"  - kind: chat\n")
	kept := earlierRun("chat")
	const a, b = "http://127.0.0.1:1/", "http://127.0.0.1:2/"
	for _, test := range []struct {
		args []string
		want string
	}{
		{nil, "plimsoll compare needs two sides, and none is named\nhint: such as plimsoll compare http://"},
		{[]string{a, b, a}, "plimsoll compare takes two sides, and 3 are named\nhint: put a command line in quotes"},
		{[]string{"http", a, "--clients", "3"}, "--clients is a setting of the sides, and none of the comparison\nhint: settings of both sides stand behind them and --"},
		{[]string{a, b, "--launch", "3"}, "unknown flag --launch\nhint: did you mean --launches?"},
		{[]string{"", b}, "A: it is empty\nhint: a side is a URL, a command line in quotes"},
		{[]string{"2026", kept}, `A: there is no run "2026"`},
		{[]string{kept, "last~3"}, "B: no run is saved, so there is no last~3"},
		{[]string{one, two}, "two.yaml has 2 runs, and a side is one"},
		{[]string{"serve http", b}, `A: "serve" is no kind of run, and only runs of one kind can be compared`},
		{[]string{"htp " + a, b}, `A: "htp" is no kind of run, and only runs of one kind can be compared` + "\nhint: did you mean http?"},
		{[]string{"gopher://h/?key=hunter2", b}, `A: "gopher://h/?key=…" names no kind of traffic that is known`},
		{[]string{"http " + a + " --header 'A: hunter2", b}, "A: the quote is not closed that begins with the ' at character 35"},
		{[]string{a, "http " + b + " | tee x"}, "B: the | at character 26 is for a shell"},
		{[]string{"http " + a + " --client 3", b}, "A: unknown flag --client\nhint: did you mean --clients?"},
		{[]string{"http " + a + " --clients 0", b}, "A: --clients is 0"},
		{[]string{"http " + a + " --out x", b}, "A: --out says what becomes of a single run"},
		{[]string{"http " + a + " --seed 3", b}, "A: --seed is that of the comparison"},
		{[]string{a, b, "--", "--client", "3"}, "behind --: unknown flag --client\nhint: did you mean --clients?"},
		{[]string{"http " + a + " --clients 3", b, "--", "--clients", "4"}, "--clients is given to A, and to both sides behind --"},
		{[]string{a, "ws://127.0.0.1:1/"}, "A is http and B is ws: only runs of one kind can be compared"},
		{[]string{"http " + a + " --rate 50", b}, "A has a load in the open model and B in the closed"},
		{[]string{kept, b}, "A is a saved run and B is one to be made: either both are saved runs or none"},
		{[]string{kept, kept, "--launches", "10"}, "--launches is of sides that are measured, and these are two saved runs"},
		{[]string{kept, setAt(t, "plateau", nil)}, "is a set of several runs (sweep), and a side is one"},
		{[]string{a, b, "--launches", "9", "--fail-if", "worse"}, "--launches is 9: whether B is worse takes 10 at least"},
		{[]string{a, b, "--busy-limit", "120%"}, `--busy-limit: "120%" is not a share`},
		{[]string{a, b, "--slice", "2h"}, "--slice is 2h0m0s: it must be from 1ms to 1m"},
		{[]string{a, b, "--min-effect", "200%"}, `--min-effect: "200%" is not a share: it must be from 0 to 1`},
		{[]string{a, b, "--require-conclusive"}, "--require-conclusive needs --min-effect"},
		{[]string{"bandwidth 1MiB", "bandwidth 2MiB", "--interleave", "slices"}, "a load of bandwidth cannot be held still"},
		{[]string{a, b, "--figure", "p98x"}, `--figure: "p98x" is not a metric of http`},
	} {
		code, stdout, stderr := execute(t, append([]string{"compare"}, test.args...)...)
		if code != 2 || stdout != "" || !strings.Contains(stderr, test.want) || strings.Contains(stderr, "hunter2") {
			t.Errorf("%q: status %d\n%s%swant %q", test.args, code, stdout, stderr, test.want)
		}
	}
}

// keptRun writes the document of a chat, changed, to a file and returns its path.
func keptRun(t *testing.T, change func(*rundoc.Run)) string {
	t.Helper()
	run, err := rundoc.ReadFile(earlierRun("chat"))
	if err != nil {
		t.Fatal(err)
	}
	change(run)
	path := filepath.Join(t.TempDir(), "run.json")
	if err := rundoc.WriteFile(path, run); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestSavedRunsAreNotJudged checks that two saved runs are shown side by side, with the reason why neither is called
// better.
func TestSavedRunsAreNotJudged(t *testing.T) {
	t.Parallel()
	plain := keptRun(t, func(*rundoc.Run) {})
	for want, change := range map[string]func(*rundoc.Run){
		"no comparison: by how much runs here differ from one to the next is not known: 0 runs are saved of this plan, and it takes 40": func(run *rundoc.Run) { run.ID += "b" },
		"not comparable: the target differs: demo and ws://h/":                                                                          func(run *rundoc.Run) { run.Target = rundoc.Target{URL: "ws://h/"} },
		"not comparable: the machine differs: ":                                                                                         func(run *rundoc.Run) { run.Host.CPUs += 7 },
		"not comparable: the number of clients differs: ":                                                                               func(run *rundoc.Run) { run.Ledger.Clients++ },
		"not comparable: the setting rooms differs: 20 and 21":                                                                          func(run *rundoc.Run) { run.Plan = planWith(t, run.Plan, `"rooms": 20`, `"rooms": 21`) },
		"not comparable: the kind differs: chat and ws":                                                                                 func(run *rundoc.Run) { run.Workload = "ws" },
		"not comparable: the kernel differs: ":                                                                                          func(run *rundoc.Run) { run.Host.Kernel += "+" },
		"not comparable: the model of the load differs: closed and open":                                                                func(run *rundoc.Run) { run.Plan = planWith(t, run.Plan, `"load": {`, `"load": {"rate_per_s": 5,`) },
	} {
		_, stdout, stderr := execute(t, "compare", plain, keptRun(t, change))
		text := strings.Join(strings.Fields(stdout), " ")
		if strings.HasPrefix(want, "not comparable: the kind") && strings.Contains(text, "nothing that would make") {
			t.Errorf("two kinds, and nothing differs\n%s", text)
		}
		unlike := strings.Contains(want, "the kind differs") || strings.Contains(want, "the model of the load differs")
		if strings.Contains(text, "Measure both sides in turn: plimsoll compare A B") == unlike {
			t.Errorf("%s: what to do, where there is something\n%s", want, text)
		}
		if !strings.Contains(text, "Result "+want) || strings.Contains(text, "worse") || strings.Contains(text, "better") {
			t.Errorf("want %q\n%s%s", want, stdout, stderr)
		}
	}
	_, stdout, _ := execute(t, "compare", plain, plain, "--markdown")
	if !strings.Contains(stdout, "- Result: **no comparison: ") {
		t.Errorf("%s", stdout)
	}
}

func planWith(t *testing.T, plan json.RawMessage, old, with string) json.RawMessage {
	t.Helper()
	var parts map[string]any
	text := strings.Replace(string(plan), old, with, 1)
	if err := json.Unmarshal([]byte(text), &parts); err != nil || text == string(plan) {
		t.Fatal(errors.Join(err, errors.New("nothing was changed in "+string(plan))))
	}
	return json.RawMessage(text)
}

// TestSpreadOfSavedRuns checks that the spread is computed from 40 saved runs of the same plan on the same machine, and
// from no others.
func TestSpreadOfSavedRuns(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	keep := func(i int, change func(*rundoc.Run)) {
		run, err := rundoc.ReadFile(earlierRun("chat"))
		if err != nil {
			t.Fatal(err)
		}
		run.ID = fmt.Sprintf("20260101T00%02d%02d.000Z-%04x", i/60, i%60, i)
		change(run)
		dir := filepath.Join(state, "plimsoll", "runs", run.ID)
		if err := errors.Join(os.MkdirAll(dir, 0o755), rundoc.WriteFile(filepath.Join(dir, "run.json"), run)); err != nil {
			t.Fatal(err)
		}
	}
	// Each run is a tenth faster than the one before it, or slower by as much.
	likeIt := func(i int) func(*rundoc.Run) {
		return func(run *rundoc.Run) {
			for o := range run.Operations {
				if i%2 == 1 {
					run.Operations[o].RatePerS *= 1.1
				}
			}
		}
	}
	for i := range 39 {
		keep(i, likeIt(i))
	}
	for i := 50; i < 60; i++ {
		keep(i, func(run *rundoc.Run) { run.Host.CPUs++ })
		keep(i+10, func(run *rundoc.Run) { run.Plan = planWith(t, run.Plan, `"rooms": 20`, `"rooms": 21`) })
		keep(i+20, func(run *rundoc.Run) { run.Target = rundoc.Target{URL: "ws://h/"} })
	}
	kept := earlierRun("chat")
	result := func() string {
		code, stdout, stderr := executeIn(t, state, "compare", kept, kept)
		if code != 0 {
			t.Fatalf("status %d\n%s", code, stderr)
		}
		return strings.Join(strings.Fields(stdout), " ")
	}
	const few = "is not known: 39 runs are saved of this plan, and it takes 40"
	if text := result(); !strings.Contains(text, few) {
		t.Errorf("want %q\n%s", few, text)
	}
	keep(40, likeIt(39))
	const want = "Result no comparison: runs here differ by 10.0% in rate, 0% in p50, 0% in p90, 0% in p99 from one to the next"
	if text := result(); !strings.Contains(text, want) {
		t.Errorf("want %q\n%s", want, text)
	}
}
