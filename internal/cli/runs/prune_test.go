package runs

import (
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/saved"
)

func TestWhatPruneChooses(t *testing.T) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	ago := func(days int) time.Time { return now.Add(-time.Duration(days) * 24 * time.Hour) }
	entries := []saved.Entry{
		{ID: "f", Kind: "sweep", Workload: "chat", Started: ago(1), Open: true, Changed: ago(0).UnixNano()},
		{ID: "e", Kind: saved.KindRun, Workload: "chat", Started: ago(2), Changed: ago(2).UnixNano(),
			Labels: []string{"nightly"}},
		{ID: "d", Error: "broken"},
		{ID: "c", Kind: saved.KindRun, Workload: "bandwidth", Started: ago(10)},
		{ID: "b", Kind: "sweep", Workload: "chat", Started: ago(20), Open: true, Changed: ago(19).UnixNano()},
		{ID: "a", Kind: saved.KindRun, Workload: "chat", Started: ago(40), Labels: []string{"nightly"}},
	}
	number := func(n int) *int { return &n }
	for name, tt := range map[string]struct {
		p             pruning
		goes, written string
	}{
		"none kept":       {pruning{keep: number(0)}, "ecba", "f"},
		"two kept":        {pruning{keep: number(2)}, "cba", ""},
		"all kept":        {pruning{keep: number(9)}, "", ""},
		"older":           {pruning{older: 15 * 24 * time.Hour}, "ba", ""},
		"older, unsaid":   {pruning{older: time.Hour}, "ecba", "f"},
		"both":            {pruning{keep: number(4), older: time.Hour}, "a", ""},
		"of a label":      {pruning{keep: number(1), filter: saved.Filter{Labels: []string{"nightly"}}}, "a", ""},
		"of another kind": {pruning{keep: number(0), filter: saved.Filter{Kind: "bandwidth"}}, "c", ""},
	} {
		goes, written := tt.p.choose(tt.p.filter.Pick(entries), now)
		ids := func(list []saved.Entry) (s string) {
			for _, e := range list {
				s += e.ID
			}
			return s
		}
		if ids(goes) != tt.goes || ids(written) != tt.written {
			t.Errorf("%s: %s goes, %s stays; want %s, %s", name, ids(goes), ids(written), tt.goes, tt.written)
		}
	}
}
