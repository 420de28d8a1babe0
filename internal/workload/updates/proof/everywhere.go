package proof

import (
	"slices"

	"github.com/plimsoll/plimsoll/internal/kvapi"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Everywhere is what all of several servers received, as if it were one, and the ranges of batches that the broker
// acknowledged and one of them or more did not receive. A server that told nothing, nil, does not count.
func Everywhere(published []rundoc.Published, found []*kvapi.Run) (*kvapi.Run, []rundoc.LostSpan) {
	all := &kvapi.Run{}
	var lost []rundoc.LostSpan
	if !slices.ContainsFunc(found, func(run *kvapi.Run) bool { return run != nil }) {
		return all, nil
	}
	for i := range published {
		p := &published[i]
		var gaps Spans
		for _, run := range found {
			if run != nil {
				gaps = gaps.and(Received(ReceivedFrom(run, p.Publisher)).gaps(p.Next))
			}
		}
		got := gaps.gaps(p.Next)
		r := kvapi.Received{Publisher: p.Publisher, Beyond: got, Batches: got.Count()}
		all.Publishers = append(all.Publishers, r)
		for _, s := range got.missing(p) {
			lost = append(lost, rundoc.LostSpan{Publisher: p.Publisher, First: s.First, Last: s.Last})
		}
	}
	return all, lost
}
