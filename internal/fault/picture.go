package fault

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// picture is a text in which something is wrong.
type picture struct {
	text     string
	from, to int // bytes
}

// Point returns a copy of the error that also shows where in a text it is wrong: text[from:to], or behind its end.
func (e *Error) Point(text string, from, to int) *Error {
	c := *e
	if 0 <= from && from <= to && to <= len(text) {
		c.picture = &picture{text, from, to}
	}
	return &c
}

// longestBefore is how many characters a picture shows before what is wrong, and of it.
const longestBefore = 60

// PictureOf is the line of text that the first error in err's chain points to, and below it a line with carets under
// what is wrong; nil where none points to anything.
func PictureOf(err error) []string {
	var e *Error
	for ; errors.As(err, &e); err = e.cause {
		if e.picture != nil {
			return e.picture.lines()
		}
	}
	return nil
}

func (p *picture) lines() []string {
	before := p.text[strings.LastIndexByte(p.text[:p.from], '\n')+1 : p.from]
	if n := utf8.RuneCountInString(before); n > longestBefore {
		before = "…" + string([]rune(before)[n-longestBefore:])
	}
	wrong, _, further := strings.Cut(p.text[p.from:p.to], "\n")
	behind, _, _ := strings.Cut(p.text[p.to:], "\n")
	if further { // what is behind stands in another line
		behind = "…"
	}
	if utf8.RuneCountInString(wrong) > longestBefore {
		wrong, behind = string([]rune(wrong)[:longestBefore]), "…"
	}
	if utf8.RuneCountInString(behind) > longestBefore/4 {
		behind = string([]rune(behind)[:longestBefore/4]) + "…"
	}
	plain := func(s string) string { return OneLine(strings.NewReplacer("\t", " ", "\r", " ").Replace(s)) }
	under := strings.Repeat("^", max(1, utf8.RuneCountInString(wrong)))
	return []string{plain(before + wrong + behind), strings.Repeat(" ", utf8.RuneCountInString(before)) + under}
}
