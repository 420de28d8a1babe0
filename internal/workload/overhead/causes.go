package overhead

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"syscall"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"
)

// The causes of failed calls. What a service says is its own error code, such as
// ResourceNotFoundException.
const (
	causeTimeout      = "timeout"
	causeRefused      = "refused"
	causeReset        = "reset"
	causeUnresolvable = "unresolvable"
	causeTLS          = "tls"
	causeScheme       = "scheme"   // http at a server of https, or the other way round
	causeHTML         = "html"     // a web page: the server is no service of AWS
	causeProtocol     = "protocol" // an answer that the SDK cannot read
	causeCredentials  = "no-credentials"
	causeSettings     = "settings"
	causeElsewhere    = "another-endpoint"
	causeNoProfile    = "no-profile"
	causeNoZone       = "no-zone"
	causeOther        = "other"
)

// Failure is why something could not be called or set up.
type Failure struct {
	Service, Operation string
	Cause              string
	Err                error // without secrets

	nothingDone bool // what was to be created is not there
}

// Error names the operation.
func (f *Failure) Error() string {
	name := f.Operation
	if f.Service != "" {
		name = f.Service + "/" + f.Operation
	}
	return name + ": " + f.Err.Error()
}

// Unwrap gives the error without the operation.
func (f *Failure) Unwrap() error { return f.Err }

// Unreachable reports whether the failure is one of the way to the server, or of the server
// being another one than was thought: every other service would fail likewise.
func (f *Failure) Unreachable() bool {
	switch f.Cause {
	case causeTimeout, causeRefused, causeReset, causeUnresolvable, causeTLS, causeScheme, causeHTML, causeCredentials:
		return true
	}
	return false
}

// Hint says what to do.
func (f *Failure) Hint() string {
	switch f.Cause {
	case causeTimeout:
		return "the server is slower than --timeout, or something swallows the packets: try a longer one"
	case causeRefused:
		return "no server listens there: start it, or correct --endpoint"
	case causeUnresolvable:
		return "correct the name in --endpoint, or the region"
	case causeReset:
		return "the server closed the connection: see its log, and that the scheme of --endpoint, http or https, is its own"
	case causeScheme:
		return "correct the scheme of --endpoint: it is https for a server that speaks TLS, and http for one that does not"
	case causeTLS:
		return "name the certificate of its authority in AWS_CA_BUNDLE, or correct the scheme of --endpoint"
	case causeHTML:
		return "this is a web server, and no service of AWS: correct --endpoint"
	case causeCredentials:
		return noCredentialsHint
	case causeSettings:
		return "correct AWS_CA_BUNDLE or the file that it is about, or unset what names it"
	case causeElsewhere:
		return "unset AWS_ENDPOINT_URL or endpoint_url, or name that server with --endpoint"
	case causeNoProfile:
		return "see 'aws configure list-profiles' for the names"
	case causeNoZone:
		return "name another --region, such as us-west-2, or leave S3Express out"
	}
	switch cause := f.Cause; {
	case strings.HasPrefix(cause, "status-3"):
		return "the server sends its clients elsewhere: name that place with --endpoint"
	case cause == "status-429", cause == "status-503", strings.Contains(cause, "Throttl"), strings.Contains(cause, "SlowDown"), strings.Contains(cause, "TooManyRequests"):
		return "the server has too much to do, or limits how often it is called: try again later, with fewer --calls or a lower --concurrency"
	case strings.HasPrefix(cause, "status-5"):
		return "the server failed: see its log, or name other operations as arguments, see --list"
	}
	return "see whether the server has this operation and the credentials may call it; other operations can be named as arguments, see --list"
}

var (
	errTimeout = errors.New("no answer in time") // package state: a constant
	errAgain   = errors.New("not yet")           // package state: a constant

	// The SDK takes a success without a body, or with "{}", for an answer of any operation.
	errIncomplete = &smithy.DeserializationError{Err: errors.New("it lacks what each answer has")} // package state: a constant

	errWantsTLS = errors.New("the server speaks TLS, and the request was plain HTTP") // package state: a constant
)

// htmlError is the answer of a web server.
type htmlError struct{ status string }

func (e *htmlError) Error() string { return "the server answered a web page (" + e.status + ")" }

// RetryableError tells the SDK that the next answer would be a web page, too.
func (e *htmlError) RetryableError() bool { return false }

// statusError is an answer to the null client that is no success.
type statusError int

func (e statusError) Error() string { return fmt.Sprintf("the server answers with status %d", int(e)) }

// causeOf is the cause of an error of the SDK.
func causeOf(err error) string {
	var html *htmlError
	var resolve *net.DNSError
	var network net.Error
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	switch {
	case errors.As(err, &html):
		return causeHTML
	case errors.Is(err, errTimeout), errors.Is(err, context.DeadlineExceeded):
		return causeTimeout
	case errors.As(err, &resolve):
		return causeUnresolvable
	case errors.Is(err, syscall.ECONNREFUSED):
		return causeRefused
	case errors.Is(err, errWantsTLS), strings.Contains(err.Error(), http.ErrSchemeMismatch.Error()):
		return causeScheme
	case errors.As(err, &certificate), errors.As(err, &record), errors.As(err, &alert):
		return causeTLS
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, net.ErrClosed),
		errors.Is(err, io.ErrUnexpectedEOF):
		return causeReset // also in the middle of an answer, which then cannot be read either
	case errors.As(err, &network) && network.Timeout():
		return causeTimeout
	}
	return causeOfAnswer(err)
}

// causeOfAnswer is the cause of an error that the server, or what it sent, has caused.
func causeOfAnswer(err error) string {
	var said smithy.APIError
	var answered *smithyhttp.ResponseError
	var unread *smithy.DeserializationError
	status := 0
	if errors.As(err, &answered) {
		status = answered.HTTPStatusCode()
	}
	var plain statusError
	if errors.As(err, &plain) {
		status = int(plain)
	}
	switch {
	case errors.As(err, &unread) && status < 300:
		return causeProtocol
	case errors.As(err, &said) && known(said.ErrorCode()):
		return said.ErrorCode()
	case status != 0:
		return fmt.Sprintf("status-%d", status)
	case errors.As(err, &unread):
		return causeProtocol
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return causeReset
	}
	return causeOther
}

// known reports whether a code is one of a service: a name, of reasonable length.
func known(code string) bool {
	if code == "" || code == "UnknownError" || len(code) > 100 {
		return false
	}
	return !strings.ContainsFunc(code, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '.' && r != '-' && r != '_' && r != ':'
	})
}

// secretWords are what a server may repeat of a request that nobody must see: the parts of a
// signature, access keys, and long words as session tokens are.
var secretWords = regexp.MustCompile(`(?i)(signature|credential|signedheaders|security-token)["']?\s*[=:]\s*["']?[^\s,"'&]+|\b(AKIA|ASIA)[A-Z0-9]{8,}|[A-Za-z0-9+/_=-]{32,}`) // package state: a constant

// describe is an error of the SDK in a few words. What a service says of a signature that does
// not match holds the request's headers, and so a session's token: it is left out.
func describe(err error) string {
	var html *htmlError
	var said smithy.APIError
	var answered *smithyhttp.ResponseError
	var sent *url.Error
	switch {
	case errors.As(err, &html):
		return html.Error()
	case errors.Is(err, errWantsTLS):
		return errWantsTLS.Error()
	case causeOf(err) == causeScheme:
		return "the server speaks plain HTTP, and the request was TLS"
	case errors.As(err, &said) && known(said.ErrorCode()):
		if strings.Contains(said.ErrorCode(), "Signature") || said.ErrorMessage() == "" {
			return "the server says " + said.ErrorCode()
		}
		return "the server says " + said.ErrorCode() + ": " + shorten(secretWords.ReplaceAllString(said.ErrorMessage(), "…"))
	case errors.As(err, &answered) && answered.HTTPStatusCode() >= 300:
		return fmt.Sprintf("the server answers with status %d", answered.HTTPStatusCode())
	case causeOf(err) == causeReset && !errors.As(err, &sent):
		return "the connection was closed before the answer was read"
	case causeOf(err) == causeProtocol:
		return "the server's answer is not one of this operation"
	case errors.As(err, &sent):
		return shorten(sent.Err.Error())
	}
	return shorten(err.Error())
}

// shorten is the first line of a text, and not too much of it.
func shorten(s string) string {
	const enough = 300
	s, _, _ = strings.Cut(s, "\n")
	if len(s) > enough {
		s = strings.ToValidUTF8(s[:enough], "") + "…"
	}
	return s
}

// missing reports whether an error says that what was to be removed is not there.
func missing(err error) bool {
	var said smithy.APIError
	if !errors.As(err, &said) {
		return false
	}
	code := said.ErrorCode()
	for _, part := range []string{"NotFound", "NoSuch", "NonExist"} {
		if strings.Contains(code, part) {
			return true
		}
	}
	return false
}
