package auth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// ask asks a server that answers so.
func ask(t *testing.T, g Grant, status int, text string) (value string, lasts time.Duration, form, why string) {
	t.Helper()
	server := &tokens{answers: text, status: status}
	g.HTTP = &http.Client{Transport: server}
	b, lasts, err := g.ask(t.Context())
	if err != nil {
		why = err.Error()
	}
	return string(b), lasts, server.form, why
}

func TestWhyThereIsNoToken(t *testing.T) {
	const none, bad = "the response has no access_token", "the token contains characters that a header cannot contain"
	for _, c := range []struct {
		url    string
		status int
		text   string
		want   string
	}{
		{"http://id/", 200, `{}`, none}, {"http://id/", 200, `{"error":"x"}`, none}, {"http://id/", 200, `{"access_token":"a"`, none},
		{"http://id/", 401, `{"error":""}`, "status 401"}, {"http://id/", 401, `{}`, "status 401"},
		{"http://id/", 401, `{"error":"x"`, "status 401"},
		{"http://id/", 200, `{"access_token":"a b"}`, bad}, {"http://id/", 200, `{"access_token":"a\u007f"}`, bad},
		{"http://id/", 200, `{"access_token":"é"}`, bad}, {"http://[::1", 200, `{"access_token":"a"}`, "the URL is invalid"},
	} {
		if value, _, _, why := ask(t, Grant{URL: c.url}, c.status, c.text); why != c.want || value != "" {
			t.Errorf("%s %d %s: %q, %q", c.url, c.status, c.text, value, why)
		}
	}
}

// roundTrip is a server of tokens, as a function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestWhyNobodyAnswers: by the word for what happened, where there is one, and without what the error says.
func TestWhyNobodyAnswers(t *testing.T) {
	cut := func(*http.Request) (*http.Response, error) {
		body := io.MultiReader(strings.NewReader(`{"access_token":"a"}`), iotest.ErrReader(errors.New("secret")))
		return &http.Response{StatusCode: 200, Body: io.NopCloser(body)}, nil
	}
	fails := func(err error) roundTrip {
		return func(*http.Request) (*http.Response, error) { return nil, err }
	}
	for want, server := range map[string]roundTrip{
		"refused": fails(fmt.Errorf("dialing secret: %w", syscall.ECONNREFUSED)), "the request failed": fails(errors.New("secret")),
		"the response was cut off": cut,
	} {
		all, lasts, err := NewTokens(t.Context(), Grant{URL: "http://id/", HTTP: &http.Client{Transport: server}})
		if err == nil || err.Error() != want || lasts != 0 || all.Failed.Load() != 1 || *all.LastFailure.Load() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	all, _, err := NewTokens(over, Grant{URL: "http://id/", HTTP: &http.Client{Transport: fails(context.Canceled)}})
	if err == nil || all.Failed.Load() != 0 || all.LastFailure.Load() != nil {
		t.Errorf("of a run that ends: %v, %d failed", err, all.Failed.Load())
	}
}

// TestWhatIsSigned: the headers of AWS and the type of the body, and of what was signed before nothing.
func TestWhatIsSigned(t *testing.T) {
	s := &Signer{service: "s3", region: "r", of: v4.NewSigner(), keys: aws.CredentialsProviderFunc(
		func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "a", SecretAccessKey: "s", SessionToken: "token"}, nil
		})}
	const always = "host;x-amz-content-sha256;x-amz-date;x-amz-security-token"
	for text, want := range map[string]string{
		"GET / HTTP/1.1\r\nHost: a\r\n\r\n":                                      always,
		"GET / HTTP/1.1\r\nHost: a\r\nX-Other: 1\r\nAccept: b\r\n\r\n":           always,
		"GET / HTTP/1.1\r\nHost: a\r\nContent-Type: b\r\n\r\n":                   "content-type;" + always,
		"GET / HTTP/1.1\r\nHost: a\r\nX-Amz-A: 1\r\n\r\n":                        "host;x-amz-a;" + strings.TrimPrefix(always, "host;"),
		"GET / HTTP/1.1\r\nAuthorization: b\r\nHost: a\r\nX-Amz-Date: b\r\n\r\n": always,
	} {
		signed := string(s.Sign([]byte(text)))
		_, list, _ := strings.Cut(signed, "SignedHeaders=")
		if list, _, _ = strings.Cut(list, ","); list != want || strings.Count(signed, "Authorization:") != 1 ||
			strings.Count(signed, "X-Amz-Date:") != 1 || !strings.Contains(signed, "\r\nX-Amz-Security-Token: token\r\n") {
			t.Errorf("%q is signed as\n%s\nwant %s", text, signed, want)
		}
	}
	for _, text := range []string{"nonsense", "nonsense\r\n\r\n", "GET / HTTP/1.1\nHost: a\n\n", ""} {
		if got := s.Sign([]byte(text)); string(got) != text {
			t.Errorf("%q became %q", text, got)
		}
	}
	s.keys = aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
		return aws.Credentials{}, errors.New("they have expired")
	})
	const text = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
	if got := s.Sign([]byte(text)); string(got) != text {
		t.Errorf("without credentials: %q", got)
	}
}

// TestNoSigner: what is missing of AWS is told, and nothing of what is there.
func TestNoSigner(t *testing.T) {
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE",
		"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_WEB_IDENTITY_TOKEN_FILE"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_CONFIG_FILE", t.TempDir()+"/none")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", t.TempDir()+"/none")
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
	for profile, want := range map[string]string{
		"": "no AWS credentials found", "nobodys": "cannot read the AWS configuration",
	} {
		t.Setenv("AWS_PROFILE", profile)
		if s, err := NewSigner(t.Context(), "s3", "eu-central-1", time.Second); s != nil || err == nil || err.Error() != want {
			t.Errorf("%q: %v, %v", profile, s, err)
		}
	}
}
