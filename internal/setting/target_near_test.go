package setting_test

import (
	"regexp"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/fault/faulttest"
	"github.com/plimsoll/plimsoll/internal/setting"
)

// Each name that may follow --target-flag leads back to it, with one error of spelling.
func TestTargetFlagsWithOneError(t *testing.T) {
	var delay, tls bool
	var rate float64
	set := setting.New().Group("Server", setting.Switch(&delay, "discard", "x"), setting.Switch(&tls, "tls", "x"),
		setting.Share(&rate, "drop-rate", "x"))
	target := &setting.Target{Server: "x", Example: "drop-rate=1%", Set: set}
	meant := regexp.MustCompile(`^did you mean ([^ ]+)\? `)
	for _, name := range []string{"discard", "tls", "drop-rate"} {
		for _, word := range faulttest.OneError(name) {
			if word[0] == '-' {
				continue // its dash is taken for one of a flag
			}
			_, err := target.Args([]string{word + "=1"})
			m := meant.FindStringSubmatch(fault.HintOf(err))
			if m == nil || fault.EditDistance(word, m[1]) > 1 {
				t.Errorf("%s (%s): %v, %q", word, name, err, fault.HintOf(err))
			}
		}
	}
}
