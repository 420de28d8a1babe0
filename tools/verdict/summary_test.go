package main

import (
	"math"
	"strings"
	"testing"
)

// TestWilson has the values of Newcombe (1998), table I, method 3.
func TestWilson(t *testing.T) {
	for _, tt := range []struct {
		tally
		low, high float64
	}{
		{tally{81, 263}, 0.2553, 0.3662},
		{tally{15, 148}, 0.0624, 0.1605},
		{tally{0, 20}, 0.0000, 0.1611},
		{tally{1, 29}, 0.0061, 0.1718},
		{tally{20, 20}, 0.8389, 1},
	} {
		low, high := tt.wilson()
		if math.Abs(low-tt.low) > 5e-5 || math.Abs(high-tt.high) > 5e-5 {
			t.Errorf("%d of %d: %.4f to %.4f, want %.4f to %.4f", tt.hits, tt.of, low, high, tt.low, tt.high)
		}
	}
}

func TestQuantile(t *testing.T) {
	values := []float64{5, 1, 4, 2, 3}
	for q, want := range map[float64]float64{0: 1, 0.2: 1, 0.21: 2, 0.5: 3, 0.99: 5, 1: 5} {
		if got := quantile(values, q); got != want {
			t.Errorf("the quantile %v is %v, want %v", q, got, want)
		}
	}
	if !math.IsNaN(median(nil)) {
		t.Error("no values have a median")
	}
}

// TestPrintConditions has trials that were harmed and found, harmed and not found, not harmed, and one
// that failed, beside quiet ones of the same load whose p99 is 2 ms, and others that are to compare with nothing.
func TestPrintConditions(t *testing.T) {
	p99 := func(ms int64) times { return times{P99: new(ms * 1e6)} }
	quota := func(raw int64, reasons ...string) trial {
		return trial{Condition: "generator quota0.3 open", Class: generatorTrouble, Rate: 300, Clients: 5,
			Reasons: reasons, Validity: "suspect", Raw: p99(raw), Free: p99(3), RatePerS: 300}
	}
	calm := trial{Condition: "quiet remote open", Class: quiet, Rate: 300, Clients: 5, Validity: "valid",
		Raw: p99(4), Free: p99(2), RatePerS: 300}
	rate, number, seen := calm, calm, calm
	rate.Rate, rate.Raw = 1700, p99(1000)
	number.Clients, number.Raw, number.Free = 60, p99(1000), p99(1000)
	seen.Validity = "valid as far as seen"
	lost := quota(20)
	lost.Validity, lost.Error = failed, "no document"
	slow := trial{Condition: "target slow5ms open", Class: targetTrouble, Rate: 300, Validity: "suspect",
		Reasons: []string{"The generator used 97% of the CPUs."}}
	both, bug := slow, slow
	both.Reasons = []string{"Target and generator share this machine."}
	bug.Validity, bug.Reasons = "invalid", []string{"broken law: it was throttled."}
	out := &results{Trials: []trial{
		quota(40, "The CPU quota throttled the generator for 1 s."), quota(40), quota(4), lost,
		calm, seen, rate, number, number, number, slow, both, bug,
	}}
	var text strings.Builder
	printConditions(&text, out)
	for _, want := range []string{
		"| generator quota0.3 open | 1/3 (6–79%) | 2/3 | 1/2 (9–91%) | 0/2 | 10.00 (1.00–10.00) | 1.50 (1.50–1.50) " +
			"| 0/3 | 0/3 | 0/3 | 1/4 |",
		"False VALID: 0/2 (0–66%) of the runs in which the harm showed.",
		"False accusations of the generator: 1/3 (6–79%).",
		"| target slow5ms open | 1/3 (6–79%) | 3/3 (44–100%) | – | – | 1/3 | 1/3 | 0/3 |",
		"| quiet remote open | 5/6 (44–97%) | 1/6 | 0/6 (0–39%) | 1.00 (1.00–1.00) | 0/6 | 0/6 | 0/6 |",
		"| generator | 1 | 0 | 0 | The CPU quota throttled the generator for 1 s. |",
	} {
		if !strings.Contains(text.String(), want+"\n") {
			t.Errorf("no line %q in\n%s", want, text.String())
		}
	}
}

// TestBitten: what harmed is seen by the times or by the throughput, and never known without a quiet trial.
func TestBitten(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct {
		ratios
		harmed, known bool
	}{
		{ratios{1.1, 1, 0.9}, false, true},
		{ratios{1.3, 1, 1}, true, true},
		{ratios{1, 1, 0.5}, true, true},
		{ratios{nan, nan, 0.5}, true, true}, // bandwidth has no response time
		{ratios{nan, nan, nan}, false, false},
	} {
		if harmed, known := tt.bitten(); harmed != tt.harmed || known != tt.known {
			t.Errorf("%v: harmed %v, known %v", tt.ratios, harmed, known)
		}
	}
}
