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
		return "A response must begin with a status line such as HTTP/1.1 200 OK. Anything else is another protocol, or " +
			"extra data after the previous response."
	case BadVersion:
		return "The response to an HTTP/1.1 request must be HTTP/1.1 or HTTP/1.0."
	case BadHeader:
		return "A header must be a token, immediately followed by a colon, and a value without control characters."
	case HeadTooLong:
		return fmt.Sprintf("The headers of a response, including those of interim responses before it, must not exceed "+
			"%d KiB, and neither must its trailers.", DefaultLimits().Head>>10)
	case TooManyHeaders:
		return fmt.Sprintf("A response must not have more than %d headers.", DefaultLimits().Fields)
	case BadLength:
		return "Content-Length must be a single number of bytes. Otherwise the end of the response is unknown."
	case BadCoding:
		return "Transfer-Encoding must be chunked alone: with other codings, the end of the response is unknown."
	case BadChunk:
		return "A chunk must be a line with its length in hexadecimal digits, that many bytes, and a line end. The last " +
			"chunk must have the length 0."
	case TooMuchAroundIt:
		return "The extensions and line ends of chunks must not take more bytes than their data."
	case TooManyInterims:
		return fmt.Sprintf("At most %d interim responses (1xx) may precede a response.", mostInterims)
	case UnaskedSwitching:
		return "101 Switching Protocols is allowed only if the request asked for another protocol (Upgrade)."
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
	return "invalid HTTP response: " + e.What()
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
var ErrCut = errors.New("the server closed the connection in the middle of a response")

func cut(where string, args ...any) error {
	return fmt.Errorf("%w, "+where, append([]any{ErrCut}, args...)...)
}
