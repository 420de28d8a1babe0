package ws

import (
	"strconv"

	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Document is what a document has of them.
func (r *Replies) Document() rundoc.Replies {
	return rundoc.Replies{
		Late:       r.Late.Load(),
		Duplicate:  r.Duplicate.Load(),
		Reordered:  r.Reordered.Load(),
		Unmatched:  r.Unmatched.Load(),
		Unreadable: r.Unreadable.Load(),
		Example:    r.Example(),
	}
}

// ByRoom are the figures of the rooms, which are the groups of the run.
func ByRoom(got *run.Recorded) []rundoc.RoomFigures {
	rooms := []rundoc.RoomFigures{}
	for i, g := range got.Groups() {
		rooms = append(rooms, rundoc.RoomFigures{
			Room: strconv.Itoa(i + 1), OK: g.OK, Failed: g.Failed, RatePerS: g.Rate,
			Times: g.Times, MeanNS: g.Mean, P50NS: g.P50, P99NS: g.P99,
		})
	}
	return rooms
}

// TailOf is what the messages have in common that took the p99 or longer; nil where there is no p99.
func TailOf(got *run.Recorded) *rundoc.MessageTail {
	total, err := got.Doc.Totals()
	if err != nil || total.ResponseTime.P99NS == nil {
		return nil
	}
	p99 := *total.ResponseTime.P99NS
	t := got.Tail(p99)
	return &rundoc.MessageTail{FromNS: p99, Messages: t.Count, Retried: t.Retried, Reconnected: t.Reconnected,
		Waited: t.Waited, OwnDelay: t.Delayed, Other: t.Other}
}
