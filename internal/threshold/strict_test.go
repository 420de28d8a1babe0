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
		{"p90<100ms", threshold.Met, threshold.Untold, "p90<100ms cannot be told strictly: p90 was 90.0 ms; the interval of"},
		{"p90<80ms", threshold.Missed, threshold.Missed, "p90<80ms was missed: p90 was 90.0 ms"},
		{"p95<65ms", threshold.Met, threshold.Untold,
			"p95<65ms cannot be told: p95 was 60.0 ms, at worst 70.0 ms, and 50.0 ms, at worst 58.0 ms without the generator's own delay"},
		{"p95<57ms", threshold.Untold, threshold.Missed, "p95<57ms was missed: p95 was 60.0 ms, at worst 70.0 ms, and 50.0"},
		{"failed<0.5%", threshold.Met, threshold.Missed, "failed<0.5% was missed: failed was 0.3 %, at worst 1.0 %"},
		{"failed<1%", threshold.Met, threshold.Met, "failed<1% was met: failed was 0.3 %, at worst 0.98 %"},
		{"failed<5", threshold.Met, threshold.Met, "failed<5 was met: failed was 3"}, // a count is no estimate
		{"max<301ms", threshold.Met, threshold.Met, "max<301ms was met: max was 300 ms"},
		{"rate>98/s", threshold.Met, threshold.Missed, "rate>98/s was missed: rate was 100/s, at worst 96"},
		{"rate>90/s", threshold.Met, threshold.Met, "rate>90/s was met: rate was 100/s, at worst 96"},
		{"rate{operation=send}>90/s", threshold.Met, threshold.Untold, "rate{operation=send}>90/s cannot be told strictly: "},
		{"p99<1s", threshold.Untold, threshold.Untold, "p99<1s cannot be told: too few times"},
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

// bursts are 20 seconds of 1,000 operations each, of which 60 failed: 20 in each of three seconds.
func bursts() *rundoc.Run {
	run := &rundoc.Run{Ledger: rundoc.Ledger{WindowNS: 20e9}, Operations: []rundoc.Operation{{Name: "send",
		Scheduled: 20_000, OK: 19_940, Failed: 60}}}
	for s := range int64(20) {
		p := rundoc.Point{Second: s, OK: 1000}
		if s == 3 || s == 9 || s == 16 {
			p.OK, p.Failed = 980, 20
		}
		run.Series = append(run.Series, p)
	}
	return run
}

// What fails together says less than as many that fail each for itself, and a mean that nobody knows is no pass.
func TestStrictlyFailuresTogetherAreFewer(t *testing.T) {
	judge := func(text string, run *rundoc.Run) rundoc.Threshold {
		goal, err := threshold.Parse(text, figure.Known{})
		if err != nil {
			t.Fatal(err)
		}
		return goal.Strictly().Judge(run)
	}
	together := judge("failed<0.5%", bursts())
	if threshold.Of(&together) != threshold.Missed || *together.Checked < 0.006 {
		t.Errorf("%+v: %v", together, *together.Checked)
	}
	apart := bursts()
	for i := range apart.Series {
		apart.Series[i].OK, apart.Series[i].Failed = 997, 3
	}
	if each := judge("failed<0.5%", apart); threshold.Of(&each) != threshold.Met || *each.Checked > 0.004 {
		t.Errorf("%+v: %v", each, *each.Checked)
	}
	short := bursts()
	short.Series = short.Series[:4]
	if s := judge("failed<0.5%", short); threshold.Of(&s) != threshold.Untold || !strings.Contains(s.Why, "4 stretches of time are too few") {
		t.Errorf("%+v", s)
	}
	unsent := bursts()
	unsent.Operations[0].Unsent, unsent.Operations[0].OK = 40, 19_900
	if s := judge("failed<0.9%", unsent); threshold.Of(&s) != threshold.Untold || !strings.Contains(s.Why, "unsent or unfinished") {
		t.Errorf("%+v", s)
	}
	none := bursts()
	none.Operations[0].Failed, none.Operations[0].OK = 0, 20_000
	if s := judge("failed<0.1%", none); threshold.Of(&s) != threshold.Met {
		t.Errorf("%+v", s)
	}
	cpu := bursts()
	cpu.Generator.CPUUserNS = 1e9
	if s := judge("cpu_per_operation<1ms", cpu); threshold.Of(&s) != threshold.Untold || !strings.Contains(s.Why, "cpu_per_operation is not known") {
		t.Errorf("%+v", s)
	}
}

// The mean is held strictly by its own interval, and a missed raw end whose free one is not known cannot be told where
// the free value meets the goal.
func TestStrictlyTheMean(t *testing.T) {
	goal, err := threshold.Parse("mean<60ms", figure.Known{})
	if err != nil {
		t.Fatal(err)
	}
	run := known()
	times := &run.Operations[0].ResponseTime
	times.MeanNS, times.Free.MeanNS = 55e6, 50e6
	if s := goal.Strictly().Judge(run); threshold.Of(&s) != threshold.Untold || s.Checked != nil {
		t.Errorf("a mean without an interval: %+v", s)
	}
	times.Intervals.Mean = &rundoc.Interval{LowNS: 50e6, HighNS: 59e6, Effective: 90}
	if s := goal.Strictly().Judge(run); threshold.Of(&s) != threshold.Met || *s.Checked != 59e6 {
		t.Errorf("%+v", s)
	}
	times.Intervals.Mean.HighNS = 61e6
	if s := goal.Strictly().Judge(run); threshold.Of(&s) != threshold.Untold || *s.Checked != 61e6 || *s.CheckedFree != 50e6 {
		t.Errorf("%+v", s)
	}
	times.Free.Intervals.Mean = &rundoc.Interval{LowNS: 49e6, HighNS: 60.5e6, Effective: 90}
	if s := goal.Strictly().Judge(run); threshold.Of(&s) != threshold.Missed || *s.CheckedFree != 60.5e6 {
		t.Errorf("%+v", s)
	}
}
