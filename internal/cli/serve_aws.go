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

const serveAWSLong = `Answer a few operations of AWS services with answers that are ready beforehand,
so that what is left of a call's time is the client's.

This is not an emulator. It checks no signature and no parameter, keeps nothing,
and answers the same whatever it was sent: each GetItem finds the same item.
Only what clients need to set up and clean up depends on the request: names come
back as they were given, and deleted tables and buckets are gone. What it does
not know it answers with the service's own error, which names the operation.

  S3               HeadObject, GetObject, PutObject, DeleteObject; buckets
  S3 Express       the same, and CreateSession, for buckets named
                   BUCKET--usw2-az1--x-s3
  SNS              GetTopicAttributes, Publish; CreateTopic, DeleteTopic
  STS, IAM         AssumeRole, GetCallerIdentity; CreateRole, DeleteRole
  CloudWatch       GetMetricData, PutMetricData: RPC v2 CBOR, JSON 1.0 and Query
  EventBridge      DescribeEventBus, PutEvents; CreateEventBus, DeleteEventBus
  DynamoDB         GetItem, PutItem, DeleteItem; CreateTable, DescribeTable,
                   DeleteTable
  Secrets Manager  GetSecretValue, PutSecretValue; CreateSecret, DeleteSecret
  Pinpoint         GetEndpoint, PutEvents; CreateApp, UpdateEndpoint, DeleteApp
                   (AWS ended its support on 30 October 2026)

All are on one port, over HTTP/1.1 and, with --tls, over HTTP/2 for clients that
offer it. Any credentials do. The certificate of --tls is made anew at each
start; its file is printed.

--trace writes when the first bytes of each request came in, by the kernel's
stamp where the socket gives it, and when the last of its answer was written.
SIGINT or SIGTERM ends the server once the requests that it has in full are
answered.`

const serveAWSExample = `  # any client that honours AWS_ENDPOINT_URL
  plimsoll serve aws

  # each answer a millisecond late, over TLS, and a line of CSV for each request
  plimsoll serve aws --latency 1ms --tls --certificate ca.pem --trace trace.csv`

func newServeAWS(env *Env) *cobra.Command {
	cfg := awstarget.Default()
	cmd := &cobra.Command{
		Use:     "aws",
		Short:   "Serve the answers that 'plimsoll overhead' measures clients with",
		Long:    serveAWSLong,
		Example: serveAWSExample,
		Args:    command.AtMost(0, "it takes no argument; the address is --listen"),
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
			Hint("name a file that can be written with --trace")
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
	return fault.New(fault.RunFailed, "the trace is not complete: %w", err).
		Hint("see that there is room for %s", cfg.Trace)
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
	fmt.Fprintf(&b, "answering for AWS at %s; this is no emulator, see 'plimsoll serve aws --help'\n", url)
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
