package http2

import (
	"errors"
	"strconv"
	"strings"

	xhttp2 "golang.org/x/net/http2"
)

// Rule is a rule of HTTP/2 that a server broke.
type Rule string

// The rules.
const (
	NoHTTP2         Rule = "no-http2"
	BadFrame        Rule = "bad-frame"
	BadFrameSize    Rule = "bad-frame-size"
	BadSettings     Rule = "bad-settings"
	BadCompression  Rule = "bad-compression"
	BadHeader       Rule = "bad-header"
	BadStatus       Rule = "bad-status"
	BadLength       Rule = "bad-content-length"
	BadWindow       Rule = "bad-window"
	HeadTooLong     Rule = "head-too-long"
	TooManyHeaders  Rule = "too-many-headers"
	TooManyInterims Rule = "too-many-interim-answers"
	TooManyControls Rule = "too-many-control-frames"
	UnaskedPush     Rule = "unasked-push"
)

// Rules are all of them.
func Rules() []Rule {
	return []Rule{NoHTTP2, BadFrame, BadFrameSize, BadSettings, BadCompression, BadHeader, BadStatus, BadLength, BadWindow,
		HeadTooLong, TooManyHeaders, TooManyInterims, TooManyControls, UnaskedPush}
}

// Means is the rule in a sentence; "" for a word that is none.
func (r Rule) Means() string {
	switch r {
	case NoHTTP2:
		return "An HTTP/2 server must send its SETTINGS first. Anything else is another protocol."
	case BadFrame:
		return "Frames must arrive in a valid order and on a stream that allows them."
	case BadFrameSize:
		return "A frame must have the length its type requires and must not exceed the agreed maximum."
	case BadSettings:
		return "The value of a setting must be within its bounds."
	case BadCompression:
		return "Headers must be valid HPACK for the compression table that both sides share."
	case BadHeader:
		return "Header names must be lower case and values must not contain control characters."
	case BadStatus:
		return "A response must have exactly one three-digit status, before its other headers."
	case BadLength:
		return "A response must have at most one Content-Length, and it must equal the length of the body."
	case BadWindow:
		return "A flow-control window must grow by at least 1, must not exceed 2 GiB, and must not be overrun."
	case HeadTooLong:
		return "The headers of a response must not exceed the size that the client announced."
	case TooManyHeaders:
		return "A response must not have more headers than the client accepts."
	case TooManyInterims:
		return "Only a few interim responses (1xx) may precede a response."
	case TooManyControls:
		return "A server must not flood the client with control frames."
	case UnaskedPush:
		return "A server must not push to a client that has disabled push."
	}
	return ""
}

// Error says which rule an answer or a connection broke, and how.
type Error struct {
	Rule Rule
	Why  string // in words, without what the server sent
	Sent string // what it sent, quoted and cut; "" where that says nothing more
	code Code   // what the server is told
}

// Error is one line.
func (e *Error) Error() string {
	return "invalid HTTP/2 response: " + e.What()
}

// What is how the rule was broken, and what the server sent.
func (e *Error) What() string {
	if e.Sent == "" {
		return e.Why
	}
	return e.Why + ": " + e.Sent
}

func broken(rule Rule, code Code, why string, sent []byte) *Error {
	const most = 60
	e := &Error{Rule: rule, Why: why, code: code}
	switch {
	case len(sent) > most:
		e.Sent = strconv.QuoteToASCII(string(sent[:most])) + "…"
	case len(sent) > 0:
		e.Sent = strconv.QuoteToASCII(string(sent))
	}
	return e
}

// Code is why a stream or a connection was ended (RFC 9113, 7).
type Code xhttp2.ErrCode

// Those that are used here.
const (
	NoError          = Code(xhttp2.ErrCodeNo)
	ProtocolError    = Code(xhttp2.ErrCodeProtocol)
	FlowControlError = Code(xhttp2.ErrCodeFlowControl)
	FrameSizeError   = Code(xhttp2.ErrCodeFrameSize)
	RefusedStream    = Code(xhttp2.ErrCodeRefusedStream)
	Cancel           = Code(xhttp2.ErrCodeCancel)
	CompressionError = Code(xhttp2.ErrCodeCompression)
	EnhanceYourCalm  = Code(xhttp2.ErrCodeEnhanceYourCalm)
)

// String is the code's name in the RFC.
func (c Code) String() string {
	if name := xhttp2.ErrCode(c).String(); !strings.Contains(name, " ") {
		return name
	}
	if c > 0xff { // each is a cause of failures, of which a server must not make millions
		return "UNKNOWN"
	}
	return "0x" + strconv.FormatUint(uint64(c), 16)
}

// Reset is the error of a request that the server ended by RST_STREAM.
type Reset struct{ Code Code }

func (e *Reset) Error() string { return "the server reset the stream: " + e.Code.String() }

// GoAway is the error of a request that the server did not begin with, since it ends the connection.
type GoAway struct {
	Code Code
	Text string // what the server says besides, quoted and cut
}

func (e *GoAway) Error() string {
	if e.Text == "" {
		return "the server accepts no more requests on this connection (GOAWAY): " + e.Code.String()
	}
	return "the server accepts no more requests on this connection (GOAWAY): " + e.Code.String() + ": " + e.Text
}

// NotSent is the error of a request that was not sent at all, since the connection had come to its end.
type NotSent struct{ Err error }

func (e *NotSent) Error() string { return e.Err.Error() }
func (e *NotSent) Unwrap() error { return e.Err }

func unsent(why error) error { return &NotSent{why} }

// Unprocessed reports whether the server has not begun with the request that ended with this error: it may be sent
// again, whatever it is (RFC 9113, 8.7).
func Unprocessed(err error) bool {
	var away *GoAway
	var unsent *NotSent
	if reset := (*Reset)(nil); errors.As(err, &reset) {
		return reset.Code == RefusedStream
	}
	return errors.As(err, &away) || errors.As(err, &unsent)
}

// ErrCut is the cause of an error when the connection ended within an answer.
var ErrCut = errors.New("the server closed the connection in the middle of a response")

// ErrUnanswered is the cause of an error when the connection ended before an answer.
var ErrUnanswered = errors.New("the server closed the connection without a response")

// ErrSpent is why no further request can be sent on a connection that has had all that it is used for.
var ErrSpent = errors.New("the connection has reached its request limit (--churn)")

// errStuck is why a connection was closed on which a request could not be sent in its time.
var errStuck = errors.New("the server stopped reading")
