package rundoc_test

import (
	"slices"
	"testing"

	"github.com/plimsoll/plimsoll/rundoc"
)

// A gap that is too small for a doubt is told beside the maximum.
func TestWarnsOfShortGap(t *testing.T) {
	for _, tt := range []struct {
		gaps []int64
		want bool
	}{{[]int64{60 * ms}, true}, {[]int64{49 * ms}, false}, {nil, false}, {[]int64{100 * ms, 101 * ms}, false}} {
		run := watched(soundRun(t))
		lasting(run, 10)
		stopped(t, run, tt.gaps...)
		said := slices.ContainsFunc(rundoc.Warnings(run), func(w rundoc.Warning) bool { return w.Code == rundoc.WarnGaps })
		if said != tt.want {
			t.Errorf("%v: %v", tt.gaps, said)
		}
	}
}
