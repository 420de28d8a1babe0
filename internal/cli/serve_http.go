package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	httptarget "github.com/plimsoll/plimsoll/internal/server/http"
)

const serveHTTPLong = `Serve the HTTP server that 'plimsoll http' measures in its demo: HTTP/1.1 and
HTTP/2, with or without TLS, with delays, sizes and faults on request.

  /                      a short JSON text, as for any other path
  /status/503            that status
  /delay/20ms            a response after that time
  /size/1MiB             that many bytes; also /chunked/SIZE and /gzip/SIZE
  /echo                  the request body; /echo?headers: the headers
  /redirect/3            three redirects
  POST /login            user and password (ann, ann-secret), as JSON or form;
                         returns a token and sets a cookie
  POST /token            the same for OAuth 2 client credentials
  POST /cart, GET /cart  need the token as bearer, or the cookie
  /health, /metrics      health check and Prometheus metrics
  /counts                requests and responses so far, as JSON

Any path accepts ?delay=20ms&status=503&size=10KiB. Which requests suffer a
fault depends only on --seed and the number of the request; all faults are
counted.

SIGINT or SIGTERM stops the server after open requests have been answered.`

const serveHTTPExample = `  # for clients on other machines
  plimsoll serve http --listen 0.0.0.0:8081

  # 20 ms delay, and one failed request in a hundred
  plimsoll serve http --delay 20ms --error-rate 1% --seed 1

  # no responses for two seconds, starting five seconds after the first request
  plimsoll serve http --stall-after 5s --stall-for 2s

  # TLS, with a certificate that clients can trust
  plimsoll serve http --tls --cert-out ca.pem`

func newServeHTTP(env *Env) *cobra.Command {
	cfg := httptarget.Default()
	cmd := &cobra.Command{
		Use:     "http",
		Short:   "Serve the demo server of 'plimsoll http'",
		Long:    serveHTTPLong,
		Example: serveHTTPExample,
		Args:    command.AtMost(0, "it takes no arguments; set the address with --listen"),
	}
	command.AddFlags(cmd, cfg.Settings())
	runUntilTold(cmd, env, func(ctx context.Context, child bool) error { return serveHTTP(ctx, env, cfg, child) })
	return cmd
}

// serveHTTP serves until ctx is done.
func serveHTTP(ctx context.Context, env *Env, cfg httptarget.Config, child bool) error {
	s, err := httptarget.New(cfg, serverLog(env))
	if err != nil {
		return err
	}
	return serveUntil(ctx, env, s, child, func() string {
		root := strings.TrimSuffix(s.URL(), "/")
		return "serving HTTP at " + root + "/\nhealth at " + root + "/health, metrics at " + root + "/metrics, counts at " +
			root + "/counts"
	})
}
