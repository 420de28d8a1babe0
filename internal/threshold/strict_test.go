package threshold_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/threshold"
	"github.com/plimsoll/plimsoll/rundoc"
)

// known is a run whose p50 is 40 ms (38 to 43), its p90 90 ms without an interval, and 60 ms (55 to 70) and 50 ms
// without the generator's own delay its p95; 3 of 1,000 operations failed.
func known() *rundoc.Run {
	ms := func(v int64) *int64 { return new(v * 1e6) }
	free := &rundoc.Summary{Count: 997, MinNS: 1e6, MaxNS: 300e6, P95NS: ms(50),
		Intervals: &rundoc.Intervals{P95: &rundoc.Interval{LowNS: 45e6, HighNS: 58e6, Effective: 400}}}
	times := rundoc.Summary{Count: 997, MinNS: 1e6, MaxNS: 300e6, P50NS: ms(40), P90NS: ms(90), P95NS: ms(60), Free: free,
		Intervals: &rundoc.Intervals{
			P50: &rundoc.Interval{LowNS: 38e6, HighNS: 43e6, Effective: 400},
			P90: &rundoc.Interval{LowNS: 95e6, HighNS: 99e6, Effective: 400}, // which does not hold the p90: it is none
			P95: &rundoc.Interval{LowNS: 55e6, HighNS: 70e6, Effective: 400},
		}}
	run := &rundoc.Run{Operations: []rundoc.Operation{{Name: "send", Scheduled: 1000, OK: 997, Failed: 3, RatePerS: 100,
		ResponseTime: times}}, Ledger: rundoc.Ledger{WindowNS: 10e9}}
	for s := range int64(10) {
		p := rundoc.Point{Second: s, OK: 95 + s%2*10}
		if s == 1 || s == 4 || s == 8 {
			p.Failed = 1
		}
		run.Series = append(run.Series, p)
	}
	return run
}

func TestStrictGoalsAreHeldAgainstTheWorseEnd(t *testing.T) {
	for _, test := range []struct {
		goal          string
		plain, strict threshold.Result
		says          string // when strict
	}{
		{"p50<45ms", threshold.Met, threshold.Met, "p50<45ms was met: p50 was 40.0 ms, at worst 43.0 ms"},
		{"p50<42ms", threshold.Met, threshold.Missed, "p50<42ms was missed: p50 was 40.0 ms, at worst 43.0 ms"},
		{"p50>39ms", threshold.Met, threshold.Missed, "p50>39ms was missed: p50 was 40.0 ms, at worst 38.0 ms"},
		{"p90<100ms", threshold.Met, threshold.Untold, "p90<100ms cannot be evaluated strictly: p90 was 90.0 ms; no confidence interval"},
		{"p90<80ms", threshold.Missed, threshold.Missed, "p90<80ms was missed: p90 was 90.0 ms"},
		{"p95<65ms", threshold.Met, threshold.Untold,
			"p95<65ms cannot be evaluated: p95 was 60.0 ms, at worst 70.0 ms, but 50.0 ms, at worst 58.0 ms corrected"},
		{"p95<57ms", threshold.Untold, threshold.Missed, "p95<57ms was missed: p95 was 60.0 ms, at worst 70.0 ms (50.0"},
		{"failed<0.5%", threshold.Met, threshold.Missed, "failed<0.5% was missed: failed was 0.3%, at worst 1.0%"},
		{"failed<1%", threshold.Met, threshold.Met, "failed<1% was met: failed was 0.3%, at worst 0.98%"},
		{"failed<5", threshold.Met, threshold.Met, "failed<5 was met: failed was 3"}, // a count is no estimate
		{"max<301ms", threshold.Met, threshold.Met, "max<301ms was met: max was 300 ms"},
		{"rate>98/s", threshold.Met, threshold.Missed, "rate>98/s was missed: rate was 100/s, at worst 96"},
		{"rate>90/s", threshold.Met, threshold.Met, "rate>90/s was met: rate was 100/s, at worst 96"},
		{"rate{operation=send}>90/s", threshold.Met, threshold.Untold, "rate{operation=send}>90/s cannot be evaluated strictly: "},
		{"p99<1s", threshold.Untold, threshold.Untold, "p99<1s cannot be evaluated: too few times"},
	} {
		goal, err := threshold.Parse(test.goal, figure.Known{})
		if err != nil {
			t.Fatal(err)
		}
		run := known()
		plain, strict := goal.Judge(run), goal.Strictly().Judge(run)
		if plain.Strict || plain.Checked != nil || threshold.Of(&plain) != test.plain {
			t.Errorf("%s: %+v", test.goal, plain)
		}
		if says := threshold.Sentence(&strict); threshold.Of(&strict) != test.strict || !strings.HasPrefix(says, test.says) {
			t.Errorf("%s: strictly %v: %s", test.goal, threshold.Of(&strict), says)
		}
		run.Thresholds = []rundoc.Threshold{plain, strict}
		if again := threshold.Reread(run, figure.Known{}); again.Edited != "" {
			t.Errorf("%s: %s", test.goal, again.Edited)
		}
		if strict.Checked != nil {
			*strict.Checked /= 2
			if again := threshold.Reread(run, figure.Known{}); again.Edited == "" {
				t.Errorf("%s: nobody sees that what was checked was changed", test.goal)
			}
		}
	}
}
