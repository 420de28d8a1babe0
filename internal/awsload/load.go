package awsload

import (
	"context"
	"crypto/tls"
	"errors"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials/endpointcreds"
	"github.com/aws/smithy-go/logging"

	"github.com/plimsoll/plimsoll/internal/bounded"
)

// Options say what is not left to the environment.
type Options struct {
	Region, Profile string        // "": as the environment has it
	Within          time.Duration // that a request for credentials may take; 0: bounded.Within
	Trust           *tls.Config   // of requests for credentials; nil: as the environment has it

	retryer aws.Retryer // of requests to the credential server of a container; nil: the default of the SDK
}

// patience is how long all of it may take to have credentials: several requests, each tried several times, or a
// program that asks a person.
const patience = time.Minute

// Load reads the configuration. Its HTTPClient is for credentials alone: it has the authorities of the environment
// (CA), and is for few questions with short answers.
func Load(ctx context.Context, o Options) (aws.Config, error) {
	if o.Within <= 0 {
		o.Within = bounded.Within
	}
	asks := awshttp.NewBuildableClient().WithTimeout(o.Within).WithTransportOptions(func(t *http.Transport) {
		bounded.Few(t, o.Within)
		if o.Trust != nil {
			t.TLSClientConfig = o.Trust
		}
	})
	options := []func(*config.LoadOptions) error{
		config.WithLogger(logging.Nop{}), // it would write to stderr what the errors say anyway
		config.WithHTTPClient(asks),
		// The server of keys of a container has a client of its own.
		config.WithEndpointCredentialOptions(func(e *endpointcreds.Options) { e.HTTPClient, e.Retryer = asks, o.retryer }),
	}
	if o.Region != "" {
		options = append(options, config.WithRegion(o.Region))
	}
	if o.Profile != "" {
		options = append(options, config.WithSharedConfigProfile(o.Profile))
	}
	loaded, err := config.LoadDefaultConfig(ctx, options...)
	if err == nil && loaded.Credentials != nil {
		loaded.Credentials = patient{loaded.Credentials}
	}
	return loaded, err
}

// CA is the authorities that the environment names (AWS_CA_BUNDLE, or ca_bundle of the profile); nil for those of the
// system.
func CA(loaded *aws.Config) *tls.Config {
	if built, ok := loaded.HTTPClient.(*awshttp.BuildableClient); ok {
		return built.GetTransport().TLSClientConfig
	}
	return nil
}

// patient is a provider of credentials that is waited for no longer than patience.
type patient struct{ aws.CredentialsProvider }

// Retrieve has the credentials.
func (p patient) Retrieve(ctx context.Context) (aws.Credentials, error) {
	within, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	found, err := p.CredentialsProvider.Retrieve(within)
	// A server of credentials may give back what it was shown, and the SDK says what a server answers.
	if token := os.Getenv("AWS_CONTAINER_AUTHORIZATION_TOKEN"); err != nil && token != "" &&
		strings.Contains(err.Error(), token) {
		return found, errors.New("the credentials server rejected the request")
	}
	return found, err
}

// IsCredentialsProvider says whether it is one of that type, as the provider below has it.
func (p patient) IsCredentialsProvider(target aws.CredentialsProvider) bool {
	return aws.IsCredentialsProvider(p.CredentialsProvider, target)
}
