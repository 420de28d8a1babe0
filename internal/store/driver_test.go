package store

import (
	"fmt"
	"strings"
	"testing"
)

// Find returns a driver by any of its schemes and aliases; help lists schemes only.
func TestDriversFindByScheme(t *testing.T) {
	all := Drivers{
		{Name: "one", Schemes: []string{"a", "b"}, Aliases: []string{"c"}, Forms: "a://x", About: "the first",
			Knows: []Setting{"region"}},
		{Name: "two", Schemes: []string{"d"}, Forms: "d://x", About: "the second", Knows: []Setting{"region", "ca"}},
	}
	for scheme, want := range map[string]string{"a": "one", "b": "one", "c": "one", "d": "two", "e": "", "": ""} {
		if d, ok := all.Find(scheme); d.Name != want || ok != (want != "") {
			t.Errorf("%q: %q, %v", scheme, d.Name, ok)
		}
	}
	if got := strings.Join(all.Schemes(), " "); got != "a b d" {
		t.Errorf("schemes %s", got)
	}
	for setting, want := range map[Setting]string{"region": "two one", "ca": "two", "timeout": ""} {
		if got := strings.Join(all.Knowing(setting), " "); got != want {
			t.Errorf("%s is known to %q, want %q", setting, got, want)
		}
	}
	want := fmt.Sprintf("  %-26s  the first\n  %-26s  the second\n", "a://x", "d://x")
	if got := all.Help(); got != want {
		t.Errorf("%q", got)
	}
	var names []string
	for _, s := range Settings() {
		names = append(names, string(s))
	}
	flags := "endpoint region path-style payload-signing part-size max-retries timeout max-silence ca insecure"
	if got := strings.Join(names, " "); got != flags {
		t.Errorf("settings %s", got)
	}
}
