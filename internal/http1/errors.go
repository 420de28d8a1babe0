package http1

import (
	"errors"
	"fmt"
	"strconv"
)

// Rule is a rule of HTTP that an answer broke.
type Rule string

// The rules.
const (
	BadStatusLine    Rule = "bad-status-line"
	BadVersion       Rule = "bad-version"
	BadHeader        Rule = "bad-header"
	HeadTooLong      Rule = "head-too-long"
	TooManyHeaders   Rule = "too-many-headers"
	BadLength        Rule = "bad-content-length"
	BadCoding        Rule = "bad-transfer-encoding"
	BadChunk         Rule = "bad-chunk"
	TooMuchAroundIt  Rule = "too-much-around-chunks"
	TooManyInterims  Rule = "too-many-interim-answers"
	UnaskedSwitching Rule = "unasked-switching-protocols"
)

// Error says which rule of HTTP an answer broke, and how.
type Error struct {
	Rule Rule
	Why  string // in words, without what the server sent
	Sent string // what it sent, quoted and cut; "" where that says nothing more
}

// Error is one line.
func (e *Error) Error() string {
	if e.Sent == "" {
		return "the answer is no HTTP: " + e.Why
	}
	return "the answer is no HTTP: " + e.Why + ": " + e.Sent
}

func broken(rule Rule, why string, sent []byte) *Error {
	const most = 60
	e := &Error{Rule: rule, Why: why}
	switch {
	case len(sent) > most:
		e.Sent = strconv.QuoteToASCII(string(sent[:most])) + "…"
	case len(sent) > 0:
		e.Sent = strconv.QuoteToASCII(string(sent))
	}
	return e
}

// ErrCut is the cause of an error when the connection ended within an answer.
var ErrCut = errors.New("the server closed the connection within its answer")

func cut(where string, args ...any) error {
	return fmt.Errorf("%w, "+where, append([]any{ErrCut}, args...)...)
}
