package services

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"strings"

	"github.com/aws/smithy-go"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/plimsoll/plimsoll/internal/cause"
)

// The causes of failed calls. What a service says is its own error code, such as
// ResourceNotFoundException.
const (
	causeTimeout      = cause.Timeout
	causeRefused      = cause.Refused
	causeReset        = cause.Reset
	causeUnresolvable = cause.Unresolvable
	causeTLS          = cause.TLS
	causeScheme       = cause.Scheme
	causeHTML         = "html"         // a web page: no answer of AWS
	causeProtocol     = cause.Protocol // an answer that the SDK cannot read
	causeCredentials  = cause.NoCredentials
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

	// OthersAnswered says that the server answers other operations.
	OthersAnswered bool

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

// Unreachable reports whether the failure is one of the way to the server: every other service
// would fail likewise.
func (f *Failure) Unreachable() bool {
	switch f.Cause {
	case causeTimeout, causeRefused, causeReset, causeUnresolvable, cause.Unreachable, causeTLS, causeScheme,
		causeCredentials:
		return true
	}
	return false
}

// Foreign reports whether the answer was none of AWS. One server may answer so to the operations that it does not know,
// and another to all.
func (f *Failure) Foreign() bool { return f.Cause == causeHTML }

// Hint says what to do.
func (f *Failure) Hint() string {
	switch f.Cause {
	case causeTimeout:
		return "the server is too slow or packets are dropped: check the network, or raise --timeout"
	case causeRefused:
		return "start the server, or correct --endpoint"
	case causeUnresolvable:
		return "correct the host name in --endpoint, or the region"
	case causeReset:
		return "check the server log, and that the scheme of --endpoint (http or https) is right"
	case causeScheme:
		return "correct the scheme of --endpoint: use https only for a server with TLS"
	case causeTLS:
		return "set AWS_CA_BUNDLE to the certificate of its authority, or correct the scheme of --endpoint"
	case causeHTML:
		if f.OthersAnswered {
			return "the server does not support this operation: name other operations as arguments (see --list)"
		}
		return "this is a web server, not an AWS service: correct --endpoint"
	case causeCredentials:
		return noCredentialsHint
	case causeSettings:
		return "correct AWS_CA_BUNDLE or its file, or unset it"
	case causeElsewhere:
		return "unset AWS_ENDPOINT_URL or endpoint_url, or use --endpoint for that server"
	case causeNoProfile:
		return "list the names with 'aws configure list-profiles'"
	case causeNoZone:
		return "use another --region, for example us-west-2, or omit S3Express"
	}
	switch why := f.Cause; {
	case strings.HasPrefix(why, "status-3"):
		return "the server redirects: use the redirect target as --endpoint"
	case why == "status-429", why == "status-503", strings.Contains(why, "Throttl"), strings.Contains(why, "SlowDown"),
		strings.Contains(why, "TooManyRequests"):
		return "the server is overloaded or limits the request rate: try again later, or lower --calls or --clients"
	case strings.HasPrefix(why, "status-5"):
		return "check the server log, or name other operations as arguments (see --list)"
	}
	return "check that the server supports this operation and the credentials allow it, or name other operations as " +
		"arguments (see --list)"
}

var (
	// ErrTimeout is the cause of the end of a call's context that took too long.
	ErrTimeout = errors.New("no response in time") // package state: a constant
	errAgain   = errors.New("not yet")             // package state: a constant

	// The SDK takes a success without a body, or with "{}", for an answer of any operation.
	// package state: a constant
	errIncomplete = &smithy.DeserializationError{Err: errors.New("a required element is missing")}

	errWantsTLS = errors.New("the server expects TLS, but the request was plain HTTP") // package state: a constant
)

// whole is the error of a call; what says that all went well, and lacks what each answer has, is an error.
func whole(err error, lacks func() bool) error {
	if err == nil && lacks() {
		return errIncomplete
	}
	return err
}

// htmlError is the answer of a web server.
type htmlError struct{ status string }

func (e *htmlError) Error() string { return "the server responded with a web page (" + e.status + ")" }

// RetryableError tells the SDK that the next answer would be a web page, too.
func (e *htmlError) RetryableError() bool { return false }

// StatusError is an answer to the null client that is no success.
type StatusError int

func (e StatusError) Error() string {
	return fmt.Sprintf("the server responded with status %d", int(e))
}

// CauseOf is the cause of an error of the SDK.
func CauseOf(err error) string {
	var html *htmlError
	switch {
	case errors.As(err, &html):
		return causeHTML
	case errors.Is(err, ErrTimeout):
		return causeTimeout
	case errors.Is(err, errWantsTLS):
		return causeScheme
	}
	switch found := cause.Of(err); found {
	case cause.Timeout, cause.Unresolvable, cause.Refused, cause.Unreachable, cause.Scheme, cause.TLS, cause.Reset,
		cause.TooManyFiles, cause.NoLocalPort:
		return found
	case cause.Closed, cause.CutOff:
		return causeReset // also in the middle of an answer, which then cannot be read either
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
	var plain StatusError
	if errors.As(err, &plain) {
		status = int(plain)
	}
	switch {
	case errors.As(err, &unread) && status < 300:
		return causeProtocol
	case errors.As(err, &said) && isCode(said.ErrorCode()):
		return said.ErrorCode()
	case status != 0:
		return cause.Status(status)
	case errors.As(err, &unread):
		return causeProtocol
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return causeReset
	}
	return causeOther
}

// isCode reports whether a code is one of a service: a name, of reasonable length.
func isCode(code string) bool {
	if code == "" || code == "UnknownError" || len(code) > 100 {
		return false
	}
	return !strings.ContainsFunc(code, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '.' && r != '-' &&
			r != '_' && r != ':'
	})
}

// secretWords are what a server may repeat of a request that nobody must see: the parts of a
// signature, access keys, and long words as session tokens are.
// package state: a constant.
var secretWords = regexp.MustCompile(
	`(?i)(signature|credential|signedheaders|security-token)["']?\s*[=:]\s*["']?[^\s,"'&]+` +
		`|\b(AKIA|ASIA)[A-Z0-9]{8,}|[A-Za-z0-9+/_=-]{32,}`)

// Describe is an error of the SDK in a few words. What a service says of a signature that does
// not match holds the request's headers, and so a session's token: it is left out.
func Describe(err error) string {
	var html *htmlError
	var said smithy.APIError
	var answered *smithyhttp.ResponseError
	var sent *url.Error
	switch {
	case errors.As(err, &html):
		return html.Error()
	case errors.Is(err, errWantsTLS):
		return errWantsTLS.Error()
	case CauseOf(err) == causeScheme:
		return "the server expects plain HTTP, but the request used TLS"
	case errors.As(err, &said) && isCode(said.ErrorCode()):
		if strings.Contains(said.ErrorCode(), "Signature") || said.ErrorMessage() == "" {
			return "the server reports " + said.ErrorCode()
		}
		return "the server reports " + said.ErrorCode() + ": " +
			cause.Line(secretWords.ReplaceAllString(said.ErrorMessage(), "…"))
	case errors.As(err, &answered) && answered.HTTPStatusCode() >= 300:
		return fmt.Sprintf("the server responded with status %d", answered.HTTPStatusCode())
	case CauseOf(err) == causeReset && !errors.As(err, &sent):
		return "the connection was closed before the response was complete"
	case CauseOf(err) == causeProtocol:
		return "the response does not match this operation"
	case errors.As(err, &sent):
		return cause.Line(sent.Err.Error())
	}
	return cause.Line(err.Error())
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
