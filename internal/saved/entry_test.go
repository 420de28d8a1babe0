package saved

import (
	"testing"

	"github.com/plimsoll/plimsoll/setdoc"
)

// The list says of a comparison what its report says: that nothing is known is not that nothing differs.
func TestWhatTheListSaysOfAComparison(t *testing.T) {
	none := setdoc.Contrast{Outcome: setdoc.NoneShown, Absent: setdoc.NoneOnEither}
	alike := setdoc.Contrast{Outcome: setdoc.NoneShown, Absent: setdoc.AlikeInEach}
	for want, sets := range map[string][][]setdoc.Contrast{
		"not known":           {{{Outcome: setdoc.Unknown}, none}},
		"no difference shown": {{{Outcome: setdoc.Unknown}, {Outcome: setdoc.NoneShown}}, {none, alike}},
		"B is better":         {{{Outcome: setdoc.NoneShown}, {Outcome: setdoc.Better}}},
		"B is worse":          {{{Outcome: setdoc.Better}, {Outcome: setdoc.Worse}}},
	} {
		for _, rows := range sets {
			found := Saved{Set: &setdoc.Set{Kind: setdoc.KindCompare, Comparison: &setdoc.Comparison{Workload: "lab", Rows: rows}}}
			if e := found.Describe(nil); e.Rate != want || e.What() != "compare lab" {
				t.Errorf("%s: %s, want %q", e.What(), e.Rate, want)
			}
		}
	}
}
