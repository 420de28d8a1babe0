package compare

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// A lab is a kind with a count and a switch.
type lab struct{ run.Command }

func (lab) Settings() *setting.Set {
	var clients int
	var tls bool
	return new(setting.Set).Group("Load", setting.Count(&clients, "clients", "count", "h").Formerly("users"),
		setting.Switch(&tls, "tls", "h"))
}

// TestDirect checks that flags of the kind may be written without --, and that everything else stays where it is.
func TestDirect(t *testing.T) {
	kinds := []run.Kind{{Name: "lab", New: func() run.Command { return lab{} }}}
	cmd := &cobra.Command{Use: "compare A B"}
	cmd.Flags().String("seed", "", "")
	cmd.Flags().Bool("json", false, "")
	for line, want := range map[string]string{
		"":                                        "",
		"sweep --clients 3":                       "sweep --clients 3",
		"compare a b --seed 7 --json":             "compare a b --seed 7 --json",
		"compare a b --clients 3 --json":          "compare a b --json -- --clients 3",
		"compare a --clients=3 b --tls":           "compare a b -- --clients=3 --tls",
		"compare --users 3 a b -- --tls":          "compare a b -- --users 3 --tls",
		"compare a b -- --clients 3 --seed 7":     "compare a b -- --clients 3 --seed 7",
		"compare a b --seed --clients --tls":      "compare a b --seed --clients -- --tls",
		"compare a b --client 3 --clients":        "compare a b --client 3 -- --clients",
		"compare -x a b --json --tls --clients 3": "compare -x a b --json -- --tls --clients 3",
	} {
		args := strings.Fields(line)
		if got := Direct(args, cmd, kinds); !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
