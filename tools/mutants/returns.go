package main

import (
	"go/ast"
	"go/constant"
	"go/types"
	"slices"
	"strings"
)

// results changes the results of a return, one at a time; those of a call that gives several all at once.
func (m *maker) results(n *ast.ReturnStmt) {
	written := m.result()
	if len(n.Results) == 0 || written == nil || written.Results == nil {
		return
	}
	declared := flat(written.Results)
	var alternatives []alternative
	add := func(texts []string) {
		text := "return " + strings.Join(texts, ", ")
		alternatives = append(alternatives, alternative{m.source(n), text, text})
	}
	if len(declared) != len(n.Results) {
		var zeros []string
		for _, typ := range declared {
			zeros = append(zeros, m.zero(typ))
		}
		add(zeros)
	} else {
		var texts []string
		for _, r := range n.Results {
			texts = append(texts, m.source(r))
		}
		for i, r := range n.Results {
			if text := m.otherResult(r, declared[i]); text != "" {
				changed := slices.Clone(texts)
				changed[i] = text
				add(changed)
			}
		}
	}
	m.add(n, statement, "", alternatives...)
}

// flat are the types of results, one for each.
func flat(list *ast.FieldList) []ast.Expr {
	var all []ast.Expr
	for _, f := range list.List {
		for range max(1, len(f.Names)) {
			all = append(all, f.Type)
		}
	}
	return all
}

// otherResult is what a result becomes; "" for one that is zero already, or is a constant that has mutants of its own.
func (m *maker) otherResult(r, declared ast.Expr) string {
	known := m.pack.info.Types[r]
	zero := m.zero(declared)
	switch {
	case isError(m.typeOf(declared)) && known.IsNil():
		return "mutantError"
	case known.IsNil():
		return ""
	case isLiteral(r) && known.Value != nil && known.Value.Kind() != constant.String:
		return ""
	case isBool(m.typeOf(declared)):
		return "!(" + m.source(r) + ")"
	case known.Value != nil && isZero(known.Value):
		return ""
	}
	if literal, is := r.(*ast.CompositeLit); is && len(literal.Elts) == 0 && strings.HasPrefix(zero, "*new") {
		return ""
	}
	return zero
}

// isLiteral reports whether it is a literal, true or false.
func isLiteral(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return true
	case *ast.Ident:
		return e.Name == "true" || e.Name == "false"
	}
	return false
}

func isZero(v constant.Value) bool {
	switch v.Kind() {
	case constant.Int, constant.Float:
		return constant.Sign(v) == 0
	case constant.String:
		return constant.StringVal(v) == ""
	}
	return false
}

func isError(typ types.Type) bool { return types.Identical(typ, types.Universe.Lookup("error").Type()) }

func isBool(typ types.Type) bool {
	basic, is := typ.Underlying().(*types.Basic)
	return is && basic.Info()&types.IsBoolean != 0
}

// zero writes the zero value of a type.
func (m *maker) zero(written ast.Expr) string {
	if _, is := m.typeOf(written).(*types.TypeParam); !is {
		switch typ := m.typeOf(written).Underlying().(type) {
		case *types.Pointer, *types.Slice, *types.Map, *types.Chan, *types.Signature, *types.Interface:
			return "nil"
		case *types.Basic:
			switch {
			case typ.Info()&types.IsBoolean != 0:
				return "false"
			case typ.Info()&types.IsString != 0:
				return `""`
			case typ.Info()&types.IsNumeric != 0:
				return "0"
			}
		}
	}
	return "*new(" + m.source(written) + ")"
}
