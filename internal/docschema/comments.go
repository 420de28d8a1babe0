package docschema

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
)

// comments are what the source says of types, "rundoc.Run", and of their fields, "rundoc.Run.ID".
type comments map[string]string

// read takes the comments of a package.
func (c comments) read(dir string) error {
	only := func(f fs.FileInfo) bool { return !strings.HasSuffix(f.Name(), "_test.go") }
	packages, err := parser.ParseDir(token.NewFileSet(), dir, only, parser.ParseComments)
	if err != nil {
		return err
	}
	for _, p := range packages {
		ast.Inspect(p, func(n ast.Node) bool {
			if d, ok := n.(*ast.GenDecl); ok && d.Tok == token.TYPE {
				for _, spec := range d.Specs {
					c.typed(filepath.Base(dir), d, spec.(*ast.TypeSpec))
				}
			}
			return true
		})
	}
	return nil
}

// typed takes those of a type.
func (c comments) typed(in string, d *ast.GenDecl, t *ast.TypeSpec) {
	name := in + "." + t.Name.Name
	c[name] = said(t.Doc)
	if c[name] == "" {
		c[name] = said(d.Doc)
	}
	s, ok := t.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range s.Fields.List {
		for _, n := range f.Names {
			c[name+"."+n.Name] = strings.TrimSpace(said(f.Doc) + " " + said(f.Comment))
		}
	}
}

func said(of *ast.CommentGroup) string { return strings.Join(strings.Fields(of.Text()), " ") }
