package archtest

import (
	"go/ast"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// synctestMark begins a line of the comment of a function that sleeps and is called only inside a bubble.
const synctestMark = "synctest: "

// TestTestsSleepOnlyInBubbles: a sleep on the real clock makes a test slow, and on a busy machine wrong.
func TestTestsSleepOnlyInBubbles(t *testing.T) {
	packages := listPackages(t)
	for i := range packages {
		names, err := filepath.Glob(filepath.Join(packages[i].Dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			s, err := parseSource(filepath.Join(packages[i].path(), filepath.Base(name)), text)
			if err != nil {
				t.Fatal(err)
			}
			for _, broken := range checkSleeps(s) {
				t.Error(broken)
			}
		}
	}
}

// checkSleeps returns the calls of time.Sleep that are neither inside a call of synctest.Test, nor in a function whose
// comment has the mark, nor in a file of benchmarks.
func checkSleeps(s *source) []string {
	if strings.HasSuffix(s.name, "_bench_test.go") {
		return nil
	}
	var broken []string
	for _, d := range s.file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && hasComment([]*ast.CommentGroup{f.Doc}, synctestMark) {
			continue
		}
		ast.Inspect(d, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			switch nameOf(call.Fun) {
			case "synctest.Test":
				return false
			case "time.Sleep":
				broken = append(broken, s.at(call)+": a test sleeps on the real clock: wait for an event, use synctest, or "+
					"mark the function with a comment \"// "+synctestMark+"REASON\"")
			}
			return true
		})
	}
	return broken
}

func TestCheckSleeps(t *testing.T) {
	const text = `package x
func TestA(t *testing.T) { synctest.Test(t, func(t *testing.T) { time.Sleep(1) }) }
// b sleeps.
//
// synctest: called only inside a bubble.
func b() { time.Sleep(1) }
func c() { go func() { time.Sleep(1) }() }
`
	for name, want := range map[string]int{"x_test.go": 1, "x_bench_test.go": 0} {
		s, err := parseSource(name, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		broken := checkSleeps(s)
		if len(broken) != want || want == 1 && !cmp.Equal(broken[0][:len("x_test.go:7:")], "x_test.go:7:") {
			t.Errorf("%s: %q, want %d", name, broken, want)
		}
	}
}
