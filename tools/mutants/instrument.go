package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"slices"
	"strings"
)

// helper is the file that a package gets beside its own. A mutant is on whose number the environment says. Without
// one, and with the name of a file there, the number of each that is come by is written to the file, once.
const helper = `package %s

import (
	"errors"
	"os"
	"strconv"
	"sync/atomic"
)

const mutantCount = %d

var mutantError = errors.New("an error made by a mutant")

var mutantActive = func() int { n, _ := strconv.Atoi(os.Getenv("PLIMSOLL_MUTANT")); return n }()

var mutantReached = os.Getenv("PLIMSOLL_MUTANTS_REACHED")

var mutantSeen [mutantCount + 1]atomic.Bool

func mutantOn(n int) bool {
	if mutantActive == 0 && mutantReached != "" {
		mutantNote(n)
	}
	return n == mutantActive
}

func mutantPick[T any](n int, was, is T) T {
	if mutantOn(n) {
		return is
	}
	return was
}

func mutantNote(n int) {
	if mutantSeen[n].Swap(true) {
		return
	}
	if f, err := os.OpenFile(mutantReached, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644); err == nil {
		f.WriteString(strconv.Itoa(n) + "\n")
		f.Close()
	}
}
`

// checkedHelper stands for the helper where types are checked: the package need not import what it imports.
const checkedHelper = `package %s

var mutantError error

func mutantOn(n int) bool { return n == 0 }

func mutantPick[T any](n int, was, is T) T { return was }
`

// aloneHelper is all that a build of one mutant needs.
const aloneHelper = "package %s\n\nimport \"errors\"\n\nvar mutantError = errors.New(\"an error made by a mutant\")\n"

// helperName is that of the file, which no package has.
const helperName = "zz_mutants_overlay.go"

// together are the files of the package with all mutants that can be compiled together. Those that can not are found
// by checking the types, by the declaration that has the error, and are built alone.
func (p *pack) together() (map[string]string, error) {
	for {
		files := map[string]string{}
		for _, f := range p.files {
			files[f.name] = f.render()
		}
		beside := path.Join(p.subject.dir, helperName)
		files[beside] = fmt.Sprintf(checkedHelper, p.name())
		bad, err := p.misfits(files)
		if err != nil {
			return nil, err
		}
		if len(bad) == 0 {
			files[beside] = fmt.Sprintf(helper, p.name(), len(p.mutants))
			return files, nil
		}
		left := 0
		for _, m := range p.mutants {
			if bad[m.file.name+" "+m.function] && !m.alone {
				m.alone, left = true, left+1
			}
		}
		if left == 0 {
			return nil, fmt.Errorf("%s does not compile with its mutants: %v", p.subject.dir, bad)
		}
	}
}

// name is the package's.
func (p *pack) name() string { return p.files[0].ast.Name.Name }

// misfits are the declarations with errors, each as its file and its name.
func (p *pack) misfits(files map[string]string) (map[string]bool, error) {
	fset := token.NewFileSet()
	var parsed []*ast.File
	for name, text := range files {
		f, err := parser.ParseFile(fset, name, text, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("with its mutants: %w", err)
		}
		parsed = append(parsed, f)
	}
	slices.SortFunc(parsed, func(a, b *ast.File) int {
		return cmp.Compare(fset.File(a.Pos()).Name(), fset.File(b.Pos()).Name())
	})
	bad := map[string]bool{}
	config := types.Config{Importer: p.types, Error: func(err error) {
		if at, is := err.(types.Error); is {
			bad[declaredAt(fset, parsed, at.Pos, files)] = true
		}
	}}
	config.Check(p.path, fset, parsed, nil) // its errors were told one by one
	return bad, nil
}

// declaredAt is the file and the name of the declaration around a position.
func declaredAt(fset *token.FileSet, files []*ast.File, pos token.Pos, texts map[string]string) string {
	for _, f := range files {
		if pos < f.FileStart || pos > f.FileEnd {
			continue
		}
		name := fset.File(f.Pos()).Name()
		m := &maker{pack: &pack{fset: fset}, file: &source{name: name, text: []byte(texts[name])}}
		for _, d := range f.Decls {
			if pos < d.Pos() || pos > d.End() {
				continue
			}
			m.stack = append(m.stack, d)
			if group, is := d.(*ast.GenDecl); is {
				for _, spec := range group.Specs {
					if pos >= spec.Pos() && pos <= spec.End() {
						m.stack = append(m.stack, spec)
					}
				}
			}
		}
		return name + " " + m.function()
	}
	return "?"
}

// render is the file with its mutants, each behind the question whether it is on.
func (f *source) render() string {
	// A site comes before those within it.
	slices.SortStableFunc(f.sites, func(a, b *site) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	var b strings.Builder
	f.renderRange(&b, 0, len(f.text), f.sites)
	return b.String()
}

// renderRange writes a part of the file, in which these sites are.
func (f *source) renderRange(b *strings.Builder, start, end int, sites []*site) {
	for len(sites) > 0 {
		s := sites[0]
		within := 1
		for within < len(sites) && sites[within].start < s.end {
			within++
		}
		b.Write(f.text[start:s.start])
		f.renderSite(b, s, sites[1:within])
		start, sites = s.end, sites[within:]
	}
	b.Write(f.text[start:end])
}

func (f *source) renderSite(b *strings.Builder, s *site, within []*site) {
	var inner strings.Builder
	f.renderRange(&inner, s.start, s.end, within)
	text := inner.String()
	for _, m := range s.mutants {
		if m.alone {
			continue
		}
		switch s.kind {
		case condition:
			text = fmt.Sprintf("(mutantOn(%[1]d) && (%[2]s) || !mutantOn(%[1]d) && (%[3]s))", m.number, m.text, text)
		case value:
			text = fmt.Sprintf("mutantPick[%s](%d, %s, %s)", s.typ, m.number, text, m.text)
		case statement:
			text = fmt.Sprintf("if mutantOn(%d) { %s }; %s", m.number, m.text, text)
		}
	}
	b.WriteString(text)
}
