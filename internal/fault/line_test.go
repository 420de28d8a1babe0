package fault_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
)

// Text from a server cannot control the terminal.
func TestOneLineRemovesControls(t *testing.T) {
	got := fault.OneLine("a\nb\x1b[31mred\x1b]0;owned\x07 \u202e\u009b é\t…")
	if strings.ContainsAny(got, "\x1b\x07\u202e\u009b\n") || !strings.HasSuffix(got, "é\t…") {
		t.Errorf("%q", got)
	}
}
