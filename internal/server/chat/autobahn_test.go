package chat

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/peertest"
)

// TestAutobahn runs the cases of the Autobahn test suite, including compression.
func TestAutobahn(t *testing.T) {
	if testing.Short() {
		t.Skip("the suite is too slow under the race detector")
	}
	s := serve(t, func(c *Config) { c.Echo, c.Compress, c.MaxMessage = true, true, 32<<20 })
	strict := 0
	for _, c := range peertest.AutobahnClient(t, s.URL()) {
		if c.Behavior == "OK" {
			strict++
		}
	}
	t.Logf("%d of %d cases are passed strictly", strict, peertest.AutobahnCases)
}
