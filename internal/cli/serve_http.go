package cli

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/cli/command"
	httptarget "github.com/plimsoll/plimsoll/internal/server/http"
)

const serveHTTPLong = `Serve HTTP that answers as it is asked to: HTTP/1.1 and HTTP/2, with TLS and
without. It is what 'plimsoll http' measures when no URL is given.

  /                      a short JSON text, and the same under any other path
  /status/503            that status
  /delay/20ms            after that time
  /size/1MiB             that many bytes; /chunked/SIZE and /gzip/SIZE likewise
  /echo                  the body that was sent; /echo?headers: the headers
  /redirect/3            leads on three times
  POST /login            user and password (ann, ann-secret), as JSON or as a
                         form: gives a token, and a cookie
  POST /token            the same for OAuth 2 client credentials
  POST /cart, GET /cart  wants the token as a bearer, or the cookie
  /health, /metrics      for load balancers and for Prometheus
  /counts                what was asked and answered so far, as JSON

Any path takes ?delay=20ms&status=503&size=10KiB. Which requests suffer a fault
with a rate is a function of the seed and of the request's number, and each is
counted.

SIGINT or SIGTERM lets what is under way end, and then ends the server.`

const serveHTTPExample = `  # for clients on other machines
  plimsoll serve http --listen 0.0.0.0:8081

  # 20 ms slow, and one request in a hundred fails
  plimsoll serve http --delay 20ms --error-rate 1% --seed 1

  # answers nothing for two seconds, five seconds after the first request
  plimsoll serve http --stall-after 5s --stall-for 2s

  # with TLS, and a certificate that clients can trust
  plimsoll serve http --tls --trust ca.pem`

func newServeHTTP(env *Env) *cobra.Command {
	cfg := httptarget.Default()
	cmd := &cobra.Command{
		Use:     "http",
		Short:   "Serve HTTP that answers as it is asked to",
		Long:    serveHTTPLong,
		Example: serveHTTPExample,
		Args:    command.AtMost(0, "it takes no argument; the address is --listen"),
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
