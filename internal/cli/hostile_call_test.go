//go:build unix

package cli_test

import (
	"context"
	"os"

	"github.com/plimsoll/plimsoll/internal/cli"
)

// hostileCall is a plimsoll that says in a file how much memory it needed at most. What the system tells its parent
// begins with what the parent had itself.
func hostileCall() {
	code := cli.Main(context.Background(), cli.OSEnv())
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		_ = os.WriteFile(os.Getenv("PLIMSOLL_TEST_STATUS"), status, 0o600)
	}
	os.Exit(code)
}
