package cause

import (
	"fmt"
	"net/http"
	"strconv"
)

// The causes, as reports show them. What is about a connection:
const (
	Timeout      = "timeout"
	Unresolvable = "unresolvable" // the host's name
	Refused      = "refused"      // nobody listens at the address
	Unreachable  = "unreachable"  // no way to the host
	Reset        = "reset"        // the other side, or something between, broke it off
	Ended        = "ended"        // the other side closed it
	CutOff       = "cut-off"      // likewise, in the middle of something
	Closed       = "closed"       // it was closed on this side, or found closed before its use
	TLS          = "tls"          // no handshake, or not with the one that was meant
	Scheme       = "scheme"       // plain text at a server of TLS, or the other way round
	Protocol     = "protocol"     // what came is not of this protocol
)

// What is about this machine, or that of the server:
const (
	TooManyFiles  = "too-many-files"
	NoLocalPort   = "no-local-port"
	DiskFull      = "disk-full"
	AccessDenied  = "access-denied"
	NoFile        = "no-such-file"
	NoCredentials = "no-credentials"
	SlowDown      = "slow-down" // fewer requests are asked for
	TooLarge      = "too-large"
	Unsupported   = "unsupported"
)

// Final reports whether trying again is pointless: the other side has understood, and will say
// the same again.
func Final(cause string) bool {
	switch cause {
	case TLS, Scheme, AccessDenied, NoCredentials, TooLarge, Unsupported:
		return true
	}
	return false
}

// OfStatus is the cause of an answer of HTTP that is no success and says nothing else; "" for a
// status that has no word here.
func OfStatus(code int) string {
	switch code {
	case http.StatusUnauthorized:
		return NoCredentials
	case http.StatusForbidden:
		return AccessDenied
	case http.StatusNotFound:
		return NoFile
	case http.StatusRequestTimeout:
		return Timeout
	case http.StatusRequestEntityTooLarge:
		return TooLarge
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		return SlowDown
	case http.StatusInsufficientStorage:
		return DiskFull
	}
	return ""
}

// Status is the cause of an answer of HTTP by its number alone.
func Status(code int) string { return fmt.Sprintf("status-%d", code) }

// The codes of WebSocket (RFC 6455, 7.4.1) that no frame carries.
const (
	closedWithoutCode  = 1005
	closedWithoutFrame = 1006
)

// OfClose is the cause of a WebSocket that the other side closed with a code; 0 is a close frame
// without one.
func OfClose(code uint16) string {
	if code == 0 {
		code = closedWithoutCode
	}
	return "closed-by-peer:" + strconv.Itoa(int(code))
}

// OfLostWebSocket is the cause of one whose connection ended without a close frame, as far as err
// says that it did; otherwise it is "".
func OfLostWebSocket(err error) string {
	switch Of(err) {
	case Ended, CutOff:
		return OfClose(closedWithoutFrame)
	}
	return ""
}

// Worded is an error that shows a text of its own and keeps err for errors.As.
func Worded(text string, err error) error { return &worded{text, err} }

type worded struct {
	text string
	err  error
}

func (w *worded) Error() string { return w.text }
func (w *worded) Unwrap() error { return w.err }
