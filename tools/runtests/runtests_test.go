package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// module is a module with these files, of which go test makes its events.
func module(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	files["go.mod"] = "module example.org/m\n\ngo 1.26.0\n"
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
}

const head = "package a\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nvar _ = os.Exit\n\n"

func TestRuns(t *testing.T) {
	module(t, map[string]string{
		"a/a_test.go": head + `
func TestSays(t *testing.T) { t.Log("silent"); t.Run("quiet", func(t *testing.T) { t.Skip("no peer;\nrun it") }) }
func TestAlso(t *testing.T) { t.Log("a thing before"); t.Skipf("no %s", "peer; run it") }
func TestBare(t *testing.T) { t.SkipNow() }
`,
		"b/b_test.go": strings.Replace(head, "package a", "package b", 1) + `
func TestGood(t *testing.T) { t.Log("is well") }
func TestBad(t *testing.T)  { t.Log("before it"); t.Error("is bad") }
`,
		"c/c_test.go": strings.Replace(head, "package a", "package c", 1) + `
func TestMain(m *testing.M) { m.Run(); println("at the end"); os.Exit(3) }
func TestPasses(t *testing.T) { println("from inside") }
`,
		"d/d_test.go": strings.Replace(head, "package a", "package d", 1) + "func TestPanics(t *testing.T) { panic(\"oh\") }\n",
		"e/e_test.go": "package e\n\nfunc wrong() int { return \"\" }\n",
		"f/f.go":      "package f\n",
	})
	list := filepath.Join(t.TempDir(), "left-out.txt")
	var out bytes.Buffer
	if err := run(context.Background(), &out, []string{list, "-count=1", "./..."}); err == nil {
		t.Error("what failed passes")
	}
	for _, want := range []string{
		"ok  \texample.org/m/a", "--- FAIL: TestBad", "before it", "is bad", "FAIL\texample.org/m/b", "from inside", "at the end",
		"FAIL\texample.org/m/c", "panic: oh", "FAIL\texample.org/m/d", "cannot use \"\"", "FAIL\texample.org/m/e [build failed]", "[no test files]",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing", want)
		}
	}
	for _, unwanted := range []string{"silent", "is well", "=== RUN", "{\""} {
		if strings.Contains(out.String(), unwanted) {
			t.Errorf("%q is there", unwanted)
		}
	}
	if t.Failed() {
		t.Log(out.String())
	}
	out.Reset()
	if err := run(context.Background(), &out, []string{"-say", list}); err != nil {
		t.Fatal(err)
	}
	want := `Left out, with the reasons that the tests give (3):
  no peer; run it
      example.org/m/a: TestAlso, TestSays/quiet
  no reason is given
      example.org/m/a: TestBare
`
	if out.String() != want {
		t.Errorf("it says\n%s, not\n%s", out.String(), want)
	}
}

func TestPasses(t *testing.T) {
	module(t, map[string]string{"a/a_test.go": head + "func TestGood(t *testing.T) {}\n"})
	list := filepath.Join(t.TempDir(), "left-out.txt")
	var out bytes.Buffer
	if err := run(context.Background(), &out, []string{list, "-C", "a", "."}); err != nil {
		t.Errorf("%v: %s", err, out.String())
	}
	if err := run(context.Background(), &out, []string{"-say", list}); err != nil || !strings.Contains(out.String(), "No test was left out.") {
		t.Errorf("%v: %s", err, out.String())
	}
}

// What ran in one of several runs is not told as left out of another.
func TestTellsEachOnce(t *testing.T) {
	const pkg = "github.com/plimsoll/plimsoll/internal/x"
	fates := []fate{{Package: pkg, Test: "TestRace", Ran: true}, {Package: pkg, Test: "TestLater", Why: "no x"}}
	for _, name := range []string{"A", "B", "C", "D", "E", "F", "A"} {
		fates = append(fates, fate{Package: pkg, Test: "Test" + name, Why: "no x"})
	}
	for _, elsewhere := range []fate{{Package: pkg, Test: "TestRace", Why: "it measures time"},
		{Package: pkg, Test: "TestLater", Ran: true}, {Package: pkg + "/y", Test: "TestA", Ran: true}} {
		fates = append(fates, elsewhere)
	}
	var out bytes.Buffer
	tell(&out, fates)
	want := "Left out, with the reasons that the tests give (6):\n  no x\n      internal/x: TestA, TestB, TestC, TestD and 2 more\n"
	if out.String() != want {
		t.Errorf("it says\n%s, not\n%s", out.String(), want)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"./..."}, {"-say", filepath.Join(t.TempDir(), "none")}} {
		if err := run(context.Background(), &bytes.Buffer{}, args); err == nil {
			t.Errorf("%q passes", args)
		}
	}
}

// One package starts a goroutine, one imports it in its tests alone; one does neither, and one has no tests.
func TestConcurrent(t *testing.T) {
	module(t, map[string]string{
		"starts/a.go":      "package starts\n\nfunc A(f func()) { go f() }\n",
		"starts/a_test.go": "package starts\n",
		"imports/a.go":     "package imports\n\nfunc Go() {}\n",
		"imports/a_test.go": "package imports_test\n\nimport (\n\t\"testing\"\n\n\t\"example.org/m/starts\"\n)\n\n" +
			"func TestA(t *testing.T) { starts.A(func() {}) }\n",
		"waits/a.go":      "package waits\n\nimport \"sync\"\n\nvar W sync.WaitGroup\n",
		"waits/a_test.go": "package waits\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) { W.Go(func() {}); W.Wait() }\n",
		"alone/a.go":      "package alone\n\nimport \"net/http\"\n\nvar C http.Client\n",
		"alone/a_test.go": "package alone\n\nimport (\n\t\"testing\"\n\n\t\"example.org/m/imports\"\n)\n\n" +
			"func TestA(t *testing.T) { _ = imports.Go }\n",
		"none/a.go": "package none\n\nfunc A(f func()) { go f() }\n",
	})
	var out bytes.Buffer
	if err := run(context.Background(), &out, []string{"-concurrent", "./..."}); err != nil {
		t.Fatal(err)
	}
	if want := "example.org/m/imports\nexample.org/m/starts\nexample.org/m/waits\n"; out.String() != want {
		t.Errorf("%q, not %q", out.String(), want)
	}
}

// A package whose tests start nothing may say so, though something that it imports could. What imports it, too, says
// nothing by that, and who starts a goroutine must not say so.
func TestAlone(t *testing.T) {
	imports := "import (\n\t\"testing\"\n\n\t\"example.org/m/starts\"\n)\n\nfunc TestA(t *testing.T) { _ = starts.A }\n"
	files := map[string]string{
		"starts/a.go":         "package starts\n\nfunc A(f func()) { go f() }\n",
		"starts/a_test.go":    "package starts\n",
		"inside/a.go":         "package inside\n\nconst A = 1\n",
		"inside/a_test.go":    "package inside\n\n//runtests:alone\n\n" + imports,
		"outside/a.go":        "package outside\n\nconst A = 1\n",
		"outside/a_test.go":   "//runtests:alone\n\npackage outside_test\n\n" + imports,
		"importer/a.go":       "package importer\n\nimport \"example.org/m/inside\"\n\nconst A = inside.A\n",
		"importer/a_test.go":  "package importer_test\n\n" + imports,
		"mentions/a.go":       "package mentions\n\nconst A = `see //runtests:alone`\n",
		"mentions/a_test.go":  "package mentions_test\n\n" + imports,
		"nothing/a.go":        "package nothing\n",
		"nothing/a_test.go":   "package nothing\n",
		"nothing/out_test.go": "//runtests:alone\n\npackage nothing_test\n",
	}
	module(t, files)
	for flag, want := range map[string]string{
		"-beside":     "importer mentions starts",
		"-concurrent": "importer inside mentions outside starts",
	} {
		var out bytes.Buffer
		if err := run(context.Background(), &out, []string{flag, "./..."}); err != nil {
			t.Fatal(err)
		}
		if got := strings.ReplaceAll(out.String(), "example.org/m/", ""); strings.Join(strings.Fields(got), " ") != want {
			t.Errorf("%s: %q, not %q", flag, got, want)
		}
	}
	for _, liar := range []string{"a.go", "a_test.go", "out_test.go"} { // that of the package, of its tests, and outside
		name := map[bool]string{true: "liar", false: "liar_test"}[liar != "out_test.go"]
		starts := map[string]string{
			"liar/a.go": "package liar\n", "liar/a_test.go": "package liar\n", "liar/out_test.go": "package liar_test\n",
			"liar/" + liar:   "package " + name + "\n\nfunc f() { go f() }\n",
			"liar/b_test.go": "package liar_test\n\n//runtests:alone\n",
		}
		module(t, starts)
		err := run(context.Background(), io.Discard, []string{"-beside", "./..."})
		if err == nil || !strings.Contains(err.Error(), "liar says") || !strings.Contains(err.Error(), liar) {
			t.Errorf("%s: %v", liar, err)
		}
	}
}
