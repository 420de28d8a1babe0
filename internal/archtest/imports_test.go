package archtest

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestImports(t *testing.T) {
	for _, broken := range checkImports(documentedTable(t), listPackages(t)) {
		t.Error(broken)
	}
}

// checkImports says which rules of the table the packages break, and which of its entries
// nothing needs.
func checkImports(table []row, packages []goPackage) []string {
	var broken []string
	say := func(format string, args ...any) { broken = append(broken, fmt.Sprintf(format, args...)) }
	rows := map[string]row{}
	for _, r := range table {
		rows[r.pkg] = r
	}
	seen := map[string]bool{}
	for i := range packages {
		p := &packages[i]
		name := p.path()
		seen[name] = true
		if slices.Contains(forbiddenNames, path.Base(name)) || slices.Contains(forbiddenNames, p.Name) {
			say("%s: the name says nothing; name the package after what it does", name)
		}
		r, known := rows[name]
		if !known {
			say("%s is missing from the table: name it in the design first, then add a row", name)
			continue
		}
		for _, message := range r.check(p.Imports) {
			say("%s %s", name, message)
		}
	}
	for _, r := range table {
		if !seen[r.pkg] {
			say("%s has a row in the table, but there is no such package", r.pkg)
		}
	}
	return broken
}

// check says what is wrong with the imports of the row's package.
func (r row) check(imports []string) []string {
	var wrong []string
	usedOurs, usedOthers := map[string]bool{}, map[string]bool{}
	for _, imported := range imports {
		ours, isOurs := strings.CutPrefix(imported, module+"/")
		switch {
		case isOurs && isForTests(ours) && !isForTests(r.pkg):
			wrong = append(wrong, "imports "+ours+", which is for tests")
		case isOurs:
			usedOurs[ours] = true
			if !slices.Contains(r.ours, ours) {
				wrong = append(wrong, fmt.Sprintf("may not import %s: of ours it may import %s", ours, listOf(r.ours)))
			}
		case isStandard(imported):
			if !isForTests(r.pkg) && slices.ContainsFunc(testOnly, func(t string) bool { return within(imported, t) }) {
				wrong = append(wrong, "imports "+imported+", which is for tests")
			}
		default:
			i := slices.IndexFunc(r.others, func(o string) bool { return within(imported, o) })
			if i < 0 {
				wrong = append(wrong, fmt.Sprintf("may not import %s: from elsewhere it may import %s", imported, listOf(r.others)))
				continue
			}
			usedOthers[r.others[i]] = true
		}
	}
	for _, allowed := range r.ours {
		if !usedOurs[allowed] {
			wrong = append(wrong, "does not import "+allowed+", which the table allows: take it out of the row")
		}
	}
	for _, allowed := range r.others {
		if !usedOthers[allowed] {
			wrong = append(wrong, "does not import "+allowed+", which the table allows: take it out of the row")
		}
	}
	return wrong
}

// isForTests reports whether a package of ours is for tests alone: its name says so, as in
// httptest.
func isForTests(pkg string) bool { return strings.HasSuffix(path.Base(pkg), "test") }

// within reports whether the package is parent or lies below it.
func within(pkg, parent string) bool { return pkg == parent || strings.HasPrefix(pkg, parent+"/") }

// isStandard reports whether a path is of the standard library: no dot in its first element.
func isStandard(pkg string) bool {
	first, _, _ := strings.Cut(pkg, "/")
	return !strings.Contains(first, ".")
}

func listOf(allowed []string) string {
	if len(allowed) == 0 {
		return "nothing"
	}
	return strings.Join(allowed, ", ")
}

// The checker itself must notice each kind of trouble.
func TestCheckImports(t *testing.T) {
	rules := []row{
		{pkg: "a", ours: []string{"b"}, others: []string{"example.org/x"}},
		{pkg: "b"},
		{pkg: "ctest"},
	}
	good := func() []goPackage {
		return []goPackage{
			{ImportPath: module + "/a", Name: "a", Imports: []string{"fmt", module + "/b", "example.org/x/sub"}},
			{ImportPath: module + "/b", Name: "b"},
			{ImportPath: module + "/ctest", Name: "ctest"},
		}
	}
	for _, c := range []struct {
		name string
		edit func([]goPackage) []goPackage
		want []string
	}{
		{"all is well", func(p []goPackage) []goPackage { return p }, nil},
		{"not allowed", func(p []goPackage) []goPackage {
			p[1].Imports = []string{module + "/a"}
			return p
		}, []string{"b may not import a: of ours it may import nothing"}},
		{"not allowed from elsewhere", func(p []goPackage) []goPackage {
			p[1].Imports = []string{"example.org/xy"}
			return p
		}, []string{"b may not import example.org/xy: from elsewhere it may import nothing"}},
		{"test helper", func(p []goPackage) []goPackage {
			p[1].Imports = []string{"testing/synctest", module + "/b/btest"}
			return p
		}, []string{"b imports testing/synctest, which is for tests", "b imports b/btest, which is for tests"}},
		{"testing in a package for tests", func(p []goPackage) []goPackage {
			p[2].Imports = []string{"testing"}
			return p
		}, nil},
		{"no row", func(p []goPackage) []goPackage {
			return append(p, goPackage{ImportPath: module + "/c", Name: "c"})
		}, []string{"c is missing from the table: name it in the design first, then add a row"}},
		{"no package", func(p []goPackage) []goPackage { return slices.Delete(p, 1, 2) },
			[]string{"b has a row in the table, but there is no such package"}},
		{"unused", func(p []goPackage) []goPackage {
			p[0].Imports = nil
			return p
		}, []string{
			"a does not import b, which the table allows: take it out of the row",
			"a does not import example.org/x, which the table allows: take it out of the row",
		}},
		{"forbidden name", func(p []goPackage) []goPackage {
			p[1].Name = "util"
			return p
		}, []string{"b: the name says nothing; name the package after what it does"}},
	} {
		if diff := cmp.Diff(c.want, checkImports(rules, c.edit(good()))); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}
