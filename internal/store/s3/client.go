package s3

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	awsmiddleware "github.com/aws/aws-sdk-go-v2/aws/middleware"
	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/plimsoll/plimsoll/internal/awsload"
	"github.com/plimsoll/plimsoll/internal/bounded"
	"github.com/plimsoll/plimsoll/internal/store"
)

// client is the SDK's client for one region.
type client struct {
	*s3.Client
	region string
}

// newClient makes a client for a region.
func (b *bucket) newClient(region string) *client {
	return &client{s3.NewFromConfig(b.loaded, func(o *s3.Options) { b.configure(o, region) }), region}
}

func (b *bucket) configure(o *s3.Options, region string) {
	s := b.settings
	o.Region = region
	o.Credentials = b.identity.provider
	if b.identity.anonymous() {
		o.Credentials = aws.AnonymousCredentials{}
	}
	o.HTTPClient = answers{b.http}
	o.Retryer = b.retryer
	// The parts bring their checksums with them, and what is read is compared by the caller.
	o.RequestChecksumCalculation = aws.RequestChecksumCalculationWhenRequired
	o.ResponseChecksumValidation = aws.ResponseChecksumValidationWhenRequired
	o.DisableLogOutputChecksumValidationSkipped = true
	if s.endpoint != nil && !standard(s.endpoint.Hostname()) {
		o.BaseEndpoint = aws.String(strings.TrimSuffix(s.endpoint.String(), "/"))
	}
	o.EndpointOptions.DisableHTTPS = s.plain
	// The buckets of other servers seldom have names of hosts.
	o.UsePathStyle = !amazon(endpointOf(o))
	if s.pathStyle != nil {
		o.UsePathStyle = *s.pathStyle
	}
	// The SDK asks before it sends a large body. That costs a round trip for each part, and a
	// second where a server does not answer to it.
	o.ContinueHeaderThresholdBytes = -1
	if s.expect != nil && *s.expect {
		o.ContinueHeaderThresholdBytes = 0 // the SDK's default
	}
	o.APIOptions = append(o.APIOptions, awsmiddleware.AddUserAgentKey("plimsoll"))
	if s.agent != "" {
		o.APIOptions = append(o.APIOptions, awsmiddleware.AddUserAgentKey(s.agent))
	}
	if s.payer {
		o.APIOptions = append(o.APIOptions, smithyhttp.SetHeaderValue("x-amz-request-payer", "requester"))
	}
}

// endpointOf is the host that the options name; "" for AWS's own.
func endpointOf(o *s3.Options) string {
	if o.BaseEndpoint == nil {
		return ""
	}
	u, err := url.Parse(*o.BaseEndpoint)
	if err != nil {
		return *o.BaseEndpoint
	}
	return u.Hostname()
}

// amazon tells whether a host is one of AWS; "" is.
func amazon(host string) bool {
	for _, suffix := range []string{"amazonaws.com", "amazonaws.com.cn", "amazonaws.eu", "api.aws"} {
		if host == suffix || strings.HasSuffix(host, "."+suffix) {
			return true
		}
	}
	return host == ""
}

// standard tells whether a host is one that the SDK finds by the region alone. Those of VPCs,
// of acceleration and of other kinds are taken as they are.
func standard(host string) bool {
	name, ok := strings.CutSuffix(strings.TrimSuffix(host, ".cn"), ".amazonaws.com")
	return ok && (name == "s3" || regionOf(host) != "")
}

// regionOf is the region in the name of a standard host; "" when it has none.
func regionOf(host string) string {
	name, ok := strings.CutSuffix(strings.TrimSuffix(host, ".cn"), ".amazonaws.com")
	if !ok || len(name) < 4 || !strings.HasPrefix(name, "s3") || (name[2] != '.' && name[2] != '-') {
		return ""
	}
	region := name[3:]
	if !plausible(region) || strings.Count(region, "-") < 2 || strings.HasPrefix(region, "fips-") {
		return ""
	}
	return region
}

// plausible tells whether a text that a server sent can be a region: it becomes part of the
// name of a host.
func plausible(region string) bool {
	if region == "" || len(region) > 40 {
		return false
	}
	for _, c := range region {
		if (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return region[0] != '-' && region[len(region)-1] != '-'
}

// newHTTP makes the HTTP client below all of them.
func newHTTP(c *store.Config, s *settings, loaded *aws.Config) *http.Client {
	own := *c
	own.Timeout = s.timeout
	h := store.NewClient(&own, func(t *http.Transport) {
		if s.connect > 0 {
			t.DialContext = (&net.Dialer{Timeout: s.connect}).DialContext
			t.TLSHandshakeTimeout = s.connect
		}
		if s.proxy != nil {
			t.Proxy = http.ProxyURL(s.proxy)
		}
		t.ResponseHeaderTimeout = s.silence
		t.MaxConnsPerHost = s.sockets
		if c.TLS == nil {
			t.TLSClientConfig = awsload.CA(loaded)
		}
	})
	h.CheckRedirect = bounded.Stay // a request for another place needs another signature
	return h
}

// answers keeps those that the SDK reads into memory from filling it.
type answers struct{ *http.Client }

// What no answer exceeds that is not an object: a list of a thousand names, and an error.
const (
	answerLimit = 8 << 20
	errorLimit  = 64 << 10
)

type objectKey struct{}

// withObject marks the requests whose answers are objects.
func withObject(ctx context.Context) context.Context {
	return context.WithValue(ctx, objectKey{}, true)
}

// Do sends a request.
func (c answers) Do(req *http.Request) (*http.Response, error) {
	if kept, ok := req.Context().Value(capturedKey{}).(*captured); ok {
		kept.request = req
	}
	resp, err := c.Client.Do(req)
	if err != nil {
		return resp, err
	}
	limit := int64(answerLimit)
	switch object, _ := req.Context().Value(objectKey{}).(bool); {
	case resp.StatusCode >= 300:
		limit = errorLimit
	case object:
		return resp, nil
	}
	bounded.Body(resp, limit)
	return resp, nil
}

// countingRetryer is the SDK's, and counts what it does.
type countingRetryer struct {
	aws.RetryerV2
	requests *store.Requests
}

func newRetryer(s *settings, requests *store.Requests) countingRetryer {
	standard := retry.NewStandard(func(o *retry.StandardOptions) {
		if s.retries >= 0 {
			o.MaxAttempts = 1 + s.retries
		}
		if s.backoff > 0 {
			o.MaxBackoff = s.backoff
		}
		// A part may be tried as often as was said, however many others were tried again
		// shortly before.
		o.RateLimiter = ratelimit.None
	})
	return countingRetryer{standard, requests}
}

// GetRetryToken is what the SDK asks for when it will try again.
func (r countingRetryer) GetRetryToken(ctx context.Context, err error) (func(error) error, error) {
	r.requests.Retry(awsmiddleware.GetOperationName(ctx), causeOf(err))
	return r.RetryerV2.GetRetryToken(ctx, err)
}
