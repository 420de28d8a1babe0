package view

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/fault"
	"github.com/plimsoll/plimsoll/internal/page"
	"github.com/plimsoll/plimsoll/internal/saved"
	"github.com/plimsoll/plimsoll/rundoc"
	"github.com/plimsoll/plimsoll/setdoc"
)

func TestARowOfAMember(t *testing.T) {
	rate, p99 := 1500.0, int64(2e6)
	set := reference{id: "set"}
	for name, c := range map[string]struct {
		m    setdoc.Member
		want page.ListRow
	}{
		"all of it": {setdoc.Member{Name: "first", Workload: "tea", Target: "pot", RatePerS: &rate, P99NS: &p99, Path: "a.json",
			Verdict: rundoc.Verdict{Validity: rundoc.Valid}},
			page.ListRow{To: "/runs/set/3", Mark: "set/3", Cells: []string{"3. first", "tea", "pot", "1,500/s", "2.00 ms", "valid"},
				Tone: page.ToneGood, Save: page.Link{Text: "JSON", To: "/document/set/3"}}},
		"a result of its own": {setdoc.Member{Name: "a", Result: "5 MiB/s", RatePerS: &rate},
			page.ListRow{Cells: []string{"3. a", "", "", "5 MiB/s", "", ""}, Tone: page.TonePlain}},
		"failed": {setdoc.Member{Name: "a", Error: "no host", Verdict: rundoc.Verdict{Validity: rundoc.Invalid}},
			page.ListRow{Cells: []string{"3. a", "", "", "", "", "invalid: no host"}, Tone: page.ToneBad}},
		"failed before": {setdoc.Member{Name: "a", Error: "no host"},
			page.ListRow{Cells: []string{"3. a", "", "", "", "", "no host"}, Tone: page.TonePlain}},
	} {
		if diff := cmp.Diff(c.want, memberRow(set, 2, &c.m)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// A run that missed a threshold, a comparison that found B worse, and a command that failed are never in green.
func TestFailuresAreNotShownInGreen(t *testing.T) {
	for name, e := range map[string]saved.Entry{
		"a missed threshold": {Kind: saved.KindRun, Verdict: "valid", Missed: []string{"p99<1ms"}},
		"an exit status":     {Kind: saved.KindRun, Verdict: "valid", Exit: int(fault.Missed)},
		"a failed set":       {Kind: "plan", Verdict: "valid", Exit: int(fault.RunFailed)},
		"a worse side":       {Kind: "compare", Verdict: "valid", Rate: "B is worse"},
	} {
		if got := rowOf(&e); got.Tone != page.ToneBad {
			t.Errorf("%s: %s", name, got.Tone)
		}
	}
	for name, e := range map[string]saved.Entry{
		"an interrupt":  {Kind: saved.KindRun, Verdict: "valid", Exit: int(fault.Interrupted)},
		"a better side": {Kind: "compare", Verdict: "valid", Rate: "B is better"},
	} {
		if got := rowOf(&e); got.Tone != page.ToneGood {
			t.Errorf("%s: %s", name, got.Tone)
		}
	}
	missed := setdoc.Member{Name: "a", Verdict: rundoc.Verdict{Validity: rundoc.Valid}, Exit: int(fault.Missed)}
	if got := memberRow(reference{id: "set"}, 0, &missed); got.Tone != page.ToneBad {
		t.Errorf("a member that missed: %s", got.Tone)
	}
}
