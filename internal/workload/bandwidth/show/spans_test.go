package show

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/plot/vg/draw"

	"github.com/plimsoll/plimsoll/internal/report/chart"
	"github.com/plimsoll/plimsoll/rundoc"
)

// closes are so many of them, each of a length after such a gap, in ms. The longest is the last.
func closes(n int, length, gap int64) (list []rundoc.Block) {
	at := int64(0)
	for i := range n {
		took := length*1e6 + int64(i)*1000
		list = append(list, rundoc.Block{Operation: rundoc.OperationCloseUpload, StartNS: at, DurationNS: took})
		at += took + gap*1e6
	}
	return list
}

// wide is a panel of a window of so many seconds, with a scale of durations up to 10 s.
func wide(end float64) chart.Panel {
	p := chart.NewPanel("", end)
	p.Vertical(0, 10e9, nil)
	return p
}

func TestSpanLabels(t *testing.T) {
	point := func(at, ms int64) rundoc.Block { return rundoc.Block{StartNS: at * 1e6, DurationNS: ms * 1e6} }
	for _, test := range []struct {
		name         string
		list, others []rundoc.Block
		want         []string
		below        bool // the first one
	}{
		{"one", closes(1, 2000, 0), nil, []string{"close 2.00 s"}, false},
		{"as many as there is room for", closes(3, 2000, 1000), nil, []string{"close 2.00 s", "close 2.00 s", "close 2.00 s"}, false},
		{"too close to each other", closes(12, 100, 100), nil, []string{"longest close 100 ms"}, false},
		{"too many", closes(13, 500, 200), nil, []string{"longest close 500 ms"}, false},
		{"streams that close at the same time", append(closes(1, 2000, 0), closes(1, 2000, 0)...), nil, []string{"close 2.00 s", "close 2.00 s"}, false},
		{"a point above", closes(1, 2000, 0), []rundoc.Block{point(1900, 2400)}, []string{"close 2.00 s"}, true},
		{"points above and below", closes(1, 2000, 0), []rundoc.Block{point(1900, 2400), point(1900, 1600)}, []string{"longest close 2.00 s"}, false},
		{"at the upper edge", closes(1, 9900, 0), nil, []string{"close 9.90 s"}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := wide(10)
			labels := spanLabels(&p, test.list, test.others)
			var words []string
			for _, l := range labels {
				words = append(words, l.words)
			}
			if diff := cmp.Diff(test.want, words); diff != "" || labels[0].below != test.below {
				t.Errorf("below %v, %s", labels[0].below, diff)
			}
		})
	}
	// A short close at the beginning has its label after its start: there is nothing before it.
	p := wide(10)
	if l := spanLabels(&p, closes(1, 100, 0), nil)[0]; l.align != draw.XLeft || l.at.X != 0 {
		t.Errorf("%+v", l)
	}
}

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

// Uploads and downloads of many small files take turns faster than can be drawn: their stretches stay whole.
func TestClipOfManyFiles(t *testing.T) {
	list := []pace{{span{0, 1}, 0.5, 20, 10}, {span{1, 2}, 0.4, 40, 4}}
	spans := make([]span, mostClips+1)
	for i := range spans {
		spans[i] = span{2 * float64(i) / 100, (2*float64(i) + 1) / 100}
	}
	if n := len(clip(list, spans[1:])); n <= len(list) {
		t.Errorf("%d stretches of %d transfers that can be told apart", n, mostClips)
	}
	if diff := cmp.Diff(list, clip(list, spans), cmp.AllowUnexported(pace{}, span{})); diff != "" {
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
	all := movements([2][]pace{nil, pacesOf(10, 100)}, false)
	p := bandwidthPanel(2, "", all)
	var names []string
	for _, e := range p.Legend {
		names = append(names, e.Name)
	}
	if diff := cmp.Diff([]string{"download, network", "download, client"}, names); diff != "" {
		t.Error(diff)
	}
	// What was counted stands alone.
	p = bandwidthPanel(2, "", movements([2][]pace{nil, pacesOf(100, 100)}, true))
	if len(p.Legend) != 1 || p.Legend[0].Name != "download" {
		t.Errorf("%+v", p.Legend)
	}
	p = bandwidthPanel(2, "", movements([2][]pace{nil, pacesOf(1e9, 100e6)}, false))
	if p.Legend[1].Name != "download, client (up to 1,000 MB/s)" {
		t.Errorf("%+v", p.Legend)
	}
}
