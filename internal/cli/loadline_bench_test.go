//go:build unix

package cli_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os/exec"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/setdoc"
)

// BenchmarkLoadLineOfARealServer searches for the load line of a server of 8 workers with a fixed service time of 8 ms,
// which bears 1,000 messages a second and not one more. It takes minutes, and a machine that does nothing else:
//
//	go test ./internal/cli -run - -bench LoadLineOfARealServer -benchtime 1x
func BenchmarkLoadLineOfARealServer(b *testing.B) {
	const workers, service = 8, 8 * time.Millisecond
	truth := workers / service.Seconds()
	url := serveQueue(b, workers, 0, func(int) time.Duration { return service })
	covers, off, probes := 0, 0.0, 0
	for b.Loop() {
		cmd := exec.CommandContext(b.Context(), "plimsoll", "loadline", "chat", url, "--slo", "p99<100ms,failed<0.1%",
			"--start", "500", "--max-probe", "8s", "--json", "--quiet", "--no-save")
		var said bytes.Buffer
		cmd.Stderr = &said
		text, err := cmd.Output()
		var set setdoc.Set
		if wrong := json.Unmarshal(text, &set); wrong != nil || set.Loadline == nil || set.Loadline.Load == nil {
			b.Fatalf("%v, %v: %s", err, wrong, said.String())
		}
		l := set.Loadline
		b.Logf("%s: %.0f, %.0f to %.0f of %.0f, %d probes, %s", l.Ending, *l.Load, l.Range[0], l.Range[1], truth,
			len(l.Probes), set.Verdict.Validity)
		if l.Range[0] <= truth && truth <= l.Range[1] {
			covers++
		}
		off, probes = max(off, math.Abs(*l.Load/truth-1)), probes+len(l.Probes)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(covers)/float64(b.N), "covered")
	b.ReportMetric(100*off, "%-off-at-most")
	b.ReportMetric(float64(probes)/float64(b.N), "probes")
}
