package fault_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
)

func TestNearest(t *testing.T) {
	names := []string{"clients", "rate", "ca", "think-time", "warmup-clients", "warmup-time"}
	for word, want := range map[string]string{
		"": "", "client": "clients", "CLIENTS": "clients", "rtae": "rate", "c": "ca", "cli": "clients", "thinktime": "think-time",
		"warm": "warmup-clients", "xy": "", "nothing": "", "vus": "",
	} {
		if got := fault.Nearest(word, names); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
}
