package auth

import (
	"net/http"
	"testing"
	"time"
)

// TestHowLongATokenIsKept: a fifth of its time before it expires it is replaced, at most a minute before.
func TestHowLongATokenIsKept(t *testing.T) {
	for lasts, want := range map[time.Duration]time.Duration{
		-time.Second: 0, 0: 0, 1: 100 * time.Millisecond, 125 * time.Millisecond: 100 * time.Millisecond, time.Second: 800 * time.Millisecond,
		5 * time.Minute: 4 * time.Minute, time.Hour: 59 * time.Minute,
	} {
		if got := ahead(lasts); got != want {
			t.Errorf("of %v: %v, want %v", lasts, got, want)
		}
	}
}

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

func TestWhatATokenIs(t *testing.T) {
	for text, want := range map[string]struct {
		value string
		lasts time.Duration
	}{
		`{"access_token":"!~"}`:                                  {"Bearer !~", 0},
		`{"access_token":"a","expires_in":1.5}`:                  {"Bearer a", 1500 * time.Millisecond},
		`{"access_token":"a","expires_in":-1}`:                   {"Bearer a", 0},
		`{"access_token":"a","expires_in":100000000}`:            {"Bearer a", 1e8 * time.Second},
		`{"access_token":"a","expires_in":1e12}`:                 {"Bearer a", 1e8 * time.Second},
		`{"access_token":"a","token_type":"BEARER","error":"x"}`: {"Bearer a", 0},
	} {
		value, lasts, form, why := ask(t, Grant{URL: "http://id/"}, 200, text)
		if value != want.value || lasts != want.lasts || why != "" || form != "grant_type=client_credentials" {
			t.Errorf("%s: %q for %v, asked with %q: %s", text, value, lasts, form, why)
		}
	}
}

func TestWhyThereIsNoToken(t *testing.T) {
	const none, bad = "its answer holds no access_token", "its token has a character that no header may have"
	for _, c := range []struct {
		url    string
		status int
		text   string
		want   string
	}{
		{"http://id/", 200, `{}`, none}, {"http://id/", 200, `{"error":"x"}`, none}, {"http://id/", 200, `{"access_token":"a"`, none},
		{"http://id/", 401, `{"error":""}`, "it answers with status 401"}, {"http://id/", 401, `{}`, "it answers with status 401"},
		{"http://id/", 401, `{"error":"x"`, "it answers with status 401"},
		{"http://id/", 200, `{"access_token":"a b"}`, bad}, {"http://id/", 200, `{"access_token":"a\u007f"}`, bad},
		{"http://id/", 200, `{"access_token":"é"}`, bad}, {"http://[::1", 200, `{"access_token":"a"}`, "its URL is none"},
	} {
		if value, _, _, why := ask(t, Grant{URL: c.url}, c.status, c.text); why != c.want || value != "" {
			t.Errorf("%s %d %s: %q, %q", c.url, c.status, c.text, value, why)
		}
	}
}
