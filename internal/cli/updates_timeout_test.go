//go:build unix

package cli

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/kvapi"
)

// timedOut is what a run says whose bound was too short for the machine.
var timedOut = regexp.MustCompile(`it did not answer within 2s|timeout|deadline exceeded`)

// TestTimeoutBoundsTheQuestionsToTheServer: --timeout is for all of them where it is given, the last
// one too, which has --settle otherwise.
func TestTimeoutBoundsTheQuestionsToTheServer(t *testing.T) {
	t.Parallel()
	over := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
	defer silent.Close()
	server := startKVProcess(t)
	defer server.end(t)
	halfway := lying(t, server.url, func(r *kvapi.Run) {
		if r.State != nil {
			<-over
		}
	})
	defer close(over)
	load := []string{"--no-save", "--duration", "200ms", "--rate", "50", "--batch", "10", "--warmup-time", "0", "--settle", "1h"}
	for _, c := range []struct {
		arguments []string
		exit      int
		want      string
	}{
		{[]string{"--kv", silent.URL, "--timeout", "200ms"}, 1, "it did not answer within 200ms"},
		{[]string{server.broker, "--kv", halfway, "--timeout", "2s"}, 3,
			"the proof is unknown: The server could not be asked for all that it knows: it did not answer within 2s."},
	} {
		cmd := exec.CommandContext(t.Context(), "plimsoll", append(append([]string{"updates"}, c.arguments...), load...)...)
		said, _ := cmd.CombinedOutput()
		ended := cmd.ProcessState.ExitCode() == c.exit || c.exit == 3 && saysIncomplete(cmd.ProcessState, string(said))
		// A machine that holds up for two seconds what comes before, such as meeting the broker, has that time out.
		if c.exit == 3 && cmd.ProcessState.ExitCode() == 1 && timedOut.Match(said) {
			continue
		}
		if !ended || !strings.Contains(string(said), c.want) {
			t.Errorf("%v: %v, want %d and %q: %s", c.arguments, cmd.ProcessState, c.exit, c.want, said)
		}
	}
}
