package aws

import (
	"strings"
	"testing"
)

// A client's name for itself is kept only as what can stand in a line of the trace.
func TestAgentsAreHarmless(t *testing.T) {
	var a agents
	for _, test := range [][2]string{
		{"", ""},
		{"curl/8.1", "curl/8.1"},
		{"curl/8.1", "curl/8.1"}, // the same again
		{`a,"b` + "\x00\n\xff\t~", "a__b____~"},
		{strings.Repeat("x", maxAgent+1), strings.Repeat("x", maxAgent)},
		{"", ""},
	} {
		if got := a.name([]byte(test[0])); got != test[1] {
			t.Errorf("%q is %q, want %q", test[0], got, test[1])
		}
	}
}
