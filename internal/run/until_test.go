package run

import (
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/plan"
	"github.com/plimsoll/plimsoll/internal/setting"
	"github.com/plimsoll/plimsoll/rundoc"
)

// given is what the settings of --until make of these texts, and of a load with these flags.
func given(t *testing.T, flags []string, texts ...string) (*Until, *plan.Load, error) {
	t.Helper()
	u, load := new(Until), &plan.Load{WarmupClients: 4, WarmupOperations: 1000, WarmupTime: time.Second}
	s := new(setting.Set).Group("", u.Settings(figure.Known{Kind: "http"})...)
	for _, text := range texts {
		if err := s.Lookup("until").Set(text); err != nil {
			t.Fatal(err)
		}
	}
	if err := u.Resolve(load, func(flag string) bool {
		for _, f := range flags {
			if f == flag {
				return true
			}
		}
		return false
	}); err != nil {
		return u, load, err
	}
	return u, load, s.Check()
}

func TestUntilIsRead(t *testing.T) {
	for text, want := range map[string]string{
		"p99±5%": "p99±5%", "p99+-5%": "p99±5%", " p99.9 +/- 2.5%": "p99.9±2.5%", "service.p50±1%": "service.p50±1%",
		"mean±50%": "mean±50%", "rate±3%": "rate±3%", "failed±20%": "failed±20%", "p95{operation=a}±5%": "p95{operation=a}±5%",
	} {
		u, load, err := given(t, nil, text)
		if err != nil || u.Asked().String() != want {
			t.Errorf("%s: %v, %v", text, u.Asked(), err)
			continue
		}
		if load.Duration != untilMost || load.WarmupTime != untilWarmup || load.WarmupOperations != 0 {
			t.Errorf("%s: %+v", text, load)
		}
	}
	_, load, err := given(t, []string{"warmup-time"}, "p99±5%")
	if err != nil || load.WarmupTime != time.Second {
		t.Errorf("a warm-up that was given: %v, %v", load.WarmupTime, err)
	}
	if u, load, err := given(t, nil); err != nil || u.Asked() != nil || load.Duration != 0 || u.watch() != nil {
		t.Errorf("nothing asked: %+v, %v", load, err)
	}
}

func TestUntilIsRefused(t *testing.T) {
	for _, text := range []string{"5%", "p99<50ms", "latencies"} {
		if _, _, err := given(t, nil, text); !strings.Contains(fault.HintOf(err), "p99±5%") {
			t.Errorf("--until %s: %v (%s)", text, err, fault.HintOf(err))
		}
	}
	for _, test := range []struct{ flags, text, want string }{
		{"", "p99", "the precision of p99 is missing"},
		{"", "p99±", "the precision of p99 is missing"},
		{"", "p99±0%", "±0% is out of range: it must be from ±1% to ±50%"},
		{"", "p99±200%", "±200% is out of range"},
		{"", "p99±NaN%", "out of range"},
		{"", "p99±5ms", `"5ms" is not a share of the metric`},
		{"", "latencies±5%", `"latencies" is not a metric of http`},
		{"", "±5%", "the metric is missing"},
		{"", "max±5%", "the precision of this metric is unknown during a run"},
		{"", "connect.p99±5%", "the precision of this metric is unknown during a run"},
		{"", "reconnects±5%", "the precision of this metric is unknown during a run"},
		{"duration", "p99±5%", "--until and --duration cannot be combined"},
		{"messages", "p99±5%", "--until and --messages cannot be combined"},
		{"stages", "p99±5%", "--until and --stages cannot be combined"},
	} {
		_, _, err := given(t, strings.Fields(test.flags), test.text)
		if err == nil || fault.CodeOf(err) != fault.Usage || !strings.Contains(err.Error(), test.want) || fault.HintOf(err) == "" &&
			!strings.Contains(err.Error(), "help metrics") && test.want != "the metric is missing" {
			t.Errorf("%s %s: %v", test.flags, test.text, err)
		}
	}
	if _, _, err := given(t, nil, "p99±5%", "p50±5%"); err == nil || !strings.Contains(err.Error(), "--until is given 2 times") {
		t.Errorf("twice: %v", err)
	}
}

// What is not known is told, and the run cannot say what it was asked: no success.
func TestUntilNotReachedIsUntrusted(t *testing.T) {
	doc := &rundoc.Run{Until: &rundoc.Until{Figure: "p99", Within: 0.05, Why: "it is not steady", TakesNS: 60e9}}
	err := unknown(doc)
	if fault.CodeOf(err) != fault.Untrusted || err.Error() != "p99 did not reach the precision of 5%: it is not steady" ||
		!strings.Contains(fault.HintOf(err), "--until-most") {
		t.Errorf("%v (%s)", err, fault.HintOf(err))
	}
	doc.Until.Known = true
	if err := unknown(doc); err != nil {
		t.Error(err)
	}
}
