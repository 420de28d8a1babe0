package cli

import (
	"os"
	"testing"

	"github.com/plimsoll/plimsoll/internal/run"
)

// served starts an embedded target as a run does, and gives its URL. It ends with the test.
func served(t *testing.T, kind string, args ...string) string {
	t.Helper()
	server, err := run.Start(t.Context(), &Env{Executable: "plimsoll", Stderr: os.Stderr}, kind, args)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return server.URL
}
