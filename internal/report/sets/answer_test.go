package sets_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/sets"
	"github.com/plimsoll/plimsoll/setdoc"
)

// text is the whole report of a set, without its line ends.
func text(t *testing.T, set *setdoc.Set) string {
	t.Helper()
	var b bytes.Buffer
	if err := sets.Page(sets.Source{Set: set}, report.Options{}).Text(&b, report.Options{}); err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// The order is said to have been drawn by lot where it was, and the plan has what was varied in words.
func TestOrderAndPlanInWords(t *testing.T) {
	set := document(t, "plateau")
	set.Plan = []byte(`{"random_order":false,"repeats":3,"vary":[{"setting":"clients","numeric":true}],"run":{"load":{"clients":1}}}`)
	got := text(t, set)
	for _, want := range []string{"vary clients 1, 2, 4, 8, 16, 32, 64", "first setting load (clients 1)"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	if strings.Contains(got, "random order") {
		t.Error("the order that was given is said to be random order")
	}
	set.Plan = []byte(`{"random_order":true}`)
	if got := text(t, set); !strings.Contains(got, "random order") {
		t.Error(got)
	}
}

// A set that was made by other rules says so: nothing holds its levels against its runs.
func TestOtherRulesAreTold(t *testing.T) {
	const said = "without checking it against the runs"
	set := document(t, "plateau")
	if strings.Contains(text(t, set), said) {
		t.Error("it is said of this program's own rules")
	}
	set.Sweep.Rules++
	if got := text(t, set); !strings.Contains(got, said) {
		t.Error(got)
	}
	const ofLaunches = "without checking it against the launches"
	set = document(t, "compare-worse")
	if strings.Contains(text(t, set), ofLaunches) {
		t.Error("it is said of a comparison by this program's own rules")
	}
	set.Comparison.Rules--
	if got := text(t, set); !strings.Contains(got, ofLaunches) {
		t.Error(got)
	}
}

// A sweep that was cut short, or whose command was killed, says how many of its runs there are, and not how many each
// setting was to have.
func TestASweepThatWasCutShort(t *testing.T) {
	set := document(t, "law")
	set.Members, set.Sweep.Rows, set.Sweep.Levels = set.Members[:1], set.Sweep.Rows[:1], set.Sweep.Levels[:1]
	set.Sweep.Peak, set.Sweep.Best, set.Sweep.FailsFrom, set.Sweep.Base = new(0), new(0), nil, nil
	var text bytes.Buffer
	if err := sets.Page(sets.Source{Set: set}, report.Options{}).Brief(&text, report.Options{}); err != nil {
		t.Fatal(err)
	}
	if said := text.String(); !strings.Contains(said, "\n1 of 21 runs · window") || strings.Contains(said, "setting ×") {
		t.Error(said)
	}
}
