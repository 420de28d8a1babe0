package services

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
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
	"github.com/aws/smithy-go/middleware"

	"github.com/plimsoll/plimsoll/internal/awsload"
	"github.com/plimsoll/plimsoll/internal/bounded"
	"github.com/plimsoll/plimsoll/internal/cause"
)

// What requests to the embedded responder are signed with, and those to any server for which
// there are no others.
const (
	dummyKey      = "plimsoll"
	dummySecret   = "plimsoll-is-not-a-secret"
	defaultRegion = "us-west-2"
)

const noCredentialsHint = "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, use another --profile, or sign in with " +
	"'aws sso login'"

// Access is which server is called, and who calls it.
type Access struct {
	Real        bool   // the services of AWS itself
	Embedded    bool   // the embedded responder
	Endpoint    string // "" for AWS's own
	Certificate []byte // of the embedded responder; nil for the authorities that the system trusts
	Profile     string // whose credentials sign; "" for the environment's
	Region      string // "" for that of the environment
	HTTP2       bool
	Timeout     time.Duration // of asking for credentials
}

// Remote is the server that is called: how to reach it and how to sign for it.
type Remote struct {
	Real     bool   // the services of AWS itself
	Endpoint string // "" for AWS's own
	HTTP2    bool   // instead of HTTP/1.1
	Notes    []string
	Dial     Dial // nil for the system's; to be set before the first connection
	// Stack changes how the SDK makes calls, as a program may; nil for the SDK as it is.
	Stack []func(*middleware.Stack) error

	cfg   aws.Config
	trust *x509.CertPool  // nil for the system's
	hard  context.Context // stored context: the SDK asks for a client or credentials at any time; it ends everything
	iamAt string          // "" for AWS's own
}

// Dial makes a connection.
type Dial = func(ctx context.Context, network, address string) (net.Conn, error)

// Connect finds the credentials and the region for a server. It sends nothing, except where the SDK asks
// for credentials. Everything that is done with the Remote ends with hard.
func Connect(ctx, hard context.Context, a Access) (*Remote, error) {
	r := &Remote{Real: a.Real, Endpoint: strings.TrimSuffix(a.Endpoint, "/"), HTTP2: a.HTTP2, hard: hard}
	if a.Certificate != nil {
		r.trust = x509.NewCertPool()
		if !r.trust.AppendCertsFromPEM(a.Certificate) {
			return nil, errors.New("cannot read the certificate of the demo server")
		}
	}
	if a.Embedded {
		// Nothing of the environment: the figures are the same for everybody.
		r.cfg = plainConfig()
		return r, nil
	}
	var err error
	if r.cfg, err = r.load(ctx, &a); err != nil {
		return nil, err
	}
	if r.cfg.Region == "" {
		r.cfg.Region = defaultRegion
		r.Notes = append(r.Notes, "No region given: "+defaultRegion+" is used for signing.")
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
func (r *Remote) load(ctx context.Context, a *Access) (aws.Config, error) {
	within, cancel := context.WithTimeout(ctx, a.Timeout)
	defer cancel()
	loaded, err := awsload.Load(within, awsload.Options{Region: a.Region, Profile: a.Profile, Within: a.Timeout})
	if none, ok := errors.AsType[config.SharedConfigProfileNotExistError](err); ok {
		return aws.Config{}, &Failure{Operation: "credentials", Cause: causeNoProfile,
			Err: errors.New("no such profile: " + cause.Line(none.Profile))}
	}
	if err != nil {
		return aws.Config{}, &Failure{Operation: "SDK settings", Cause: causeSettings,
			Err: errors.New(cause.Line(err.Error()))}
	}
	if r.Real && (loaded.BaseEndpoint != nil || slices.ContainsFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "AWS_ENDPOINT_URL_")
	})) {
		return aws.Config{}, &Failure{Operation: "endpoint", Cause: causeElsewhere,
			Err: errors.New("AWS is to be called, but the environment or the profile sets another endpoint")}
	}
	// The services' clients would look here for endpoints of their own (AWS_ENDPOINT_URL_STS, a
	// profile's services), which go before the one that was asked for: another server would be
	// measured than the one that the report names.
	loaded.ConfigSources = nil
	if c := awsload.CA(&loaded); c != nil && c.RootCAs != nil {
		r.trust = c.RootCAs
	}
	if !r.Real && a.Profile == "" {
		// A machine's role is not asked for: the server need not be one that it is meant for.
		env, err := config.NewEnvConfig()
		if err != nil || !env.Credentials.HasKeys() {
			loaded.Credentials = credentials.NewStaticCredentialsProvider(dummyKey, dummySecret, "")
			r.Notes = append(r.Notes,
				"No credentials in the environment: requests are signed with dummy credentials.")
		} else {
			loaded.Credentials = credentials.StaticCredentialsProvider{Value: env.Credentials}
		}
		return loaded, nil
	}
	if _, err := loaded.Credentials.Retrieve(within); err != nil {
		what := "no AWS credentials"
		if a.Profile != "" {
			what += " for the profile " + a.Profile
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

// Transport makes a client's connections, in the way of the SDK's own.
func (r *Remote) Transport() *http.Transport {
	t := awshttp.NewBuildableClient().GetTransport()
	// A span of the SDK is no figure here: the dialer is the plain one of the same settings.
	t.DialContext = (&net.Dialer{Timeout: awshttp.DefaultDialConnectTimeout,
		KeepAlive: awshttp.DefaultDialKeepAliveTimeout}).DialContext
	if r.Dial != nil {
		t.DialContext = r.Dial
	}
	t.MaxResponseHeaderBytes = answerLimit
	t.Protocols = new(http.Protocols)
	t.Protocols.SetHTTP1(!r.HTTP2)
	t.Protocols.SetHTTP2(r.HTTP2)
	t.ForceAttemptHTTP2 = r.HTTP2
	if t.TLSClientConfig == nil {
		t.TLSClientConfig = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	t.TLSClientConfig.RootCAs = r.trust
	return t
}

// Config is what clients of the SDK are made of. Calls that are measured are not tried again.
func (r *Remote) Config(client aws.HTTPClient, attempts int) aws.Config {
	cfg := r.cfg.Copy()
	cfg.HTTPClient = client
	cfg.APIOptions = append(cfg.APIOptions, r.Stack...)
	cfg.RetryMaxAttempts = attempts
	cfg.Logger = logging.Nop{} // what it has to say is in the errors, or of no interest here
	cfg.RetryMode = aws.RetryModeStandard
	if r.Endpoint != "" {
		cfg.BaseEndpoint = aws.String(r.Endpoint)
	}
	return cfg
}

// setUpAttempts is how often a call is tried that is not measured.
const setUpAttempts = 3

// patient is the configuration of clients that set up and clear away. AWS asks for patience;
// elsewhere a failure is seldom one that waiting helps against.
func (r *Remote) patient(client aws.HTTPClient) aws.Config {
	cfg := r.Config(client, setUpAttempts)
	wait := 100 * time.Millisecond
	if r.Real {
		wait = 5 * time.Second
	}
	cfg.Retryer = func() aws.Retryer {
		return retry.NewStandard(func(o *retry.StandardOptions) { o.MaxAttempts, o.MaxBackoff = setUpAttempts, wait })
	}
	return cfg
}

// PlainClient is a client that follows no redirection: a request for another place needs another
// signature.
func PlainClient(rt http.RoundTripper) *http.Client {
	return &http.Client{Transport: rt, CheckRedirect: bounded.Stay}
}
