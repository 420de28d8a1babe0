package show

import (
	"fmt"

	"github.com/plimsoll/plimsoll/internal/figure"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// noDetail is why a document has no value of a figure that only this kind has.
const noDetail = "the document has no details of received messages"

// MessagesOf is what a document has of replies and rooms; nil replies where it has nothing.
type MessagesOf func(*rundoc.Run) (*rundoc.Replies, []rundoc.RoomFigures)

// Figures are those of rooms, and of unusual replies. unreadable says which replies cannot be read.
func Figures(d MessagesOf, unreadable string) []figure.Source {
	return []figure.Source{
		d.ofRooms("room.rate", "successful messages per second of the busiest room",
			figure.PerSecond, func(r *rundoc.RoomFigures) float64 { return r.RatePerS }),
		d.ofRooms("room.mean", "mean response time of the slowest room", figure.Time,
			func(r *rundoc.RoomFigures) float64 { return float64(r.MeanNS) }),
		d.percentileOfRooms("room.p50", 500, func(r *rundoc.RoomFigures) int64 { return r.P50NS }),
		d.percentileOfRooms("room.p99", 990, func(r *rundoc.RoomFigures) int64 { return r.P99NS }),
		d.ofRooms("room.failed", "failed messages of the worst room", figure.Count,
			func(r *rundoc.RoomFigures) float64 { return float64(r.Failed) }),
		d.ofReplies("late", "replies to messages that had timed out", func(r *rundoc.Replies) int64 { return r.Late }),
		d.ofReplies("duplicate", "second replies to a message",
			func(r *rundoc.Replies) int64 { return r.Duplicate }),
		d.ofReplies("reordered", "replies that followed that of a later message",
			func(r *rundoc.Replies) int64 { return r.Reordered }),
		d.ofReplies("unmatched", "replies that match no message of their connection",
			func(r *rundoc.Replies) int64 { return r.Unmatched }),
		d.ofReplies("unreadable", unreadable,
			func(r *rundoc.Replies) int64 { return r.Unreadable }),
	}
}

// ofRooms is the highest figure of the rooms that are asked for, so that a bound on it is one on each of them. A room
// that has no such figure, such as one without a message, has no part in it.
func (d MessagesOf) ofRooms(name, help string, unit figure.Unit, of func(*rundoc.RoomFigures) float64) figure.Source {
	return figure.Source{Name: name, Help: help, Unit: unit, Labels: []string{"room"}, Counts: "messages",
		Number: func(run *rundoc.Run, match map[string]string) figure.Value {
			replies, rooms := d(run)
			if replies == nil {
				return figure.Value{Why: noDetail}
			}
			v := figure.Value{Why: "no message completed in such a room"}
			for i := range rooms {
				r := &rooms[i]
				known := r.OK+r.Failed > 0 && (unit != figure.Time || r.MeanNS > 0)
				if room, asked := match["room"]; known && (!asked || room == r.Room) {
					v.Raw, v.Why = max(v.Raw, of(r)), ""
				}
			}
			return v
		}}
}

// percentileOfRooms is ofRooms for a percentile, in thousandths. If a room has too few times for it, nobody knows
// whether that room is the slowest, and there is no figure.
func (d MessagesOf) percentileOfRooms(name string, permille int64, of func(*rundoc.RoomFigures) int64) figure.Source {
	s := d.ofRooms(name, "response time of the slowest room, within 3%", figure.Time,
		func(r *rundoc.RoomFigures) float64 { return float64(of(r)) })
	slowest := s.Number
	s.Number = func(run *rundoc.Run, match map[string]string) figure.Value {
		v := slowest(run, match)
		if v.Why != "" {
			return v
		}
		_, rooms := d(run)
		for i := range rooms {
			r := &rooms[i]
			if room, asked := match["room"]; asked && room != r.Room || r.MeanNS <= 0 {
				continue
			}
			if n := r.Counted(); !rundoc.Supports(n, permille) {
				return figure.Value{Why: fmt.Sprintf("too few messages for a %s: room %s has %s of %s", name,
					units.Clean(r.Room), units.Number(n), units.Number(rundoc.Needs(permille)))}
			}
		}
		return v
	}
	return s
}

func (d MessagesOf) ofReplies(name, help string, of func(*rundoc.Replies) int64) figure.Source {
	return figure.Source{Name: name, Help: help, Unit: figure.Count,
		Number: func(run *rundoc.Run, _ map[string]string) figure.Value {
			if replies, _ := d(run); replies != nil {
				return figure.Value{Raw: float64(of(replies))}
			}
			return figure.Value{Why: noDetail}
		}}
}

// figures are those that only runs over WebSocket have, besides those of messages.
func figures() []figure.Source {
	return []figure.Source{
		counted("untaken", "received messages that no rule matches",
			func(d *rundoc.WSDetail) int64 { return d.Untaken }),
		more(counted("deliveries", "messages of others that clients received",
			func(d *rundoc.WSDetail) int64 { return d.Deliveries })),
		more(counted("heartbeats", "answered heartbeats of the server",
			func(d *rundoc.WSDetail) int64 { return d.Heartbeats })),
		counted("beats", "heartbeats sent by clients",
			func(d *rundoc.WSDetail) int64 { return d.Beats }),
	}
}

func more(s figure.Source) figure.Source { s.More = figure.MoreIsBetter; return s }

func counted(name, help string, of func(*rundoc.WSDetail) int64) figure.Source {
	return figure.Source{Name: name, Help: help, Unit: figure.Count,
		Number: func(run *rundoc.Run, _ map[string]string) figure.Value {
			if d := run.WS(); d != nil {
				return figure.Value{Raw: float64(of(d))}
			}
			return figure.Value{Why: noDetail}
		}}
}
