package cli

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// TestTheTokenOfTheBrokerIsInNoAnswer: who can ask the server could publish, and read everything. The
// parent has the token from the line that says that the child is ready.
func TestTheTokenOfTheBrokerIsInNoAnswer(t *testing.T) {
	t.Parallel()
	for _, topic := range []string{"nats://", "nats+js://"} {
		server := startKVProcess(t, topic)
		defer server.end(t)
		u, err := url.Parse(server.broker)
		if err != nil || len(u.User.Username()) < 16 {
			t.Fatalf("%s: the child says of its broker %q: %v", topic, server.broker, err)
		}
		for _, path := range []string{
			"/v1/info", "/v1/clock", "/v1/runs/1?state=1&times=1", "/v1/getvalues?keys=a", "/health", "/stats", "/metrics", "/",
			"/debug/pprof/cmdline", "/debug/vars",
		} {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.url+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			var all strings.Builder
			err = answer.Header.Write(&all)
			if err == nil {
				_, err = io.Copy(&all, answer.Body)
			}
			_ = answer.Body.Close()
			cancel()
			if err != nil || strings.Contains(all.String(), u.User.Username()) {
				t.Errorf("%s: GET %s: %v: %s", topic, path, err, all.String())
			}
		}
		// So a run must be told where to publish, and says so.
		said, err := exec.CommandContext(t.Context(), "plimsoll", "updates", "--kv", server.url, "--no-save").CombinedOutput()
		if err == nil || !strings.Contains(string(said), "the URL that 'plimsoll serve kv' printed") ||
			strings.Contains(string(said), u.User.Username()) {
			t.Errorf("%v: %s", err, said)
		}
	}
}
