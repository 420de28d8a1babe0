package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/outfile"
	awstarget "github.com/plimsoll/plimsoll/internal/server/aws"
)

const serveAWSLong = `Serve prepared responses to some operations of AWS services, so that a call's
time is that of the client. This is not an emulator: it checks no parameters and
stores nothing.

The response does not depend on the request: every GetItem returns the same
item. Only what clients need for setup and cleanup does: names are echoed, and
deleted tables and buckets are gone. An unknown operation gets the error of its
service.

  S3               HeadObject, GetObject, PutObject, DeleteObject; buckets
  S3 Express       the same and CreateSession, for buckets named
                   BUCKET--usw2-az1--x-s3
  SNS              GetTopicAttributes, Publish; CreateTopic, DeleteTopic
  STS, IAM         AssumeRole, GetCallerIdentity; CreateRole, DeleteRole
  CloudWatch       GetMetricData, PutMetricData: RPC v2 CBOR, JSON 1.0 and Query
  EventBridge      DescribeEventBus, PutEvents; CreateEventBus, DeleteEventBus
  DynamoDB         GetItem, PutItem, DeleteItem; CreateTable, DescribeTable,
                   DeleteTable
  Secrets Manager  GetSecretValue, PutSecretValue; CreateSecret, DeleteSecret
  Pinpoint         GetEndpoint, PutEvents; CreateApp, UpdateEndpoint, DeleteApp
                   (AWS support ends on 30 October 2026)

All services share one port, over HTTP/1.1 and, with --tls, HTTP/2. Any
credentials are accepted. --tls creates a new certificate at each start and
prints the name of its file.

--trace records when the first bytes of each request arrived (kernel timestamp,
where available) and when the last byte of its response was written. SIGINT or
SIGTERM stops the server after complete requests have been answered.`

const serveAWSExample = `  # for any client that honors AWS_ENDPOINT_URL
  plimsoll serve aws

  # each response one millisecond late, over TLS, with a trace of all requests
  plimsoll serve aws --delay 1ms --tls --cert-out ca.pem --trace trace.csv`

func newServeAWS(env *Env) *cobra.Command {
	cfg := awstarget.Default()
	cmd := &cobra.Command{
		Use:     "aws",
		Short:   "Serve prepared AWS responses for 'plimsoll overhead'",
		Long:    serveAWSLong,
		Example: serveAWSExample,
		Args:    command.AtMost(0, "it takes no arguments; set the address with --listen"),
	}
	command.AddFlags(cmd, cfg.Settings())
	runUntilTold(cmd, env, func(ctx context.Context, child bool) error { return serveAWS(ctx, env, cfg, child) })
	return cmd
}

// serveAWS serves until ctx is done, and then ends the trace.
func serveAWS(ctx context.Context, env *Env, cfg awstarget.Config, child bool) error {
	if err := cfg.Validate(); err != nil || cfg.Trace == "" {
		if err != nil {
			return err
		}
		return respond(ctx, env, cfg, child)
	}
	file, err := env.Files.Stream(cfg.Trace)
	if err != nil {
		return fault.New(fault.RunFailed, "cannot write the trace %s: %w", cfg.Trace, outfile.Reason(err)).
			Hint("choose a file that you can write to with --trace")
	}
	trace := awstarget.NewTrace(file)
	cfg.Observe = trace.Observe
	served := respond(ctx, env, cfg, child)
	err = trace.Flush()
	if closed := file.Close(); err == nil {
		err = closed
	}
	if served != nil || err == nil {
		return served
	}
	return fault.New(fault.RunFailed, "the trace is incomplete: %w", err).
		Hint("make sure that there is space for %s", cfg.Trace)
}

func respond(ctx context.Context, env *Env, cfg awstarget.Config, child bool) error {
	s, err := awstarget.New(cfg, serverLog(env))
	if err != nil {
		return err
	}
	return serveUntil(ctx, env, s, child, func() string { return servingAWS(s.URL(), s.CertificateFile()) })
}

// servingAWS says where the server is and what makes clients go there.
func servingAWS(url, certificate string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `serving prepared AWS responses at %s (not an emulator)
`, url)
	for _, setting := range [][2]string{
		{"AWS_ACCESS_KEY_ID", awstarget.DefaultAccessKey}, {"AWS_SECRET_ACCESS_KEY", awstarget.DefaultSecretKey},
		{"AWS_REGION", awstarget.DefaultRegion}, {"AWS_ENDPOINT_URL", url},
	} {
		fmt.Fprintf(&b, "export %s=%s\n", setting[0], setting[1])
	}
	if certificate != "" {
		fmt.Fprintf(&b, "export AWS_CA_BUNDLE=%s\n", certificate)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
