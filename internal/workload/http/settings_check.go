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
		return usage("the scheme of %s is %s: that is WebSocket", shown, u.Scheme).Hint("'plimsoll ws' speaks it")
	case u.Scheme != "http" && u.Scheme != "https":
		return usage("the scheme of %s is %q, not http or https", shown, u.Scheme).Hint(write)
	case u.Hostname() == "":
		return usage("%s names no host", shown).Hint(write)
	case u.User != nil:
		return usage("%s has a user name, which requests would show", shown).
			Hint("leave it out, and give --user 'NAME:${env.PASSWORD}'")
	}
	return nil
}

// checkFile refuses a request by flags beside those of a file.
func (r *Request) checkFile() error {
	if r.File != "" && (r.Method+r.Body+r.Name+r.Table != "" || len(r.Headers)+len(r.Checks) > 0) {
		return usage("--requests and a request by flags are both given").
			Hint("write --method, --header, --body, --check, --name and --csv into the file")
	}
	return nil
}

func (r *Request) checkSpeed(flag string) error {
	switch {
	case !(r.Speed >= 1e-6 && r.Speed <= 1e6):
		return usage("%s is %v: it must be above 0, from 0.000001 to 1000000", flag, r.Speed).
			Hint("2 is twice as fast as it was")
	case r.Speed != 1 && !r.Recorded:
		return usage("%s %v is about recorded times, and there are none", flag, r.Speed).
			Hint("give --recorded-times with --requests, or leave %s out", flag)
	}
	return nil
}

// checkRecorded refuses times from two sides.
func (p *Plan) checkRecorded() error {
	switch {
	case !p.Request.Recorded:
		return nil
	case p.Request.File == "":
		return usage("--recorded-times is about those of --requests, and there is none").
			Hint("give an access log or a HAR file")
	case p.Load.Open() && p.Load.Arrivals != plan.AsRecorded:
		return usage("--recorded-times and --rate or --stages are both given: only one can say when requests begin").
			Hint("leave one of them out; --speed makes the recorded times faster")
	}
	return nil
}

func (d *Dial) checkChurn(flag string) error {
	switch {
	case d.Churn < 0:
		return usage("%s %d is negative", flag, d.Churn).Hint("give how many requests a connection is used for")
	case d.Churn > 0 && d.NoKeepAlive:
		return usage("%s and --no-keep-alive are both given", flag).Hint("leave one of them out: the latter is --churn 1")
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
		return usage("--pipeline %d: a connection of HTTP/1.1 has one request under way", p.Load.Pipeline).
			Hint("give --http2 with it, or more --clients instead")
	case p.Dial.NoKeepAlive || p.Dial.Churn > 0 && p.Dial.Churn < p.Load.Pipeline:
		return usage("--pipeline %d: a connection that is used for %s has no more under way", p.Load.Pipeline,
			units.Count(int64(p.Dial.requests()), "request", "requests")).
			Hint("give fewer, or leave --no-keep-alive and --churn out")
	}
	return nil
}

// mostRedirects is what browsers follow, and then some.
const mostRedirects = 50

func (r *Request) checkRedirects(flag string) error {
	if r.Redirects < 0 || r.Redirects > mostRedirects {
		return usage("%s is %d: it can be from 0 to %d", flag, r.Redirects, mostRedirects).Hint("browsers follow 20")
	}
	return nil
}

// checkHTTP2 refuses what is done with HTTP/1.1 alone.
func (p *Plan) checkHTTP2() error {
	switch {
	case !p.Dial.HTTP2:
		return nil
	case p.Request.Redirects > 0:
		return usage("--redirects and --http2 are both given: redirects are followed with HTTP/1.1 alone").
			Hint("leave one of them out")
	case p.Request.Rates == rates.All:
		return usage("--rates all and --http2 are both given: rates are measured with HTTP/1.1 alone").
			Hint("leave one of them out")
	case p.Auth.SigV4 != "":
		return usage("--aws-sigv4 and --http2 are both given: requests are signed with HTTP/1.1 alone").
			Hint("leave one of them out")
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
		return usage("--proxy and --http2 without TLS are both given: a proxy takes such requests as HTTP/1.1").
			Hint("use an https:// URL, or leave one of them out")
	}
	return nil
}
