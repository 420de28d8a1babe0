package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	s3target "github.com/plimsoll/plimsoll/internal/server/s3"
)

const serveS3Long = `Serve the object store that 'plimsoll bandwidth' measures when it is given no
URL.

It speaks the S3 protocol over HTTP: buckets, objects, ranges, multipart
uploads, copies, lists, conditional requests and checksums. Signatures (version
4) are checked: of headers, presigned URLs and chunked bodies. Buckets are
addressed as http://host:port/BUCKET/KEY or http://BUCKET.localhost:port/KEY.
What it does not do it answers with NotImplemented.

The data is in memory unless --dir or --discard is given. Discarded data is
received in full, checked and thrown away; what is read back is a fixed text of
the right length, and the answer says so with the header x-plimsoll-discarded.
The ETag of an object is not its MD5 sum unless --md5-etags is given, since that
would cost more than everything else.

The credentials are printed at the start. The default ones are no secret.

The server can be slow and misbehave on request, so that clients can be tested
against figures and faults that are known and counted. Which request suffers
what is a function of the seed and of the request's number.

GET /_plimsoll/health says that the server is up, GET /_plimsoll/metrics counts
what it did, in the Prometheus format: it is signed, too, or has the two keys as
user and password. SIGINT or SIGTERM lets the requests in flight end and ends
the server.`

const serveS3Example = `  # for clients on other machines, without a disk that would be measured
  plimsoll serve s3 --listen 0.0.0.0:9000 --discard

  # 20 MB/s in each direction, each answer 50 ms late
  plimsoll serve s3 --bandwidth 20MB --latency 50ms

  # the third part stands still for 2 s, and one request in a hundred is refused
  plimsoll serve s3 --stall-part 3 --stall-for 2s --error-rate 1%`

func newServeS3(env *Env) *cobra.Command {
	cfg := s3target.Default()
	cmd := &cobra.Command{
		Use:     "s3",
		Short:   "Serve the object store that 'plimsoll bandwidth' measures",
		Long:    serveS3Long,
		Example: serveS3Example,
		Args:    command.AtMost(0, "it takes no argument; the address is --listen, the directory --dir"),
	}
	command.AddFlags(cmd, cfg.Settings())
	runUntilTold(cmd, env, func(ctx context.Context, child bool) error { return serveS3(ctx, env, cfg, child) })
	return cmd
}

// serveS3 serves until ctx is done.
func serveS3(ctx context.Context, env *Env, cfg s3target.Config, child bool) error {
	s, err := s3target.New(cfg, serverLog(env))
	if err != nil {
		return err
	}
	return serveUntil(ctx, env, s, child, func() string { return servingS3(s.URL(), &cfg) })
}

// servingS3 says where the server is and how clients sign for it. Secrets other than the
// default are the user's own and are not repeated.
func servingS3(url string, cfg *s3target.Config) string {
	var b strings.Builder
	fmt.Fprintf(&b, "serving S3 at %s, bucket %s; metrics at %s/_plimsoll/metrics\n", url, cfg.Bucket, url)
	secret := "…"
	if cfg.SecretKey == s3target.DefaultSecretKey {
		secret = cfg.SecretKey
	}
	for _, setting := range [][2]string{
		{"AWS_ACCESS_KEY_ID", cfg.AccessKey}, {"AWS_SECRET_ACCESS_KEY", secret},
		{"AWS_REGION", cfg.Region}, {"AWS_ENDPOINT_URL", url},
	} {
		fmt.Fprintf(&b, "export %s=%s\n", setting[0], setting[1])
	}
	return strings.TrimSuffix(b.String(), "\n")
}
