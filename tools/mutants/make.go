package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// maker makes the mutants of one file.
type maker struct {
	pack  *pack
	file  *source
	stack []ast.Node // from the file down to the node that is looked at
	again map[string]int
}

// makeMutants makes those of all files of the package.
func (p *pack) makeMutants() {
	for _, f := range p.files {
		if !f.mutated {
			continue
		}
		m := &maker{pack: p, file: f, again: map[string]int{}}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			if n == nil {
				m.stack = m.stack[:len(m.stack)-1]
				return true
			}
			m.stack = append(m.stack, n)
			m.node(n)
			return true
		})
	}
}

func (m *maker) node(n ast.Node) {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		m.binary(n)
	case *ast.BasicLit, *ast.Ident:
		m.constant(n.(ast.Expr))
	case *ast.ReturnStmt:
		m.results(n)
	}
}

// parent is the node n levels above the one that is looked at.
func (m *maker) parent(n int) ast.Node {
	if at := len(m.stack) - 1 - n; at >= 0 {
		return m.stack[at]
	}
	return nil
}

func (m *maker) source(n ast.Node) string {
	return string(m.file.text[m.pack.offset(n.Pos()):m.pack.offset(n.End())])
}

// binary changes an operator.
func (m *maker) binary(n *ast.BinaryExpr) {
	becomes, is := opposite[n.Op]
	if !is {
		return
	}
	if turned, is := turned[n.Op]; is && (isFloat(m.typeOf(n.X)) || isFloat(m.typeOf(n.Y))) {
		becomes = turned // two that were measured are hardly ever equal: the bound itself tells nothing
	}
	from := m.source(n)
	at := m.pack.offset(n.OpPos) - m.pack.offset(n.Pos())
	to := from[:at] + becomes.String() + from[at+len(n.Op.String()):]
	// Neighbours may bind more tightly than what it has become: a && b == c, of a == b && c.
	m.add(n, condition, "", alternative{from, to, "(" + bound(m, n, becomes) + ")"})
}

// bound is a binary expression with another operator, its operands held together.
func bound(m *maker, n *ast.BinaryExpr, op token.Token) string {
	return "(" + m.source(n.X) + ") " + op.String() + " (" + m.source(n.Y) + ")"
}

// alternative is what a node may become: as it is told, and as it is compiled.
type alternative struct{ from, to, text string }

// add makes a site with these mutants.
func (m *maker) add(n ast.Node, kind siteKind, typ string, alternatives ...alternative) {
	s := &site{kind: kind, typ: typ, start: m.pack.offset(n.Pos()), end: m.pack.offset(n.End())}
	alone := m.constantHere() || kind == value && typ == ""
	for _, a := range alternatives {
		made := &mutant{
			number: len(m.pack.mutants) + 1, file: m.file, line: m.pack.fset.Position(n.Pos()).Line,
			function: m.function(), from: oneLine(a.from), to: oneLine(a.to),
			start: s.start, end: s.end, text: a.text, alone: alone,
		}
		key := made.id()
		made.again = m.again[key]
		m.again[key]++
		m.pack.mutants = append(m.pack.mutants, made)
		s.mutants = append(s.mutants, made)
	}
	m.file.sites = append(m.file.sites, s)
}

// constantHere reports whether the language wants a constant where the node stands.
func (m *maker) constantHere() bool {
	for _, n := range m.stack {
		if d, is := n.(*ast.GenDecl); is && d.Tok == token.CONST {
			return true
		}
	}
	return false
}

// function is the name of the declaration around the node.
func (m *maker) function() string {
	name := "-"
	for _, n := range m.stack {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Recv != nil && len(n.Recv.List) > 0 {
				return "(" + m.source(n.Recv.List[0].Type) + ")." + n.Name.Name
			}
			return n.Name.Name
		case *ast.ValueSpec:
			return n.Names[0].Name
		}
	}
	return name
}

// result is the signature and the written results of the function around the node.
func (m *maker) result() *ast.FuncType {
	for _, n := range slices.Backward(m.stack) {
		switch n := n.(type) {
		case *ast.FuncLit:
			return n.Type
		case *ast.FuncDecl:
			return n.Type
		}
	}
	return nil
}

func (m *maker) typeOf(e ast.Expr) types.Type { return m.pack.info.Types[e].Type }
