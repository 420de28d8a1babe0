package main

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"strconv"
	"strings"
)

const (
	// small is up to where a number that is off by one matters: a count, an index, a digit. What is larger is a
	// size, a time or a tolerance, and a test would have to repeat it to notice one more.
	small = 64
	// tiny is below what only allows for rounding: nothing depends on how much, as long as it stays little.
	tiny = 1e-4
	// shown is how much of the code around a constant stands in a mutant's identity.
	shown = 60
	// other is what a text becomes.
	other = `"mutant"`
)

// constant changes a literal, true or false.
func (m *maker) constant(e ast.Expr) {
	if !m.countsAsConstant(e) {
		return
	}
	known := m.pack.info.Types[e]
	var texts []string
	switch known.Value.Kind() {
	case constant.Bool:
		texts = []string{strconv.FormatBool(!constant.BoolVal(known.Value))}
	case constant.String:
		if !m.decides(e) {
			return
		}
		texts = []string{other}
	case constant.Int, constant.Float:
		texts = numbers(known.Value, known.Type, e)
	default:
		return
	}
	var alternatives []alternative
	around, at := m.around(e)
	for _, text := range texts {
		alternatives = append(alternatives, alternative{around, around[:at] + text + around[at+len(m.source(e)):], text})
	}
	m.add(e, value, m.typeName(known.Type), alternatives...)
}

// countsAsConstant tells literals and the two bools from names, tags, imports and lengths of arrays.
func (m *maker) countsAsConstant(e ast.Expr) bool {
	if name, is := e.(*ast.Ident); is {
		if use := m.pack.info.Uses[name]; use == nil || use.Pkg() != nil || name.Name != "true" && name.Name != "false" {
			return false
		}
	}
	if m.pack.info.Types[e].Value == nil || m.besideNothing(e) {
		return false
	}
	below := ast.Node(e)
	for up := 1; ; up++ {
		switch n := m.parent(up).(type) {
		case nil:
			return true
		case *ast.Field, *ast.ImportSpec:
			return false
		case *ast.ArrayType:
			if n.Len == below {
				return false
			}
		case *ast.KeyValueExpr: // an index in the literal of an array must be a constant
			if n.Key == below && m.inArray(up+1) {
				return false
			}
		case *ast.GenDecl:
			if n.Tok == token.CONST && strings.Contains(m.source(n), "iota") {
				return false
			}
		}
		below = m.parent(up)
	}
}

// besideNothing reports whether it is the zero beside an error or beside false in a return, which nobody looks at.
func (m *maker) besideNothing(e ast.Expr) bool {
	n, is := m.parent(1).(*ast.ReturnStmt)
	if !is || len(n.Results) < 2 || n.Results[len(n.Results)-1] == e {
		return false
	}
	known, last := m.pack.info.Types[e], m.pack.info.Types[n.Results[len(n.Results)-1]]
	if known.Value.Kind() == constant.Bool && constant.BoolVal(known.Value) || !isZeroOrBool(known.Value) {
		return false
	}
	if last.Value != nil {
		return last.Value.Kind() == constant.Bool && !constant.BoolVal(last.Value)
	}
	declared := flat(m.result().Results)
	return isError(m.typeOf(declared[len(declared)-1])) && !last.IsNil()
}

func isZeroOrBool(v constant.Value) bool { return v.Kind() == constant.Bool || isZero(v) }

// inArray reports whether the node so many levels up is the literal of an array or a slice.
func (m *maker) inArray(up int) bool {
	literal, is := m.parent(up).(*ast.CompositeLit)
	if !is {
		return false
	}
	switch m.typeOf(literal).Underlying().(type) {
	case *types.Array, *types.Slice:
		return true
	}
	return false
}

// decides reports whether something depends on a text, other than what is shown.
func (m *maker) decides(e ast.Expr) bool {
	switch n := m.parent(1).(type) {
	case *ast.BinaryExpr:
		return n.Op == token.EQL || n.Op == token.NEQ
	case *ast.CaseClause:
		return true
	case *ast.IndexExpr:
		return n.Index == e
	case *ast.ValueSpec:
		return m.constantHere()
	}
	return false
}

// around is the code around a constant, if it is short, and where in it the constant is.
func (m *maker) around(e ast.Expr) (text string, at int) {
	switch n := m.parent(1).(type) {
	case *ast.BinaryExpr, *ast.CallExpr, *ast.KeyValueExpr, *ast.ValueSpec, *ast.AssignStmt, *ast.IndexExpr,
		*ast.SliceExpr, *ast.ReturnStmt:
		if text := m.source(n); len(text) <= shown {
			return text, m.pack.offset(e.Pos()) - m.pack.offset(n.Pos())
		}
	}
	return m.source(e), 0
}

// numbers are what a number becomes.
func numbers(v constant.Value, typ types.Type, e ast.Expr) []string {
	if constant.Sign(v) != 0 && (v.Kind() == constant.Float || isFloat(typ) && !isOne(v)) {
		f, _ := constant.Float64Val(v)
		if math.Abs(f) < tiny {
			return []string{decimal(f * 1000)}
		}
		return []string{decimal(f * 2), decimal(f / 2)}
	}
	n, exact := constant.Int64Val(constant.ToInt(v))
	if !exact || n > math.MaxInt64/2 {
		return nil // such as the largest of all: half of it is no neighbour
	}
	var to []int64
	switch {
	case n == 0 && isFloat(typ):
		return nil // a bound of something measured, which is hardly ever equal
	case n == 0:
		to = []int64{1}
	case isChar(e):
		to = []int64{n + 1}
	case n > small, n > 2 && strings.HasSuffix(typ.String(), "time.Duration"):
		to = []int64{n * 2, n / 2}
	default:
		to = []int64{n + 1, n - 1}
	}
	var texts []string
	for _, n := range to {
		if fits(n, typ) {
			texts = append(texts, strconv.FormatInt(n, 10))
		}
	}
	return texts
}

func isChar(e ast.Expr) bool {
	literal, is := e.(*ast.BasicLit)
	return is && literal.Kind == token.CHAR
}

func isOne(v constant.Value) bool { return constant.Compare(v, token.EQL, constant.MakeInt64(1)) }

func isFloat(typ types.Type) bool {
	basic, is := typ.Underlying().(*types.Basic)
	return is && basic.Info()&types.IsFloat != 0
}

// decimal is a number that is a fraction also where it is whole.
func decimal(f float64) string {
	text := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return text
}

// fits reports whether a type holds a number.
func fits(n int64, typ types.Type) bool {
	basic, is := typ.Underlying().(*types.Basic)
	if !is {
		return true
	}
	switch basic.Kind() {
	case types.Int8:
		return n >= math.MinInt8 && n <= math.MaxInt8
	case types.Uint8:
		return n >= 0 && n <= math.MaxUint8
	case types.Int16:
		return n >= math.MinInt16 && n <= math.MaxInt16
	case types.Uint16:
		return n >= 0 && n <= math.MaxUint16
	case types.Int32:
		return n >= math.MinInt32 && n <= math.MaxInt32
	case types.Uint32:
		return n >= 0 && n <= math.MaxUint32
	}
	return true
}

// typeName is a type as this file can write it; "" if it cannot.
func (m *maker) typeName(typ types.Type) string {
	there := true
	name := types.TypeString(types.Default(typ), func(p *types.Package) string {
		if p.Path() == m.pack.path {
			return ""
		}
		for _, spec := range m.file.ast.Imports {
			if path, _ := strconv.Unquote(spec.Path.Value); path == p.Path() {
				if spec.Name != nil {
					return spec.Name.Name
				}
				return p.Name()
			}
		}
		there = false
		return p.Name()
	})
	if !there {
		return ""
	}
	return name
}
