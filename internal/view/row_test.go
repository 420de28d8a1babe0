package view

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/page"
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
