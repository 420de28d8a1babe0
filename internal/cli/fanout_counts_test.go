//go:build unix

package cli_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

// TestFanOutCounts checks that each delivery that a server in a process of its own doubled or swapped is found, and no
// other. BenchmarkFanOutCounts has lost ones as well, for which a run waits.
func TestFanOutCounts(t *testing.T) {
	t.Parallel()
	f := fanOutCounts(t, 30, 60, "0%", "1%", "1%", "2m")
	if f.Duplicated == 0 || f.Misordered == 0 {
		t.Errorf("%d duplicated, %d misordered: there was nothing to find", f.Duplicated, f.Misordered)
	}
}

// BenchmarkFanOutCounts does that at the full size, and reports how late deliveries were read after they came.
func BenchmarkFanOutCounts(b *testing.B) {
	const receivers, messages = 1000, 200
	var f *rundoc.Fanout
	for b.Loop() {
		f = fanOutCounts(b, receivers, messages, "0.01%", "0.1%", "0.1%", "10s")
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(f.Due), "due")
	b.ReportMetric(float64(f.Lost), "lost")
	b.ReportMetric(float64(f.Duplicated), "duplicated")
	b.ReportMetric(float64(f.Misordered), "misordered")
	if f.OwnLateness.P50NS != nil && f.OwnLateness.P95NS != nil {
		b.ReportMetric(float64(*f.OwnLateness.P50NS)/1e6, "read-late-p50-ms")
		b.ReportMetric(float64(*f.OwnLateness.P95NS)/1e6, "read-late-p95-ms")
	}
}

// fanOutCounts runs chat --fanout against a server with these shares of faults, and compares what both counted. There is
// one client: the server's faults would hit what it delivers to others that send, too, and those keep no accounts.
func fanOutCounts(tb testing.TB, receivers, messages int, loss, duplicates, swaps, timeout string) *rundoc.Fanout {
	tb.Helper()
	target, stop := serveTarget(tb, "chat", "--broadcast", "--broadcast-loss", loss, "--broadcast-duplicates", duplicates,
		"--broadcast-swaps", swaps)
	defer stop()
	room := strings.Replace(target, "{room}", "1", 1)
	doc := chatDocument(tb, room, "--fanout", "--receivers", fmt.Sprint(receivers), "--messages", fmt.Sprint(messages),
		"--clients", "1", "--pipeline", "16", "--warmup-clients", "0", "--timeout", timeout)
	f := doc.Chat().Fanout
	said := deliveries(tb, target)
	lost, doubled, swapped := said[`total{outcome="lost"}`], said[`faults_total{kind="duplicate"}`],
		said[`faults_total{kind="swap"}`]
	sent := int64(receivers*messages) - lost
	// What a busy machine reads after the message's time is told as late.
	if f.Due != int64(receivers*messages) || f.Delivered+f.Late != sent || f.Taken != f.Delivered || f.Lost-f.Late != lost ||
		f.Duplicated != doubled || f.Misordered != swapped || f.Away+f.Foreign+f.Withdrawn+f.OtherRoom != 0 {
		tb.Errorf("the server made %d deliveries, and lost %d, doubled %d, swapped %d; found: %+v", sent, lost, doubled,
			swapped, f)
	}
	// The last of them may come when the sender has gone.
	own := said[`total{outcome="sent"}`] + said[`total{outcome="gone"}`] - sent
	if own != int64(messages) || f.SendersOwn > own {
		tb.Errorf("the server made %d copies for the sender, which counted %d, of %d messages", own, f.SendersOwn, messages)
	}
	return f
}

// deliveries are a chat server's own counts of them, by what is behind their common names.
func deliveries(tb testing.TB, target string) map[string]int64 {
	tb.Helper()
	host, _, _ := strings.Cut(strings.TrimPrefix(target, "ws://"), "/")
	r, err := http.Get("http://" + host + "/metrics")
	if err != nil {
		tb.Fatal(err)
	}
	defer r.Body.Close()
	counts := map[string]int64{}
	for in := bufio.NewScanner(io.LimitReader(r.Body, 1<<20)); in.Scan(); {
		name, value, _ := strings.Cut(in.Text(), " ")
		name = strings.TrimPrefix(strings.TrimPrefix(name, "plimsoll_chat_deliveries_"), "plimsoll_chat_delivery_")
		var n float64
		if _, err := fmt.Sscan(value, &n); err == nil {
			counts[name] = int64(n)
		}
	}
	return counts
}
