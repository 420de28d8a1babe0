package until

import (
	"runtime/debug"
	"testing"
)

// The tests simulate thousands of runs. Where memory is collected each time that it has doubled, that takes a quarter
// of their time.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	m.Run()
}
