package cli

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/store"
	"github.com/plimsoll/plimsoll/internal/workload/bandwidth"
)

func TestTwoDashes(t *testing.T) {
	t.Parallel()
	cmd := newKind(&Env{}, bandwidth.Kind())
	for given, want := range map[string]string{
		"bandwidth -block 8 -csv f -keep 1m":       "bandwidth --block 8 --csv f --keep 1m",
		"bandwidth -block=8 --flush -D a=b -Dc=d":  "bandwidth --block=8 --flush -D a=b -Dc=d",
		"bandwidth -policy random -nosuch -- -csv": "bandwidth --policy random -nosuch -- -csv",
		"chat -block 8": "chat -block 8",
		"bandwidth -h":  "bandwidth -h",
		"":              "",
	} {
		if got := strings.Join(twoDashes(strings.Fields(given), cmd), " "); got != want {
			t.Errorf("%q became %q, want %q", given, got, want)
		}
	}
}

// What a store says it knows is a flag.
func TestSettingsOfStoresAreFlags(t *testing.T) {
	t.Parallel()
	cmd := newKind(&Env{}, bandwidth.Kind())
	for _, s := range store.Settings() {
		if cmd.Flags().Lookup(string(s)) == nil {
			t.Errorf("--%s is no flag", s)
		}
	}
}
