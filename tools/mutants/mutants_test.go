package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// inTide runs the command in a copy of the module in testdata, and gives what it printed.
func inTide(t *testing.T, change func(lists string), args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := inTideTo(t, t.Context(), &out, change, args...)
	return out.String(), err
}

// inTideTo checks, too, that nothing is left behind.
func inTideTo(t *testing.T, ctx context.Context, out io.Writer, change func(lists string), args ...string) error {
	t.Helper()
	dir, temp := t.TempDir(), t.TempDir()
	for from, to := range map[string]string{"testdata/tide": dir, "testdata/lists": filepath.Join(dir, "lists")} {
		if err := os.CopyFS(to, os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	if change != nil {
		change(filepath.Join(dir, "lists"))
	}
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "")
	t.Setenv("TMPDIR", temp)
	t.Chdir(dir)
	before := filesBelow(t, dir)
	// As long as a busy machine may hold a test up that a mutant does not: one mutant takes it whole.
	err := run(ctx, out, append([]string{"-lists", "lists", "-patience", "15s"}, args...))
	if after := filesBelow(t, dir); !slices.Equal(before, after) {
		t.Errorf("it left %v, of %v", after, before)
	}
	if left := filesBelow(t, temp); slices.ContainsFunc(left, func(name string) bool {
		return strings.Contains(name, "mutants-")
	}) {
		t.Errorf("it left %v", left)
	}
	return err
}

func filesBelow(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// Those survive of which it is known, and no others.
func TestSurvivors(t *testing.T) {
	out, err := inTide(t, nil, "-all", "-v")
	if err == nil || !strings.Contains(err.Error(), "7 survived") {
		t.Errorf("the status is that of %v", err)
	}
	var survivors []string
	for line := range strings.Lines(out) {
		if text, is := strings.CutPrefix(line, "survived: "); is {
			survivors = append(survivors, strings.TrimSpace(text))
		}
	}
	slices.Sort(survivors)
	want := []string{
		`tide.go Never: return true => return false (no test comes by it)`,
		`tide.go Over: a < b => a <= b`,
		`tide.go Sail: return wind / 2, nil => return wind / 2, mutantError`,
		`tide.go Spare: 300 * time.Millisecond => 150 * time.Millisecond`,
		`tide.go Spare: 300 * time.Millisecond => 600 * time.Millisecond`,
		`tide.go Wait: return n => return 0`,
		`tide.go:34: return 0, errors.New("no wind") => return 0, errors.New("a calm") (nobody reads the text)`,
	}
	if !slices.Equal(survivors, want) {
		t.Errorf("survived:\n%s\nwant:\n%s", strings.Join(survivors, "\n"), strings.Join(want, "\n"))
	}
	for _, line := range []string{
		"late: tide.go Wait: n -= 1 => n -= 0",
		"killed: tide.go Slack: 20 * time.Minute => 40 * time.Minute",
		"killed: tide.go:36: return wind / 2, nil => return wind / 3, nil (it is noticed)",
	} {
		if !strings.Contains(out, line+"\n") {
			t.Errorf("it does not say %q:\n%s", line, out)
		}
	}
	if strings.Contains(out, "First: a < b") {
		t.Errorf("what is listed as equivalent was run:\n%s", out)
	}
}

// A sample is the same for the same seed, and has the size that was asked for.
func TestSample(t *testing.T) {
	var packs []*pack
	p := &pack{}
	for i := range 100 {
		p.mutants = append(p.mutants, &mutant{file: &source{name: "a.go"}, function: "f", from: "0", to: "1", again: i})
	}
	packs = append(packs, p)
	ids := func(seed uint64) []string {
		o := options{n: 7, seed: seed}
		var all []string
		for _, m := range o.sample(packs, nil) {
			all = append(all, m.id())
		}
		return all
	}
	if one, two := ids(1), ids(1); len(one) != 7 || !slices.Equal(one, two) || slices.Equal(one, ids(2)) {
		t.Errorf("%v, %v, %v", one, two, ids(2))
	}
}

// A wide sample has each mutant of both lists once; as many may survive as are allowed, and no more.
func TestWide(t *testing.T) {
	narrow := func(lists string) {
		for name, text := range map[string]string{
			"packages.txt": ".:tide.go\n", "wide.txt": ".\n./ebb\n", "given.txt": "", "../ebb/ebb.go": ebb, "../ebb/ebb_test.go": ebbTest,
			"../whole/packages.txt": ".\n", "../whole/wide.txt": ".\n.:tide.go\n", "../whole/given.txt": "",
			"../whole/equivalent.txt": "",
		} {
			name = filepath.Join(lists, name)
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, test := range []struct {
		args string
		want string
		fine bool
	}{
		{"-list", "", true}, {"-list -wide -lists whole", "", true}, {"-list -wide", "ebb/ebb.go Low: return depth < 3 => return !(depth < 3)", true},
		{"-wide -only ebb/", "3 killed, 0 of them by time; 1 survived, 25.00 %", false},
		{"-wide -only ebb/ -escapes 24.9", "1 survived", false}, {"-wide -only ebb/ -escapes 25", "1 survived", true},
	} {
		t.Run(test.args, func(t *testing.T) {
			out, err := inTide(t, narrow, strings.Fields(test.args)...)
			if (err == nil) != test.fine || !strings.Contains(out, test.want) {
				t.Errorf("%v\n%s", err, out)
			}
			lines := strings.Split(strings.TrimSpace(out), "\n")
			slices.Sort(lines)
			if all := len(lines); strings.HasPrefix(test.args, "-list") && (len(slices.Compact(lines)) != all ||
				strings.Contains(out, "ebb") != (test.want != "")) {
				t.Errorf("%d mutants, of which some are there twice, or of other packages\n%s", all, out)
			}
		})
	}
}

// ebb is another package, one of whose bounds is not noticed from one side.
const (
	ebb     = "package ebb\n\nfunc Low(depth int) bool { return depth < 3 }\n"
	ebbTest = "package ebb\n\nimport \"testing\"\n\nfunc TestLow(t *testing.T) { if !Low(1) || Low(3) { t.Error() } }\n"
)

// Lists that are behind the code are errors that say so.
func TestStaleLists(t *testing.T) {
	for name, text := range map[string]string{
		"equivalent.txt": "tide.go First: a < c => a <= c -- there was a c once\n",
		"given.txt":      "tide.go .\n- return wind / 4, nil\n+ return 0, nil\n# there was a four\n",
		"packages.txt":   "./ebb\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := inTide(t, func(lists string) {
				if err := os.WriteFile(filepath.Join(lists, name), []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}, "-all")
			what, _, _ := strings.Cut(strings.SplitN(text, "=>", 2)[0], "\n")
			what = strings.TrimPrefix(strings.Fields(what)[0], "./")
			if err == nil || !strings.Contains(err.Error(), what) {
				t.Errorf("%v", err)
			}
		})
	}
}

// A test that fails anyway tells nothing, and is an error.
func TestFailingTest(t *testing.T) {
	_, err := inTide(t, func(lists string) {
		text := "package tide\n\nimport \"testing\"\n\nfunc TestBroken(t *testing.T) { t.Error(\"broken\") }\n"
		if err := os.WriteFile(filepath.Join(lists, "..", "broken_test.go"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}, "-all")
	if err == nil || !strings.Contains(err.Error(), "TestBroken of . fails without a mutant") {
		t.Error(err)
	}
}

// A test that fails only in the program with all mutants is asked of none, and that is said.
func TestDisturbedTest(t *testing.T) {
	said, err := inTide(t, func(lists string) {
		text := "package tide\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestDisturbed(t *testing.T) {\n" +
			"\tif os.Getenv(\"PLIMSOLL_MUTANTS_REACHED\")+os.Getenv(\"PLIMSOLL_MUTANT\") != \"\" {\n\t\tt.Error(\"disturbed\")\n\t}\n}\n"
		if err := os.WriteFile(filepath.Join(lists, "..", "disturbed_test.go"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}, "-all")
	// It would kill each that it is asked of.
	if !strings.Contains(said, "left out: TestDisturbed of ., ") || err == nil || !strings.Contains(err.Error(), "survived") {
		t.Errorf("error %v, said\n%s", err, said)
	}
}

// An interrupt ends it, and nothing is left behind.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	out := &untilSaid{what: "killed: ", then: cancel}
	if err := inTideTo(t, ctx, out, nil, "-all", "-v"); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, after\n%s", err, out.String())
	}
}

// untilSaid calls a function when something was printed.
type untilSaid struct {
	bytes.Buffer
	what string
	then func()
}

func (u *untilSaid) Write(p []byte) (int, error) {
	if strings.Contains(string(p), u.what) {
		u.then()
	}
	return u.Buffer.Write(p)
}

// An entry is behind the code where its file is looked at and has no such mutant, or its package is and has no such file.
func TestStale(t *testing.T) {
	files := []*source{{name: "a/x.go", mutated: true}, {name: "a/y.go"}}
	entries := map[string]string{"a/x.go F: 1 => 2": "", "a/y.go F: 1 => 2": "", "a/z.go F: 1 => 2": "", "b/x.go F: 1 => 2": ""}
	part := &pack{subject: subject{dir: "a", files: []string{"x.go"}}, files: files}
	if got := stale(entries, []*pack{part}); !slices.Equal(got, []string{"a/x.go F: 1 => 2"}) {
		t.Errorf("of one file it is %q", got)
	}
	whole := &pack{subject: subject{dir: "a"}, files: files[:1]}
	want := []string{"a/x.go F: 1 => 2", "a/y.go F: 1 => 2", "a/z.go F: 1 => 2"}
	if got := stale(entries, []*pack{whole}); !slices.Equal(got, want) {
		t.Errorf("of a package it is %q", got)
	}
}
