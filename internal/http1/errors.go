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

// Rules are all of them.
func Rules() []Rule {
	return []Rule{BadStatusLine, BadVersion, BadHeader, HeadTooLong, TooManyHeaders, BadLength, BadCoding, BadChunk,
		TooMuchAroundIt, TooManyInterims, UnaskedSwitching}
}

// Means is the rule in a sentence; "" for a word that is none.
func (r Rule) Means() string {
	switch r {
	case BadStatusLine:
		return "An answer begins with a line such as HTTP/1.1 200 OK. What begins otherwise is another protocol, or " +
			"what an answer before it had too much."
	case BadVersion:
		return "The answer to a request of HTTP/1.1 is of HTTP/1.1 or HTTP/1.0."
	case BadHeader:
		return "A header is a name of letters, digits and a few signs, a colon right behind it, and a value without " +
			"control characters."
	case HeadTooLong:
		return fmt.Sprintf("The head of an answer has at most %d KiB, with the interim answers before it, and so have its "+
			"trailers: more is not read.", DefaultLimits().Head>>10)
	case TooManyHeaders:
		return fmt.Sprintf("An answer has at most %d headers: more are not read.", DefaultLimits().Fields)
	case BadLength:
		return "Content-Length is one number of bytes. Without it, or with two that differ, nobody knows where the answer " +
			"ends."
	case BadCoding:
		return "Transfer-Encoding is chunked and nothing else: no other coding says where the answer ends."
	case BadChunk:
		return "A chunk is its length in hexadecimal digits on a line, so many bytes, and the end of a line; the last has " +
			"the length 0."
	case TooMuchAroundIt:
		return "Chunks may have something around their bytes, but not more than bytes: such an answer need never end."
	case TooManyInterims:
		return fmt.Sprintf("At most %d interim answers (1xx) come before an answer.", mostInterims)
	case UnaskedSwitching:
		return "101 Switching Protocols answers a request for another protocol (Upgrade), and there was none."
	}
	return ""
}

// Error says which rule of HTTP an answer broke, and how.
type Error struct {
	Rule Rule
	Why  string // in words, without what the server sent
	Sent string // what it sent, quoted and cut; "" where that says nothing more
}

// Error is one line.
func (e *Error) Error() string {
	return "the answer is no HTTP: " + e.What()
}

// What is how the rule was broken, and what the server sent.
func (e *Error) What() string {
	if e.Sent == "" {
		return e.Why
	}
	return e.Why + ": " + e.Sent
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
