package archtest

import (
	"fmt"
	"go/ast"
	"strings"
	"unicode/utf8"
)

// wideLines are the numbers of the lines that have too many columns, a tab being one.
func wideLines(text string) []int {
	var wide []int
	for i, line := range strings.Split(text, "\n") {
		if utf8.RuneCountInString(line) > maxColumns {
			wide = append(wide, i+1)
		}
	}
	return wide
}

// checkColumns finds lines that cannot be read beside other windows.
func checkColumns(s *source) []string {
	var broken []string
	for _, n := range s.wide {
		broken = append(broken, fmt.Sprintf("%s:%d: the line has more than %d columns: break it", s.name, n, maxColumns))
	}
	return broken
}

// checkContexts finds contexts that are kept in a struct without a reason.
func checkContexts(s *source) []string {
	var broken []string
	ast.Inspect(s.file, func(n ast.Node) bool {
		t, ok := n.(*ast.StructType)
		if !ok {
			return true
		}
		for _, f := range t.Fields.List {
			if nameOf(f.Type) == "context.Context" && !hasComment([]*ast.CommentGroup{f.Doc, f.Comment}, storedContext) {
				broken = append(broken, fmt.Sprintf("%s: a context is stored: hand it on as an argument, or say why not in a comment %q",
					s.at(f), "// "+storedContext+"REASON"))
			}
		}
		return true
	})
	return broken
}

// checkGoroutines finds go statements without a reason: who starts a goroutine waits for it, and
// sync.WaitGroup.Go and errgroup make that plain.
func checkGoroutines(s *source) []string {
	var broken []string
	ast.Inspect(s.file, func(n ast.Node) bool {
		if g, ok := n.(*ast.GoStmt); ok && !s.hasCommentAbove(g, bareGoroutine) {
			broken = append(broken, fmt.Sprintf("%s: nobody waits for a bare go statement: use sync.WaitGroup.Go or an errgroup, "+
				"or say who waits in a comment above it, %q", s.at(g), "// "+bareGoroutine+"REASON"))
		}
		return true
	})
	return broken
}

// hasCommentAbove reports whether a comment that begins so, with a reason, ends on the line above a node.
func (s *source) hasCommentAbove(node ast.Node, begin string) bool {
	line := s.set.Position(node.Pos()).Line
	for _, g := range s.file.Comments {
		if s.set.Position(g.End()).Line == line-1 && hasComment([]*ast.CommentGroup{g}, begin) {
			return true
		}
	}
	return false
}
