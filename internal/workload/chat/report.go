package chat

import (
	"slices"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/report/graph"
	"github.com/plimsoll/plimsoll/internal/workload/ws/show"
	"github.com/plimsoll/plimsoll/rundoc"
)

// ReportKind is how runs of a chat are shown.
func ReportKind() report.Kind {
	return report.Kind{
		Words:       report.Words{One: "message", Many: "messages", Short: "msg"},
		Labels:      []string{"type"},
		GroupTitles: map[string]string{"type": "message type"},
		Own:         "plimsoll chat ws://YOUR-HOST:PORT/PATH",
		Less:        show.LessLoad("plimsoll chat", mixFlags()),
		Repeat:      show.Repeat("plimsoll chat", mixFlags()),
		Figures: slices.Concat(show.Figures(messagesOf, "replies that are not a JSON object"),
			show.FanoutOf(fanoutOf).Figures()),
		Headline: []string{"rate", "p50", "p99", "failed"},
		Listed:   listed,
		Show: func(v *report.View) report.Shown {
			if d := v.Run.Chat(); d != nil {
				return &shown{v, d}
			}
			return v
		},
	}
}

// messagesOf is what a chat's document has of its replies and its rooms; nil where it has nothing.
func messagesOf(run *rundoc.Run) (*rundoc.Replies, []rundoc.RoomFigures) {
	if d := run.Chat(); d != nil {
		return &d.Replies, d.ByRoom
	}
	return nil, nil
}

// fanoutOf is what a chat's document has of fan-out; nil where it has nothing.
func fanoutOf(run *rundoc.Run) *rundoc.Fanout {
	if d := run.Chat(); d != nil {
		return d.Fanout
	}
	return nil
}

// shown is the report of a run whose document has a detail.
type shown struct {
	*report.View
	detail *rundoc.ChatDetail
}

// Answer adds what became of deliveries to all of a room.
func (v *shown) Answer() []report.Fact {
	return show.WithLosses(show.WithFanout(v.View.Answer(), v.detail.Fanout), v.detail.Lost)
}

// Graphs adds the stages of messages, fan-out and the rooms.
func (v *shown) Graphs() []graph.Panel { return show.Graphs(v.View, v.detail.Fanout, v.detail.ByRoom) }

// Sections adds the replies and the rooms.
func (v *shown) Sections() []report.Section {
	return slices.Concat(
		[]report.Section{v.Times(), show.Fanout(v.View, v.detail.Fanout)},
		[]report.Section{show.Slowest(v.View, v.detail.Tail), v.Outcomes(), v.Failures(),
			show.Losses(v.detail.Lost),
			show.UnusualReplies(&v.detail.Replies, "not a JSON object"), v.Connections()},
		v.Groups(),
		[]report.Section{show.Rooms(v.View, v.detail.ByRoom)},
		v.Ending(report.StreamedFile("samples", v.detail.Samples, "sample", "samples")...))
}
