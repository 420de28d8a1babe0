package overhead

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/smithy-go/logging"

	"github.com/plimsoll/plimsoll/internal/cause"
)

// What requests to the embedded responder are signed with, and those to any server for which
// there are no others.
const (
	dummyKey      = "plimsoll"
	dummySecret   = "plimsoll-is-not-a-secret"
	defaultRegion = "us-west-2"
)

const noCredentialsHint = "export AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, name another --profile, or sign in " +
	"with 'aws sso login'; without --profile and --region the embedded responder is measured"

// Remote is the server that is called: how to reach it and how to sign for it.
type Remote struct {
	Real     bool   // the services of AWS itself
	Endpoint string // "" for AWS's own
	Notes    []string

	cfg   aws.Config
	http2 bool
	trust *x509.CertPool  // nil for the system's
	hard  context.Context // stored context: the SDK asks for a client or credentials at any time; it ends everything
	dial  dial            // nil for the system's
	iamAt string          // "" for AWS's own
}

// dial makes a connection.
type dial = func(ctx context.Context, network, address string) (net.Conn, error)

// Connect finds the credentials and the region for a server. certificate is the one of the
// embedded responder, or nil. It sends nothing, except where the SDK asks for credentials.
// Everything that is done with the Remote ends with hard.
func Connect(ctx, hard context.Context, p *Plan, endpoint string, certificate []byte) (*Remote, error) {
	r := &Remote{Real: p.Real(), Endpoint: strings.TrimSuffix(endpoint, "/"), http2: p.HTTP2, hard: hard}
	if certificate != nil {
		r.trust = x509.NewCertPool()
		if !r.trust.AppendCertsFromPEM(certificate) {
			return nil, errors.New("the certificate of the embedded responder cannot be read")
		}
	}
	if p.Embedded() {
		// Nothing of the environment: the figures are the same for everybody.
		r.cfg = plainConfig()
		return r, nil
	}
	var err error
	if r.cfg, err = r.load(ctx, p); err != nil {
		return nil, err
	}
	if r.cfg.Region == "" {
		r.cfg.Region = defaultRegion
		r.Notes = append(r.Notes, "No region was given: "+defaultRegion+" was signed for.")
	}
	return r, nil
}

// plainConfig is what the SDK makes of an environment with nothing in it but keys and a region. Its zero
// value is another thing than its defaults: it has no checksum computed for an object, and a metric
// compressed however short it is.
func plainConfig() aws.Config {
	return aws.Config{
		Region: defaultRegion, Credentials: credentials.NewStaticCredentialsProvider(dummyKey, dummySecret, ""),
		DefaultsMode:                aws.DefaultsModeLegacy,
		RequestMinCompressSizeBytes: 10240,
		AccountIDEndpointMode:       aws.AccountIDEndpointModePreferred,
		RequestChecksumCalculation:  aws.RequestChecksumCalculationWhenSupported,
		ResponseChecksumValidation:  aws.ResponseChecksumValidationWhenSupported,
	}
}

// load reads what the SDK's environment says.
func (r *Remote) load(ctx context.Context, p *Plan) (aws.Config, error) {
	// The SDK's own warnings, as of a machine without a role, are in no words that help.
	options := []func(*config.LoadOptions) error{config.WithLogger(logging.Nop{})}
	if p.Region != "" {
		options = append(options, config.WithRegion(p.Region))
	}
	if p.Profile != "" {
		options = append(options, config.WithSharedConfigProfile(p.Profile))
	}
	bounded, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	loaded, err := config.LoadDefaultConfig(bounded, options...)
	if none, ok := errors.AsType[config.SharedConfigProfileNotExistError](err); ok {
		return aws.Config{}, &Failure{Operation: "credentials", Cause: causeNoProfile,
			Err: errors.New("there is no profile " + cause.Line(none.Profile))}
	}
	if err != nil {
		return aws.Config{}, &Failure{Operation: "settings of the SDK", Cause: causeSettings,
			Err: errors.New(cause.Line(err.Error()))}
	}
	if r.Real && (loaded.BaseEndpoint != nil || slices.ContainsFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "AWS_ENDPOINT_URL_")
	})) {
		return aws.Config{}, &Failure{Operation: "endpoint", Cause: causeElsewhere,
			Err: errors.New("AWS was to be called, but the environment or the profile names another endpoint")}
	}
	// The services' clients would look here for endpoints of their own (AWS_ENDPOINT_URL_STS, a
	// profile's services), which go before the one that was asked for: another server would be
	// measured than the one that the report names.
	loaded.ConfigSources = nil
	if built, ok := loaded.HTTPClient.(*awshttp.BuildableClient); ok { // what the SDK makes of AWS_CA_BUNDLE
		if c := built.GetTransport().TLSClientConfig; c != nil && c.RootCAs != nil {
			r.trust = c.RootCAs
		}
	}
	if !r.Real && p.Profile == "" {
		// A machine's role is not asked for: the server need not be one that it is meant for.
		env, err := config.NewEnvConfig()
		if err != nil || !env.Credentials.HasKeys() {
			loaded.Credentials = credentials.NewStaticCredentialsProvider(dummyKey, dummySecret, "")
			r.Notes = append(r.Notes,
				"There are no credentials in the environment: the requests were signed with made-up ones.")
		} else {
			loaded.Credentials = credentials.StaticCredentialsProvider{Value: env.Credentials}
		}
		return loaded, nil
	}
	if _, err := loaded.Credentials.Retrieve(bounded); err != nil {
		what := "there are no AWS credentials"
		if p.Profile != "" {
			what += " for the profile " + p.Profile
		}
		return aws.Config{}, &Failure{Operation: "credentials", Cause: causeCredentials, Err: errors.New(what)}
	}
	return loaded, nil
}

// Region is the one that is signed for.
func (r *Remote) Region() string { return r.cfg.Region }

// iam is where roles are made.
func (r *Remote) iam() string {
	if r.iamAt != "" {
		return r.iamAt
	}
	return iamEndpoint
}

// transport makes a client's connections, in the way of the SDK's own.
func (r *Remote) transport() *http.Transport {
	t := awshttp.NewBuildableClient().GetTransport()
	// A span of the SDK is no figure here: the dialer is the plain one of the same settings.
	t.DialContext = (&net.Dialer{Timeout: awshttp.DefaultDialConnectTimeout,
		KeepAlive: awshttp.DefaultDialKeepAliveTimeout}).DialContext
	if r.dial != nil {
		t.DialContext = r.dial
	}
	t.Protocols = new(http.Protocols)
	t.Protocols.SetHTTP1(!r.http2)
	t.Protocols.SetHTTP2(r.http2)
	t.ForceAttemptHTTP2 = r.http2
	if t.TLSClientConfig == nil {
		t.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	t.TLSClientConfig.RootCAs = r.trust
	return t
}

// config is what clients of the SDK are made of. Calls that are measured are not tried again.
func (r *Remote) config(client aws.HTTPClient, attempts int) aws.Config {
	cfg := r.cfg.Copy()
	cfg.HTTPClient = client
	cfg.RetryMaxAttempts = attempts
	cfg.Logger = logging.Nop{} // what it has to say is in the errors, or of no interest here
	cfg.RetryMode = aws.RetryModeStandard
	if r.Endpoint != "" {
		cfg.BaseEndpoint = aws.String(r.Endpoint)
	}
	return cfg
}

// patient is the configuration of clients that set up and clear away. AWS asks for patience;
// elsewhere a failure is seldom one that waiting helps against.
func (r *Remote) patient(client aws.HTTPClient) aws.Config {
	cfg := r.config(client, setUpAttempts)
	wait := 100 * time.Millisecond
	if r.Real {
		wait = 5 * time.Second
	}
	cfg.Retryer = func() aws.Retryer {
		return retry.NewStandard(func(o *retry.StandardOptions) { o.MaxAttempts, o.MaxBackoff = setUpAttempts, wait })
	}
	return cfg
}

func plainClient(rt http.RoundTripper) *http.Client {
	return &http.Client{
		Transport: rt,
		// A request for another place needs another signature.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// observed sends the requests of calls that are measured, and stamps them.
type observed struct {
	p      *probe
	client *http.Client
	beside *http.Client // of calls that the SDK makes beside those that are measured
	wired  func()       // the request of the call is handed to the HTTP client
	keep   func(*http.Request)
}

// Do sends a request.
func (o *observed) Do(req *http.Request) (*http.Response, error) {
	if ctx := req.Context(); !o.p.owns(ctx) {
		return guarded{o.beside}.Do(req.WithContext(unobserved{ctx}))
	}
	if o.keep != nil {
		o.keep(req)
	}
	plainBody(req)
	if o.p.staged {
		o.p.pass(doStart)
	}
	o.wired()
	resp, err := o.client.Do(req)
	if o.p.staged {
		o.p.pass(doEnd)
	}
	if err == nil {
		err = guard(resp)
	}
	if err != nil {
		return nil, err
	}
	return resp, nil
}

// unobserved is a context without the hooks of a call.
type unobserved struct {
	context.Context // stored context: it is one
}

// Value hides the hooks.
func (u unobserved) Value(key any) any {
	v := u.Context.Value(key)
	if _, ok := v.(*httptrace.ClientTrace); ok {
		return nil
	}
	return v
}
