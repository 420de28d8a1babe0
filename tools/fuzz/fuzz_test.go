package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const product = `package a

func Decode(b []byte) int {
	if len(b) > 3 && b[0] == '{' {
		return 1
	}
	return 0
}
`

const tests = `package a

import "testing"

func FuzzDecode(f *testing.F) {
	f.Add([]byte("x"))
	f.Fuzz(func(t *testing.T, b []byte) { Decode(b) })
}

func FuzzOther(f *testing.F) { f.Fuzz(func(t *testing.T, b []byte) { Decode(b) }) }
`

// clone is a workspace with two targets, and a directory for what a fuzzer found.
func clone(t *testing.T) (dir, cache string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range map[string]string{"go.work": "go 1.26.0\n\nuse .\n", "go.mod": "module example.org/clone\n\ngo 1.26.0\n",
		"a/a.go": product, "a/a_test.go": tests} {
		write(t, filepath.Join(dir, name), text)
	}
	t.Chdir(dir)
	t.Setenv("GOWORK", "")
	t.Setenv("GOFLAGS", "")
	cache = t.TempDir()
	return dir, cache
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestTargetsAreFound(t *testing.T) {
	clone(t)
	all, err := targets(context.Background())
	if err != nil || len(all) != 2 || all[0].name != "FuzzDecode" || all[1].name != "FuzzOther" {
		t.Fatalf("%v, %v", all, err)
	}
	var out bytes.Buffer
	first := options{sample: 1, seed: 5}.choose(&out, append([]target(nil), all...))
	again := options{sample: 1, seed: 5}.choose(&out, append([]target(nil), all...))
	if len(first) != 1 || first[0] != again[0] || !strings.Contains(out.String(), "1 of 2 targets, -seed 0x5") {
		t.Errorf("%v, %v: %s", first, again, out.String())
	}
	if only := (options{only: "Other"}).choose(&out, all); len(only) != 1 || only[0].name != "FuzzOther" {
		t.Errorf("%v", only)
	}
}

// Of the inputs of the cache the smallest is kept that reaches what the seeds do not, and no second one.
func TestKeepsWhatReachesMore(t *testing.T) {
	dir, cache := clone(t)
	found := filepath.Join(cache, "example.org/clone/a", "FuzzDecode")
	for name, text := range map[string]string{"1": "yyy", "2": "{ab", "3": "{abcdefghi", "4": "{abc"} {
		write(t, filepath.Join(found, name), "go test fuzz v1\n[]byte(\""+text+"\")\n")
	}
	all, err := targets(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second time it is there
		if kept, err := all[0].keep(context.Background(), cache); kept != 1 || err != nil {
			t.Fatalf("%d inputs are kept: %v", kept, err)
		}
	}
	corpus := filepath.Join(dir, "a", "testdata", "fuzz", "FuzzDecode")
	names, _ := filepath.Glob(filepath.Join(corpus, "*"))
	if len(names) != 1 {
		t.Fatalf("%q", names)
	}
	if text, _ := os.ReadFile(names[0]); !strings.Contains(string(text), `"{abc"`) {
		t.Errorf("%s", text)
	}
	if kept, err := all[1].keep(context.Background(), cache); kept != 0 || err != nil {
		t.Errorf("of what was not fuzzed: %d, %v", kept, err)
	}
}

func TestFailures(t *testing.T) {
	dir, _ := clone(t)
	for _, args := range [][]string{{"-only", "FuzzNothing"}, {"work"}, {"-none"}} {
		if err := run(context.Background(), &bytes.Buffer{}, args); err == nil {
			t.Errorf("%q passes", args)
		}
	}
	write(t, filepath.Join(dir, "a", "testdata", "fuzz", "FuzzOther", "bad"), "go test fuzz v1\n[]byte(\"{abc\")\n")
	write(t, filepath.Join(dir, "a", "a.go"), strings.Replace(product, "return 1", "panic(1)", 1))
	if err := run(context.Background(), &bytes.Buffer{}, []string{"-only", "FuzzOther", "-time", "1x"}); err == nil ||
		!strings.Contains(err.Error(), "panic") {
		t.Errorf("what fails passes: %v", err)
	}
}
