package gs

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/store"
)

// Whatever the metadata server sends, the result is a usable token or an error.
func TestMachineToken(t *testing.T) {
	for _, c := range []struct {
		name, says string
		status     int
		want       string // in the token or in the error
	}{
		{"a token", `{"access_token":"abc","token_type":"Bearer","expires_in":3599}`, 200, "abc"},
		{"none", `{}`, 200, "no token"},
		{"an expired one", `{"access_token":"abc","expires_in":0}`, 200, "no token"},
		{"not valid in a header", `{"access_token":"a\r\nb","expires_in":60}`, 200, "no token"},
		{"no JSON", `<html>`, 200, "cannot parse"},
		{"too much", `{"x":"` + strings.Repeat("x", 2<<20) + `"}`, 200, "too long"},
		{"a refusal", `{"access_token":"abc","expires_in":60}`, 403, "status 403"},
		{"a redirect", ``, 307, "status 307"},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Header.Get("Metadata-Flavor") != "Google" || !strings.HasSuffix(r.URL.Path, "/default/token") {
					t.Errorf("unexpected request for %s with the headers %v", r.URL, r.Header)
				}
				w.Header().Set("Location", "/elsewhere")
				w.WriteHeader(c.status)
				_, _ = w.Write([]byte(c.says))
			}))
			defer server.Close()
			t.Setenv("GCE_METADATA_HOST", server.Listener.Addr().String())
			token, err := ofMachine(&store.Config{}).Token(t.Context())
			if err != nil {
				if !strings.Contains(err.Error(), c.want) {
					t.Errorf("the error is %v, want %q in it", err, c.want)
				}
				return
			}
			if token.Value != c.want || time.Until(token.Expiry) < time.Minute {
				t.Errorf("the token is %q, valid until %v; want %q for at least a minute", token.Value, token.Expiry, c.want)
			}
		})
	}
}
