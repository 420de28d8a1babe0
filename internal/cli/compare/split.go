package compare

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// split is a command line as a shell takes it apart: by blanks, with quotes ('…' and "…") and backslashes
// (POSIX.1-2024, Shell Command Language, 2.2). Nothing in it is expanded or run: what only a shell could do is
// refused. Its errors repeat nothing of the text, which may hold secrets.
func split(line string) (words []string, err error) {
	s := splitter{line: []rune(line)}
	for s.at < len(s.line) {
		if err := s.next(); err != nil {
			return nil, err
		}
	}
	s.end()
	return s.words, nil
}

type splitter struct {
	line   []rune
	at     int
	word   strings.Builder
	inWord bool
	words  []string
}

func (s *splitter) end() {
	if s.inWord {
		s.words = append(s.words, s.word.String())
	}
	s.word.Reset()
	s.inWord = false
}

// next takes the next character, or all of a quoted text.
func (s *splitter) next() error {
	c := s.line[s.at]
	s.at++
	switch {
	case c == ' ' || c == '\t' || c == '\n' || c == '\r':
		s.end()
		return nil
	case c == '\'' || c == '"':
		return s.quoted(c)
	case c == '\\':
		if s.at == len(s.line) {
			return fault.New(fault.Usage, "the command line ends with a backslash").Hint("remove it, or write \\\\")
		}
		c = s.line[s.at]
		s.at++
	case strings.ContainsRune("|&;<>()`", c):
		return fault.New(fault.Usage, "%s is shell syntax, and the command line is not run by a shell", at(c, s.at)).
			Hint("quote it if it is part of a value, or remove it")
	}
	s.inWord = true
	s.word.WriteRune(c)
	return nil
}

// quoted takes the text up to the other quote.
func (s *splitter) quoted(quote rune) error {
	begun := s.at
	s.inWord = true
	for s.at < len(s.line) {
		c := s.line[s.at]
		s.at++
		switch {
		case c == quote:
			return nil
		case c == '\\' && quote == '"' && s.at < len(s.line) && strings.ContainsRune("$`\"\\", s.line[s.at]):
			c = s.line[s.at]
			s.at++
		}
		s.word.WriteRune(c)
	}
	return fault.New(fault.Usage, "no closing quote for %s", at(quote, begun)).
		Hint("quote the command line with the other kind of quote: \"http URL --header 'A: b'\"")
}

// at names a character and its place, from 1 on.
func at(c rune, place int) string { return fmt.Sprintf("the %c at character %d", c, place) }
