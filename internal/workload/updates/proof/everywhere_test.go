package proof

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/rundoc"
)

func TestEverywhereSumsServers(t *testing.T) {
	published := []rundoc.Published{
		{Publisher: 1, Next: 10, Unsure: []uint64{3, 7}},
		{Publisher: 2, Next: 6, Unused: []rundoc.SequenceSpan{{First: 2, Last: 3}}},
		{Publisher: 3, Next: 2},
	}
	all, lost := Everywhere(published, []*kvapi.Run{
		{Publishers: []kvapi.Received{{Publisher: 1, Next: 9}, {Publisher: 2, Next: 2, Beyond: []kvapi.Span{{First: 4, Last: 5}}},
			{Publisher: 3, Next: 2}}},
		nil,
		{Publishers: []kvapi.Received{{Publisher: 1, Next: 3, Beyond: []kvapi.Span{{First: 5, Last: 9}}}, {Publisher: 2, Next: 6},
			{Publisher: 9, Next: 4}}},
	})
	want := []kvapi.Received{
		{Publisher: 1, Beyond: []kvapi.Span{{First: 0, Last: 2}, {First: 5, Last: 8}}, Batches: 7},
		{Publisher: 2, Beyond: []kvapi.Span{{First: 0, Last: 1}, {First: 4, Last: 5}}, Batches: 4},
		{Publisher: 3},
	}
	if diff := cmp.Diff(want, all.Publishers); diff != "" {
		t.Errorf("received (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]rundoc.LostSpan{{Publisher: 1, First: 4, Last: 4}, {Publisher: 1, First: 9, Last: 9},
		{Publisher: 3, First: 0, Last: 1}}, lost); diff != "" {
		t.Errorf("lost (-want +got):\n%s", diff)
	}
	if all, lost := Everywhere(published, []*kvapi.Run{nil}); Batches(all) != 0 || len(lost) != 0 {
		t.Errorf("of servers that did not respond: %+v, lost %v", all, lost)
	}
}
