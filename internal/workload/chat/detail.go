package chat

import (
	"fmt"

	"github.com/plimsoll/plimsoll/internal/record"
	"github.com/plimsoll/plimsoll/internal/run"
	"github.com/plimsoll/plimsoll/internal/workload/ws"
	"github.com/plimsoll/plimsoll/rundoc"
)

// detail is what only a chat has to tell.
func detail(got *run.Recorded, replies *ws.Replies) *rundoc.ChatDetail {
	d := &rundoc.ChatDetail{
		Replies: rundoc.Replies{
			Late:       replies.Late.Load(),
			Duplicate:  replies.Duplicate.Load(),
			Reordered:  replies.Reordered.Load(),
			Unmatched:  replies.Unmatched.Load(),
			Unreadable: replies.Unreadable.Load(),
			Example:    replies.Example(),
		},
		ByRoom:  []rundoc.RoomFigures{},
		Samples: got.Samples,
	}
	for i, g := range got.Groups() {
		d.ByRoom = append(d.ByRoom, rundoc.RoomFigures{
			Room: fmt.Sprint(i + 1), OK: g.OK, Failed: g.Failed, RatePerS: g.Rate,
			Times: g.Times, MeanNS: g.Mean, P50NS: g.P50, P99NS: g.P99,
		})
	}
	if total, err := got.Doc.Totals(); err == nil && total.ResponseTime.P99NS != nil {
		d.Tail = tailOf(got.Tail(*total.ResponseTime.P99NS), *total.ResponseTime.P99NS)
	}
	return d
}

// tailOf is what the messages have in common that took the p99 or longer.
func tailOf(t record.Tail, p99 int64) *rundoc.MessageTail {
	return &rundoc.MessageTail{FromNS: p99, Messages: t.Count, Retried: t.Retried, Reconnected: t.Reconnected,
		Waited: t.Waited, OwnDelay: t.Delayed, Other: t.Other}
}
