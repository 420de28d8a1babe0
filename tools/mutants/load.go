package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
)

// A pack is a package that was read and understood.
type pack struct {
	subject subject
	path    string // its import path
	fset    *token.FileSet
	files   []*source
	types   types.Importer
	info    *types.Info
	mutants []*mutant
}

// A source is one file.
type source struct {
	name    string // below the root, with slashes
	text    []byte
	ast     *ast.File
	mutated bool // whether mutants are made here
	sites   []*site
}

// listed is what the go command says of a package.
type listed struct {
	Dir, ImportPath, Name, Export string
	GoFiles, CgoFiles             []string
}

// load reads the package of a subject with its types.
func load(ctx context.Context, root string, s subject) (*pack, error) {
	out, err := command(ctx, root, nil, "go", "list", "-deps", "-export",
		"-json=Dir,ImportPath,Name,Export,GoFiles,CgoFiles", "./"+s.dir)
	if err != nil {
		return nil, err
	}
	exports := map[string]string{}
	var own listed
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := decoder.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		exports[l.ImportPath] = l.Export
		own = l // dependencies come first
	}
	if len(own.CgoFiles) > 0 {
		return nil, fmt.Errorf("%s: files with C are not understood", s.dir)
	}
	p := &pack{subject: s, path: own.ImportPath, fset: token.NewFileSet()}
	p.types = importer.ForCompiler(p.fset, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("there is no export data of %s", path)
		}
		return os.Open(exports[path])
	})
	for _, name := range own.GoFiles {
		if err := p.read(s, filepath.Join(own.Dir, name)); err != nil {
			return nil, err
		}
	}
	for _, name := range s.files {
		if !slices.Contains(own.GoFiles, name) {
			return nil, fmt.Errorf("packages.txt: %s has no file %s", s.dir, name)
		}
	}
	p.info = &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	var parsed []*ast.File
	for _, f := range p.files {
		parsed = append(parsed, f.ast)
	}
	config := types.Config{Importer: p.types}
	if _, err := config.Check(p.path, p.fset, parsed, p.info); err != nil {
		return nil, err
	}
	return p, nil
}

func (p *pack) read(s subject, name string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	below := path.Join(s.dir, filepath.Base(name))
	parsed, err := parser.ParseFile(p.fset, below, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	base := filepath.Base(name)
	p.files = append(p.files, &source{name: below, text: text, ast: parsed,
		mutated: !slices.Contains(s.but, base) && (len(s.files) == 0 || slices.Contains(s.files, base))})
	return nil
}

// offset is the place of a position in its file.
func (p *pack) offset(pos token.Pos) int { return p.fset.PositionFor(pos, false).Offset }
