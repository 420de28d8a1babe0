package auth

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/internal/leaktest"
	"github.com/plimsoll/plimsoll/internal/server/s3/sigv4"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

// tokens is a server of tokens, which fails at times.
type tokens struct {
	asked   int
	broken  map[int]bool // the asking with this number fails
	answers string       // %d is the number
	status  int
	seen    *http.Request
	form    string
}

func (s *tokens) RoundTrip(r *http.Request) (*http.Response, error) {
	s.asked++
	body, _ := io.ReadAll(r.Body)
	s.seen, s.form = r, string(body)
	if s.broken[s.asked] {
		return nil, errors.New("an error that shows the secret")
	}
	status := s.status
	if status == 0 {
		status = http.StatusOK
	}
	text := strings.ReplaceAll(s.answers, "%d", strconv.Itoa(s.asked))
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(text))}, nil
}

// TestTokensAreFresh: a token is replaced before it expires; what fails is tried again, and the old one kept.
func TestTokensAreFresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &tokens{answers: `{"access_token":"t%d","token_type":"bearer","expires_in":100}`, broken: map[int]bool{3: true, 4: true}}
		ctx, stop := context.WithCancel(t.Context())
		all, lasts, err := NewTokens(ctx, Grant{URL: "http://id/token", ID: "a:b", Secret: "c d", Scope: "x y",
			HTTP: &http.Client{Transport: server}})
		if err != nil || lasts != 100*time.Second {
			t.Fatal(lasts, err)
		}
		if id, secret, _ := server.seen.BasicAuth(); id != "a%3Ab" || secret != "c+d" ||
			server.form != "grant_type=client_credentials&scope=x+y" {
			t.Errorf("asked by %q with %q for %q", id, secret, server.form)
		}
		var done sync.WaitGroup
		done.Go(func() { all.Keep(ctx, lasts) })
		began := time.Now()
		for _, c := range []struct {
			at   time.Duration
			want string
		}{{79, "Bearer t1"}, {81, "Bearer t2"}, {161, "Bearer t2"}, {163, "Bearer t5"}, {300, "Bearer t6"}} {
			time.Sleep(c.at*time.Second - time.Since(began))
			synctest.Wait()
			if got := string(all.Value()); got != c.want {
				t.Errorf("after %d s: %q, want %q", c.at, got, c.want)
			}
		}
		stop()
		done.Wait()
		if all.Fetched.Load() != 4 || all.Failed.Load() != 2 || strings.Contains(*all.LastFailure.Load(), "secret") {
			t.Errorf("%d fetched, %d failed: %s", all.Fetched.Load(), all.Failed.Load(), *all.LastFailure.Load())
		}
	})
}

// TestNoToken: each answer that holds none says why, without secrets.
func TestNoToken(t *testing.T) {
	for _, c := range []struct {
		status     int
		text, want string
	}{
		{401, `{"error":"invalid_client"}`, `status 401, error "invalid_client"`},
		{500, `oops`, "status 500"},
		{200, `oops`, "the response has no access_token"},
		{200, `{"access_token":"a","token_type":"mac"}`, `the token type is "mac", not Bearer`},
		{200, `{"access_token":"a\r\nb: c"}`, "the token contains characters that a header cannot contain"},
	} {
		_, _, err := NewTokens(t.Context(), Grant{URL: "http://id/", HTTP: &http.Client{Transport: &tokens{answers: c.text, status: c.status}}})
		if err == nil || err.Error() != c.want {
			t.Errorf("%d %s: %v", c.status, c.text, err)
		}
	}
}

// TestASignature: it is taken by a server's own check, which was written from AWS' documents, and covers the body.
func TestASignature(t *testing.T) {
	const key, secret = "AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
	t.Setenv("AWS_ACCESS_KEY_ID", key)
	t.Setenv("AWS_SECRET_ACCESS_KEY", secret)
	t.Setenv("AWS_SESSION_TOKEN", "")
	t.Setenv("AWS_CONFIG_FILE", t.TempDir()+"/none")
	t.Setenv("AWS_SHARED_CREDENTIALS_FILE", t.TempDir()+"/none")
	s, err := NewSigner(t.Context(), "s3", "eu-central-1", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n",
		"GET /a%20b/c?z=1&a=%2F&empty= HTTP/1.1\r\nHost: a.example:8080\r\nUser-Agent: plimsoll\r\n\r\n",
		"PUT /things/7 HTTP/1.1\r\nHost: a.example\r\nContent-Type: application/json\r\nx-amz-meta-a: b\r\nContent-Length: 5\r\n\r\nhello",
	} {
		once := s.Sign([]byte(text))
		for _, signed := range [][]byte{once, s.Sign(once)} { // again, as behind a redirect
			if secretIn := bytes.Contains(signed, []byte(secret)); secretIn || bytes.Count(signed, []byte("Authorization")) != 1 {
				t.Errorf("signed as\n%s", signed)
			}
			r, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(signed)))
			if err != nil {
				t.Fatal(err)
			}
			query, refused := sigv4.ParseQuery(r.URL.RawQuery)
			if refused != nil {
				t.Fatal(refused)
			}
			id := &sigv4.Identity{AccessKey: key, SecretKey: secret, Region: "eu-central-1"}
			what, refused := id.Check(r, query, time.Now())
			if refused != nil {
				t.Errorf("%s is refused: %+v", signed, refused)
			}
			body, _ := io.ReadAll(r.Body)
			if sum := sha256.Sum256(body); what.PayloadHash != hex.EncodeToString(sum[:]) {
				t.Errorf("the body %q has the hash %s", body, what.PayloadHash)
			}
		}
	}
	if got := s.Sign([]byte("nonsense")); string(got) != "nonsense" {
		t.Errorf("%q", got)
	}
}
