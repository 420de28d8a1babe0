package cli

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/kvapi"
)

// TestTimeoutBoundsTheQuestionsToTheServer: --timeout is for all of them where it is given, the last
// one too, which has --settle otherwise.
func TestTimeoutBoundsTheQuestionsToTheServer(t *testing.T) {
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
		// Where the machine holds the first question up, that is the one that was not answered.
		ended := cmd.ProcessState.ExitCode() == 1 || c.exit == 3 && saysIncomplete(cmd.ProcessState, string(said))
		if c.exit == 3 && cmd.ProcessState.ExitCode() == 1 {
			c.want = "it did not answer within 2s"
		}
		if !ended || !strings.Contains(string(said), c.want) {
			t.Errorf("%v: %v, want %d and %q: %s", c.arguments, cmd.ProcessState, c.exit, c.want, said)
		}
	}
}
