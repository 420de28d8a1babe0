package ws

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/lxzan/gws"

	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/engine/op"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/workload/http/cookies"
	"github.com/plimsoll/plimsoll/internal/workload/reach"
)

// The causes of a handshake that failed, besides those with a status of HTTP.
const (
	handshake          = "handshake"
	subprotocolRefused = "subprotocol-refused"
	compressionRefused = "compression-refused"
)

// jar holds the cookies of a client, from one connection to the next; nil: the client keeps none, or has none yet.
type jar struct{ *cookies.Jar }

// upgrade does the WebSocket handshake, and closes the connection if that fails.
func (d *dialer) upgrade(ctx context.Context, l *link, events gws.Event, v *template.Values, buffer int, j *jar) error {
	inTime := context.AfterFunc(ctx, func() { _ = l.Close() })
	bound := time.Minute
	if deadline, ok := ctx.Deadline(); ok {
		bound = max(time.Until(deadline), time.Millisecond)
	}
	target := d.urlFor(v)
	conn, response, err := gws.NewClientFromConn(events, &gws.ClientOption{
		Addr:               target,
		RequestHeader:      d.headersFor(v, target, j),
		HandshakeTimeout:   bound,
		ReadBufferSize:     buffer,
		ReadMaxPayloadSize: d.longest,
		CheckUtf8Enabled:   true,
		PermessageDeflate: gws.PermessageDeflate{Enabled: d.compress, Threshold: compressFrom,
			ServerContextTakeover: true, ClientContextTakeover: true},
	}, l)
	if response != nil {
		d.keepCookies(response, target, j)
	}
	switch {
	case !inTime() || errors.Is(err, os.ErrDeadlineExceeded):
		_ = l.Close()
		return &op.Failure{Cause: reach.ConnectTimeout, Timeout: true, Err: &reach.Trouble{
			What: "the server did not respond to the handshake in time",
			Hint: "check that this is a WebSocket server, or raise --timeout", Err: err}}
	case err == nil && d.compress && !d.lenient && !compresses(response):
		_ = l.Close()
		return &op.Failure{Cause: compressionRefused, Final: true, Err: &reach.Trouble{
			What: "--compress is set, but the server does not support permessage-deflate",
			Hint: "remove --compress"}}
	case err == nil:
		l.ws, l.left = conn, -1
		return nil
	}
	return d.handshakeFailure(ctx, response, err)
}

// compresses says whether the server takes the offer to compress.
func compresses(response *http.Response) bool {
	name, _, _ := strings.Cut(response.Header.Get("Sec-WebSocket-Extensions"), ";")
	return strings.EqualFold(strings.TrimSpace(name), "permessage-deflate")
}

// keepCookies stores the cookies that the answer to a handshake sets.
func (d *dialer) keepCookies(response *http.Response, target string, j *jar) {
	lines := response.Header["Set-Cookie"]
	if !d.cookies || len(lines) == 0 {
		return
	}
	if j.Jar == nil {
		j.Jar = cookies.New(d.host, d.secure)
	}
	for _, line := range lines {
		j.Set([]byte(line), pathOf(target), time.Now())
	}
}

// pathOf is the path of a URL, without its query.
func pathOf(target string) string {
	if u, err := url.Parse(target); err == nil && u.EscapedPath() != "" {
		return u.EscapedPath()
	}
	return "/"
}

// handshakeFailure names why the WebSocket handshake failed.
func (d *dialer) handshakeFailure(ctx context.Context, response *http.Response, err error) *op.Failure {
	if response != nil {
		_ = response.Body.Close()
		if response.StatusCode != http.StatusSwitchingProtocols {
			return d.refused(response, err)
		}
	}
	trouble := &reach.Trouble{Hint: "check that a WebSocket server listens at this URL", Err: err}
	if !d.secure {
		trouble.Hint += "; if it uses TLS, write wss://"
	}
	failure := &op.Failure{Cause: handshake, Err: trouble}
	asked := d.headers.Get("Sec-WebSocket-Protocol")
	_, came, malformed := strings.Cut(err.Error(), "malformed HTTP ")
	switch {
	case errors.Is(err, gws.ErrSubprotocolNegotiation):
		failure.Cause, failure.Final = subprotocolRefused, true
		trouble.What = fmt.Sprintf("the server supports none of the requested subprotocols (%s)", asked)
		if chosen := response.Header.Get("Sec-WebSocket-Protocol"); chosen != "" {
			trouble.What = fmt.Sprintf("the server chose subprotocol %q, which was not requested (%s)", cause.Line(chosen),
				asked)
		}
		trouble.Hint = "request a subprotocol of the server with --subprotocol"
	case errors.Is(err, errLongHandshake):
		trouble.What = err.Error()
	case response != nil: // its headers are wrong
		trouble.What = "invalid handshake response (RFC 6455, section 4.2.2): " +
			cause.Line(err.Error())
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		trouble.What = "the server closed the connection without a handshake response"
	case malformed:
		trouble.What = "the handshake response is not HTTP: " + cause.Line(came)
	default:
		return d.Failure(ctx, err)
	}
	return failure
}

// refused names why a server answered the handshake with another status than 101.
func (d *dialer) refused(response *http.Response, err error) *op.Failure {
	status := response.StatusCode
	path := "check the path of the URL"
	if u, err := url.Parse(strings.ReplaceAll(d.url, roomPlace, "1")); err == nil && withoutPath(u) {
		path = "check the path (the URL has none, so that of the protocol file, or /, is used)"
	}
	hint := path + " and the headers that the server requires"
	switch to := response.Header.Get("Location"); {
	case status/100 == 3 && to != "":
		hint = "use the redirect target as the URL: " + cause.Line(redact.URL(to))
	case status == http.StatusUnauthorized:
		hint = "authenticate with --bearer, --header, or USER:PASSWORD@ before the host in the URL"
	case status == http.StatusUpgradeRequired, status == http.StatusHTTPVersionNotSupported:
		hint = path + "; the server requires another protocol or version there"
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
		hint = "lower --clients, or raise the connection limit of the server"
	case status/100 == 4 && d.headers.Get("Sec-WebSocket-Protocol") == "":
		hint = path + " and what the server requires: --subprotocol, credentials (--header or --bearer), TLS (wss://)"
	case status == http.StatusBadGateway, status == http.StatusGatewayTimeout:
		hint = "check that the proxy in front of the server can reach it"
	}
	return &op.Failure{Cause: fmt.Sprint(handshake, ":", status), Err: &reach.Trouble{
		What: "the server refused the handshake with HTTP " + cause.Line(response.Status), Hint: hint, Err: err}}
}
