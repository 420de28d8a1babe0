package ws

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"

	"github.com/lxzan/gws"

	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/workload/reach"
	"github.com/plimsoll/plimsoll/rundoc"
)

// messageTooBig is the cause of a connection that this side closed because of a message above --max-message.
const messageTooBig = "message-too-big"

// What was wrong with what a server sent.
var (
	errPanic = errors.New("the server sent a frame with an impossible length")
	errRules = errors.New("the server sent an invalid WebSocket frame (RFC 6455, section 5.2)")
	errUTF8  = errors.New("the server sent a text message that is not UTF-8")
	errFlate = errors.New("the server sent a compressed message that cannot be decompressed")
)

// loss names why an established connection was lost. The values were kept on it.
func (t *Traffic) loss(err error, kept [][]byte) *op.Failure {
	var closed *gws.CloseError
	var code interface{ Uint16() uint16 } // of an error of this side's library
	switch {
	case errors.As(err, &closed):
		because := closedBecause{closed.Code, t.reason(closed, kept)}
		return &op.Failure{Cause: cause.OfClose(closed.Code),
			Err: &reach.Trouble{What: because.Error(), Hint: because.hint(), Err: because}}
	case errors.As(err, &code) && code.Uint16() == closeTooBig:
		return &op.Failure{Cause: messageTooBig, Err: &reach.Trouble{
			What: "the server sent a message longer than --max-message " + setting.FormatSize(int64(t.longest)),
			Hint: "raise --max-message", Err: err}}
	}
	if why := cause.OfLostWebSocket(err); why != "" {
		return &op.Failure{Cause: why, Err: &reach.Trouble{What: "the connection ended without a close frame",
			Hint: "check the server log and the idle timeouts of proxies", Err: err}}
	}
	switch found := cause.Of(err); found {
	case cause.TLS:
		return t.Refused(err)
	case cause.Reset, cause.Unreachable:
		return &op.Failure{Cause: found, Err: err}
	case cause.Timeout:
		return &op.Failure{Cause: reach.ConnectTimeout, Err: err}
	}
	return &op.Failure{Cause: cause.Protocol, Err: broken(err)}
}

// broken says what was wrong with what a server sent, without the words of this side's library.
func broken(err error) error {
	switch {
	case errors.Is(err, errPanic), errors.Is(err, errNotReading), errors.Is(err, net.ErrClosed):
		return err
	case errors.Is(err, gws.ErrTextEncoding):
		return errUTF8
	case strings.HasPrefix(err.Error(), "flate: "):
		return errFlate
	}
	return errRules
}

// Close codes (RFC 6455, section 7.4.1, and the IANA registry).
const (
	closedWithoutFrame = 1006 // which no frame has
	closeTooBig        = 1009
)

var closeNames = map[uint16]string{
	1000: "normal closure", 1001: "going away", 1002: "protocol error", 1003: "unsupported data",
	1007: "invalid data", 1008: "policy violation", closeTooBig: "message too big", 1010: "extension required",
	1011: "internal error", 1012: "service restart", 1013: "try again later", 1014: "bad gateway",
}

// closedBecause is a close frame of the server.
type closedBecause struct {
	code   uint16
	reason string // printable, without secrets; "" for none
}

func (c closedBecause) Error() string {
	text := fmt.Sprintf("the server closed the connection with code %d", c.code)
	if c.code == 0 {
		text = "the server closed the connection without a code"
	}
	if name := closeNames[c.code]; name != "" {
		text += " (" + name + ")"
	}
	if c.reason != "" {
		text += ": " + c.reason
	}
	return text
}

// hint is what to do about it.
func (c closedBecause) hint() string {
	switch code := c.code; {
	case code == 1002 || code == 1003 || code == 1007:
		return "check that the protocol file, its codec and --subprotocol match the service"
	case code == 1008:
		return "check what the server requires: --bearer, --header, --origin, --subprotocol"
	case code == closeTooBig:
		return "send shorter messages, or raise the limit of the server"
	case code == 1001 || code == 1012 || code == 1013:
		return "the server is stopping, restarting or overloaded; try again, or lower --clients"
	case code >= 3000:
		return "the code is application-specific; see the documentation and the log of the service"
	}
	return "check the server log"
}

// reason is that of a close frame, printable and without secrets. A frame bounds it to 123 bytes.
func (t *Traffic) reason(c *gws.CloseError, kept [][]byte) string {
	if len(c.Reason) == 0 {
		return ""
	}
	return t.shown(c.Reason, kept)
}

// mostLosses bounds the texts that are told apart. A server may write anything into the reason of a close frame.
const mostLosses = 20

// losses counts what servers and this side said of lost connections. The zero value is ready to use.
type losses struct {
	mu    sync.Mutex
	count map[lossText]int64
	more  int64 // of further texts
}

type lossText struct{ cause, what string }

// add counts a lost connection, if its cause does not say all that is known of it.
func (l *losses) add(why *op.Failure) {
	var closed closedBecause
	var trouble *reach.Trouble
	var what string
	switch {
	case why.Err == nil, why.Cause == cause.OfClose(closedWithoutFrame):
	case errors.As(why.Err, &closed):
		what = closed.reason
	case errors.As(why.Err, &trouble):
		what = trouble.Advice()
	case why.Cause == cause.Protocol:
		what = why.Err.Error()
	}
	if what == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	text := lossText{why.Cause, what}
	if _, known := l.count[text]; !known && len(l.count) == mostLosses {
		l.more++
		return
	}
	if l.count == nil {
		l.count = map[lossText]int64{}
	}
	l.count[text]++
}

// Losses says why connections were lost, the most frequent text first; nil where nothing is known beyond the causes.
func (t *Traffic) Losses() *rundoc.WSLosses {
	l := &t.lost
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.count) == 0 {
		return nil
	}
	d := &rundoc.WSLosses{More: l.more}
	for text, n := range l.count {
		d.Texts = append(d.Texts, rundoc.WSLoss{Cause: text.cause, What: text.what, Count: n})
	}
	slices.SortFunc(d.Texts, func(a, b rundoc.WSLoss) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Cause, b.Cause), cmp.Compare(a.What, b.What))
	})
	return d
}
