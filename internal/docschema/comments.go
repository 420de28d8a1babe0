package docschema

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
)

// comments are what the source says of types, "rundoc.Run", and of their fields, "rundoc.Run.ID".
type comments map[string]string

// read takes the comments of a package.
func (c comments) read(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return err
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		for _, d := range file.Decls {
			d, is := d.(*ast.GenDecl)
			if !is || d.Tok != token.TYPE {
				continue
			}
			for _, spec := range d.Specs {
				c.typed(filepath.Base(dir), d, spec.(*ast.TypeSpec))
			}
		}
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
