package sweep

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/setdoc"
)

// edited are rows of which those of a value are changed.
func edited(rows []setdoc.Row, value string, edit func(*setdoc.Row)) []setdoc.Row {
	for i := range rows {
		if rows[i].Values[0] == value {
			edit(&rows[i])
		}
	}
	return rows
}

// otherPlan is a sweep over numbers that do not say how much goes on at once.
func otherPlan(repeats int, values ...string) Plan {
	p := clientsPlan(repeats, values...)
	p.Vary[0].Setting, p.Vary[0].Concurrency = "rate", false
	return p
}

// What is said of a sweep, word by word.
func TestWhatIsSaid(t *testing.T) {
	named := func(repeats int, values ...string) Plan {
		p := clientsPlan(repeats, values...)
		p.Vary = []setdoc.Vary{{Setting: "policy", Values: values}}
		return p
	}
	const deviation = 0.02
	apart := func(by float64) float64 { return 100 * math.Exp(-by*deviation*math.Sqrt(2./3)) }
	invalid := func(r *setdoc.Row) { r.Validity, r.Reasons = "invalid", []string{"Too busy."} }
	suspect := func(r *setdoc.Row) { r.Validity, r.Reasons = "suspect", []string{"Slow."} }
	fail := func(r *setdoc.Row) { r.Failed, r.Causes = r.OK, []setdoc.CauseCount{{Cause: "reset", Count: 3}} }
	const once = "No level was measured twice: nobody can tell by how much runs differ, and what less than 10 % of a difference " +
		"means. Repeat each level, three times or more."
	for name, tt := range map[string]struct {
		plan   Plan
		rows   []setdoc.Row
		want   string
		doubts []string
	}{
		"a plateau that looks lower": {otherPlan(3, "1", "2", "4"),
			slices.Concat(near("1", 50, 0.08), near("2", 100, 0.08), near("4", 95, 0.08)),
			"Rate 2: 100/s, as much as any level has. With more there is 95.2/s at rate 4, which the runs do not tell apart " +
				"from it.", nil},
		"one name": {named(1, "a"), []setdoc.Row{rowAt("a", 1, 1, 100)}, "Policy a: 100/s, the only level that can be used.",
			[]string{once}},
		"two names, once": {named(1, "a", "b"), []setdoc.Row{rowAt("a", 1, 1, 100), rowAt("b", 1, 1, 99)},
			"Policy a: 100/s, 1.01 % more than policy b, the next.", []string{once}},
		"names that fail, or are invalid": {named(1, "a", "b", "c"),
			edited(edited([]setdoc.Row{rowAt("a", 1, 1, 100), rowAt("b", 1, 1, 99), rowAt("c", 1, 1, 98)}, "b", fail), "c", invalid),
			"Policy a: 100/s, the only level that can be used.",
			[]string{once, "Policy c: no run is valid, so that it is held against no other level: Too busy."}},
		"three names, not apart": {named(3, "a", "b", "c"),
			slices.Concat(near("a", 100, deviation), near("b", apart(2.7), deviation), near("c", 50, deviation)),
			"Policy a: 100/s, the best; policy b has 95.7/s, which the repeats do not tell apart from it.", nil},
		"three names, apart": {named(3, "a", "b", "c"),
			slices.Concat(near("a", 100, deviation), near("b", apart(3.1), deviation), near("c", 50, deviation)),
			"Policy a: 100/s, 5.19 % more than policy b, the next.", nil},
		"the best name fails": {named(1, "a", "b"), edited([]setdoc.Row{rowAt("a", 1, 1, 100), rowAt("b", 1, 1, 90)}, "a", fail),
			"Policy b: 90.0/s, the only level that can be used.", []string{once,
				"The best figure is that of policy a, where 50 % of the operations do not end ok, mostly by reset."}},
		"the first level fails, and has most": {clientsPlan(1, "1", "2"),
			edited([]setdoc.Row{rowAt("1", 1, 1, 100), rowAt("2", 1, 2, 90)}, "1", fail),
			"Clients 2: 90.0/s, 10 % less than at clients 1. It is the highest level that was measured: the best may lie beyond it.",
			[]string{once, "One client with one operation under way was not measured, or too much of it failed: the prediction is " +
				"by clients 2, the lowest level that does not fail, and the efficiency is that against it.",
				"The efficiency of clients 1 is 222 %: either clients help each other, or W₁, which comes from clients 2 and is " +
					"measured once, is too long, and every efficiency too high. Measure that level again, longer or more often.",
				"The best figure is that of clients 1, where 50 % of the operations do not end ok, mostly by reset."}},
		"the first level fails, and is the most efficient": {clientsPlan(1, "1", "2", "4"),
			edited([]setdoc.Row{rowAt("1", 1, 1, 100), rowAt("2", 1, 2, 90), rowAt("4", 1, 4, 189)}, "1", fail),
			"Clients 4: 189/s, 110 % more than at clients 2. It is the highest level that was measured: the best may lie beyond it.",
			[]string{once, "One client with one operation under way was not measured, or too much of it failed: the prediction is " +
				"by clients 2, the lowest level that does not fail, and the efficiency is that against it.",
				"The efficiency of clients 1 is 222 %: either clients help each other, or W₁, which comes from clients 2 and is " +
					"measured once, is too long, and every efficiency too high. Measure that level again, longer or more often."}},
		"no level of one client": {clientsPlan(1, "2", "4"), []setdoc.Row{rowAt("2", 1, 2, 100), rowAt("4", 1, 4, 190)},
			"Clients 4: 190/s, 90 % more than at clients 2. It is the highest level that was measured: the best may lie beyond it.",
			[]string{once, "One client with one operation under way was not measured: the prediction is by clients 2, the lowest " +
				"level, and the efficiency is that against it. Add a level of 1."}},
		"a lower level fails, of a rate": {otherPlan(1, "1", "2", "4"), edited([]setdoc.Row{rowAt("1", 1, 1, 100), rowAt("2", 1, 2, 90), rowAt("4", 1, 2, 50)}, "1", fail),
			"Rate 2: 90.0/s. With more it falls: 50.0/s at rate 4, 50 % less than at rate 1.",
			[]string{once, "The best figure is that of rate 1, where 50 % of the operations do not end ok, mostly by reset."}},
		"it lags, and fails": {clientsPlan(1, "1"), edited([]setdoc.Row{rowAt("1", 1, 1, 100)}, "1", func(r *setdoc.Row) {
			fail(r)
			r.OfferedPerS = new(500.0)
		}), "None of these: at the best figure, that of clients 1, 50 % of the operations do not end ok, mostly by reset, and the " +
			"others are no better.", []string{once,
			"The load was offered at a rate, so that clients is but a limit: nothing is predicted by Little's law."}},
		"it lags": {clientsPlan(1, "1"), edited([]setdoc.Row{rowAt("1", 1, 1, 100)}, "1", func(r *setdoc.Row) {
			r.OfferedPerS = new(500.0)
		}), "None of these: at the best figure, that of clients 1, only 100/s of the 500/s that were offered get through, and the " +
			"others are no better.", []string{once,
			"The load was offered at a rate, so that clients is but a limit: nothing is predicted by Little's law."}},
		"nothing beyond it is valid": {clientsPlan(1, "1", "2", "4"),
			edited(edited([]setdoc.Row{rowAt("1", 1, 1, 100), rowAt("2", 1, 2, 90), rowAt("4", 1, 4, 95)}, "2", invalid), "4", invalid),
			"Clients 1: 100/s. Nobody knows what comes beyond it: the runs of the 2 levels above it are invalid.",
			[]string{once, "Clients 2: no run is valid, so that it is held against no other level: Too busy.",
				"Clients 4: no run is valid, so that it is held against no other level: Too busy."}},
		"one of two runs": {clientsPlan(2, "1", "2"), []setdoc.Row{rowAt("1", 1, 1, 100), rowAt("1", 2, 1, 100), rowAt("2", 1, 2, 200)},
			"Clients 2: 200/s, 100 % more than at clients 1. It is the highest level that was measured: the best may lie beyond it.",
			[]string{"1 of 4 runs are missing."}},
		"efficiencies above all": {clientsPlan(1, "1", "2", "4", "8"), []setdoc.Row{rowAt("1", 1, 1, 100), rowAt("2", 1, 2, 210),
			rowAt("4", 1, 4, 480), rowAt("8", 1, 8, 880)},
			"Clients 8: 880/s, 83.3 % more than at clients 4. It is the highest level that was measured: the best may lie beyond it.",
			[]string{once, "The efficiency of clients 4 is 120 %: either clients help each other, or W₁, which comes from clients 1 " +
				"and is measured once, is too long, and every efficiency too high. Measure that level again, longer or more often."}},
		"one of 103 %": {clientsPlan(1, "1", "2"), []setdoc.Row{rowAt("1", 1, 1, 100), rowAt("2", 1, 2, 205.9)},
			"Clients 2: 206/s, 106 % more than at clients 1. It is the highest level that was measured: the best may lie beyond it.",
			[]string{once}},
		"one of more": {clientsPlan(1, "1", "2"), []setdoc.Row{rowAt("1", 1, 1, 100), rowAt("2", 1, 2, 206.2)},
			"Clients 2: 206/s, 106 % more than at clients 1. It is the highest level that was measured: the best may lie beyond it.",
			[]string{once, "The efficiency of clients 2 is 103 %: either clients help each other, or W₁, which comes from clients 1 " +
				"and is measured once, is too long, and every efficiency too high. Measure that level again, longer or more often."}},
		"suspects": {clientsPlan(1, "1", "2", "4", "8", "16"), edited(edited(edited(edited([]setdoc.Row{rowAt("1", 1, 1, 100),
			rowAt("2", 1, 2, 199), rowAt("4", 1, 4, 200), rowAt("8", 1, 8, 198), rowAt("16", 1, 16, 197)}, "2", suspect), "4", suspect),
			"8", suspect), "16", func(r *setdoc.Row) { r.Validity = "suspect" }),
			"Clients 2: 199/s, as much as any level has. With more it stays at that: 197/s at clients 16.",
			[]string{once, "Clients 2 is suspect: Slow.", "Clients 4 is suspect: Slow.",
				"Other levels are suspect, as the verdicts of their runs say: clients 8; clients 16."}},
		"one suspect that does not count": {otherPlan(1, "1", "2"), edited([]setdoc.Row{rowAt("1", 1, 1, 50),
			rowAt("2", 1, 2, 99)}, "1", suspect),
			"Rate 2: 99.0/s, 98 % more than at rate 1. It is the highest level that was measured: the best may lie beyond it.",
			[]string{once, "Other levels are suspect, as the verdicts of their runs say: rate 1."}},
		"a suspect without a reason": {clientsPlan(1, "1"), edited([]setdoc.Row{rowAt("1", 1, 1, 100)}, "1",
			func(r *setdoc.Row) { r.Validity = "suspect" }),
			"Clients 1: 100/s. It is the highest level that was measured: the best may lie beyond it.",
			[]string{once, "Clients 1 is suspect: its verdict gives no reason."}},
	} {
		s := Analyze(tt.plan, tt.rows)
		if diff := cmp.Diff(tt.want, s.Recommended); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if diff := cmp.Diff(tt.doubts, s.Doubts); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// The law has a peak where more brings less, and is refused with the reason where it cannot be.
func TestTheLaw(t *testing.T) {
	law := func(sigma, kappa float64, values ...string) (rows []setdoc.Row) {
		for _, value := range values {
			n := numbers([]string{value})[value]
			for i, off := range []float64{0.999, 1, 1.001} {
				rows = append(rows, rowAt(value, i+1, n, off*100*n/(1+sigma*(n-1)+kappa*n*(n-1))))
			}
		}
		return rows
	}
	values := []string{"1", "2", "4", "8", "16", "32"}
	p := clientsPlan(3, values...)
	s := Analyze(p, law(0.02, 0.01, values...))
	if s.Scaling.Peak == nil || math.Abs(s.Scaling.Peak.Value-math.Sqrt(0.98/0.01)) > 0.1 || s.Scaling.NoPeak != "" ||
		s.Scaling.Refused != "" || math.Abs(s.Scaling.Spread-0.001) > 3e-4 || s.Doubts != nil {
		t.Errorf("%+v, %q", s.Scaling, s.Doubts)
	}
	s = Analyze(p, law(0.02, 0, values...))
	if s.Scaling.Peak != nil || s.Scaling.NoPeak == "" || s.Scaling.Lambda == nil {
		t.Errorf("%+v", s.Scaling)
	}
	rows := law(0.02, 0, values[:3]...)
	if s = Analyze(p, rows); s.Scaling.Refused != "too few levels: 3, and 4 are needed" {
		t.Errorf("%+v", s.Scaling)
	}
	rows[4].OfferedPerS = new(1.0)
	if s = Analyze(p, rows); s.Scaling.Refused != "the load was offered at a rate: clients does not say how much went on at once" {
		t.Errorf("%+v", s.Scaling)
	}
	rows[4].OfferedPerS, rows[4].Throughput = nil, nil
	if s = Analyze(p, rows); s.Scaling.Refused != "in runs with clients 2 nothing was ok, and the law knows no such throughput" {
		t.Errorf("%+v", s.Scaling)
	}
}
