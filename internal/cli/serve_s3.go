package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	s3target "github.com/plimsoll/plimsoll/internal/server/s3"
)

const serveS3Long = `Serve the S3 object store that 'plimsoll bandwidth' measures in its demo, with
limits and faults on request. Data is kept in memory, in a directory (--dir), or
discarded (--discard).

It implements buckets, objects, ranges, multipart uploads, copies, lists,
conditional requests and checksums, and verifies signatures (version 4) of
headers, presigned URLs and chunked bodies. Buckets are addressed as
http://host:port/BUCKET/KEY or http://BUCKET.localhost:port/KEY. Other
operations return NotImplemented.

With --discard, data is received in full, verified and thrown away. Reads return
a fixed text of the same length and the header x-plimsoll-discarded. ETags are
not MD5 sums unless --md5-etags is given, because MD5 would cost more than
everything else.

The credentials are printed at the start; the default ones are public. Which
requests suffer a fault depends only on --seed and the number of the request.

GET /_plimsoll/health is a health check, GET /_plimsoll/metrics returns
Prometheus metrics; sign the request, or use the two keys as user and password.
SIGINT or SIGTERM stops the server after open requests have ended.`

const serveS3Example = `  # for clients on other machines, without the influence of a disk
  plimsoll serve s3 --listen 0.0.0.0:9000 --discard

  # 20 MB/s in each direction, and 50 ms delay of each response
  plimsoll serve s3 --bandwidth 20MB --delay 50ms

  # the third part stalls for 2 s, and one request in a hundred is rejected
  plimsoll serve s3 --stall-part 3 --stall-for 2s --error-rate 1%`

func newServeS3(env *Env) *cobra.Command {
	cfg := s3target.Default()
	cmd := &cobra.Command{
		Use:     "s3",
		Short:   "Serve the demo store of 'plimsoll bandwidth'",
		Long:    serveS3Long,
		Example: serveS3Example,
		Args: command.AtMost(0, "it takes no arguments; set the address with --listen and the directory with "+
			"--dir"),
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
