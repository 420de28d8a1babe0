package cli_test

import (
	"bytes"
	"fmt"
	"os/exec"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/rundoc"
)

// chatDocument runs plimsoll chat and gives its document. A run that is judged invalid gives
// one as well.
func chatDocument(tb testing.TB, args ...string) *rundoc.Run {
	tb.Helper()
	cmd := exec.Command("plimsoll", append([]string{"chat", "--json", "--no-save", "--quiet"}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, runErr := cmd.Output()
	doc, err := rundoc.Read(bytes.NewReader(out))
	if err != nil {
		tb.Fatalf("plimsoll chat %v: %v: %v\n%s", args, runErr, err, &stderr)
	}
	return doc
}

func totals(tb testing.TB, doc *rundoc.Run) rundoc.Operation {
	tb.Helper()
	total, err := doc.Totals()
	if err != nil {
		tb.Fatal(err)
	}
	if total.ResponseTime.P50NS == nil || total.OK == 0 {
		tb.Fatalf("%d ok, too few to measure", total.OK)
	}
	return total
}

// BenchmarkDelayAgainstTruth measures a target that waits 20 ms before each answer, and the
// same without, in turn: the difference of the medians less 20 ms is the error.
func BenchmarkDelayAgainstTruth(b *testing.B) {
	const delay = 20 * time.Millisecond
	load := []string{"--clients", "4", "--duration", "3s", "--warmup-time", "300ms"}
	var worst float64
	for b.Loop() {
		without := totals(b, chatDocument(b, load...))
		with := totals(b, chatDocument(b, append(load, "--target-flag", "delay="+delay.String())...))
		off := float64(*with.ResponseTime.P50NS-*without.ResponseTime.P50NS-int64(delay)) / 1e3
		worst = max(worst, off, -off)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(worst, "worst-error-µs")
}

// BenchmarkOpenAtHalf offers half of what the closed model got through, and reports how late
// the operations started.
func BenchmarkOpenAtHalf(b *testing.B) {
	var worst, worstOwn, share float64
	for b.Loop() {
		closed := totals(b, chatDocument(b, "--clients", "32", "--duration", "3s"))
		half := closed.RatePerS / 2
		doc := chatDocument(b, "--duration", "3s", "--rate", fmt.Sprintf("%.0f", half))
		worst = max(worst, float64(doc.Generator.SendDelayP99NS)/1e3)
		worstOwn = max(worstOwn, float64(doc.Generator.OwnDelayP99NS)/1e3)
		share = totals(b, doc).RatePerS / half
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(worst, "send-delay-p99-µs")
	b.ReportMetric(worstOwn, "own-delay-p99-µs")
	b.ReportMetric(share, "of-the-rate")
}

// BenchmarkIdleClients reports the memory of a connected client that does next to nothing.
func BenchmarkIdleClients(b *testing.B) {
	const few, many = 10, 5000
	var bytes float64
	for b.Loop() {
		rss := func(clients int) int64 {
			return chatDocument(b, "--clients", fmt.Sprint(clients), "--rate", "50", "--duration", "2s").Generator.MaxRSSBytes
		}
		base := rss(few)
		bytes = float64(rss(many)-base) / (many - few)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(bytes/1024, "KiB/client")
}
