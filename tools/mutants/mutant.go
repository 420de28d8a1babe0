package main

import (
	"fmt"
	"go/token"
	"strings"
)

// A mutant is one change of one file.
type mutant struct {
	number   int // within its package, from 1
	file     *source
	line     int
	function string // or the name that is declared
	from, to string // what becomes what, on one line
	again    int    // how many in the function have the same from and to before it

	start, end int    // the bytes of the file that
	text       string // become this
	alone      bool   // it cannot be compiled together with others
}

// id is the identity: it outlives moves of lines.
func (m *mutant) id() string {
	id := fmt.Sprintf("%s %s: %s => %s", m.file.name, m.function, m.from, m.to)
	if m.again > 0 {
		id += fmt.Sprintf(" #%d", m.again+1)
	}
	return id
}

// applied is the text of the file with the mutant.
func (m *mutant) applied() []byte {
	return []byte(string(m.file.text[:m.start]) + m.text + string(m.file.text[m.end:]))
}

// A site is a node of the syntax tree that has mutants.
type site struct {
	kind       siteKind
	start, end int
	typ        string // of a value, as it is written in this file
	mutants    []*mutant
}

// siteKind says how the code can ask which mutant is on.
type siteKind int

const (
	condition siteKind = iota // of type bool
	value                     // a constant
	statement                 // a return
)

// oneLine is a text of code on one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// opposite are the operators and what they become.
var opposite = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
	token.EQL: token.NEQ, token.NEQ: token.EQL, token.LAND: token.LOR, token.LOR: token.LAND,
}

// turned are the comparisons of fractions and what they become.
var turned = map[token.Token]token.Token{
	token.LSS: token.GEQ, token.LEQ: token.GTR, token.GTR: token.LEQ, token.GEQ: token.LSS,
}
