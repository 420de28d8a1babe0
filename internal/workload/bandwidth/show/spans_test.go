package show

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/rundoc"
)

func TestUnion(t *testing.T) {
	block := func(from, to int64) rundoc.Block {
		return rundoc.Block{StartNS: from * 1e9, DurationNS: (to - from) * 1e9}
	}
	got := union([]rundoc.Block{block(5, 6), block(0, 2), block(1, 3), block(2, 3), block(6, 7)})
	if diff := cmp.Diff([]span{{0, 3}, {5, 7}}, got, cmp.AllowUnexported(span{})); diff != "" {
		t.Error(diff)
	}
}

// Where a transfer was not on, nothing is drawn, and what is drawn keeps its rate.
func TestClip(t *testing.T) {
	list := []pace{{span{0, 4}, 2, 20, 10}, {span{4, 8}, 4, 40, 4}}
	got := clip(list, []span{{0, 1}, {3, 5}, {7, 8}, {9, 10}})
	want := []pace{
		{span{0, 1}, 2, 20, 10}, {span{3, 4}, 2, 20, 10}, {span{4, 5}, 4, 40, 4}, {span{7, 8}, 4, 40, 4},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(pace{}, span{})); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(list, clip(list, nil), cmp.AllowUnexported(pace{}, span{})); diff != "" {
		t.Error(diff)
	}
}

// A download of which the network was ahead of the reads is drawn with both.
func TestMovements(t *testing.T) {
	pacesOf := func(client, network float64) []pace {
		return []pace{{span{0, 1}, 1, client, network}, {span{1, 2}, 1, 100, 100}}
	}
	for _, test := range []struct {
		name     string
		up, down []pace
		want     map[string]bool
	}{
		{"nothing", nil, nil, map[string]bool{}},
		{"in step", pacesOf(100, 100), pacesOf(95, 100), map[string]bool{"upload": true, "download": false}},
		{"ahead of the reads", nil, pacesOf(10, 100), map[string]bool{"download": true}},
		{"no requests", []pace{{span{0, 1}, 1, 5, 0}}, []pace{{span{0, 1}, 1, 5, 0}}, map[string]bool{"upload": false, "download": false}},
	} {
		got := map[string]bool{}
		for _, m := range movements([2][]pace{test.up, test.down}, false) {
			got[m.name] = m.network
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", test.name, diff)
		}
	}
	lines := movedSeries(movements([2][]pace{nil, pacesOf(10, 100)}, false))
	var names []string
	for _, s := range lines {
		names = append(names, s.Name)
	}
	if diff := cmp.Diff([]string{"download, network", "download, client"}, names); diff != "" {
		t.Error(diff)
	}
	// What was counted stands alone.
	lines = movedSeries(movements([2][]pace{nil, pacesOf(100, 100)}, true))
	if len(lines) != 1 || lines[0].Name != "download" {
		t.Errorf("%+v", lines)
	}
	// What a queue took as fast as memory does goes beyond the upper edge.
	all := movements([2][]pace{nil, pacesOf(1e9, 100e6)}, false)
	lines = movedSeries(all)
	if lines[1].Name != "download, client (up to 1,000 MB/s)" || lines[1].Y[0] != 1000 || ceiling(all) != 160e6 {
		t.Errorf("%v: %+v", ceiling(all), lines)
	}
}
