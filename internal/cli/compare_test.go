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
		{nil, "plimsoll compare needs two sides, not 0\nhint: for example: plimsoll compare http://"},
		{[]string{a, b, a}, "plimsoll compare takes two sides, not 3\nhint: quote each command line"},
		{[]string{a, b, "--clients", "0"}, "--clients is 0"},
		{[]string{a, b, "--repeats", "3"}, "unknown flag --repeats\nhint: did you mean --repeat?"},
		{[]string{"", b}, "A: the side is empty\nhint: give a URL, a quoted command line"},
		{[]string{"2026", kept}, `A: no run "2026"`},
		{[]string{kept, "last~3"}, "B: there are no saved runs"},
		{[]string{one, two}, "two.yaml has 2 runs; a side is one run"},
		{[]string{"serve http", b}, `A: unknown command "serve"`},
		{[]string{"htp " + a, b}, `A: unknown command "htp"` + "\nhint: did you mean http?"},
		{[]string{"gopher://h/?key=hunter2", b}, `A: "gopher://h/?key=…" has an unknown scheme`},
		{[]string{"http " + a + " --header 'A: hunter2", b}, "A: no closing quote for the ' at character 35"},
		{[]string{a, "http " + b + " | tee x"}, "B: the | at character 26 is shell syntax"},
		{[]string{"http " + a + " --client 3", b}, "A: unknown flag --client\nhint: did you mean --clients?"},
		{[]string{"http " + a + " --clients 0", b}, "A: --clients is 0"},
		{[]string{"http " + a + " --out x", b}, "A: --out controls the output of a single run"},
		{[]string{"http " + a + " --seed 3", b}, "A: --seed cannot be set for one side"},
		{[]string{a, b, "--", "--client", "3"}, "both sides: unknown flag --client\nhint: did you mean --clients?"},
		{[]string{"http " + a + " --clients 3", b, "--", "--clients", "4"}, "--clients is given for A and again for both sides"},
		{[]string{a, "ws://127.0.0.1:1/"}, "A is http and B is ws: both sides must be of the same kind"},
		{[]string{"http " + a + " --rate 50", b}, "A uses the open model and B the closed"},
		{[]string{kept, b}, "A is a saved run and B is a new run"},
		{[]string{kept, kept, "--repeat", "10"}, "--repeat has no effect on two saved runs"},
		{[]string{kept, setAt(t, "plateau", nil)}, "is a set of several runs (sweep); a side is one run"},
		{[]string{a, b, "--repeat", "9", "--fail-if", "worse"}, "--repeat is 9: a significant difference needs at least 10"},
		{[]string{a, b, "--busy-limit", "120%"}, `--busy-limit: "120%" is not a share`},
		{[]string{a, b, "--slice", "2h"}, "--slice is 2h0m0s: it must be from 1ms to 1m"},
		{[]string{a, b, "--min-effect", "200%"}, `--min-effect: "200%" is not a share: it must be from 0 to 1`},
		{[]string{a, b, "--require-conclusive"}, "--require-conclusive needs --min-effect"},
		{[]string{"bandwidth 1MiB", "bandwidth 2MiB", "--interleave", "slices"}, "bandwidth cannot be paused"},
		{[]string{a, b, "--metric", "p98x"}, `--metric: "p98x" is not a metric of http`},
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
		"No comparison: the variation between runs is unknown: 0 saved runs of this plan, at least 40 are needed": func(run *rundoc.Run) { run.ID += "b" },
		"Not comparable: the target differs: demo and ws://h/":                                                    func(run *rundoc.Run) { run.Target = rundoc.Target{URL: "ws://h/"} },
		"Not comparable: the machine differs: ":                                                                   func(run *rundoc.Run) { run.Host.CPUs += 7 },
		"Not comparable: the number of clients differs: ":                                                         func(run *rundoc.Run) { run.Ledger.Clients++ },
		"Not comparable: the setting rooms differs: 20 and 21":                                                    func(run *rundoc.Run) { run.Plan = planWith(t, run.Plan, `"rooms": 20`, `"rooms": 21`) },
		"Not comparable: the kind differs: chat and ws":                                                           func(run *rundoc.Run) { run.Workload = "ws" },
		"Not comparable: the kernel differs: ":                                                                    func(run *rundoc.Run) { run.Host.Kernel += "+" },
		"Not comparable: the load model differs: closed and open":                                                 func(run *rundoc.Run) { run.Plan = planWith(t, run.Plan, `"load": {`, `"load": {"rate_per_s": 5,`) },
	} {
		_, stdout, stderr := execute(t, "compare", plain, keptRun(t, change))
		text := strings.Join(strings.Fields(stdout), " ")
		if strings.HasPrefix(want, "Not comparable: the kind") && strings.Contains(text, "none that make") {
			t.Errorf("two kinds, and nothing differs\n%s", text)
		}
		unlike := strings.Contains(want, "the kind differs") || strings.Contains(want, "the load model differs")
		if strings.Contains(text, "measure both in turn: plimsoll compare A B") == unlike {
			t.Errorf("%s: what to do, where there is something\n%s", want, text)
		}
		if !strings.Contains(text, "Result "+want) || strings.Contains(text, "worse") || strings.Contains(text, "better") {
			t.Errorf("want %q\n%s%s", want, stdout, stderr)
		}
	}
	_, stdout, _ := execute(t, "compare", plain, plain, "--markdown")
	if !strings.Contains(stdout, "- Result: **No comparison: ") {
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
	const few = "39 saved runs of this plan, at least 40 are needed"
	if text := result(); !strings.Contains(text, few) {
		t.Errorf("want %q\n%s", few, text)
	}
	keep(40, likeIt(39))
	const want = "Result No comparison: consecutive runs on this machine differ by 10.0% in rate, 0% in p50, 0% in p90, 0% in p99"
	if text := result(); !strings.Contains(text, want) {
		t.Errorf("want %q\n%s", want, text)
	}
}
