package report

import (
	"runtime/debug"
	"testing"
)

// The tests render documents by the thousand. Where memory is collected each time that it has doubled, that takes half
// of their time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}
