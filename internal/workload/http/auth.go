package http

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/plimsoll/plimsoll/internal/bounded"
	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/redact"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/internal/template"
	"github.com/plimsoll/plimsoll/internal/workload/http/auth"
	"github.com/plimsoll/plimsoll/internal/workload/http/script"
	"github.com/plimsoll/plimsoll/internal/workload/reach"
)

// Auth says how requests prove who asks.
type Auth struct {
	User   string // name:password
	Bearer string
	SigV4  string // service:region

	TokenURL, ClientID, ClientSecret, Scope string
}

func (a *Auth) settings() []*setting.Setting {
	return []*setting.Setting{
		setting.Text(&a.User, "user", "name:password", "Basic authentication; write 'NAME:${env.PASSWORD}', "+
			"because other users of this machine can see command lines").
			At("auth.user").WrittenAs(reach.Hidden(&a.User)).OmitZero(),
		reach.Bearer(&a.Bearer, "each request"),
		setting.Text(&a.TokenURL, "oauth2-token-url", "url", "OAuth 2 client credentials: fetch a token here "+
			"before the load, renew it before it expires, and send it with each request").
			At("auth.oauth2_token_url").WrittenAs(func() any { return redact.URL(a.TokenURL) }).OmitZero(),
		setting.Text(&a.ClientID, "oauth2-client-id", "name", "with --oauth2-token-url: client id").
			At("auth.oauth2_client_id").OmitZero(),
		setting.Text(&a.ClientSecret, "oauth2-client-secret", "text", "with --oauth2-token-url: client secret; "+
			"write '${env.SECRET}'").
			At("auth.oauth2_client_secret").WrittenAs(reach.Hidden(&a.ClientSecret)).OmitZero(),
		setting.Text(&a.Scope, "oauth2-scope", "text", "with --oauth2-token-url: scope of the token (default: "+
			"the server's)").
			At("auth.oauth2_scope").OmitZero(),
		setting.Text(&a.SigV4, "aws-sigv4", "service:region", "sign requests for this AWS service and region, "+
			"with the credentials of the environment, the shared files or the machine").
			At("auth.aws_sigv4").OmitZero(),
	}
}

// check refuses what goes with nothing, and two ways at once.
func (a *Auth) check() error {
	ways := 0
	for _, way := range []string{a.User, a.Bearer, a.TokenURL, a.SigV4} {
		if way != "" {
			ways++
		}
	}
	service, region, both := strings.Cut(a.SigV4, ":")
	switch {
	case ways > 1:
		return usage("--user, --bearer, --oauth2-token-url and --aws-sigv4 cannot be combined").
			Hint("use one of them")
	case a.User != "" && !strings.Contains(a.User, ":"):
		return usage("--user must have the form NAME:PASSWORD").Hint("write --user 'NAME:${env.PASSWORD}'")
	case a.TokenURL == "" && a.ClientID+a.ClientSecret+a.Scope != "":
		return usage("--oauth2-client-id, --oauth2-client-secret and --oauth2-scope need --oauth2-token-url").
			Hint("add --oauth2-token-url with the URL of the token endpoint")
	case a.TokenURL != "" && (a.ClientID == "" || a.ClientSecret == ""):
		return usage("--oauth2-token-url needs --oauth2-client-id and --oauth2-client-secret").
			Hint("add both; write --oauth2-client-secret '${env.SECRET}' to keep the secret off the command line")
	case a.SigV4 != "" && (!both || service == "" || region == ""):
		return usage("--aws-sigv4 %q does not have the form SERVICE:REGION", a.SigV4).Hint("for example --aws-sigv4 " +
			"execute-api:eu-central-1")
	}
	if a.TokenURL != "" {
		u, err := url.Parse(a.TokenURL)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil {
			return usage("--oauth2-token-url %s is not a valid token URL", redact.URL(a.TokenURL)).
				Hint("write https://HOST/PATH, without a user name")
		}
	}
	return nil
}

// authorize gives each request of a script that has no Authorization the one that is always the same. A recorded one
// is removed where the plan says who asks: it may have expired since.
func (a *Auth) authorize(s *script.Script) error {
	if a.User+a.Bearer+a.TokenURL+a.SigV4 != "" {
		forgetRecorded(s, "Authorization")
	}
	value := ""
	switch {
	case a.User != "":
		text, err := reach.Secret("--user", a.User)
		if err != nil {
			return err
		}
		value = "Basic " + base64.StdEncoding.EncodeToString([]byte(text))
	case a.Bearer != "":
		text, err := reach.Secret("--bearer", a.Bearer)
		if err != nil {
			return err
		}
		value = "Bearer " + text
	default:
		return nil
	}
	t, err := template.Compile(strings.ReplaceAll(value, "${", "$${"), template.Header, &template.Known{})
	if err != nil {
		return fault.New(fault.Usage, "the value of --user or --bearer contains characters that a header cannot contain")
	}
	for i := range s.Flows {
		for j := range s.Flows[i].Steps {
			if step := &s.Flows[i].Steps[j]; !gives(step, "Authorization") {
				step.Headers = append(step.Headers, script.Header{Name: "Authorization", Value: t})
			}
		}
	}
	return nil
}

// forgetRecorded removes a header from the requests that were recorded.
func forgetRecorded(s *script.Script, name string) {
	for i := range s.Flows {
		for j := range s.Flows[i].Steps {
			if step := &s.Flows[i].Steps[j]; step.Recorded {
				step.Headers = slices.DeleteFunc(step.Headers, func(h script.Header) bool {
					return strings.EqualFold(h.Name, name)
				})
			}
		}
	}
}

// gives reports whether a request has a header of this name as it is written.
func gives(s *script.Step, name string) bool {
	for i := range s.Headers {
		if strings.EqualFold(s.Headers[i].Name, name) {
			return true
		}
	}
	return false
}

// Begin fetches what the requests need to show, and keeps it fresh until end is called, which waits for that.
func (h *HTTP) Begin(ctx context.Context) (end func(), err error) {
	end = func() {}
	a := &h.plan.Auth
	switch {
	case a.SigV4 != "":
		service, region, _ := strings.Cut(a.SigV4, ":")
		if h.signer, err = auth.NewSigner(ctx, service, region, h.plan.Load.Retry.Timeout); err != nil {
			return end, fault.New(fault.RunFailed, "--aws-sigv4: %w", err).
				Hint("set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE")
		}
	case a.TokenURL != "":
		g := auth.Grant{URL: a.TokenURL, Scope: a.Scope}
		if g.ID, err = reach.Secret("--oauth2-client-id", a.ClientID); err != nil {
			return end, err
		}
		if g.Secret, err = reach.Secret("--oauth2-client-secret", a.ClientSecret); err != nil {
			return end, err
		}
		trusts := &tls.Config{MinVersion: tls.VersionTLS12, InsecureSkipVerify: h.plan.Dial.Insecure}
		if h.TLS != nil {
			trusts.RootCAs = h.TLS.RootCAs
		}
		transport := bounded.NewTransport()
		transport.TLSClientConfig, transport.DisableKeepAlives = trusts, true
		g.HTTP = bounded.Client(transport, h.plan.Load.Retry.Timeout, bounded.Answer)
		tokens, lasts, err := auth.NewTokens(ctx, g)
		if err != nil {
			return end, fault.New(fault.RunFailed, "cannot get a token from %s: %w", redact.URL(a.TokenURL), err).
				Hint("check --oauth2-token-url, --oauth2-client-id and --oauth2-client-secret")
		}
		h.tokens = tokens
		keeping, stop := context.WithCancel(ctx)
		var done sync.WaitGroup
		done.Go(func() { tokens.Keep(keeping, lasts) })
		end = func() {
			stop()
			done.Wait()
		}
	}
	return end, nil
}
