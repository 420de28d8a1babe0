package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	roomsDir    = "internal/workload"     // each folder in it with a kind.go is the room of a kind
	kindsList   = "internal/cli/kinds.go" // the one list of them …
	detailsList = "rundoc/detail.go"      // … and that of what documents have of them
	kitPath     = module + "/internal/report"
)

// kindsOf are the kinds of traffic: the rooms' names.
func kindsOf(packages []goPackage) []string {
	var kinds []string
	for i := range packages {
		if p := &packages[i]; path.Dir(p.path()) == roomsDir && slices.Contains(p.GoFiles, "kind.go") {
			kinds = append(kinds, path.Base(p.path()))
		}
	}
	return kinds
}

// kindAt is the kind that a file may know by name, or "": the one of its room, or of its file of
// the run document.
func kindAt(file string, kinds []string) string {
	for _, k := range kinds {
		if within(path.Dir(file), roomsDir+"/"+k) {
			return k
		}
		base := path.Base(file)
		if path.Dir(file) == "rundoc" && (base == k+".go" || strings.HasPrefix(base, k+"_")) {
			return k
		}
	}
	return ""
}

// checkKinds finds questions which kind a run is: what only one kind needs is in its room, and all
// others ask its value. A question is a comparison, a case or a key with a kind's name or with the
// field Workload, or a call of what gives a document's detail of one kind.
func checkKinds(s *source, kinds []string) []string {
	if s.name == kindsList || s.name == detailsList {
		return nil
	}
	home := kindAt(s.name, kinds)
	var broken []string
	say := func(node ast.Node, what string) {
		broken = append(broken, fmt.Sprintf("%s: asks which kind a run is (%s): that belongs into the kind's room", s.at(node), what))
	}
	names := func(nodes ...ast.Expr) {
		for _, n := range nodes {
			if what := kindNamed(n, kinds); what != "" && what != home && (what != "Workload" || home == "") {
				say(n, what)
			}
		}
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if (n.Op == token.EQL || n.Op == token.NEQ) && !isEmptyText(n.X) && !isEmptyText(n.Y) {
				names(n.X, n.Y)
			}
		case *ast.CaseClause:
			names(n.List...)
		case *ast.SwitchStmt:
			names(n.Tag)
		case *ast.KeyValueExpr:
			if lit, ok := n.Key.(*ast.BasicLit); ok {
				names(lit)
			}
		case *ast.CallExpr:
			f, ok := n.Fun.(*ast.SelectorExpr)
			if !ok || len(n.Args) > 0 {
				break
			}
			for _, k := range kinds {
				if ast.IsExported(f.Sel.Name) && strings.EqualFold(f.Sel.Name, k) && k != home {
					say(n, f.Sel.Name+"()")
				}
			}
		}
		return true
	})
	return broken
}

// isEmptyText reports whether an expression is "": a document may name no kind at all.
func isEmptyText(e ast.Expr) bool {
	lit, ok := e.(*ast.BasicLit)
	return ok && lit.Value == `""`
}

// isScheme reports whether a kind has the name of a URL's scheme, which many have to look at.
func isScheme(kind string) bool { return kind == "http" || kind == "ws" }

// kindNamed is the kind that an expression names, "Workload" for the field of a document, or "".
func kindNamed(e ast.Expr, kinds []string) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil && slices.Contains(kinds, text) && !isScheme(text) {
			return text
		}
	case *ast.Ident:
		if k, ok := strings.CutPrefix(e.Name, "Workload"); ok && slices.Contains(kinds, strings.ToLower(k)) {
			return strings.ToLower(k)
		}
	case *ast.SelectorExpr:
		if e.Sel.Name == "Workload" {
			return "Workload"
		}
		return kindNamed(e.Sel, kinds)
	}
	return ""
}

// checkKit holds the report kit out of a room's traffic. A room named show within it is its report.
func checkKit(s *source, kinds []string) []string {
	if !slices.ContainsFunc(kinds, func(k string) bool { return within(path.Dir(s.name), roomsDir+"/"+k) }) {
		return nil
	}
	base := filepath.Base(s.name)
	if strings.HasPrefix(base, "kind") || strings.HasPrefix(base, "report") || path.Base(path.Dir(s.name)) == "show" {
		return nil
	}
	for _, i := range s.file.Imports {
		if i.Path.Value == strconv.Quote(kitPath) {
			return []string{fmt.Sprintf("%s: imports the report kit: in a room only kind*.go, report*.go and show/ do", s.at(i))}
		}
	}
	return nil
}

// clock is where a room reads the clock itself, and why.
type clock struct{ file, reason string }

// checkClock finds readings of the clock in traffic: only the engine stamps time. Those of the table
// are allowed; used tells which of its rows there was a need for.
func checkClock(s *source, allowed []clock, used map[string]bool) []string {
	if !within(path.Dir(s.name), roomsDir) {
		return nil
	}
	i := slices.IndexFunc(allowed, func(c clock) bool { return c.file == s.name })
	var broken []string
	ast.Inspect(s.file, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok || !slices.Contains([]string{"time.Now", "time.Since", "time.Until"}, nameOf(sel)) {
			return true
		}
		if i >= 0 && allowed[i].reason != "" {
			used[s.name] = true
			return true
		}
		broken = append(broken, fmt.Sprintf("%s: %s in a room: only the engine stamps time; "+
			"where it must be, internal/archtest/imports.md says why", s.at(sel), nameOf(sel)))
		return true
	})
	return broken
}

func TestRooms(t *testing.T) {
	packages := listPackages(t)
	kinds := kindsOf(packages)
	if len(kinds) == 0 {
		t.Fatal("no room has a kind.go: the rules about rooms hold nothing")
	}
	allowed, used := documentedClocks(t), map[string]bool{}
	for i := range packages {
		for _, s := range sourcesOf(t, &packages[i]) {
			for _, broken := range slices.Concat(checkKinds(s, kinds), checkKit(s, kinds), checkClock(s, allowed, used)) {
				t.Error(broken)
			}
		}
	}
	for _, c := range allowed {
		if !used[c.file] {
			t.Errorf("%s has a row in internal/archtest/imports.md, and reads none", c.file)
		}
	}
}

func TestCheckRooms(t *testing.T) {
	kinds := []string{"chat", "updates"}
	const body = "package p\nimport \"time\"\nfunc f() {\n\t%s\n}\n"
	asks := func(at, what string) []string {
		return []string{at + ":4: asks which kind a run is (" + what + "): that belongs into the kind's room"}
	}
	for _, c := range []struct {
		file, code string
		want       []string
	}{
		{"internal/report/a.go", `if run.Workload == x {}`, asks("internal/report/a.go", "Workload")},
		{"internal/report/a.go", `if name != "chat" {}`, asks("internal/report/a.go", "chat")},
		{"internal/report/a.go", `switch x { case rundoc.WorkloadUpdates: }`, asks("internal/report/a.go", "updates")},
		{"internal/report/a.go", `switch run.Workload { }`, asks("internal/report/a.go", "Workload")},
		{"internal/report/a.go", `_ = map[string]int{"chat": 1}`, asks("internal/report/a.go", "chat")},
		{"internal/report/a.go", `if d := run.Updates(); d != nil {}`, asks("internal/report/a.go", "Updates()")},
		{"internal/report/a.go", `if run.Workload == "" {}`, nil},
		{"internal/report/a.go", `doc.Workload = kind.Name; f("chat")`, nil},
		{"internal/workload/updates/a.go", `if d := run.Updates(); d != nil {}`, nil},
		{"internal/workload/updates/report/a.go", `if x == "updates" {}`, nil},
		{"internal/workload/updates/a.go", `if run.Workload != rundoc.WorkloadUpdates {}`, nil},
		{"internal/workload/updates/a.go", `if x == "chat" {}`, asks("internal/workload/updates/a.go", "chat")},
		{"rundoc/updates_judge.go", `if x == WorkloadUpdates {}`, nil},
		{"rundoc/judge.go", `if x == WorkloadUpdates {}`, asks("rundoc/judge.go", "updates")},
		{"internal/cli/kinds.go", `if x == "chat" {}`, nil},
		{"internal/workload/chat/a.go", `_ = time.Since(x)`, []string{"internal/workload/chat/a.go:4: time.Since in a room: " +
			"only the engine stamps time; where it must be, internal/archtest/imports.md says why"}},
		{"internal/workload/chat/timed.go", `_ = time.Now()`, nil},
		{"internal/run/a.go", `_ = time.Now()`, nil},
	} {
		s, err := parseSource(c.file, []byte(fmt.Sprintf(body, c.code)))
		if err != nil {
			t.Fatal(err)
		}
		got := append(checkKinds(s, kinds), checkClock(s, []clock{{"internal/workload/chat/timed.go", "a reason"}}, map[string]bool{})...)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s: %s", c.file, c.code, diff)
		}
	}
	for file, want := range map[string]int{
		"internal/workload/chat/client.go": 1, "internal/workload/chat/kind.go": 0, "internal/workload/chat/report_rooms.go": 0,
		"internal/workload/chat/inner/text.go": 1, "internal/workload/chat/show/text.go": 0, "internal/cli/report.go": 0,
	} {
		s, err := parseSource(file, []byte("package p\nimport _ \""+kitPath+"\"\n"))
		if err != nil {
			t.Fatal(err)
		}
		if got := checkKit(s, kinds); len(got) != want {
			t.Errorf("%s: %q, want %d", file, got, want)
		}
	}
}
