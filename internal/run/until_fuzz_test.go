package run

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/figure"
)

// What --until takes is read again as it is written, and what it refuses is refused in one line.
func FuzzParseUntil(f *testing.F) {
	for _, text := range []string{
		"p99±5%", "p99+-5%", "p99.9 +/- 2.5%", "service.p50±1%", "rate±1e-1%", "failed±99%", "p99", "p99±", "p99±5", "p99±0%",
		"p99±NaN%", "p99±Inf%", "±5%", "p98.12345±5%", "p99{type=x}±5%", "max±5%", "mean±5%±5%", "p99\x1b±5%",
	} {
		f.Add(text)
	}
	known := figure.Known{Kind: "http"}
	f.Fuzz(func(t *testing.T, text string) {
		asked, err := ParseUntil([]string{text}, known)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\x1b") {
				t.Errorf("%q: %q", text, err)
			}
			return
		}
		again, err := ParseUntil([]string{asked.String()}, known)
		if err != nil || again.String() != asked.String() {
			t.Errorf("%q: %s is read as %v, %v", text, asked, again, err)
		}
	})
}
