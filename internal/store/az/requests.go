package az

import (
	"context"
	"net/http"
	"slices"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"

	"github.com/plimsoll/plimsoll/internal/bounded"
)

// nameGet is the request whose answer may be long.
const nameGet = "GetBlob"

type longKey struct{}

// call gives the context for one call of the SDK: its requests have this name, and its
// retries are counted and bounded.
func (s *az) call(ctx context.Context, name string) context.Context {
	retry, left := s.retry, s.retry.MaxRetries
	if retry.MaxRetries == 0 {
		retry.MaxRetries = -1 // 0 is the SDK's default
	}
	retry.ShouldRetry = func(resp *http.Response, err error) bool {
		cause := ""
		switch {
		case err != nil:
			cause = causeOf(err)
		case resp.Header.Get("x-ms-error-code") == notSupported:
			return false // nor will it be the next time
		case slices.Contains(retriable(), resp.StatusCode):
			cause = statusCause(resp.StatusCode, resp.Header.Get("x-ms-error-code"))
		default:
			return false
		}
		if left--; left >= 0 {
			s.config.Requests.Retry(name, cause)
		}
		return true
	}
	ctx = policy.WithRetryOptions(ctx, retry)
	if name == nameGet {
		ctx = context.WithValue(ctx, longKey{}, true)
	}
	return s.config.Requests.Named(ctx, name)
}

// retriable are the status codes that the SDK tries again after.
func retriable() []int {
	return []int{
		http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
	}
}

// transporter sends the SDK's requests. It follows no redirects, of which the service has
// none: a SAS and a signature are for one server. Nor does it put the URL into errors.
type transporter struct{ next http.RoundTripper }

// longestAnswer bounds what the SDK reads into memory: errors and lists.
const longestAnswer = 4 << 20

// Do sends a request.
func (t transporter) Do(req *http.Request) (*http.Response, error) {
	resp, err := t.next.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if long, _ := req.Context().Value(longKey{}).(bool); !long || resp.StatusCode >= 300 {
		bounded.Body(resp, longestAnswer)
	}
	return resp, nil
}

var _ policy.Transporter = transporter{}
