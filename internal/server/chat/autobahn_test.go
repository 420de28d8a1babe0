package chat

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/peertest"
)

// TestAutobahn: the cases of the Autobahn test suite, compression included.
func TestAutobahn(t *testing.T) {
	peertest.NothingRaces(t, "one case after the other")
	s := serve(t, func(c *Config) { c.Echo, c.Compress, c.MaxMessage = true, true, 32<<20 })
	strict := 0
	for _, c := range peertest.AutobahnClient(t, s.URL()) {
		if c.Behavior == "OK" {
			strict++
		}
	}
	t.Logf("%d of %d cases are passed strictly", strict, peertest.AutobahnCases)
}
