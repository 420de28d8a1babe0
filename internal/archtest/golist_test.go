package archtest

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// goPackage is what the go command says of a package.
type goPackage struct {
	ImportPath     string
	Name           string
	Dir            string
	GoFiles        []string
	IgnoredGoFiles []string // of other operating systems
	Imports        []string
}

// path is the import path relative to the module; "." for its root.
func (p *goPackage) path() string {
	if p.ImportPath == module {
		return "."
	}
	return strings.TrimPrefix(p.ImportPath, module+"/")
}

// files are the sources that are not tests, for any operating system.
func (p *goPackage) files() []string {
	all := slices.Clone(p.GoFiles)
	for _, f := range p.IgnoredGoFiles {
		if !strings.HasSuffix(f, "_test.go") {
			all = append(all, f)
		}
	}
	return all
}

// root is the directory of the module.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "go.mod")); err != nil {
		t.Fatalf("the module's root is not two directories up: %v", err)
	}
	return dir
}

// listPackages are the packages of all modules of the workspace.
func listPackages(t *testing.T) []goPackage {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Name,Dir,GoFiles,IgnoredGoFiles,Imports", "work")
	cmd.Dir = root(t)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	var packages []goPackage
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p goPackage
		err := d.Decode(&p)
		if errors.Is(err, io.EOF) {
			return packages
		}
		if err != nil {
			t.Fatal(err)
		}
		addIgnoredImports(t, &p)
		packages = append(packages, p)
	}
}

// addIgnoredImports adds what the files for other operating systems import, so that the
// rules do not depend on where the test runs.
func addIgnoredImports(t *testing.T, p *goPackage) {
	t.Helper()
	for _, name := range p.files() {
		if !slices.Contains(p.IgnoredGoFiles, name) {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range f.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(p.Imports, path) {
				p.Imports = append(p.Imports, path)
			}
		}
	}
}
