package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// What is written for one system alone has to compile for the others, too, tests included. To build all of them takes half
// an hour of a processor; here their types are checked, of all but the one that the release test builds: bodies of
// functions that are not ours are left out, and Go does not compile anything.
func TestCompilesElsewhere(t *testing.T) {
	root, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		platform
		pattern string
	}{
		{platform{"windows", "amd64"}, "work"}, {platform{"darwin", "arm64"}, "work"}, {platform{"linux", "arm64"}, "work"},
		// Of these it is what the others of their system do not tell: what the processor decides.
		{platform{"windows", "arm64"}, "./cmd/plimsoll"}, {platform{"darwin", "amd64"}, "./cmd/plimsoll"},
	} {
		t.Run(c.os+"_"+c.arch, func(t *testing.T) {
			for _, problem := range typeProblems(t, root, c.pattern, c.platform) {
				t.Error(problem)
			}
		})
	}
}

// What would make the test above pass whatever it reads.
func TestElsewhereFinds(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":      "module example.org/elsewhere\n\ngo 1.26.0\n",
		"main.go":     "package main\n\nfunc main() { here() }\n",
		"a_linux.go":  "package main\n\nfunc here() {}\n",
		"a_test.go":   "package main\n\nimport \"testing\"\n\nfunc TestHere(t *testing.T) { here() }\n",
		"a_darwin.go": "package main\n\nimport \"syscall\"\n\nfunc here() { _ = syscall.Gettid() }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for p, want := range map[platform]string{{"linux", "arm64"}: "", {"windows", "amd64"}: "undefined: here",
		{"darwin", "arm64"}: "undefined: syscall.Gettid"} {
		got := strings.Join(typeProblems(t, dir, ".", p), "\n")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: it says %q, and not %q", p, got, want)
		}
	}
}

func typeProblems(t *testing.T, dir, pattern string, p platform) []string {
	t.Helper()
	loaded, err := packages.Load(&packages.Config{
		Context: t.Context(),
		Dir:     dir,
		Tests:   true,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes |
			packages.NeedSyntax | packages.NeedTypesInfo,
		Env: append(os.Environ(), "GOWORK=", "CGO_ENABLED=0", "GOOS="+p.os, "GOARCH="+p.arch),
		ParseFile: func(files *token.FileSet, name string, text []byte) (*ast.File, error) {
			parsed, err := parser.ParseFile(files, name, text, parser.SkipObjectResolution)
			if parsed != nil && !strings.HasPrefix(name, dir+string(filepath.Separator)) {
				withoutBodies(parsed)
			}
			return parsed, err
		},
	}, pattern)
	if err != nil {
		t.Fatal(err)
	}
	var problems []string
	said := map[string]bool{} // a package with tests is there twice
	packages.Visit(loaded, nil, func(read *packages.Package) {
		for _, problem := range read.Errors {
			// What comes of it that others' functions have no bodies.
			if !strings.HasPrefix(problem.Pos, dir) && (strings.HasSuffix(problem.Msg, "and not used") ||
				strings.HasSuffix(problem.Msg, "missing function body")) {
				continue
			}
			if text := problem.Error(); !said[text] {
				said[text] = true
				problems = append(problems, text)
			}
		}
	})
	return problems
}

func withoutBodies(f *ast.File) {
	for _, d := range f.Decls {
		if function, is := d.(*ast.FuncDecl); is {
			function.Body = nil
			if name := function.Name.Name; function.Recv == nil && (name == "init" || name == "main") {
				function.Body = &ast.BlockStmt{} // these must have one
			}
		}
	}
}
