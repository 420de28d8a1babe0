//go:build unix

package cli_test

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/setdoc"
)

// launched runs plimsoll http with --repeat and gives what came of it.
func launched(tb testing.TB, args ...string) *setdoc.Launches {
	tb.Helper()
	set := setOf(tb, "http", append([]string{"--clients", "4", "--duration", "300ms", "--warmup-time", "100ms"}, args...)...)
	if set.Launches == nil {
		tb.Fatalf("a set of the kind %q", set.Kind)
	}
	return set.Launches
}

// BenchmarkUntilLaunches has campaigns of --until with --repeat against a server, each followed by 20 fresh launches:
// nine in ten of those that know are to have the median of these in their interval. PLIMSOLL_CAMPAIGNS is how many
// times (40), half a minute each, and UNTIL what is to be known.
func BenchmarkUntilLaunches(b *testing.B) {
	campaigns, until := 40, "p50±10%"
	if n, err := strconv.Atoi(os.Getenv("PLIMSOLL_CAMPAIGNS")); err == nil && n > 0 {
		campaigns = n
	}
	if asked := os.Getenv("UNTIL"); asked != "" {
		until = asked
	}
	target, stop := serveTarget(b, "http")
	defer stop()
	figure, _, _ := strings.Cut(until, "±")
	for b.Loop() {
		known, covered, made := 0, 0, 0
		for range campaigns {
			l := launched(b, target, "--repeat", "40", "--until", until)
			made += len(l.Values)
			// ±1% is not to be had, so that all 20 are made.
			fresh := launched(b, target, "--repeat", "20", "--until", figure+"±1%")
			if n := len(fresh.Values); n < 20 || fresh.Median == nil {
				b.Logf("%d fresh launches: %s", n, fresh.Why)
			}
			if l.Range == nil || fresh.Median == nil {
				continue
			}
			in := l.Range[0] <= *fresh.Median && *fresh.Median <= l.Range[1]
			b.Logf("%d launches, known %v: %.4g to %.4g; fresh ones %.4g", len(l.Values), l.Known, l.Range[0], l.Range[1],
				*fresh.Median)
			if l.Known {
				if known++; in {
					covered++
				}
			}
		}
		b.ReportMetric(float64(known), "known")
		b.ReportMetric(float64(covered), "covered")
		b.ReportMetric(float64(made)/float64(campaigns), "launches")
		if covered*10 < known*9 || known == 0 {
			b.Errorf("of %d campaigns %d know, and %d of these cover", campaigns, known, covered)
		}
	}
	b.ReportMetric(0, "ns/op")
}
