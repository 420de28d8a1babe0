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

// detail is what only a run over WebSocket has to tell.
func (t *Traffic) detail(got *run.Recorded, s *Speech) (*rundoc.WSDetail, error) {
	d := &rundoc.WSDetail{
		Protocol: rundoc.WSProtocol{Name: s.name(), Codec: t.protocol.Codec.Name(), Preset: s.isPreset()},
		Replies:  t.replies.Document(), Untaken: t.replies.Untaken.Load(), UntakenExample: t.replies.UntakenExample(),
		Heartbeats: t.heartbeats.Load(), Beats: t.beats.Load(), Deliveries: t.deliveries.Load(),
		Lost: t.Losses(), Tail: TailOf(got), Samples: got.Samples,
	}
	if t.Groups() > 1 {
		d.ByRoom = ByRoom(got)
	}
	var err error
	d.Fanout, err = t.Heard()
	return d, err
}

// Heard is what became of messages at their receivers; nil where there were none.
func (t *Traffic) Heard() (*rundoc.Fanout, error) {
	if t.Fanout() == nil {
		return nil, nil
	}
	return t.Fanout().Document()
}

// names are those of the messages, in the order of the kinds.
func (t *Traffic) names() []string {
	names := make([]string, len(t.protocol.Messages))
	for i := range names {
		names[i] = t.protocol.Messages[i].Name
	}
	return names
}
