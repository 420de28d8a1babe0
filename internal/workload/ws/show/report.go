package show

import (
	"slices"

	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/units"
	"github.com/plimsoll/plimsoll/rundoc"
)

// Kind is how runs over WebSocket are shown.
func Kind() report.Kind {
	return report.Kind{
		Words:       report.Words{One: "message", Many: "messages", Short: "msg"},
		Labels:      []string{"message"},
		GroupTitles: map[string]string{"message": "message"},
		Own:         "plimsoll ws ws://YOUR-HOST:PORT/PATH --protocol YOUR-FILE",
		Less:        LessLoad("plimsoll ws", SpeechFlags()),
		Repeat:      Repeat("plimsoll ws", SpeechFlags()),
		Figures:     slices.Concat(Figures(messagesOf, notReadable), figures(), FanoutOf(fanoutOf).Figures()),
		Headline:    []string{"rate", "p50", "p95", "p99", "failed"},
		Listed:      listed,
		Show: func(v *report.View) report.Shown {
			if d := v.Run.WS(); d != nil {
				return &shown{v, d}
			}
			return v
		},
	}
}

// notReadable is what messages are that cannot be read.
const notReadable = "messages that the codec of the protocol cannot decode"

// messagesOf is what a document has of its replies and its rooms; nil where it has nothing.
func messagesOf(run *rundoc.Run) (*rundoc.Replies, []rundoc.RoomFigures) {
	if d := run.WS(); d != nil {
		return &d.Replies, d.ByRoom
	}
	return nil, nil
}

// fanoutOf is what a document has of fan-out; nil where it has nothing.
func fanoutOf(run *rundoc.Run) *rundoc.Fanout {
	if d := run.WS(); d != nil {
		return d.Fanout
	}
	return nil
}

// shown is the report of a run whose document has a detail.
type shown struct {
	*report.View
	detail *rundoc.WSDetail
}

// Subtitle adds what was spoken.
func (v *shown) Subtitle() string {
	name := units.Clean(v.detail.Protocol.Name)
	if v.detail.Protocol.Preset {
		name = "preset " + name
	}
	if name == "" {
		return v.View.Subtitle()
	}
	return name + " · " + v.View.Subtitle()
}

// Answer adds, beside the timeouts, that the server did answer, and with what.
func (v *shown) Answer() []report.Fact {
	facts := WithLosses(WithFanout(v.View.Answer(), v.detail.Fanout), v.detail.Lost)
	if why := v.detail.NoRule(); why != "" {
		at := slices.IndexFunc(facts, func(f report.Fact) bool { return f.Key == report.KeyErrors })
		if of := v.warned(rundoc.WarnNoRule); of != "" && at >= 0 {
			facts[at].Points = append(facts[at].Points, of)
			for i := range facts {
				if facts[i].Key == "Note" {
					facts[i] = v.Notes(rundoc.WarnGaps, rundoc.WarnNoRule)
				}
			}
		}
	}
	return facts
}

// warned is the document's warning of this code; "" where it has none.
func (v *shown) warned(code string) string {
	for _, w := range v.Run.Warnings {
		if w.Code == code {
			return units.Clean(w.Message)
		}
	}
	return ""
}

// Sections adds what came, and the rooms.
func (v *shown) Sections() []report.Section {
	return slices.Concat(
		[]report.Section{v.Times(), Fanout(v.View, v.detail.Fanout)},
		[]report.Section{Slowest(v.View, v.detail.Tail), v.Outcomes(), v.Failures(), Losses(v.detail.Lost), v.unusual(),
			v.received(), v.Connections()},
		v.Groups(),
		[]report.Section{Rooms(v.View, v.detail.ByRoom)},
		v.Ending(report.StreamedFile("samples", v.detail.Samples, "sample", "samples")...))
}

// unusual is that of replies, with what no rule takes.
func (v *shown) unusual() report.Section {
	s := UnusualReplies(&v.detail.Replies, "cannot be decoded by the codec ("+units.Clean(v.detail.Protocol.Codec)+")")
	if why := v.detail.NoRule(); why != "" {
		s.Notes = append(s.Notes, units.Clean(why)+".")
	}
	return s
}

// received counts what else was sent and received than messages and their answers.
func (v *shown) received() report.Section {
	type row struct {
		name    string
		n       int64
		meaning string
	}
	d := v.detail
	rows := slices.DeleteFunc([]row{
		{"deliveries", d.Deliveries, "messages of other clients that the clients received"},
		{"heartbeats", d.Heartbeats, "sent by the server and answered"},
		{"beats", d.Beats, "sent by the clients to keep connections alive"},
	}, func(r row) bool { return r.n <= 0 })
	if len(rows) == 0 {
		return report.Section{}
	}
	return report.Section{Title: "Other messages", Tables: []report.Table{report.TableOf(rows,
		report.Left("", func(r row) string { return r.name }),
		report.Right("count", func(r row) string { return units.Number(r.n) }),
		report.Left("meaning", func(r row) string { return r.meaning }),
	)}, Notes: []string{"Counts the whole run, including ramp-up and drain."}}
}

// SpeechFlags are those of the messages, which a command for less load repeats.
func SpeechFlags() []report.PlanFlag {
	return []report.PlanFlag{
		{At: "protocol.name", Flag: "--protocol"},
		{At: "protocol.answers", Flag: "--answers"},
		{At: "protocol.table", Flag: "--data-file"},
		{At: "protocol.rooms", Flag: "--rooms", Default: "1"},
	}
}
