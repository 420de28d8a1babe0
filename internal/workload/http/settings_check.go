package http

import (
	"net/url"
	"strings"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/internal/workload/http/rates"
)

func usage(format string, args ...any) *fault.Error { return fault.New(fault.Usage, format, args...) }

// names are those of headers: their values may be secrets.
func names(headers []string) map[string]string {
	shown := map[string]string{}
	for _, h := range headers {
		name, _, _ := strings.Cut(h, ":")
		shown[strings.TrimSpace(name)] = "…"
	}
	return shown
}

// bodyWritten returns a body as a document has it: the name of its file, or its size.
func bodyWritten(body string) string {
	if body == "" || strings.HasPrefix(body, "@") {
		return body
	}
	return redact.Size(body)
}

// checkURL says what is wrong with the URL of a target, without showing secrets.
func (p *Plan) checkURL() error {
	if p.URL == "" {
		return nil
	}
	shown := redact.URL(p.URL)
	const write = "write http://HOST:PORT/PATH, or https://"
	if strings.HasPrefix(p.URL, "${env.") { // it is read with the request
		return nil
	}
	if !strings.Contains(p.URL, "://") {
		host := shown
		if scheme, rest, _ := strings.Cut(shown, ":"); scheme == "http" || scheme == "https" {
			host = strings.TrimLeft(rest, "/")
		}
		return usage("%q is not a URL: it has no scheme", shown).Hint("write http://%s, or https://", host)
	}
	begins, _, places := strings.Cut(p.URL, "${")
	if _, rest, _ := strings.Cut(begins, "://"); places && !strings.ContainsAny(rest, "/?#") {
		return nil // a place in the host, which is refused with the request
	}
	u, err := url.Parse(begins)
	switch {
	case err != nil:
		return usage("%q is not a URL: %s", shown, plan.URLTrouble(begins, err)).Hint(write)
	case u.Scheme == "ws" || u.Scheme == "wss":
		return usage("%s has the scheme %s, which is WebSocket", shown, u.Scheme).Hint("use 'plimsoll ws'")
	case u.Scheme != "http" && u.Scheme != "https":
		return usage("the scheme of %s is %q, not http or https", shown, u.Scheme).Hint(write)
	case u.Hostname() == "":
		return usage("%s has no host", shown).Hint(write)
	case u.User != nil:
		return usage("%s contains a user name", shown).
			Hint("remove it and use --user 'NAME:${env.PASSWORD}'")
	}
	return nil
}

// checkFile refuses a request by flags beside those of a file.
func (r *Request) checkFile() error {
	if r.File != "" && (r.Method+r.Body+r.Name+r.Table != "" || len(r.Headers)+len(r.Checks) > 0) {
		return usage("--requests cannot be combined with flags that describe a single request").
			Hint("move --method, --header, --body, --check, --name and --data-file into the file")
	}
	return nil
}

func (r *Request) checkSpeed(flag string) error {
	switch {
	case !(r.Speed >= 1e-6 && r.Speed <= 1e6):
		return usage("%s %v is out of range: it must be between 0.000001 and 1000000", flag, r.Speed).
			Hint("2 replays twice as fast as recorded")
	case r.Speed != 1 && !r.Recorded:
		return usage("%s %v needs --recorded-times", flag, r.Speed).
			Hint("add --recorded-times and --requests, or remove %s", flag)
	}
	return nil
}

// checkRecorded refuses times from two sides.
func (p *Plan) checkRecorded() error {
	switch {
	case !p.Request.Recorded:
		return nil
	case p.Request.File == "":
		return usage("--recorded-times needs --requests").
			Hint("add --requests with an access log or a HAR file")
	case p.Load.Open() && p.Load.Arrivals != plan.AsRecorded:
		return usage("--recorded-times cannot be combined with --rate or --stages: both set when requests start").
			Hint("use one of them; --speed changes the pace of recorded times")
	}
	return nil
}

func (d *Dial) checkChurn(flag string) error {
	switch {
	case d.Churn < 0:
		return usage("%s %d is negative", flag, d.Churn).Hint("give the number of requests per connection")
	case d.Churn > 0 && d.NoKeepAlive:
		return usage("%s and --no-keep-alive cannot be combined", flag).Hint("use one of them; --no-keep-alive is the " +
			"same as --churn 1")
	}
	return nil
}

// requests is how many requests a connection is used for; 0: any number.
func (d *Dial) requests() int {
	if d.NoKeepAlive {
		return 1
	}
	return d.Churn
}

// checkPipeline refuses several requests on a connection that can have only one.
func (p *Plan) checkPipeline() error {
	switch {
	case p.Load.Pipeline == 1:
		return nil
	case !p.Dial.HTTP2:
		return usage("--pipeline %d needs HTTP/2: an HTTP/1.1 connection carries one request at a time", p.Load.Pipeline).
			Hint("add --http2, or use more --clients instead")
	case p.Dial.NoKeepAlive || p.Dial.Churn > 0 && p.Dial.Churn < p.Load.Pipeline:
		return usage("--pipeline %d is too large: a connection is closed after %s", p.Load.Pipeline,
			units.Count(int64(p.Dial.requests()), "request", "requests")).
			Hint("lower --pipeline, or remove --no-keep-alive and --churn")
	}
	return nil
}

// mostRedirects is what browsers follow, and then some.
const mostRedirects = 50

func (r *Request) checkRedirects(flag string) error {
	if r.Redirects < 0 || r.Redirects > mostRedirects {
		return usage("%s %d is out of range: it must be between 0 and "+
			"%d", flag, r.Redirects, mostRedirects).Hint("browsers follow up to 20")
	}
	return nil
}

// checkHTTP2 refuses what is done with HTTP/1.1 alone.
func (p *Plan) checkHTTP2() error {
	switch {
	case !p.Dial.HTTP2:
		return nil
	case p.Request.Redirects > 0:
		return usage("--redirects does not support --http2").
			Hint("remove one of them")
	case p.Request.Rates == rates.All:
		return usage("--rates all does not support --http2").
			Hint("remove one of them")
	case p.Auth.SigV4 != "":
		return usage("--aws-sigv4 does not support --http2").
			Hint("remove one of them")
	}
	return nil
}

// checkDial refuses what cannot be done with connections.
func (p *Plan) checkDial() error {
	d := &p.Dial
	if err := d.Options.Check(p.URL, "https", &p.Load); err != nil {
		return err
	}
	if d.Proxy != "" && d.HTTP2 && !strings.HasPrefix(strings.ToLower(p.URL), "https://") {
		return usage("--proxy does not support --http2 without TLS").
			Hint("use an https:// URL, or remove one of them")
	}
	return nil
}
