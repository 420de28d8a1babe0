package run

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/rundoc"
)

// What a run was to reach comes behind what is graver, and is told with it.
func TestOutcomeOfThresholds(t *testing.T) {
	value := func(ns float64) *float64 { return &ns }
	met := rundoc.Threshold{Expr: "p99<90ms", Unit: "ns", Limit: 90e6, Value: value(61.2e6), Met: true}
	missed := rundoc.Threshold{Expr: "p99<50ms", Unit: "ns", Limit: 50e6, Value: value(61.2e6), Free: value(60e6)}
	share := rundoc.Threshold{Expr: "failed<1%", Unit: "share", Limit: 0.01, Value: value(0.02)}
	own := rundoc.Threshold{Expr: "p99<60ms", Unit: "ns", Limit: 60e6, Value: value(61.2e6), Free: value(48e6)}
	none := rundoc.Threshold{Expr: "p99.9<60ms", Unit: "ns", Limit: 60e6, Why: "too few times"}
	ok := []rundoc.Operation{{Scheduled: 3, OK: 3}}
	const sentence = "p99<50ms was missed: p99 was 61.2 ms (60.0 ms corrected)"
	for _, test := range []struct {
		name string
		doc  rundoc.Run
		c    Conclusion
		want fault.Code
		says string
	}{
		{"met", rundoc.Run{Operations: ok, Thresholds: []rundoc.Threshold{met}}, Conclusion{}, fault.OK, ""},
		{"missed", rundoc.Run{Operations: ok, Thresholds: []rundoc.Threshold{met, missed}}, Conclusion{}, fault.Missed, sentence},
		{"two missed", rundoc.Run{Operations: ok, Thresholds: []rundoc.Threshold{missed, share}}, Conclusion{}, fault.Missed,
			sentence + "; failed<1% was missed: failed was 2.0%"},
		{"two missed, and told above", rundoc.Run{Operations: ok, Thresholds: []rundoc.Threshold{missed, share, met}},
			Conclusion{answered: true}, fault.Missed, "missed: p99<50ms, failed<1%"},
		{"the generator's own delay", rundoc.Run{Operations: ok, Thresholds: []rundoc.Threshold{met, own}}, Conclusion{}, fault.Untrusted,
			"p99<60ms cannot be evaluated: p99 was 61.2 ms, but 48.0 ms corrected"},
		{"no value", rundoc.Run{Operations: ok, Thresholds: []rundoc.Threshold{none}}, Conclusion{}, fault.Untrusted,
			"p99.9<60ms cannot be evaluated: too few times"},
		{"a miss is one, whatever cannot be evaluated besides", rundoc.Run{Operations: ok, Thresholds: []rundoc.Threshold{none, share}},
			Conclusion{}, fault.Missed, "failed<1% was missed: failed was 2.0%; p99.9<60ms cannot be evaluated: too few times"},
		{"interrupted", rundoc.Run{Operations: ok, Interrupted: true, Thresholds: []rundoc.Threshold{missed}}, Conclusion{},
			fault.Interrupted, "of the window; and " + sentence},
		{"invalid", rundoc.Run{Operations: ok, Thresholds: []rundoc.Threshold{missed},
			Verdict: rundoc.Verdict{Validity: rundoc.Invalid, Reasons: []string{"it was late"}}}, Conclusion{},
			fault.Untrusted, "it was late; and " + sentence},
		{"failed", rundoc.Run{Operations: ok, Thresholds: []rundoc.Threshold{missed}}, Conclusion{Failed: fault.New(fault.RunFailed, "it failed")},
			fault.RunFailed, "it failed; and " + sentence},
		{"failed, and no value", rundoc.Run{Operations: ok, Thresholds: []rundoc.Threshold{none}},
			Conclusion{Failed: fault.New(fault.RunFailed, "it failed")}, fault.RunFailed, "it failed"},
		{"worse", rundoc.Run{Operations: ok, Thresholds: []rundoc.Threshold{missed}}, Conclusion{Worse: fault.New(fault.Missed, "it is worse")},
			fault.Missed, "it is worse; and " + sentence},
		{"no telling whether it is worse", rundoc.Run{Operations: ok, Thresholds: []rundoc.Threshold{share}},
			Conclusion{Worse: fault.New(fault.Untrusted, "nobody knows")}, fault.Untrusted, "nobody knows; and failed<1% was missed"},
		{"one missed, and told above", rundoc.Run{Operations: ok, Thresholds: []rundoc.Threshold{missed}},
			Conclusion{answered: true}, fault.Missed, sentence},
		{"ended early", rundoc.Run{Operations: ok, Aborted: "p99<90ms", Thresholds: []rundoc.Threshold{met}}, Conclusion{}, fault.Missed,
			"p99<90ms was missed, which ended the run"},
	} {
		err := Outcome(&test.doc, "calls", test.c)
		said := ""
		if err != nil {
			said = err.Error()
		}
		if fault.CodeOf(err) != test.want || !strings.HasSuffix(said, test.says) && !strings.Contains(said, test.says) || (said == "") != (test.says == "") {
			t.Errorf("%s: %v, %q; want %v, %q", test.name, fault.CodeOf(err), said, test.want, test.says)
		}
	}
}

// goalsOf reads settings as the command line does.
func goalsOf(known figure.Known, abort bool, texts ...string) (*Goals, error) {
	g := &Goals{AbortOnMiss: abort}
	set := new(setting.Set).Group("Thresholds", g.Settings(known)...)
	for _, text := range texts {
		if err := set.Lookup("threshold").Set(text); err != nil {
			return nil, err
		}
	}
	return g, set.Check()
}

func TestGoals(t *testing.T) {
	g, err := goalsOf(figure.Known{Kind: "chat"}, true, "p99<50ms", "p99 < 50ms", "failed<1%")
	if err != nil || len(g.Thresholds) != 2 {
		t.Fatalf("%+v, %v", g, err)
	}
	if goals := g.Settings(figure.Known{Kind: "chat"})[0]; !goals.Unended {
		t.Error("a figure's name ends the completion of a threshold, behind which a comparison comes")
	}
	for _, test := range []struct {
		abort bool
		texts []string
		want  string
	}{
		{false, []string{"p99<<50ms"}, `--threshold "p99<<50ms": "<<" is not a comparison: write <, <=, > or >=`},
		{false, []string{"p99<1s", ""}, `--threshold "": it is empty: write a threshold such as p99<50ms`},
		{true, nil, "--abort-on-miss needs --threshold"},
	} {
		if _, err := goalsOf(figure.Known{Kind: "chat"}, test.abort, test.texts...); fault.CodeOf(err) != fault.Usage || err.Error() != test.want {
			t.Errorf("%q: %v, want %s", test.texts, err, test.want)
		}
	}
}

// A figure that another kind has is said to be that one's.
func TestFigureOfAnotherKind(t *testing.T) {
	number := func(*rundoc.Run, map[string]string) figure.Value { return figure.Value{} }
	chat := Kind{Name: "chat"}
	kinds := []Kind{chat, {Name: "updates", Report: report.Kind{Figures: []figure.Source{{Name: "applied", Unit: figure.Count, Number: number}}}}}
	for text, want := range map[string]string{
		"applied>5": `--threshold "applied>5": applied is a metric of updates, not of chat`,
		"aplied>5":  `--threshold "aplied>5": "aplied" is not a metric of chat: 'plimsoll help metrics' lists all`,
		"p101<1s":   `--threshold "p101<1s": p101: a percentile is below 100`,
	} {
		_, err := goalsOf(chat.Report.Known(chat.Name), false, text)
		if err = FigureOf(kinds, chat, err); fault.CodeOf(err) != fault.Usage || err.Error() != want {
			t.Errorf("%s: %v\nwant %s", text, err, want)
		}
	}
}
