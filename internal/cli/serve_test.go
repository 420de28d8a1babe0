package cli

import (
	"os"
	"testing"
)

// served starts an embedded target as a run does, and gives its URL. It ends with the test.
func served(t *testing.T, kind string, args ...string) string {
	t.Helper()
	server, err := embedded(t.Context(), &Env{Executable: "plimsoll", Stderr: os.Stderr}, kind, args)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.stop(); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return server.url
}
