package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// listed is a package as go list knows it. That with its own tests in it, and that of its outside tests, have names such
// as "a [a.test]".
type listed struct {
	ImportPath, ForTest, Dir string
	GoFiles, Imports         []string
	Standard                 bool
}

// concurrent finds the packages with tests in which goroutines are started: by themselves, by their tests, or by what these
// import that stands here, too. What others wrote and the standard library do not count: those start goroutines
// everywhere, and a race is where ours touch the same.
//
// Without lone are left out those whose tests say that nothing in them goes on beside anything else (see alone), though
// something that they import could.
func concurrent(ctx context.Context, pattern string, lone bool) ([]string, error) {
	cmd := exec.CommandContext(ctx, goCommand(), "list", "-test", "-deps",
		"-json=ImportPath,ForTest,Dir,GoFiles,Imports,Standard", pattern)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	g := graph{packages: map[string]listed{}, starts: map[string]bool{}}
	for list := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := list.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if !p.Standard && strings.HasPrefix(p.Dir, here) {
			g.packages[p.ImportPath] = p
		}
	}
	var names []string
	for id, p := range g.packages {
		if p.ForTest == "" || slices.Contains(names, p.ForTest) {
			continue
		}
		starts, err := g.starting(id)
		if err != nil {
			return nil, err
		}
		if starts {
			names = append(names, p.ForTest)
		}
	}
	slices.Sort(names)
	if lone {
		return names, nil
	}
	var beside []string
	for _, name := range names {
		alone, err := g.alone(name)
		if err != nil {
			return nil, err
		}
		if !alone {
			beside = append(beside, name)
		}
	}
	return beside, nil
}

// aloneMark is a line of a file of a package whose tests make texts of documents, say, with what packages that start
// goroutines have for that.
const aloneMark = "//runtests:alone"

// alone reports whether a package or its tests bear the mark. One that starts goroutines itself must not.
func (g graph) alone(name string) (bool, error) {
	marked, starting := false, ""
	for _, p := range g.packages {
		if own, _, _ := strings.Cut(p.ImportPath, " "); own != name && own != name+"_test" {
			continue
		}
		for _, file := range p.GoFiles {
			file = filepath.Join(p.Dir, file)
			text, err := os.ReadFile(file)
			if err != nil {
				return false, err
			}
			marked = marked || slices.Contains(strings.Split(string(text), "\n"), aloneMark)
			starts, err := startsGoroutines(file)
			if err != nil {
				return false, err
			}
			if starts {
				starting = file
			}
		}
	}
	if marked && starting != "" {
		return false, fmt.Errorf("%s says %s, but a goroutine is started in %s", name, aloneMark, starting)
	}
	return marked, nil
}

// graph is who imports whom, and who is known to start goroutines or not to.
type graph struct {
	packages map[string]listed
	starts   map[string]bool
}

func (g graph) starting(id string) (bool, error) {
	p, is := g.packages[id]
	if known, done := g.starts[id]; done || !is || strings.HasSuffix(id, ".test") {
		return known, nil
	}
	for _, name := range p.GoFiles {
		starts, err := startsGoroutines(filepath.Join(p.Dir, name))
		if err != nil {
			return false, err
		}
		if starts {
			g.starts[id] = true
			return true, nil
		}
	}
	for _, imported := range p.Imports {
		starts, err := g.starting(imported)
		if err != nil {
			return false, err
		}
		if starts {
			g.starts[id] = true
			return true, nil
		}
	}
	g.starts[id] = false
	return false, nil
}

// startsGoroutines reports whether a file does: by a go statement, or by what starts one for it.
func startsGoroutines(name string) (found bool, err error) {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		return false, err
	}
	for _, imported := range file.Imports {
		found = found || slices.Contains([]string{`"net/http/httptest"`, `"testing/synctest"`}, imported.Path.Value)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.CallExpr:
			called, is := n.Fun.(*ast.SelectorExpr)
			found = found || is && slices.Contains([]string{"Go", "Parallel", "RunParallel", "AfterFunc"}, called.Sel.Name)
		}
		return !found
	})
	return found, nil
}
