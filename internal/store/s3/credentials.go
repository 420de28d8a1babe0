package s3

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"

	"github.com/plimsoll/plimsoll/internal/awsload"
	"github.com/plimsoll/plimsoll/internal/cause"
	"github.com/plimsoll/plimsoll/internal/store"
)

// identity is who signs the requests.
type identity struct {
	provider aws.CredentialsProvider
	from     string // for reports
	notes    []string
}

// identify finds the credentials: a session token of a credentials file, as Hadoop does, then
// the keys of the properties or the providers that they name, then the SDK's chain. It asks
// for them once, so that missing ones are found before anything else happens.
func identify(ctx context.Context, c *store.Config, s *settings, chain aws.CredentialsProvider) (*identity, error) {
	id := &identity{provider: chain, from: "the AWS default credential chain"}
	p := &properties{all: c.Settings, bucket: s.bucket}
	keys := aws.Credentials{
		AccessKeyID: p.secret("access.key"), SecretAccessKey: p.secret("secret.key"),
		SessionToken: p.secret("session.token"), Source: "Hadoop properties",
	}
	token, note, found := sessionOf(c.Tokens, s.bucket)
	if note != "" {
		id.notes = append(id.notes, note)
	}
	switch {
	case found:
		id.provider, id.from = credentials.StaticCredentialsProvider{Value: token}, "the credentials file"
	case len(s.providers) > 0:
		if err := id.choose(ctx, s.providers, keys, c.Authorities, chain); err != nil {
			return nil, err
		}
	case keys.HasKeys():
		id.provider, id.from = credentials.StaticCredentialsProvider{Value: keys}, p.keysOf(c.KeysOf)
	case keys.AccessKeyID != "" || keys.SecretAccessKey != "":
		return nil, store.Fail(store.NoCredentials, "only one of fs.s3a.access.key and fs.s3a.secret.key is set").
			WithHint("set both or neither")
	}
	if id.anonymous() {
		return id, nil
	}
	if _, err := id.provider.Retrieve(ctx); err != nil {
		return nil, noCredentials(ctx, err)
	}
	return id, nil
}

// keysOf names the keys of the properties for reports: by the one that holds, which may be that of
// the bucket, or by whom they are of. Those of a bucket are always the user's.
func (p *properties) keysOf(whose string) string {
	for _, key := range p.keys("access.key") {
		if _, set := p.all.Secret(key); !set {
			continue
		}
		if whose != "" && key == "fs.s3a.access.key" {
			return whose
		}
		return key
	}
	return ""
}

func (id *identity) anonymous() bool {
	return aws.IsCredentialsProvider(id.provider, (*aws.AnonymousCredentials)(nil))
}

// noCredentials says that there are none. The SDK tells at length what each of its providers
// said last, which is that of the machine's role.
func noCredentials(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	detail := ""
	if text := err.Error(); !strings.Contains(text, "IMDS") {
		detail = ": " + cause.Line(text)
	}
	return &store.Error{
		Cause: store.NoCredentials,
		Err:   fmt.Errorf("no AWS credentials found%s", detail),
		Hint:  "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, select a profile with AWS_PROFILE, or run 'aws sso login'",
	}
}

// choose takes the first of Hadoop's providers that has credentials.
func (id *identity) choose(ctx context.Context, names []string, keys aws.Credentials, authorities []byte,
	chain aws.CredentialsProvider) error {
	for _, name := range names {
		provider, known := providerOf(ctx, name, keys, authorities, chain)
		if !known {
			id.notes = append(id.notes,
				fmt.Sprintf("The credentials provider %s is not supported and was skipped.", cause.Line(name)))
			continue
		}
		if provider != nil {
			id.provider, id.from = provider, name[strings.LastIndexByte(name, '.')+1:]
			return nil
		}
	}
	if len(id.notes) > 0 { // what was not understood may be what the chain does
		return nil
	}
	return store.Fail(store.NoCredentials, "no provider in fs.s3a.aws.credentials.provider has credentials").
		WithHint("set fs.s3a.access.key and fs.s3a.secret.key, or unset fs.s3a.aws.credentials.provider")
}

// providerOf is one of Hadoop's providers, by the name of its class; nil when it has no
// credentials.
func providerOf(ctx context.Context, name string, keys aws.Credentials, authorities []byte,
	chain aws.CredentialsProvider) (_ aws.CredentialsProvider, known bool) {
	class := name[strings.LastIndexByte(name, '.')+1:]
	switch class {
	case "AnonymousAWSCredentialsProvider", "AnonymousCredentialsProvider", "AnonymousAWSCredentials":
		return aws.AnonymousCredentials{}, true
	case "TemporaryAWSCredentialsProvider":
		if keys.HasKeys() && keys.SessionToken != "" {
			return credentials.StaticCredentialsProvider{Value: keys}, true
		}
		return nil, true
	case "SimpleAWSCredentialsProvider", "BasicAWSCredentialsProvider":
		keys.SessionToken = ""
		if keys.HasKeys() {
			return credentials.StaticCredentialsProvider{Value: keys}, true
		}
		return nil, true
	case "EnvironmentVariableCredentialsProvider":
		return ofEnvironment(), true
	case "ProfileCredentialsProvider", "ProfileAWSCredentialsProvider":
		return ofProfile(ctx, authorities), true
	case "DefaultCredentialsProvider", "DefaultAWSCredentialsProviderChain":
		return chain, true
	}
	return nil, false
}

func ofEnvironment() aws.CredentialsProvider {
	c := aws.Credentials{
		AccessKeyID: os.Getenv("AWS_ACCESS_KEY_ID"), SecretAccessKey: os.Getenv("AWS_SECRET_ACCESS_KEY"),
		SessionToken: os.Getenv("AWS_SESSION_TOKEN"), Source: "environment",
	}
	if !c.HasKeys() {
		return nil
	}
	return credentials.StaticCredentialsProvider{Value: c}
}

// ofProfile is what the shared files of AWS say, before the keys of the environment.
func ofProfile(ctx context.Context, authorities []byte) aws.CredentialsProvider {
	profile := os.Getenv("AWS_PROFILE")
	if profile == "" {
		profile = "default"
	}
	loaded, err := load(ctx, awsload.Options{Profile: profile}, authorities)
	if err != nil {
		return nil
	}
	if _, err := loaded.Credentials.Retrieve(ctx); err != nil {
		return nil
	}
	return loaded.Credentials
}

// load reads a configuration whose requests for credentials trust the user's authorities beside the others, which
// AWS_CA_BUNDLE or ca_bundle of the profile may have named: so they are read first.
func load(ctx context.Context, asking awsload.Options, authorities []byte) (aws.Config, error) {
	loaded, err := awsload.Load(ctx, asking)
	if err != nil || authorities == nil {
		return loaded, err
	}
	var anyway *x509.CertPool
	if c := awsload.CA(&loaded); c != nil {
		anyway = c.RootCAs
	}
	asking.Trust = store.TrustBeside(anyway, authorities)
	return awsload.Load(ctx, asking)
}

// loadConfig is what the environment and the shared files say.
func loadConfig(ctx context.Context, c *store.Config, s *settings) (aws.Config, error) {
	loaded, err := load(ctx, awsload.Options{Within: s.timeout}, c.Authorities)
	var missing config.SharedConfigProfileNotExistError
	switch {
	case err == nil:
		return loaded, nil
	case ctx.Err() != nil:
		return loaded, ctx.Err()
	case errors.As(err, &missing):
		return loaded, store.Fail(store.NoCredentials, "AWS profile %q does not exist", missing.Profile).
			WithHint("correct AWS_PROFILE, or create the profile with 'aws configure --profile %s'", missing.Profile)
	}
	return loaded, store.Fail(store.NoCredentials, "cannot read the AWS configuration: %s",
		cause.Line(err.Error()))
}
