package archtest

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// source is a parsed file.
type source struct {
	name  string // relative to the module
	file  *ast.File
	set   *token.FileSet
	lines int
	wide  []int // the numbers of the lines that are too wide; none in generated code
}

func parseSource(name string, text []byte) (*source, error) {
	set := token.NewFileSet()
	f, err := parser.ParseFile(set, name, text, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	s := &source{name: name, file: f, set: set, lines: strings.Count(string(text), "\n")}
	if !ast.IsGenerated(f) {
		s.wide = wideLines(string(text))
	}
	return s, nil
}

func (s *source) at(node ast.Node) string {
	return fmt.Sprintf("%s:%d", s.name, s.set.Position(node.Pos()).Line)
}

func TestSources(t *testing.T) {
	packages := listPackages(t)
	for i := range packages {
		p := &packages[i]
		for _, broken := range checkSources(p.path(), sourcesOf(t, p)) {
			t.Error(broken)
		}
	}
}

// sourcesOf are the parsed files of a package, tests apart.
func sourcesOf(t *testing.T, p *goPackage) []*source {
	t.Helper()
	base := root(t)
	var sources []*source
	for _, name := range p.files() {
		full := filepath.Join(p.Dir, name)
		text, err := os.ReadFile(full)
		if err != nil {
			t.Fatal(err)
		}
		relative, err := filepath.Rel(base, full)
		if err != nil {
			t.Fatal(err)
		}
		s, err := parseSource(filepath.ToSlash(relative), text)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, s)
	}
	return sources
}

// checkSources says which habits the files of one package break.
func checkSources(pkg string, sources []*source) []string {
	var broken []string
	for _, s := range sources {
		broken = append(broken, checkLength(s)...)
		broken = append(broken, checkColumns(s)...)
		broken = append(broken, checkInit(s)...)
		broken = append(broken, checkContexts(s)...)
		broken = append(broken, checkGoroutines(s)...)
	}
	broken = append(broken, checkDoc(pkg, sources)...)
	return append(broken, checkState(sources)...)
}

func checkLength(s *source) []string {
	if s.file.Name.Name == "main" && s.lines > maxMainLines {
		return []string{fmt.Sprintf("%s has %d lines, more than %d: a main only calls what is tested elsewhere",
			s.name, s.lines, maxMainLines)}
	}
	if s.lines <= maxLines || hasComment(s.file.Comments, longFile) {
		return nil
	}
	return []string{fmt.Sprintf("%s has %d lines, more than %d: split it, or say why not in a comment %q",
		s.name, s.lines, maxLines, "// "+longFile+"REASON")}
}

func checkInit(s *source) []string {
	var broken []string
	for _, d := range s.file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == "init" {
			broken = append(broken, s.at(f)+": an init function runs whether or not anyone wants it; make a constructor")
		}
	}
	return broken
}

// checkDoc wants the documentation of a package in doc.go; a main package has it in main.go.
func checkDoc(pkg string, sources []*source) []string {
	home, begin := "doc.go", "Package "
	if len(sources) > 0 && sources[0].file.Name.Name == "main" {
		home, begin = "main.go", "Command "
	}
	for _, s := range sources {
		if filepath.Base(s.name) != home {
			continue
		}
		if s.file.Doc == nil || !strings.HasPrefix(s.file.Doc.Text(), begin) {
			return []string{fmt.Sprintf("%s has no package comment that begins with %q", s.name, begin)}
		}
		return nil
	}
	return []string{fmt.Sprintf("%s has no %s: say what it is for, where it stands in the flow, and who may use it at the same time", pkg, home)}
}

func hasComment(groups []*ast.CommentGroup, begin string) bool {
	return slices.ContainsFunc(groups, func(g *ast.CommentGroup) bool {
		if g == nil {
			return false
		}
		_, reason, found := strings.Cut(g.Text(), begin)
		return found && strings.TrimSpace(reason) != ""
	})
}

// checkState finds package-level variables that can change: those of a type that is made to
// change, those without a value, and those that a function assigns to.
func checkState(sources []*source) []string {
	var broken []string
	vars := map[string]bool{}
	for _, s := range sources {
		for _, d := range s.file.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR {
				continue
			}
			for _, spec := range g.Specs {
				v := spec.(*ast.ValueSpec)
				if hasComment([]*ast.CommentGroup{g.Doc, v.Doc, v.Comment}, packageState) {
					continue
				}
				for i, name := range v.Names {
					if name.Name == "_" {
						continue
					}
					vars[name.Name] = true
					if why := mutable(v, i); why != "" {
						broken = append(broken, fmt.Sprintf("%s: %s is package state: %s; put it into a value that someone makes, or say why not in a comment %q",
							s.at(name), name.Name, why, "// "+packageState+"REASON"))
					}
				}
			}
		}
	}
	for _, s := range sources {
		broken = append(broken, assignments(s, vars)...)
	}
	return broken
}

// mutable says why the i-th variable of a declaration is made to change, or "".
func mutable(v *ast.ValueSpec, i int) string {
	if len(v.Values) == 0 {
		return "it has no value from the beginning"
	}
	if v.Type != nil {
		if why := mutableType(v.Type); why != "" {
			return why
		}
	}
	value := v.Values[min(i, len(v.Values)-1)]
	switch value := value.(type) {
	case *ast.UnaryExpr:
		if value.Op == token.AND && !isFixedError(value.X) {
			return "it is a pointer"
		}
	case *ast.CompositeLit:
		return mutableType(value.Type)
	case *ast.CallExpr:
		return mutableCall(v.Names[i].Name, value)
	}
	return ""
}

// mutableCall says why what a function made may change, or "". A function may make anything: only errors,
// and what the functions of fixedResults make, are known not to change.
func mutableCall(name string, call *ast.CallExpr) string {
	if f, ok := call.Fun.(*ast.Ident); ok && (f.Name == "make" || f.Name == "new") {
		return "it is made empty, to be filled"
	}
	if strings.HasPrefix(name, "err") || strings.HasPrefix(name, "Err") || slices.Contains(fixedResults, nameOf(call.Fun)) {
		return ""
	}
	return "it is what " + nameOf(call.Fun) + " makes, which may change"
}

// nameOf is an identifier or a selector of a package as it is written, or "a function".
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok {
			return x.Name + "." + e.Sel.Name
		}
	}
	return "a function"
}

// isFixedError reports whether a composite literal is an error: its type is named for a
// failure. Sentinel errors are pointers that nobody writes through.
func isFixedError(e ast.Expr) bool {
	lit, ok := e.(*ast.CompositeLit)
	if !ok {
		return false
	}
	name := ""
	switch t := lit.Type.(type) {
	case *ast.Ident:
		name = t.Name
	case *ast.SelectorExpr:
		name = t.Sel.Name
	}
	return strings.HasSuffix(name, "Error") || strings.HasSuffix(name, "Failure")
}

func mutableType(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return "it is a pointer"
	case *ast.ChanType:
		return "it is a channel"
	case *ast.IndexExpr:
		return mutableType(e.X)
	case *ast.SelectorExpr:
		if pkg, ok := e.X.(*ast.Ident); ok && (pkg.Name == "sync" || pkg.Name == "atomic") {
			return "its type is " + pkg.Name + "." + e.Sel.Name
		}
	}
	return ""
}

// assignments finds where the functions of a file change one of the variables.
func assignments(s *source, vars map[string]bool) []string {
	var broken []string
	check := func(e ast.Expr) {
		id := rootOf(e)
		if id == nil || !vars[id.Name] || isLocal(id, s.file) {
			return
		}
		broken = append(broken, fmt.Sprintf("%s: %s is a package-level variable and changed here", s.at(id), id.Name))
	}
	for _, d := range s.file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				if n.Tok != token.DEFINE {
					for _, left := range n.Lhs {
						check(left)
					}
				}
			case *ast.IncDecStmt:
				check(n.X)
			case *ast.RangeStmt:
				if n.Tok == token.ASSIGN {
					check(n.Key)
					check(n.Value)
				}
			case *ast.CallExpr: // those that change what they are given
				if f, ok := n.Fun.(*ast.Ident); ok && slices.Contains([]string{"delete", "clear", "copy"}, f.Name) && len(n.Args) > 0 {
					check(n.Args[0])
				}
			}
			return true
		})
	}
	return broken
}

// rootOf is the x of x, x.f, x[i] and *x.
func rootOf(e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.Ident:
		return e
	case *ast.SelectorExpr:
		return rootOf(e.X)
	case *ast.IndexExpr:
		return rootOf(e.X)
	case *ast.StarExpr:
		return rootOf(e.X)
	case *ast.ParenExpr:
		return rootOf(e.X)
	}
	return nil
}

// isLocal reports whether the parser found a declaration inside a function. It resolves
// names within a file only, which suffices: a name that it does not find is of another file.
func isLocal(id *ast.Ident, file *ast.File) bool {
	return id.Obj != nil && file.Scope.Lookup(id.Name) != id.Obj
}

func TestCheckSources(t *testing.T) {
	doc := "// Package p is.\npackage p\n"
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"all is well", "package p\nimport \"errors\"\nvar err = errors.New(\"x\")\nvar list = []string{\"a\"}\nvar _ = 1\nvar sentinel = &op.Failure{Cause: \"x\"}\nfunc f() { list := 1; list = 2; var err int; err = 3; _, _ = list, err }\n", nil},
		{"init", "package p\nfunc init() {}\n", []string{"p.go:2: an init function runs whether or not anyone wants it; make a constructor"}},
		{"changed", "package p\nvar m = map[string]int{\"a\": 1}\nfunc f() { m[\"b\"] = 2; m[\"c\"]++ }\n",
			[]string{"p.go:3: m is a package-level variable and changed here", "p.go:3: m is a package-level variable and changed here"}},
		{"changed by a function", "package p\nvar m = map[string]int{\"a\": 1}\nfunc f() { delete(m, \"a\"); for m[\"b\"] = range 3 {} }\n",
			[]string{"p.go:3: m is a package-level variable and changed here", "p.go:3: m is a package-level variable and changed here"}},
		{"a stored context", "package p\nimport \"context\"\ntype t struct {\n\tctx context.Context // of a request\n}\n",
			[]string{`p.go:4: a context is stored: hand it on as an argument, or say why not in a comment "// stored context: REASON"`}},
		{"one with a reason", "package p\nimport \"context\"\ntype t struct {\n\tctx context.Context // stored context: net/http gives a body none\n}\n", nil},
		{"a goroutine", "package p\nfunc f() {\n\tgo f()\n}\n",
			[]string{`p.go:3: nobody waits for a bare go statement: use sync.WaitGroup.Go or an errgroup, or say who waits in a comment above it, "// goroutine: REASON"`}},
		{"one with a reason", "package p\nfunc f() {\n\t// goroutine: g closes done, and stop waits for that.\n\tgo f()\n}\n", nil},
		{"a wide line", "package p\n\n//" + strings.Repeat("é", maxColumns-1) + "\n//" + strings.Repeat("é", maxColumns-2) + "\n",
			[]string{"p.go:3: the line has more than 120 columns: break it"}},
		{"one in generated code", "// Code generated by x. DO NOT EDIT.\n\npackage p\n\n//" + strings.Repeat("-", maxColumns) + "\n", nil},
		{"excused", "package p\n// package state: the linker sets it.\nvar version string\n", nil},
	} {
		broken := checkText(t, doc, c.text)
		if diff := cmp.Diff(c.want, broken); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
	for _, decl := range []string{
		"var x int", "var x sync.Mutex", "var x = &y{}", "var x = sync.Pool{}", "var x = make(map[int]int)",
		"var x = atomic.Pointer[int]{}", "var x *int = nil", "var x chan int = f()", "var x = bytes.NewBuffer(nil)", "var x = f()",
	} {
		if broken := checkText(t, doc, "package p\n"+decl+"\n"); len(broken) != 1 || !strings.Contains(broken[0], "is package state") {
			t.Errorf("%s: %q", decl, broken)
		}
	}
	if broken := checkText(t, "package p\n", "package p\n"); len(broken) != 1 || !strings.Contains(broken[0], "no package comment") {
		t.Errorf("no comment: %q", broken)
	}
	long := "package p\n" + strings.Repeat("//\n", maxLines)
	if broken := checkText(t, doc, long); len(broken) != 1 || !strings.Contains(broken[0], "has 501 lines") {
		t.Errorf("long file: %q", broken)
	}
	if broken := checkText(t, doc, long+"// "+longFile+"one table.\n"); broken != nil {
		t.Errorf("long file with a reason: %q", broken)
	}
}

func checkText(t *testing.T, doc, text string) []string {
	t.Helper()
	var sources []*source
	for _, f := range []struct{ name, text string }{{"doc.go", doc}, {"p.go", text}} {
		s, err := parseSource(f.name, []byte(f.text))
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, s)
	}
	return checkSources("p", sources)
}
