package overhead

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/rundoc"
)

// asked is a command with these flags, resolved.
func asked(t *testing.T, flags map[string]string) (*Command, error) {
	t.Helper()
	c := Kind().New().(*Command)
	settings := c.Settings()
	for name, value := range flags {
		if err := settings.Lookup(name).Set(value); err != nil {
			t.Fatal(err)
		}
	}
	return c, c.Resolve(nil, func(name string) bool { _, is := flags[name]; return is })
}

// baselineOf is the file of a run of this command.
func baselineOf(t *testing.T, name string, d *rundoc.OverheadDetail) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	f, err := os.Create(path)
	if err == nil {
		doc := &rundoc.Run{Schema: rundoc.Schema, ID: "20261124T000000Z-0a0a", Workload: rundoc.WorkloadOverhead, Detail: d}
		err = rundoc.Write(f, doc)
	}
	if err != nil || f.Close() != nil {
		t.Fatal(err)
	}
	return path
}

// Two commands are two sides, of which the baseline is the first; a baseline's file stands for its command.
func TestAgainstResolves(t *testing.T) {
	file := baselineOf(t, "before.json", &rundoc.OverheadDetail{Mode: rundoc.OverheadExec, Command: "python3 old.py", CommandWhole: true})
	for against, line := range map[string]string{
		"python3 old.py": "python3 old.py", file: "python3 old.py", "cat loop.json": "cat loop.json",
	} {
		c, err := asked(t, map[string]string{"exec": "python3 new.py --key hunter2", "against": against, "fail-if": "worse"})
		if err != nil {
			t.Errorf("%s: %v", against, err)
			continue
		}
		a := c.Against()
		if a.Baseline["exec"] != line || a.Launches != 30 || !a.FailIfWorse || a.RequireConclusive || a.MinEffect != 0 {
			t.Errorf("%s: %+v", against, a)
		}
		if strings.Contains(a.Names[0]+a.Names[1], "hunter2") || !strings.Contains(a.Names[1], "new.py") {
			t.Errorf("they are called %v", a.Names)
		}
		if _, err := c.Job(&run.Env{}); err == nil || fault.CodeOf(err) != fault.Usage {
			t.Errorf("one of many: %v", err)
		}
	}
	c, err := asked(t, map[string]string{"exec": "a", "against": "b", "min-effect": "5%", "require-conclusive": "true"})
	if err != nil || c.Against().MinEffect != 0.05 || !c.Against().RequireConclusive {
		t.Errorf("%v", err)
	}
	if c, err := asked(t, map[string]string{"exec": "a"}); err != nil || c.Against() != nil {
		t.Errorf("a single run: %v", err)
	}
}

// What cannot be compared is refused before anything starts, and says what to do.
func TestAgainstRefuses(t *testing.T) {
	sdk := baselineOf(t, "sdk.json", &rundoc.OverheadDetail{Mode: "sdk"})
	part := baselineOf(t, "part.json", &rundoc.OverheadDetail{Mode: rundoc.OverheadExec, Command: "loop …"})
	for want, flags := range map[string]map[string]string{
		"--against needs --exec":                    {"against": "b"},
		"--against is empty":                        {"exec": "a", "against": "  "},
		"--exec and --against are the same command": {"exec": "a b ", "against": " a b"},
		"--baseline cannot be combined with --against, which makes several runs": {"exec": "a", "against": "b", "baseline": "last"},
		"--save-baseline cannot be combined with --against":                      {"exec": "a", "against": "b", "save-baseline": "x.json"},
		"--repeat needs --against":                                               {"exec": "a", "repeat": "5"},
		"--fail-if needs --against":                                              {"exec": "a", "fail-if": "worse"},
		"--require-conclusive needs --min-effect":                                {"exec": "a", "against": "b", "require-conclusive": "true"},
		"--against no.json: no such file":                                        {"exec": "a", "against": "no.json"},
		"--against " + sdk + ": the file does not contain a run of a command":    {"exec": "a", "against": sdk},
		"--against " + part + ": the command cannot be run":                      {"exec": "a", "against": part},
		"--repeat is 0": {"exec": "a", "against": "b", "repeat": "0"},
	} {
		_, err := asked(t, flags)
		if err == nil || !strings.HasPrefix(err.Error(), want) || fault.CodeOf(err) != fault.Usage {
			t.Errorf("%v: %v, want %q", flags, err, want)
		}
	}
}
