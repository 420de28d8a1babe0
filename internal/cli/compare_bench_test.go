//go:build unix

package cli_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/setdoc"
)

// setOf runs a command of plimsoll that makes a set, and gives the set. On a busy machine its runs may not be to be
// trusted, or nothing may be known: that is no failure.
func setOf(tb testing.TB, command string, args ...string) *setdoc.Set {
	tb.Helper()
	cmd := exec.Command("plimsoll", append([]string{command, "--json", "--no-save", "--quiet"}, args...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var status *exec.ExitError
	if err != nil && !(errors.As(err, &status) && len(out) > 0) {
		tb.Fatalf("plimsoll %s %v: %v\n%s", command, args, err, &stderr)
	}
	set, err := setdoc.Read(bytes.NewReader(out))
	if err != nil {
		tb.Fatalf("%v\n%s", err, &stderr)
	}
	return set
}

// compared runs plimsoll compare and gives what came of it.
func compared(tb testing.TB, a, b string, args ...string) *setdoc.Comparison {
	tb.Helper()
	set := setOf(tb, "compare", append([]string{a, b, "--busy-limit", "0"}, args...)...)
	if set.Comparison == nil {
		tb.Fatalf("a set of the kind %q", set.Kind)
	}
	return set.Comparison
}

// BenchmarkCompareAlternation reports how far the ratio of a round goes, of the same server on both sides, with slices of
// 20 ms and of 500 ms, one launch of each in turn.
func BenchmarkCompareAlternation(b *testing.B) {
	target, stop := serveTarget(b, "http")
	defer stop()
	type sum struct{ squares, freedom float64 }
	sums := map[string]*sum{"20ms": {}, "500ms": {}}
	seed := 0
	for b.Loop() {
		seed++
		for _, slice := range []string{"20ms", "500ms"} {
			c := compared(b, target, target, "--repeat", "1", "--slice", slice, "--seed", strconv.Itoa(seed), "--",
				"--clients", "1", "--duration", "4s", "--warmup-time", "200ms")
			if r := c.Rounds; r != nil {
				sums[slice].squares += r.Stddev * r.Stddev * float64(r.Count-1)
				sums[slice].freedom += float64(r.Count - 1)
			}
		}
	}
	stddev := func(slice string) float64 { return math.Sqrt(sums[slice].squares / sums[slice].freedom) }
	b.ReportMetric(0, "ns/op")
	for slice := range sums {
		b.ReportMetric(100*stddev(slice), "%-of-a-round-by-"+slice)
	}
	ratio := stddev("20ms") / stddev("500ms")
	b.ReportMetric(ratio, "ratio")
	if !(ratio <= 0.5) { // without a metric, which a failed benchmark does not show
		b.Errorf("a round goes by %.1f%% with slices of 20 ms, and by %.1f%% with those of 500 ms: %.2f of it is left",
			100*stddev("20ms"), 100*stddev("500ms"), ratio)
	}
}

// BenchmarkCompareFinds compares a server that delays its responses by 4 ms with one that delays them by another 5% of the
// measured p50, and with an equal one. PLIMSOLL_CAMPAIGNS sets the number of repetitions (default 20, half a minute each).
func BenchmarkCompareFinds(b *testing.B) {
	campaigns := 20
	if n, err := strconv.Atoi(os.Getenv("PLIMSOLL_CAMPAIGNS")); err == nil && n > 0 {
		campaigns = n
	}
	const delay = 4 * time.Millisecond
	server := func(delay time.Duration) string {
		target, stop := serveTarget(b, "http", "--delay", delay.String())
		b.Cleanup(stop)
		return target
	}
	campaign := func(a, other string, seed int) (c *setdoc.Comparison, wrong bool) {
		c = compared(b, a, other, "--seed", strconv.Itoa(seed), "--", "--clients", "4", "--duration", "300ms", "--warmup-time", "100ms")
		for _, r := range c.Rows {
			wrong = wrong || r.Outcome == setdoc.Better || r.Outcome == setdoc.Worse
		}
		return c, wrong
	}
	first, same := server(delay), server(delay)
	p50 := 0.0
	probe, _ := campaign(first, same, 0)
	for _, r := range probe.Rows {
		if probe.Figures[r.Figure].Name == "p50" && r.A != nil {
			p50 = *r.A
		}
	}
	slower := server(delay + time.Duration(0.05*p50))
	for b.Loop() {
		found, falsely, ratio := 0, 0, 0.0
		for seed := 1; seed <= campaigns; seed++ {
			if _, wrong := campaign(first, same, seed); wrong {
				falsely++
			}
			c, _ := campaign(first, slower, seed)
			for _, r := range c.Rows {
				if c.Figures[r.Figure].Name == "p50" && r.Ratio != nil {
					ratio += *r.Ratio / float64(campaigns)
					if r.Outcome == setdoc.Worse {
						found++
					}
				}
			}
		}
		b.ReportMetric(float64(found), "found")
		b.ReportMetric(float64(falsely), "false")
		b.ReportMetric(ratio, "p50-ratio")
		b.Logf("p50 %.3g ms: found in %d of %d, false in %d", p50/1e6, found, campaigns, falsely)
		if 20*found < 16*campaigns || 20*falsely > 3*campaigns {
			b.Errorf("found in %d of %d campaigns, false in %d", found, campaigns, falsely)
		}
	}
	b.ReportMetric(0, "ns/op")
}
